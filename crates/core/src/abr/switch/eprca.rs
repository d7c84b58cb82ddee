//! EPRCA: while the queue is long, tells sources above the mean allowed rate to go below it.
//!
//! EPRCA (enhanced proportional rate control algorithm; Roberts, ATM Forum 94-0735R1) as described by Lai, Lin & Hung, who give
//! every rule in words. The port keeps one mean, MACR, of the rates in the RM cells of the VCs. It has two thresholds of the queue
//! length: beyond `congested` the port is congested, beyond `very_congested` it is very congested as well.
//!
//! Choices where the text is open: a queue exceeds "the congested threshold" if it is longer, not if it is equally long. CCR is the
//! value in the passing RM cell, whatever the source's rate is by then. ER is only ever lowered. CI and NI are not changed: "the
//! EPRCA switch does not set the CI bit of the passing RM cells".
//= lai-lin-hung-1999 §2.2

use super::{MarkedLine, RateMarker};
use crate::abr::rm_cell::RmCell;
use crate::declare::Fault;
use crate::gauge::{Gauge, Tell};
use crate::measure::{CellRate, PartialRate, Room, Share};
use crate::time::Instant;
use crate::unit::FlowId;
use alloc::format;
use alloc::string::ToString;

crate::declare! {
    /// Gives sources above the mean rate an explicit rate below it while the backlog exceeds a threshold (intelligent marking).
    pub struct EprcaParams as "eprca" from "lai-lin-hung-1999 §2.2" {
        /// Q_L: backlog above which the port is congested.
        congested: Room, try ["20 cells"], show "100 cells";
        /// DQT: backlog above which the port is very congested.
        very_congested: Room, try ["40 cells"], show "200 cells";
        /// IMR: initial value of MACR, a rate or a share of the link's.
        imr: PartialRate = "0.01";
        /// AV: weight of a new rate in MACR, the mean allowed cell rate.
        av: Share = "0.0625";
        /// VCS: while the port is not congested, only rates above VCS x MACR enter MACR.
        vcs: Share = "0.875";
        /// ERF: while the port is congested, ER becomes ERF x MACR.
        erf: Share = "0.9375";
        /// DPF: ERF applies only to VCs whose rate is above DPF x MACR.
        dpf: Share = "0.875";
        /// MRF: while the port is very congested, ER of all VCs becomes MRF x MACR.
        mrf: Share = "0.25";
    }
    check |it: &EprcaParams| {
        let fault = |name, room: Room, allowed: &str| Err(Fault {
            name,
            found: match room {
                Room::Cells(n) => format!("{n} cells"),
                Room::Packets(n) => format!("{n} packets"),
            },
            allowed: allowed.to_string(),
        });
        for (name, room) in [("congested", it.congested), ("very_congested", it.very_congested)] {
            if matches!(room, Room::Packets(_)) {
                return fault(name, room, "a number of cells");
            }
        }
        if it.very_congested.count() < it.congested.count() {
            return fault("very_congested", it.very_congested, "at least `congested`");
        }
        Ok(())
    }
}

/// The mean of the rates, and when it is asked.
#[derive(Clone, Debug)]
pub struct Eprca {
    params: EprcaParams,
    macr: CellRate,
}

/// States of the queue, by its length.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum State {
    Free,
    Congested,
    VeryCongested,
}

impl Eprca {
    /// MACR at its initial value.
    pub fn new(params: &EprcaParams, line: MarkedLine) -> Self {
        Self {
            macr: params.imr.of(line.rate),
            params: params.clone(),
        }
    }

    fn state(&self, backlog: u64) -> State {
        if backlog > self.params.very_congested.count() {
            State::VeryCongested
        } else if backlog > self.params.congested.count() {
            State::Congested
        } else {
            State::Free
        }
    }
}

impl RateMarker for Eprca {
    // MACR += (ACR - MACR) * AV, if congested and ACR < MACR, or not congested and ACR > MACR * VCS
    //= lai-lin-hung-1999 §2.2
    fn on_forward(&mut self, _: Instant, _: FlowId, rm: &mut RmCell, backlog: u64) {
        let (acr, macr) = (rm.ccr.0, self.macr.0);
        let learns = if self.state(backlog) >= State::Congested {
            acr < macr
        } else {
            acr > macr * self.params.vcs.0
        };
        if learns {
            self.macr = CellRate(macr + (acr - macr) * self.params.av.0);
        }
    }

