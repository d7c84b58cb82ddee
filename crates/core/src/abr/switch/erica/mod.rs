//! ERICA+: measures the load once per interval, and tells each source its share of the rate that would drain the queue in time.
//!
//! ERICA (explicit rate indication for congestion avoidance), with ERICA+'s control of the queue. At the end of each averaging
//! interval the port knows its input rate, the time to drain its queue, and the number of active VCs. From these it computes the
//! target rate, the load factor z and the fair share. In the next interval the backward RM cells of each VC get a rate computed
//! from these; all cells of a VC in an interval get the same rate, so that a change is measured before the next one.
//!
//! Sources: the algorithm is that of the contribution of 1996 and of Kalyanaraman et al. 2000 (with max-min fairness by the last
//! interval's highest allocation; fair share first; active VCs counted in both directions, and averaged). Neither was at hand in
//! full. The steps follow, as far as excerpts show them, the pseudocode in Kalyanaraman's thesis (1997, appendix C) and in
//! Vandalore et al. 1998 (98-0408), and the queue control function follows the latter's companion cs/9809041. Its form in terms of
//! the drain time, and the default T0, are from memory.
//!
//! Not implemented: averages of load and capacity, the immediate update of the fair share, capacity that other classes use. An
//! interval ends with the first cell, or backward RM cell, after its time or number of cells, and rates are over the time that it
//! really lasted: a port without a timer can do no better, and a busy port is late by only one cell.
//= erica-1996
//= erica-2000

use super::{MarkedLine, RateMarker};
use crate::abr::rm_cell::RmCell;
use crate::declare::Fault;
use crate::gauge::{Gauge, Tell};
use crate::measure::{CellRate, Factor, Share};
use crate::storage::per_flow::PerFlow;
use crate::time::{Duration, Instant};
use crate::unit::FlowId;
use alloc::string::ToString;
use alloc::vec::Vec;

crate::choice! {
    /// Source of the rates of VCs.
    pub enum Source {
        /// CCR in its forward RM cells: the rate at which it may send.
        Declared = "declared",
        /// Its cells in the interval: the rate at which it does send, so that a source loses a rate that it does not use.
        Measured = "measured",
    }
}

crate::declare! {
    /// Gives each source an explicit rate from the load, the queue and the active sources, measured in intervals (ERICA+).
    pub struct EricaParams as "erica" from "erica-2000" {
        /// Averaging interval; long enough for an RM cell of most VCs.
        interval: Duration = "5 ms";
        /// Number of cells after which the interval ends in any case.
        interval_cells: Option<u64> = unset "by time alone";
        /// T0: target of the queueing delay.
        t0: Duration = "1.5 ms";
        /// a: parameter of the hyperbola by which the target rate falls while the queue is longer; with 1 it does not fall.
        a: Factor = "1.15";
        /// b: target rate of an empty queue, relative to the link's rate; falls to 1 at T0 by a hyperbola.
        b: Factor = "1.05";
        /// QDLF, queue drain limit factor: lower bound of the target rate, as a share of the link's rate.
        qdlf: Share = "0.5";
        /// delta: up to a load of 1 + delta, all VCs get the highest allocation of the last interval.
        delta: Share = "0.1";
        /// Weight of a VC that was silent for one interval, relative to an active VC; its square after two intervals.
        decay: Share = "0.9";
        /// Where the rates of VCs are taken from: CCR of their RM cells, or their cells in an interval.
        ccr: Source = "declared";
    }
    check |it: &EricaParams| {
        let fault = |name, found: &str, allowed: &str| Err(Fault {
            name,
            found: found.to_string(),
            allowed: allowed.to_string(),
        });
        if it.interval == Duration::ZERO {
            return fault("interval", "0 s", "a time above 0");
        }
        if it.interval_cells == Some(0) {
            return fault("interval_cells", "0", "at least 1");
        }
        Ok(())
    }
}

/// State that the port keeps for a VC.
#[derive(Clone, Copy, Debug, Default)]
struct Vc {
    /// Whether it has been seen, and is in the list.
    known: bool,
    ccr: CellRate,
    /// Its cells in this interval.
    cells: u64,
    /// 1 if it has been seen in this interval; less, the longer ago that was.
    contribution: f64,
    /// Rate that it was given in this interval.
    told: Option<CellRate>,
}

/// Measurements of the last interval.
#[derive(Clone, Copy, Debug)]
struct Measured {
    /// Load factor: input rate over target rate.
    z: f64,
    target: CellRate,
    fair_share: CellRate,
    max_alloc_previous: CellRate,
    active: f64,
}

/// The port's measurements.
#[derive(Clone, Debug)]
pub struct Erica {
    params: EricaParams,
    line: CellRate,
    began: Instant,
    cells: u64,
    vcs: PerFlow<Vc>,
    known: Vec<FlowId>,
    last: Measured,
    max_alloc_current: CellRate,
}

