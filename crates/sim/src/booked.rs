//! The buffer of a line without a discipline: an unlimited FIFO, where the fate and the times of a unit are known on its
//! arrival, so that nothing need happen when it departs.

use dupack_core::time::Instant;
use std::collections::VecDeque;

/// The ledger's state at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    pub sent: u64,
    pub waiting: u64,
    pub in_service: u64,
}

/// Units accepted by an unlimited FIFO, sent back to back.
#[derive(Clone, Copy, Debug)]
pub struct Accepted {
    pub offered: Instant,
    pub start: Instant,
    pub end: Instant,
    pub units: u64,
}

impl Accepted {
    /// Units whose transmission has begun at `now`, and whether one is being transmitted.
    fn begun(&self, now: Instant) -> (u64, bool) {
        if now < self.start {
            return (0, false);
        }
        if now >= self.end {
            return (self.units, false);
        }
        let (gone, span) = ((now - self.start).0, (self.end - self.start).0);
        // The product fits but for very long packets on very slow lines.
        let done = match gone.checked_mul(self.units) {
            Some(product) => product / span,
            None => (u128::from(gone) * u128::from(self.units) / u128::from(span)) as u64,
        };
        (done + 1, true)
    }

    /// Waiting time of its units up to `now` \[units x ps\].
    fn waited(&self, now: Instant) -> u128 {
        let each = u128::from((self.start.min(now) - self.offered).0) * u128::from(self.units);
        if now >= self.end {
            return each + u128::from((self.end - self.start).0) * u128::from(self.units - 1) / 2;
        }
        let (begun, _) = self.begun(now);
        if begun == 0 {
            return each;
        }
        // Unit k begins k/units of the way from start to end; those that have not begun wait until now.
        let span = u128::from((self.end - self.start).0);
        let (units, begun) = (u128::from(self.units), u128::from(begun));
        each + span * (begun * (begun - 1) / 2) / units
            + u128::from((now - self.start).0) * (units - begun)
    }
}

/// An unlimited FIFO: fates and times are known on arrival.
#[derive(Debug, Default)]
pub struct Booked {
    /// Not yet sent, as far as it has been looked at.
    accepted: VecDeque<Accepted>,
    /// Their units.
    pending: u64,
    /// Units of all the others.
    done: u64,
    /// Waiting time of all the others \[units x ps\].
    waited: u128,
    /// The largest backlog so far \[units\].
    pub peak: u64,
    /// The transmitter is booked until then.
    pub free_at: Instant,
}

impl Booked {
    /// Where its units are at `now`.
    pub fn pending_at(&self, now: Instant) -> Balance {
        let mut balance = Balance {
            sent: self.done,
            waiting: 0,
            in_service: 0,
        };
        for run in &self.accepted {
            let (begun, serving) = run.begun(now);
            balance.sent += begun - u64::from(serving);
            balance.waiting += run.units - begun;
            balance.in_service += u64::from(serving);
        }
        balance
    }

    /// Takes units, which are sent behind all others.
    pub fn accept(&mut self, now: Instant, run: Accepted) {
        while let Some(done) = self.accepted.front().filter(|done| done.end <= now) {
            self.pending -= done.units;
            self.done += done.units;
            self.waited += done.waited(now);
            self.accepted.pop_front();
        }
        self.free_at = run.end;
        self.pending += run.units;
        self.accepted.push_back(run);
        if self.pending > self.peak {
            // The head alone can have begun.
            let begun = self.accepted.front().map_or(0, |run| run.begun(now).0);
            self.peak = self.peak.max(self.pending - begun);
        }
    }

    /// Waiting time of all its units up to `now` \[units x ps\].
    pub fn area(&self, now: Instant) -> u128 {
        self.waited
            + self
                .accepted
                .iter()
                .map(|run| run.waited(now))
                .sum::<u128>()
    }
}
