//! A shaper: one packet per packet time at a rate, retransmissions included. Time in which none went earns nothing, so whatever
//! opens the window, packets leave no closer than that.

use crate::measure::{Pacer, Rate};
use crate::time::{Duration, Instant, SECOND};

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
        Self::after(Instant::ZERO, rate, bits)
    }

    /// What has been sent takes its time until `free`.
    fn after(free: Instant, rate: Rate, bits: u64) -> Self {
        Self {
            pacer: Pacer::new(rate),
            bits,
            free,
        }
    }

    /// When the next packet may go.
    pub fn next_at(&self) -> Instant {
        self.free
    }

    /// A packet goes, at [`Shaper::next_at`] or later, or earlier with the packets before it in a burst.
    pub fn on_sent(&mut self, now: Instant) {
        if now > self.free {
            self.pacer.rest();
        }
        self.free = self.free.max(now) + self.pacer.advance(self.bits);
    }
}

/// Most bits of a burst: 64 KiB.
const MOST: u64 = 65_536 * 8;
/// The rate below which a burst is one packet; else it has two at least \[bit/s\].
const SLOW: u64 = 1_200_000;

/// Packets of `bits` that are sent at once if `quantum` is above zero: those of that time at `rate`, with limits.
//= linux-bbr §bbr_tso_segs_goal
pub fn burst(rate: Rate, quantum: Duration, bits: u64) -> u64 {
    let most = u128::from(rate.0) * u128::from(quantum.0) / u128::from(SECOND);
    let least = if rate.0 < SLOW { 1 } else { 2 };
    (most.min(u128::from(MOST)) as u64 / bits).max(least)
}

/// A shaper whose rate a controller sets, and which lets bursts through if there is a quantum.
#[derive(Clone, Debug)]
pub struct Pacing {
    /// Length of a packet.
    bits: u64,
    /// Time whose worth of packets goes at once; zero for single packets.
    quantum: Duration,
    /// At the rate that was in force when the last packet went; `None` for no limit.
    at: Option<(Rate, Shaper)>,
    /// Time of the last burst, and packets that may still go in it.
    burst: (Instant, u64),
}

impl Pacing {
    /// Nothing has been sent; packets are of `bits`, and those of `quantum` go at once.
    pub fn new(bits: u64, quantum: Duration) -> Self {
        Self {
            bits,
            quantum,
            at: None,
            burst: (Instant::ZERO, 0),
        }
    }

    /// When the next packet may go; at or before `now` means at once.
    pub fn next_at(&self, now: Instant) -> Instant {
        match &self.at {
            Some((_, shaper)) if self.burst.1 == 0 || self.burst.0 != now => shaper.next_at(),
            _ => Instant::ZERO,
        }
    }

    /// A packet goes, at [`Pacing::next_at`] or later, and takes its time at `rate`.
    pub fn on_sent(&mut self, now: Instant, rate: Option<Rate>) {
        if self.quantum > Duration::ZERO {
            let (at, left) = self.burst;
            let left = match rate {
                Some(rate) if at != now || left == 0 => burst(rate, self.quantum, self.bits),
                Some(_) => left,
                None => 1,
            };
            self.burst = (now, left - 1);
        }
        let before = self.at.take();
        self.at = rate.map(|rate| match before {
            Some((of, shaper)) if of == rate => (rate, shaper),
            Some((_, shaper)) => (rate, Shaper::after(shaper.free, rate, self.bits)),
            None => (rate, Shaper::new(rate, self.bits)),
        });
        if let Some((_, shaper)) = &mut self.at {
            shaper.on_sent(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

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
        let mut pacing = Pacing::new(1, Duration::ZERO);
        let mut now = Instant::ZERO;
        let mut sent = |rate: Option<u64>| {
            pacing.on_sent(now, rate.map(Rate));
            now = pacing.next_at(now);
            now.0
        };
        assert_eq!([sent(None), sent(None)], [0, 0]);
        let third = Some(3_000_000_000);
        assert_eq!([sent(third), sent(third), sent(third)], [333, 666, 1000]);
        assert_eq!([sent(Some(1_000_000_000)), sent(third)], [2000, 2333]);
        assert_eq!(sent(None), 0);
    }

    #[test]
    fn a_quantum_goes_at_once_and_takes_its_time() {
        let bits = 12_000;
        let ms = Duration::millis;
        // At 1.2 Mb/s a packet takes 10 ms; a burst has two packets at least, one below that, and 43 in 64 KiB at most.
        assert_eq!(burst(Rate(1_200_000), ms(1), bits), 2);
        assert_eq!(burst(Rate(1_199_999), ms(1), bits), 1);
        assert_eq!(burst(Rate(60_000_000), ms(1), bits), 5);
        assert_eq!(burst(Rate(100_000_000_000), ms(1), bits), 43);
        let mut pacing = Pacing::new(bits, ms(1));
        let rate = Some(Rate(60_000_000));
        let mut now = Instant::ZERO;
        let mut sent = Vec::new();
        while sent.len() < 12 {
            now = now.max(pacing.next_at(now));
            pacing.on_sent(now, rate);
            sent.push(now.0 / ms(1).0);
        }
        assert_eq!(sent, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2]);
        // A burst that the window cuts short is not continued later: the next one waits for what was sent.
        assert_eq!(pacing.next_at(now), Instant::ZERO);
        let later = now + Duration(1);
        assert_eq!(pacing.next_at(later), now + Duration(2 * 200_000_000));
        // A change of the rate leaves what was sent its time.
        pacing.on_sent(now, Some(Rate(12_000_000)));
        assert_eq!(
            pacing.next_at(later),
            now + Duration(2 * 200_000_000 + ms(1).0)
        );
    }
}