impl Erica {
    /// Nothing measured: one VC could have all of the line.
    pub fn new(params: &EricaParams, line: MarkedLine) -> Self {
        Self {
            params: params.clone(),
            line: line.rate,
            began: Instant::ZERO,
            cells: 0,
            vcs: PerFlow::default(),
            known: Vec::new(),
            last: Measured {
                z: 1.0,
                target: line.rate,
                fair_share: line.rate,
                max_alloc_previous: line.rate,
                active: 1.0,
            },
            max_alloc_current: line.rate,
        }
    }

    /// Target, as a share of the line's rate, with a queue that takes `delay` to drain; above 1 while `delay` is less than T0.
    // f(T) = b T0 / ((b - 1) T + T0)                for T <= T0
    //        max(QDLF, a T0 / ((a - 1) T + T0))     for T > T0
    //= erica-2000
    fn fraction(&self, delay: f64) -> f64 {
        let EricaParams { a, b, qdlf, .. } = &self.params;
        let t0 = self.params.t0.seconds();
        if t0 == 0.0 && delay == 0.0 {
            return 1.0;
        }
        if delay <= t0 {
            b.0 * t0 / ((b.0 - 1.0) * delay + t0)
        } else {
            (a.0 * t0 / ((a.0 - 1.0) * delay + t0)).max(qdlf.0)
        }
    }

    /// Ends the interval if its time has come.
    fn catch_up(&mut self, now: Instant, backlog: u64) {
        let lasted = now.since(self.began);
        let full = self
            .params
            .interval_cells
            .is_some_and(|most| self.cells >= most);
        if lasted < self.params.interval && !(full && lasted > Duration::ZERO) {
            return;
        }
        let lasted = lasted.seconds();
        let input = CellRate(self.cells as f64 / lasted);
        let target = self.line * self.fraction(backlog as f64 / self.line.0);
        let mut active = 0.0;
        for vc in &self.known {
            let vc = self.vcs.of(*vc);
            active += vc.contribution;
            vc.contribution *= self.params.decay.0;
            if self.params.ccr == Source::Measured {
                vc.ccr = CellRate(vc.cells as f64 / lasted);
            }
            (vc.cells, vc.told) = (0, None);
        }
        let active = active.max(1.0);
        let fair_share = target * (1.0 / active);
        self.last = Measured {
            z: input.0 / target.0,
            target,
            fair_share,
            max_alloc_previous: self.max_alloc_current,
            active,
        };
        self.max_alloc_current = fair_share;
        (self.began, self.cells) = (now, 0);
    }

    /// `vc` has been seen.
    fn see(&mut self, vc: FlowId) -> &mut Vc {
        let state = self.vcs.of(vc);
        if !state.known {
            state.known = true;
            self.known.push(vc);
        }
        state.contribution = 1.0;
        state
    }

    /// Rate allowed to a VC that sends at `ccr`.
    // VCShare = CCR / z
    // ER = max(FairShare, VCShare)                              if z > 1 + delta
    //      max(MaxAllocPrevious, FairShare, VCShare)            otherwise
    // ER = FairShare, if ER > FairShare and CCR < FairShare
    // ER = min(ER, target)
    //= erica-1996
    fn allocate(&mut self, ccr: CellRate) -> CellRate {
        let last = self.last;
        // Without load, CCR / z is infinite, and the target bounds it.
        let vc_share = if last.z > 0.0 {
            CellRate(ccr.0 / last.z).min(last.target)
        } else {
            last.target
        };
        let mut er = last.fair_share.max(vc_share);
        if last.z <= 1.0 + self.params.delta.0 {
            er = er.max(last.max_alloc_previous);
        }
        self.max_alloc_current = self.max_alloc_current.max(er);
        if er > last.fair_share && ccr < last.fair_share {
            er = last.fair_share;
        }
        er.min(last.target)
    }
}

impl RateMarker for Erica {
    fn on_cell(&mut self, now: Instant, vc: FlowId, backlog: u64) {
        self.catch_up(now, backlog);
        self.cells += 1;
        self.see(vc).cells += 1;
    }

    fn on_forward(&mut self, _: Instant, vc: FlowId, rm: &mut RmCell, _: u64) {
        if self.params.ccr == Source::Declared {
            self.vcs.of(vc).ccr = rm.ccr;
        }
    }

    fn on_backward(&mut self, now: Instant, vc: FlowId, rm: &mut RmCell, backlog: u64) {
        self.catch_up(now, backlog);
        let state = *self.see(vc);
        let er = match state.told {
            Some(er) => er,
            None => self.allocate(state.ccr),
        };
        self.vcs.of(vc).told = Some(er);
        rm.limit(er);
    }

    fn gauges(&self, tell: &mut Tell) {
        tell(Gauge::new("z", "ratio"), self.last.z);
        tell(Gauge::new("target", "cells/s"), self.last.target.0);
        tell(Gauge::new("fair_share", "cells/s"), self.last.fair_share.0);
        tell(
            Gauge::new("max_alloc_previous", "cells/s"),
            self.last.max_alloc_previous.0,
        );
        tell(Gauge::new("active", "VCs"), self.last.active);
    }
}

#[cfg(test)]
mod tests;
