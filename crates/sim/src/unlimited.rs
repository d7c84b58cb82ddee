//! The buffer of a line without a discipline: an unlimited FIFO, in which the fate and the times of a unit are known on its
//! arrival, so that its departure needs no event.

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
        // The product overflows only for very long packets on very slow lines.
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
        // Unit k begins k/units of the way from start to end; units that have not begun have waited until now.
        let span = u128::from((self.end - self.start).0);
        let (units, begun) = (u128::from(self.units), u128::from(begun));
        each + span * (begun * (begun - 1) / 2) / units
            + u128::from((now - self.start).0) * (units - begun)
    }
}

/// An unlimited FIFO: fates and times are known on arrival. The first four fields are all that a unit needs that begins at once.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Unlimited {
    /// The transmitter is booked until then.
    pub free_at: Instant,
    /// The units of `accepted`.
    pending: u64,
    /// Units of all the others.
    done: u64,
    /// In place of entries: a single unit that began at once, to be sent until `free_at`. It never waits, so no more needs to be known. On
    /// an access line most units are such; with a thousand lines, the cost is memory outside the cache.
    alone: bool,
    /// Units not yet sent, as of the last look.
    accepted: VecDeque<Accepted>,
    /// Waiting time of all the others \[units x ps\].
    waited: u128,
    /// The largest backlog so far \[units\].
    pub peak: u64,
}

impl Unlimited {
    /// Where its units are at `now`.
    pub fn pending_at(&self, now: Instant) -> Balance {
        let serving = self.alone && now < self.free_at;
        let mut balance = Balance {
            sent: self.done + u64::from(self.alone && !serving),
            waiting: 0,
            in_service: u64::from(serving),
        };
        for run in &self.accepted {
            let (begun, serving) = run.begun(now);
            balance.sent += begun - u64::from(serving);
            balance.waiting += run.units - begun;
            balance.in_service += u64::from(serving);
        }
        balance
    }

    /// Takes a unit that is sent at once, until `end`, on a line that is idle; false, and nothing is done, unless all earlier units are
    /// among the counts.
    #[inline(always)]
    pub fn begin_alone(&mut self, end: Instant) -> bool {
        if self.pending > 0 {
            return false;
        }
        self.done += u64::from(self.alone);
        (self.alone, self.free_at) = (true, end);
        true
    }

    /// Takes units, which are sent behind all others.
    #[inline]
    pub fn accept(&mut self, now: Instant, run: Accepted) {
        if self.free_at <= now {
            // The line is idle, so all earlier units have departed.
            self.done += u64::from(self.alone);
            if self.pending > 0 {
                self.settle(now);
            }
            self.alone = run.units == 1;
        } else if std::mem::take(&mut self.alone) {
            self.queue(Accepted {
                offered: now,
                start: now,
                end: self.free_at,
                units: 1,
            });
        } else {
            self.settle(now);
        }
        self.free_at = run.end;
        if self.alone {
            return;
        }
        self.queue(run);
        if self.pending > self.peak {
            // Only the first entry can have begun transmission.
            let begun = self.accepted.front().map_or(0, |run| run.begun(now).0);
            self.peak = self.peak.max(self.pending - begun);
        }
    }

    fn queue(&mut self, run: Accepted) {
        self.pending += run.units;
        self.accepted.push_back(run);
    }

    /// Moves departed units to the counts of the others.
    fn settle(&mut self, now: Instant) {
        while let Some(done) = self.accepted.front().filter(|done| done.end <= now) {
            self.pending -= done.units;
            self.done += done.units;
            self.waited += done.waited(now);
            self.accepted.pop_front();
        }
        if self.accepted.is_empty() {
            // This resets the ring, so that the next entry uses the same memory, which is in the cache.
            self.accepted.clear();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The same by all that was ever accepted.
    fn at(all: &[Accepted], now: Instant) -> (u64, u64, u64, u128) {
        let sum = |of: &dyn Fn(&Accepted) -> u64| all.iter().map(of).sum::<u64>();
        let serving = sum(&|run| u64::from(run.begun(now).1));
        let begun = sum(&|run| run.begun(now).0);
        let waited = all.iter().map(|run| run.waited(now)).sum();
        (
            begun - serving,
            sum(&|run| run.units) - begun,
            serving,
            waited,
        )
    }

    #[test]
    fn lone_units_are_as_all_others() {
        // A pseudo-random sequence of single units and groups; gaps leave the line idle about half of the time.
        let mut x = 12345u64;
        let mut draw = |below: u64| {
            x = x
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (x >> 33) % below
        };
        let (mut unlimited, mut all) = (Unlimited::default(), Vec::new());
        let (mut now, mut peak) = (Instant::ZERO, 0);
        for _ in 0..2000 {
            now = Instant(now.0 + draw(30));
            let units = if draw(3) == 0 { 1 + draw(4) } else { 1 };
            let start = unlimited.free_at.max(now);
            let run = Accepted {
                offered: now,
                start,
                end: Instant(start.0 + units * 10),
                units,
            };
            unlimited.accept(now, run);
            all.push(run);
            peak = peak.max(at(&all, now).1);
            assert_eq!(unlimited.peak, peak);
            for later in [0, draw(40)] {
                let then = Instant(now.0 + later);
                let Balance {
                    sent,
                    waiting,
                    in_service,
                } = unlimited.pending_at(then);
                let found = (sent, waiting, in_service, unlimited.area(then));
                assert_eq!(found, at(&all, then), "{then:?}");
            }
        }
        assert!(peak > 3);
    }
}
