//! A shaper: one packet per packet time at a rate, retransmissions included. Time in which none went earns nothing, so whatever
//! opens the window, packets leave no closer than that.

use crate::measure::{Pacer, Rate};
use crate::time::Instant;

/// Spaces the packets of a sender.
#[derive(Clone, Debug)]
pub struct Shaper {
    pacer: Pacer,
    /// Length of a packet.
    bits: u64,
    /// Time at which the previous packet is completely sent, at the rate.
    free: Instant,
}

impl Shaper {
    /// Nothing has been sent; packets are of `bits`.
    pub fn new(rate: Rate, bits: u64) -> Self {
        Self {
            pacer: Pacer::new(rate),
            bits,
            free: Instant::ZERO,
        }
    }

    /// When the next packet may go.
    pub fn next_at(&self) -> Instant {
        self.free
    }

    /// A packet goes, at [`Shaper::next_at`] or later.
    pub fn on_sent(&mut self, now: Instant) {
        if now > self.free {
            self.pacer.rest();
        }
        self.free = now + self.pacer.advance(self.bits);
    }
}

/// A shaper whose rate a controller sets.
#[derive(Clone, Debug)]
pub struct Pacing {
    /// Length of a packet.
    bits: u64,
    /// At the rate that was in force when the last packet went; `None` for no limit.
    at: Option<(Rate, Shaper)>,
}

impl Pacing {
    /// Nothing has been sent; packets are of `bits`.
    pub fn new(bits: u64) -> Self {
        Self { bits, at: None }
    }

    /// When the next packet may go.
    pub fn next_at(&self) -> Instant {
        (self.at.as_ref()).map_or(Instant::ZERO, |(_, shaper)| shaper.next_at())
    }

    /// A packet goes, at [`Pacing::next_at`] or later, and takes its time at `rate`.
    pub fn on_sent(&mut self, now: Instant, rate: Option<Rate>) {
        let kept = self.at.take().filter(|(of, _)| Some(*of) == rate);
        self.at = rate.map(|rate| kept.unwrap_or_else(|| (rate, Shaper::new(rate, self.bits))));
        if let Some((_, shaper)) = &mut self.at {
            shaper.on_sent(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_no_credit_and_no_remainder_is_lost() {
        // A bit takes 333.3 ps.
        let mut shaper = Shaper::new(Rate(3_000_000_000), 1);
        assert_eq!(shaper.next_at(), Instant::ZERO);
        let mut sent = |at: Option<u64>| {
            let now = at.map_or(shaper.next_at(), Instant);
            shaper.on_sent(now);
            shaper.next_at().0
        };
        assert_eq!([sent(None), sent(None), sent(None)], [333, 666, 1000]);
        // After a pause, the count of fractions begins anew at the end of the pause.
        assert_eq!([sent(None), sent(Some(5000))], [1333, 5333]);
        assert_eq!([sent(None), sent(None)], [5666, 6000]);
    }

    #[test]
    fn a_packet_takes_its_time_at_the_rate_that_was_in_force_when_it_went() {
        let mut pacing = Pacing::new(1);
        let mut sent = |rate: Option<u64>| {
            pacing.on_sent(pacing.next_at(), rate.map(Rate));
            pacing.next_at().0
        };
        assert_eq!([sent(None), sent(None)], [0, 0]);
        let third = Some(3_000_000_000);
        assert_eq!([sent(third), sent(third), sent(third)], [333, 666, 1000]);
        assert_eq!([sent(Some(1_000_000_000)), sent(third)], [2000, 2333]);
        assert_eq!(sent(None), 0);
    }
}
