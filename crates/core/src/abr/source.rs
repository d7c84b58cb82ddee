//! ABR's source end system: paces cells at the rate that the network allows, requests it with forward RM cells, and reads the
//! answers.
//!
//! The rules have their numbers in TM 4.0. Optional ones are off unless their parameter is given: Trm (rule 3), CRM (rule 6) and
//! all policies by which an unused rate is lost (rules 5 and 13); in TM 4.0 itself, Trm, ADTF and CRM are in force. BN is never
//! set, so every backward RM cell counts for rule 6. No cell has CLP or EFCI, the subjects of rules 4 and 12.
//!
//! TM 4.0 itself was not at hand. Rules 3 to 8 follow quotations in appendix A of Kalyanaraman's dissertation, rules 1, 2 and 11
//! the descriptions of chip makers (NEC's µPD98501, Motorola's MPC8260). Rules 9, 10 and 13, and numbers such as TCR, are from
//! memory.
//!
//! A forward RM cell is sent only before a waiting cell. ACR is integrated over time: a cell is sent when the integral since the
//! last one reaches one cell, however often ACR changes meanwhile. Time in which nothing waits earns no more than that one cell.
//= atm-tm4 §5.10.4
//= atm-tm4 §5.10.4 type=departure

use super::rm_cell::RmCell;
use super::use_it_or_lose_it::{Lost, Terms, UseItOrLoseIt, Watch};
use crate::declare::Fault;
use crate::measure::{CellRate, PartialRate, Share};
use crate::time::{Duration, Instant, SECOND};
use alloc::format;

crate::declare! {
    /// Paces cells at the rate that backward RM cells carry.
    pub struct SourceParams as "abr" from "atm-tm4 §5.10.4" {
        /// PCR, peak cell rate: the highest rate at which it may send.
        pcr: Option<CellRate> = unset "rate of the first link";
        /// MCR, minimum cell rate: the rate at which it may always send.
        mcr: CellRate = "0 cells/s";
        /// ICR, initial cell rate: the rate at the start, to which rules 5 and 13 fall back; a share is relative to PCR.
        icr: PartialRate = "1";
        /// Nrm: number of cells of which one is a forward RM cell.
        nrm: u64 = "32";
        /// Mrm: minimum number of cells between two forward RM cells that `trm` causes.
        mrm: u64 = "2";
        /// Trm: time after a forward RM cell at which the next one is due, however few cells were sent (TM 4.0: "100 ms").
        trm: Option<Duration> = unset "off";
        /// RIF, rate increase factor: each backward RM cell that allows it raises ACR by RIF x PCR.
        rif: Share = "0.0625";
        /// RDF, rate decrease factor: each backward RM cell that reports congestion lowers ACR by RDF x ACR.
        rdf: Share = "0.0625";
        /// CRM: number of forward RM cells that may go unanswered (TM 4.0: 16777215 / Nrm).
        crm: Option<u64> = unset "off";
        /// CDF, cutoff decrease factor: beyond `crm`, each forward RM cell lowers ACR by CDF x ACR before it is sent.
        cdf: Share = "0.0625";
        /// Policy by which a source loses a rate that it does not use.
        use_it_or_lose_it: UseItOrLoseIt = "off";
        /// ADTF, with "adtf": time between two forward RM cells from which on a source counts as idle.
        adtf: Duration = "500 ms";
        /// TOF, with "august-1995": time that may pass until the next forward RM cell, as a multiple of that at ACR.
        tof: u64 = "2";
        /// TDF, with "count-based": share of ACR that is lost with each forward RM cell.
        tdf: Share = "0.0625";
        /// Tc, with "august-1995" and "time-based": time in which an idle source loses all of ACR.
        tc: Option<Duration> = unset "two round trips";
    }
    check |it| {
        let fault = |name, found, allowed: &str| Err(Fault { name, found, allowed: allowed.into() });
        let cells = |rate: CellRate| format!("{} cells/s", rate.0);
        let pcr = it.pcr.unwrap_or(CellRate(f64::INFINITY));
        if it.pcr == Some(CellRate(0.0)) {
            return fault("pcr", cells(pcr), "a rate above zero");
        }
        if it.mcr > pcr {
            return fault("mcr", cells(it.mcr), "at most the `pcr`");
        }
        if let PartialRate::Cells(icr) = it.icr && icr > pcr {
            return fault("icr", cells(icr), "at most the `pcr`");
        }
        if let PartialRate::Cells(icr) = it.icr && icr < it.mcr {
            return fault("icr", cells(icr), "at least the `mcr`");
        }
        if it.icr == PartialRate::Share(Share(0.0)) || it.icr == PartialRate::Cells(CellRate(0.0)) {
            return fault("icr", "0".into(), "a rate above zero");
        }
        if it.nrm < 2 {
            return fault("nrm", format!("{}", it.nrm), "at least 2");
        }
        if it.mrm < 1 {
            return fault("mrm", "0".into(), "at least 1");
        }
        if it.tc == Some(Duration::ZERO) {
            return fault("tc", "0 s".into(), "a time above zero");
        }
        Ok(())
    }
}