    // ER = min(ER, MACR * MRF) if very congested; min(ER, MACR * ERF) if congested and ACR > MACR * DPF
    //= lai-lin-hung-1999 §2.2
    fn on_backward(&mut self, _: Instant, _: FlowId, rm: &mut RmCell, backlog: u64) {
        match self.state(backlog) {
            State::VeryCongested => rm.limit(self.macr * self.params.mrf.0),
            State::Congested if rm.ccr > self.macr * self.params.dpf.0 => {
                rm.limit(self.macr * self.params.erf.0);
            }
            State::Congested | State::Free => {}
        }
    }

    fn gauges(&self, tell: &mut Tell) {
        tell(Gauge::new("macr", "cells/s"), self.macr.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abr::switch::script::{LINE, check};
    use crate::declare::Declared;

    /// Table I's factors; Table II's thresholds without losses.
    fn marker(texts: &[(&str, &str)]) -> Eprca {
        let thresholds = [("congested", "500 cells"), ("very_congested", "800 cells")];
        Eprca::new(
            &EprcaParams::from_texts(&[&thresholds, texts].concat()),
            LINE,
        )
    }

    #[test]
    //= lai-lin-hung-1999 §2.2 type=test
    // IMR is PCR/100, PCR is the line's rate, AV is 1/16, and VCS is 7/8.
    fn the_mean_learns_of_high_rates_while_the_queue_is_short() {
        check(
            marker(&[]),
            "0 forward a ccr 1000 queue 0     => macr 1000     # the line has 100,000 cells/s
             1 forward a ccr 2600 queue 0     => macr 1100     # + 1600/16
             2 forward b ccr 962.5 queue 0    => macr 1100     # as much as 7/8 of it does not count
             3 forward b ccr 964 queue 0      => macr 1091.5   # more does
             4 forward b ccr 2691.5 queue 500 => macr 1191.5   # 500 cells are not congestion",
        );
    }

    #[test]
    //= lai-lin-hung-1999 §2.2 type=test
    fn and_of_low_rates_while_it_is_long() {
        check(
            marker(&[]),
            "0 forward a ccr 2600 queue 501   => macr 1000
             1 forward a ccr 1000 queue 501   => macr 1000
             2 forward a ccr 680 queue 501    => macr 980
             3 forward a ccr 20 queue 2000    => macr 920",
        );
    }

    #[test]
    //= lai-lin-hung-1999 §2.2 type=test
    // "The ER of the VCs whose ACR is less than MACR * DPF need not be reduced in order to keep the fairer behaviour."
    fn intelligent_marking() {
        check(
            marker(&[]),
            "0 backward a ccr 5000 queue 500  => er open
             1 backward a ccr 5000 queue 501  => er 937.5
             2 backward a ccr 876 queue 501   => er 937.5
             3 backward a ccr 875 queue 501   => er open
             4 backward a ccr 5000 queue 800  => er 937.5
             5 backward a ccr 5000 queue 501 er 600 => er 600   # somebody else allows less",
        );
    }

    #[test]
    //= lai-lin-hung-1999 §2.2 type=test
    // "When the switch is in a very congested state, it reduces ER to MACR * MRF", whichever VC it is of.
    fn very_congested_means_all() {
        check(
            marker(&[]),
            "0 backward a ccr 5000 queue 801  => er 250
             1 backward a ccr 10 queue 801    => er 250
             2 backward a ccr 10 queue 801 er 100 => er 100",
        );
    }

    #[test]
    //= lai-lin-hung-1999 Table I type=test
    fn each_factor_is_a_parameter() {
        let half = [
            ("imr", "400 cells/s"),
            ("av", "0.5"),
            ("vcs", "0.5"),
            ("erf", "0.8"),
            ("dpf", "0.5"),
            ("mrf", "0.1"),
        ];
        check(
            marker(&half),
            "0 forward a ccr 300 queue 0      => macr 350
             1 forward a ccr 175 queue 0      => macr 350
             2 backward a ccr 176 queue 600   => er 280
             3 backward a ccr 175 queue 600   => er open
             4 backward a ccr 1 queue 900     => er 35",
        );
    }

    #[test]
    fn thresholds_rise_and_count_cells() {
        let fault = |congested, very| {
            let values = [("congested", congested), ("very_congested", very)];
            let room = |text: &str| match crate::declare::Kind::Room.read(text) {
                Some(crate::declare::Value::Room(room)) => room,
                _ => panic!("{text}"),
            };
            let mut params = marker(&[]).params;
            (params.congested, params.very_congested) = (room(values[0].1), room(values[1].1));
            params.check().err().map(|fault| (fault.name, fault.found))
        };
        assert_eq!(fault("5 cells", "5 cells"), None);
        assert_eq!(
            fault("5 cells", "4 cells"),
            Some(("very_congested", "4 cells".into()))
        );
        assert_eq!(
            fault("5 packets", "9 cells"),
            Some(("congested", "5 packets".into()))
        );
    }
}
