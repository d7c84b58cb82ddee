//! Use it or lose it: policies for an allowed rate that its source does not use.
//!
//! All policies are applied when a forward RM cell is about to be sent, a time T after the previous one. SR is the rate at which
//! the source did send, the amount sent divided by T.
//!
//! | word | idle if | ACR then falls to |
//! |---|---|---|
//! | `adtf` | T > ADTF | ICR |
//! | `august-1995` | T > TOF Nrm / ACR | max(ACR (1 - T/Tc), ICR), and the next increase is ignored |
//! | `time-based` | ACR > SR + ICR | max(ACR (1 - T/Tc), SR + ICR) |
//! | `count-based` | ACR > SR | max(ACR (1 - TDF), SR + ICR), and increases are ignored until the rate is used again |
//!
//! `adtf` is rule 5 of TM 4.0; the others are stages of the proposals for rule 13, which leaves the policy to the source.
//! `count-based` with a constant TDF is the proposal on which both sides finally agreed (the joint source-based one). ACR is never
//! raised: the maxima limit a decrease only.
//!
//! Kalyanaraman's dissertation is our source for the last three. We have read §7.1.9, §7.1.10 and the end of §7.1.8 of it; the test
//! of `count-based` and the formula of `august-1995` are from memory. Both that depend on time use Tc = ADDF x FRTT with ADDF = 2,
//! without TBE/PCR.
//= atm-tm4 §5.10.4, rule 5
//= atm-tm4 §5.10.4, rule 13
//= kalyanaraman-1997 §7.1.8
//= kalyanaraman-1997 §7.1.9
//= kalyanaraman-1997 §7.1.9 type=departure
//= kalyanaraman-1997 §7.1.10

use crate::measure::CellRate;
use crate::time::{Duration, SECOND};

crate::choice! {
    /// Policy by which a source loses a rate that it does not use.
    pub enum UseItOrLoseIt {
        /// Keeps a rate that is not used.
        Off = "off",
        /// Rule 5 of TM 4.0.
        Adtf = "adtf",
        /// Rule 5 as in the baseline of August 1995.
        August1995 = "august-1995",
        /// Loses more of the rate the longer the pause is.
        TimeBased = "time-based",
        /// Loses the same share of the rate with each forward RM cell.
        CountBased = "count-based",
    }
}

/// ADDF: Tc in round trips.
//= kalyanaraman-1997 §7.1.9
const ADDF: u64 = 2;

/// ACR may be greater than SR by this factor and still count as used: a rate is never kept to the picosecond.
//= kalyanaraman-1997 §7.1.8
const USED: f64 = 1.0 + 1.0 / 1024.0;

/// State when a forward RM cell, not the first one, is about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// T: since the one before.
    pub since: Duration,
    /// Cells sent meanwhile, with that one.
    pub cells: u64,
    /// ACR now.
    pub acr: CellRate,
    /// ICR.
    pub icr: CellRate,
}

impl Lost {
    /// SR.
    fn used(&self) -> CellRate {
        CellRate(self.cells as f64 * SECOND as f64 / self.since.0 as f64)
    }

    /// ACR (1 - T/Tc), if that is more than `floor`.
    fn decayed(&self, tc: Duration, floor: CellRate) -> CellRate {
        (self.acr * (1.0 - self.since.0 as f64 / tc.0 as f64)).max(floor)
    }
}

/// Parameters of a source's policy.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The policy.
    pub policy: UseItOrLoseIt,
    /// ADTF.
    pub adtf: Duration,
    /// TOF.
    pub tof: u64,
    /// TDF.
    pub tdf: f64,
    /// Tc; `None` if it depends on the round trip.
    pub tc: Option<Duration>,
    /// Nrm.
    pub nrm: u64,
}

/// A policy at work.
#[derive(Clone, Debug)]
pub struct Watch {
    policy: UseItOrLoseIt,
    adtf: Duration,
    /// TOF Nrm \[cells\]
    overdue: f64,
    tdf: f64,
    tc: Duration,
    /// ACR_ok: the rate was used until the last forward RM cell.
    used: bool,
    /// PR5: the rate was raised since, or, in August 1995, the next increase is not taken.
    pending: bool,
}

impl Watch {
    /// For a source whose round trip takes `round_trip` if nothing queues.
    pub fn new(terms: &Terms, round_trip: Duration) -> Self {
        Self {
            policy: terms.policy,
            adtf: terms.adtf,
            overdue: terms.tof as f64 * terms.nrm as f64,
            tdf: terms.tdf,
            tc: terms
                .tc
                .unwrap_or(Duration(round_trip.0.saturating_mul(ADDF).max(1))),
            used: true,
            pending: false,
        }
    }

    /// ACR from now on.
    pub fn on_forward_rm(&mut self, lost: &Lost) -> CellRate {
        let Lost { acr, icr, .. } = *lost;
        let fallen = match self.policy {
            UseItOrLoseIt::Off => acr,
            //= atm-tm4 §5.10.4, rule 5
            UseItOrLoseIt::Adtf if lost.since > self.adtf => icr,
            UseItOrLoseIt::Adtf => acr,
            UseItOrLoseIt::August1995 => {
                let due = lost.since.0 as f64 * acr.0 > self.overdue * SECOND as f64;
                if due && acr > icr {
                    self.pending = true;
                    lost.decayed(self.tc, icr)
                } else {
                    acr
                }
            }
            UseItOrLoseIt::TimeBased => {
                let most = lost.used() + icr;
                lost.decayed(self.tc, most)
            }
            UseItOrLoseIt::CountBased => {
                self.used = acr.0 <= lost.used().0 * USED;
                // The source could not have used an increase that came only now.
                if core::mem::take(&mut self.pending) || self.used {
                    acr
                } else {
                    (acr * (1.0 - self.tdf)).max(lost.used() + icr)
                }
            }
        };
        fallen.min(acr)
    }

    /// Whether the source takes the increase that a backward RM cell with this ER allows.
    pub fn may_increase(&mut self, acr: CellRate, er: CellRate) -> bool {
        match self.policy {
            UseItOrLoseIt::August1995 => !core::mem::take(&mut self.pending),
            UseItOrLoseIt::CountBased if self.used => {
                self.pending = acr < er;
                true
            }
            UseItOrLoseIt::CountBased => false,
            _ => true,
        }
    }
}