/// TCR: the rate of RM cells out of rate \[cells/s\], which a source sends while ACR is below it.
//= atm-tm4 §5.10.4, rule 11
const TCR: CellRate = CellRate(10.0);

/// A cell that a source sends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sent {
    /// A forward RM cell.
    ForwardRm(RmCell),
    /// The backward RM cell that waits.
    BackwardRm,
    /// The data cell that has waited longest.
    Data,
}

/// A source. It knows the number of waiting cells; the host keeps the cells themselves.
#[derive(Clone, Debug)]
pub struct Source {
    pcr: CellRate,
    mcr: CellRate,
    icr: CellRate,
    nrm: u64,
    mrm: u64,
    trm: Option<Duration>,
    rif: f64,
    rdf: f64,
    crm: u64,
    cdf: f64,
    /// ACR: allowed cell rate.
    acr: CellRate,
    /// Data cells that wait.
    waiting: u64,
    /// A backward RM cell waits.
    turned: bool,
    /// Part of the next in-rate cell that was allowed until then \[cells\], at most 1.
    credit: f64,
    credited: Instant,
    /// Time at which the last forward RM cell was sent, in-rate or not.
    asked: Option<Instant>,
    /// The same, for in-rate cells only.
    last_rm: Option<Instant>,
    /// Cells in rate since then.
    since_rm: u64,
    /// A backward RM cell was among them.
    turned_since: bool,
    /// Forward RM cells in rate since the last backward one came.
    unanswered: u64,
    watch: Watch,
}

impl Source {
    /// A source on a line of this rate, and on a path that has this round-trip time if nothing queues.
    pub fn new(params: &SourceParams, line: CellRate, round_trip: Duration) -> Self {
        let pcr = params.pcr.unwrap_or(line);
        let mcr = params.mcr.min(pcr);
        let icr = params.icr.of(pcr).min(pcr).max(mcr);
        let terms = Terms {
            policy: params.use_it_or_lose_it,
            adtf: params.adtf,
            tof: params.tof,
            tdf: params.tdf.0,
            tc: params.tc,
            nrm: params.nrm,
        };
        Self {
            pcr,
            mcr,
            icr,
            nrm: params.nrm,
            mrm: params.mrm,
            trm: params.trm,
            rif: params.rif.0,
            rdf: params.rdf.0,
            crm: params.crm.unwrap_or(u64::MAX),
            cdf: params.cdf.0,
            //= atm-tm4 §5.10.4, rule 2
            acr: icr,
            waiting: 0,
            turned: false,
            credit: 1.0,
            credited: Instant::ZERO,
            asked: None,
            last_rm: None,
            since_rm: 0,
            turned_since: false,
            unanswered: 0,
            watch: Watch::new(&terms, round_trip),
        }
    }

    /// ACR.
    pub fn acr(&self) -> CellRate {
        self.acr
    }

    /// Data cells that wait.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// `cells` data cells arrive and wait.
    pub fn handle_data(&mut self, cells: u64) {
        self.waiting += cells;
    }

    /// A backward RM cell of the other direction arrives and waits.
    pub fn handle_turned(&mut self) {
        self.turned = true;
    }

