//! A line of varying rate: it carries so many bytes at each of the times of a Mahimahi trace, and nothing in between.
//!
//! Packets share an opportunity, and one that is longer than what is left goes on with the next; it departs when its last byte does. What nobody
//! waits for is lost: a packet that arrives at the very time of an opportunity comes too late for it, as in Mahimahi.
//= mahimahi-2015

use dupack_core::data::Opportunities;
use dupack_core::time::{Duration, Instant};
use std::sync::Arc;

/// Where on its trace a line is.
#[derive(Clone, Debug)]
pub struct Traced {
    trace: Arc<Opportunities>,
    /// When the trace began that it is in: it begins again at the time of its last.
    base: Instant,
    /// The opportunity that is used, or comes next.
    at: usize,
    /// What is left of it \[bytes\].
    left: u64,
    /// When the last packet departed, or will.
    pub departs: Instant,
}

impl Traced {
    /// At its beginning.
    pub fn new(trace: &Arc<Opportunities>) -> Self {
        Self {
            trace: Arc::clone(trace),
            base: Instant::ZERO,
            at: 0,
            left: Opportunities::BYTES,
            departs: Instant::ZERO,
        }
    }

    fn time(&self) -> Instant {
        self.base + self.trace.times[self.at]
    }

    /// On to the next opportunity.
    fn advance(&mut self) {
        self.left = Opportunities::BYTES;
        self.at += 1;
        if self.at == self.trace.times.len() {
            self.at = 0;
            self.base += self.trace.period();
        }
    }

    /// The first opportunity after `now`, for a line that is idle.
    pub fn next_after(&mut self, now: Instant) -> Instant {
        let period = self.trace.period().0;
        let whole = (now - self.base).0 / period;
        // The last of a trace and the first of the next may be at one time.
        if whole > 1 {
            self.base += Duration((whole - 1) * period);
            self.at = 0;
            self.left = Opportunities::BYTES;
        }
        while self.time() <= now {
            self.advance();
        }
        self.time()
    }

    /// A packet is sent from the opportunity on that the line is at: when it departs, and when the next can begin.
    pub fn send(&mut self, bytes: u64) -> (Instant, Instant) {
        let mut bytes = bytes;
        while bytes > self.left {
            bytes -= self.left;
            self.advance();
        }
        self.left -= bytes;
        self.departs = self.time();
        if self.left == 0 {
            self.advance();
        }
        (self.departs, self.time())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dupack_core::data::{Data, Format};

    fn line(text: &str) -> Traced {
        let Ok(Data::Opportunities(trace)) = Format::Opportunities.read(text) else {
            panic!("a trace")
        };
        Traced::new(&trace)
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
        // 100 bytes at 3 ms, 1400 of the second at 3 ms.
        assert_eq!(ms(line.send(1500)), (3, 3));
        assert_eq!(ms(line.send(200)), (10, 10));
        // Wasted, as nobody waits: the next round has its first 2 ms after the end of this.
        assert_eq!(line.next_after(at(10)), at(12));
        // Long after.
        assert_eq!(line.next_after(at(1_000_005)), at(1_000_010));
        assert_eq!(ms(line.send(3000)), (1_000_012, 1_000_013));
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
