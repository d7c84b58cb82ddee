//! A line of varying rate: it carries a fixed number of bytes at each of the times of a Mahimahi trace, and nothing in between.
//!
//! Packets share an opportunity, and a packet that is longer than the rest of it continues in the next; it departs with its last
//! byte. Opportunities without a waiting packet are lost. A packet that arrives at the very time of an opportunity misses it, as in
//! Mahimahi.
//= mahimahi-2015

use dupack_core::data::Opportunities;
use dupack_core::time::{Duration, Instant};
use std::sync::Arc;

/// Position of a line on its trace.
#[derive(Clone, Debug)]
pub struct VariableRate {
    trace: Arc<Opportunities>,
    place: Turn,
    /// Departure time of the last packet, past or future.
    pub departs: Instant,
    /// Position at which that packet began, and its length \[bytes\].
    last: (Turn, u64),
}

/// An opportunity.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// When the current turn of the trace began: a turn begins at the time of the last opportunity of the turn before.
    base: Instant,
    /// Its number there; it is used, or comes next.
    at: usize,
    /// Remaining bytes.
    left: u64,
}

impl Turn {
    fn time(&self, trace: &Opportunities) -> Instant {
        self.base + trace.times[self.at]
    }

    /// On to the next opportunity.
    fn advance(&mut self, trace: &Opportunities) {
        self.left = Opportunities::BYTES;
        self.at += 1;
        if self.at == trace.times.len() {
            self.at = 0;
            self.base += trace.period();
        }
    }
}

impl VariableRate {
    /// At its beginning.
    pub fn new(trace: &Arc<Opportunities>) -> Self {
        let place = Turn {
            base: Instant::ZERO,
            at: 0,
            left: Opportunities::BYTES,
        };
        Self {
            trace: Arc::clone(trace),
            place,
            departs: Instant::ZERO,
            last: (place, 0),
        }
    }

    /// The first opportunity after `now`, for a line that is idle.
    pub fn next_after(&mut self, now: Instant) -> Instant {
        let (trace, place) = (&*self.trace, &mut self.place);
        let period = trace.period().0;
        let whole = (now - place.base).0 / period;
        // One turn fewer is skipped: the last opportunity of a turn and the first of the next may be at the same time.
        if whole > 1 {
            place.base += Duration((whole - 1) * period);
            place.at = 0;
            place.left = Opportunities::BYTES;
        }
        while place.time(trace) <= now {
            place.advance(trace);
        }
        place.time(trace)
    }

    /// The same, without going there.
    pub fn following(&self, now: Instant) -> Instant {
        self.clone().next_after(now)
    }

    /// Goes on to the opportunity at `start`, if a discipline has let others go by.
    pub fn skip_to(&mut self, start: Instant) {
        if self.place.time(&self.trace) < start {
            self.next_after(Instant(start.0 - 1));
        }
    }

    /// Sends a packet from the current opportunity on: returns when it departs, and when the next can begin.
    pub fn send(&mut self, bytes: u64) -> (Instant, Instant) {
        let (trace, place) = (&*self.trace, &mut self.place);
        self.last = (*place, bytes);
        let mut bytes = bytes;
        while bytes > place.left {
            bytes -= place.left;
            place.advance(trace);
        }
        place.left -= bytes;
        self.departs = place.time(trace);
        if place.left == 0 {
            place.advance(trace);
        }
        (self.departs, place.time(trace))
    }

    /// Bytes of the last packet that are still to be carried after `now`.
    pub fn ahead(&self, now: Instant) -> u64 {
        if self.departs <= now {
            return 0;
        }
        let (mut place, mut bytes) = self.last;
        while place.time(&self.trace) <= now {
            bytes -= place.left;
            place.advance(&self.trace);
        }
        bytes
    }

    /// Bits that the line can carry after `from` until `to`, itself included.
    pub fn room(trace: &Opportunities, from: Duration, to: Duration) -> f64 {
        let many = trace.until(to) - trace.until(from);
        many as f64 * (Opportunities::BYTES * 8) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dupack_core::data::{Data, Format};

    fn line(text: &str) -> VariableRate {
        let Ok(Data::Opportunities(trace)) = Format::Opportunities.read(text, &|| ()) else {
            panic!("a trace")
        };
        VariableRate::new(&trace)
    }

    /// Times in milliseconds.
    fn ms((departs, next): (Instant, Instant)) -> (u64, u64) {
        let ms = Duration::millis(1).0;
        (departs.0 / ms, next.0 / ms)
    }

    #[test]
    //= mahimahi-2015 type=test
    // "Accounting is done at the byte-level", "a single line in the trace file can delivery several smaller packets", and "it wraps
    // around to the beginning of the trace file".
    fn opportunities_are_shared_and_come_again() {
        let mut line = line("2\n3\n3\n10\n");
        let at = |t| Instant(Duration::millis(t).0);
        assert_eq!(line.next_after(at(0)), at(2));
        assert_eq!(ms(line.send(1500)), (2, 3));
        assert_eq!(ms(line.send(700)), (3, 3));
        assert_eq!(ms(line.send(700)), (3, 3));
        // The first opportunity at 3 ms has 100 bytes left; the second gives 1400.
        assert_eq!(ms(line.send(1500)), (3, 3));
        assert_eq!(ms(line.send(200)), (10, 10));
        // No unit waits, so the rest is wasted: the first opportunity of the next turn is 2 ms after the end of this one.
        assert_eq!(line.next_after(at(10)), at(12));
        // 100 bytes were carried at 3 ms, with the packet before.
        assert_eq!([9, 10].map(|t| line.ahead(at(t))), [100, 0]);
        // The same long after, many turns later.
        assert_eq!(line.next_after(at(1_000_005)), at(1_000_010));
        assert_eq!(ms(line.send(3000)), (1_000_012, 1_000_013));
        let ahead = [1_000_009, 1_000_010, 1_000_011, 1_000_012].map(|t| line.ahead(at(t)));
        assert_eq!(ahead, [3000, 1500, 1500, 0]);
    }

    #[test]
    fn the_last_of_a_round_and_the_first_of_the_next_are_two() {
        let mut line = line("0\n5\n");
        assert_eq!(
            line.next_after(Instant::ZERO),
            Instant(Duration::millis(5).0)
        );
        assert_eq!(ms(line.send(1500)), (5, 5));
        assert_eq!(ms(line.send(1500)), (5, 10));
        assert_eq!(ms(line.send(1500)), (10, 10));
    }
}