    /// A backward RM cell has come back.
    pub fn handle_backward_rm(&mut self, now: Instant, rm: &RmCell) {
        self.settle(now);
        self.unanswered = 0;
        //= atm-tm4 §5.10.4, rule 8
        if rm.ci {
            self.acr = self.acr * (1.0 - self.rdf);
        } else if !rm.ni && self.watch.may_increase(self.acr, rm.er) {
            self.acr = (self.acr + self.pcr * self.rif).min(self.pcr);
        }
        //= atm-tm4 §5.10.4, rule 9
        self.acr = self.acr.min(rm.er).max(self.mcr);
    }

    /// Time at which it may send next; `None` while nothing waits. Every other call may change it.
    pub fn poll_timeout(&self) -> Option<Instant> {
        if self.waiting == 0 && !self.turned {
            return None;
        }
        Some(self.in_rate().min(self.out_of_rate()))
    }

    /// Time at which an in-rate cell may be sent.
    //= atm-tm4 §5.10.4, rule 1
    fn in_rate(&self) -> Instant {
        if self.credit >= 1.0 {
            return self.credited;
        }
        self.credited + (self.acr * (1.0 / (1.0 - self.credit))).interval()
    }

    /// Call before ACR changes: keeps the credit accumulated so far.
    fn settle(&mut self, now: Instant) {
        let earned = self.acr.0 * (now - self.credited).0 as f64 / SECOND as f64;
        self.credit = f64::min(self.credit + earned, 1.0);
        self.credited = now;
    }

    /// Time at which an out-of-rate forward RM cell may be sent.
    //= atm-tm4 §5.10.4, rule 11
    fn out_of_rate(&self) -> Instant {
        match self.asked {
            Some(asked) if self.acr < TCR => asked + TCR.interval(),
            _ => Instant::NEVER,
        }
    }

    /// The cell to send now, if sending is allowed and something waits.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Sent> {
        if self.poll_timeout()? > now {
            return None;
        }
        if self.in_rate() > now {
            self.asked = Some(now);
            return Some(Sent::ForwardRm(self.forward_rm()));
        }
        (self.credit, self.credited) = (0.0, now);
        //= atm-tm4 §5.10.4, rule 3
        if self.rm_is_due(now) {
            return Some(Sent::ForwardRm(self.ask(now)));
        }
        self.since_rm += 1;
        if self.turned && (!self.turned_since || self.waiting == 0) {
            (self.turned, self.turned_since) = (false, true);
            return Some(Sent::BackwardRm);
        }
        self.waiting -= 1;
        Some(Sent::Data)
    }

    /// The next cell in rate is a forward RM cell.
    fn rm_is_due(&self, now: Instant) -> bool {
        //= atm-tm4 §5.10.4, rule 2
        let Some(last) = self.last_rm else {
            return true;
        };
        let late = |trm| self.since_rm >= self.mrm && now >= last + trm;
        self.since_rm >= self.nrm - 1 || self.trm.is_some_and(late)
    }

    /// Makes a forward RM cell that is sent in rate.
    fn ask(&mut self, now: Instant) -> RmCell {
        if let Some(last) = self.last_rm {
            let lost = Lost {
                since: now - last,
                cells: self.since_rm + 1,
                acr: self.acr,
                icr: self.icr,
            };
            //= atm-tm4 §5.10.4, rule 5
            //= atm-tm4 §5.10.4, rule 13
            self.acr = self.watch.on_forward_rm(&lost).max(self.mcr);
        }
        //= atm-tm4 §5.10.4, rule 6
        if self.unanswered >= self.crm {
            self.acr = (self.acr * (1.0 - self.cdf)).max(self.mcr);
        }
        self.unanswered += 1;
        (self.last_rm, self.asked) = (Some(now), Some(now));
        (self.since_rm, self.turned_since) = (0, false);
        self.forward_rm()
    }

    /// A forward RM cell, after rules 5, 6 and 13 have set ACR.
    //= atm-tm4 §5.10.4, rule 7
    //= atm-tm4 §5.10.4, rule 10
    fn forward_rm(&self) -> RmCell {
        RmCell {
            backward: false,
            ci: false,
            ni: false,
            er: self.pcr,
            ccr: self.acr,
            mcr: self.mcr,
        }
    }
}
