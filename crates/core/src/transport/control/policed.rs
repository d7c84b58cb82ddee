//! The long-term rate of BBRv1: two intervals in a row with much loss and about the same rate are taken for the work of a token bucket
//! policer. For some time BBR then sends at that rate, and does not probe for more.
//!
//! An interval begins and ends with a loss, so that the policer's bucket is empty at both ends.
//= linux-bbr §bbr_lt_bw_sampling

use crate::time::{Duration, Instant, SECOND};

/// Fewest rounds of an interval (`bbr_lt_intvl_min_rtts`). After more than four times as many without an end, it is given up.
const ROUNDS: u64 = 4;
/// Fewest lost segments for 256 delivered ones (`bbr_lt_loss_thresh`).
const LOSS: u64 = 50;
/// Two rates are the same if they differ by at most one in this many (`bbr_lt_bw_ratio`).
const RATIO: u64 = 8;
/// And also if they differ by at most this \[bit/s\] (`bbr_lt_bw_diff`).
const DIFFERENCE: u64 = 4000;
/// Rounds for which the rate is used (`bbr_lt_bw_max_rtts`).
const USED: u64 = 48;

/// Counts so far, when an ack or a timeout comes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Time at which it comes.
    pub now: Instant,
    /// Segments delivered.
    pub delivered: u64,
    /// Transmissions lost.
    pub lost: u64,
}

impl Counts {
    /// With these values.
    pub fn new(now: Instant, delivered: u64, lost: u64) -> Self {
        Self {
            now,
            delivered,
            lost,
        }
    }
}

/// An ack, or a timeout.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The counts with it.
    pub counts: Counts,
    /// It finds a loss.
    pub loss: bool,
    /// Its sample is limited by the application.
    pub app_limited: bool,
    /// A round begins with it.
    pub round_start: bool,
    /// Gain cycling is going on.
    pub probes: bool,
}

/// The estimate.
#[derive(Clone, Debug)]
pub struct Policed {
    /// Bits of a full packet.
    bits: u64,
    sampling: bool,
    /// That of the last interval, or in use \[bit/s\]; 0 for none.
    rate: u64,
    used: bool,
    rounds: u64,
    start: Counts,
}

impl Policed {
    /// Nothing has been sampled; packets are of `bits`.
    pub fn new(bits: u64) -> Self {
        Self {
            bits,
            sampling: false,
            rate: 0,
            used: false,
            rounds: 0,
            start: Counts::default(),
        }
    }

    /// The policer's rate \[bit/s\], if there seems to be one.
    pub fn rate(&self) -> Option<u64> {
        self.used.then_some(self.rate)
    }

    /// Forgets all rates, until the next loss.
    pub fn forget(&mut self) {
        (self.rate, self.used, self.sampling) = (0, false, false);
    }

    /// The same, from `counts` on.
    fn reset(&mut self, counts: Counts) {
        self.forget();
        self.begin(counts);
    }

    fn begin(&mut self, counts: Counts) {
        (self.start, self.rounds) = (counts, 0);
    }

    /// Whether the rate has been used for long enough: then gain cycling begins anew.
    pub fn on(&mut self, event: &Event) -> bool {
        let counts = event.counts;
        if self.used {
            self.rounds += u64::from(event.probes && event.round_start);
            let expired = self.rounds >= USED;
            if expired {
                self.reset(counts);
            }
            return expired;
        }
        if !self.sampling {
            if !event.loss {
                return false;
            }
            self.begin(counts);
            self.sampling = true;
        }
        self.rounds += u64::from(event.round_start);
        if event.app_limited || self.rounds > 4 * ROUNDS {
            self.reset(counts);
        } else if event.loss && self.rounds >= ROUNDS {
            self.end(counts);
        }
        false
    }

    /// The interval ends with a loss, if enough was lost in it.
    fn end(&mut self, counts: Counts) {
        let lost = counts.lost - self.start.lost;
        let delivered = counts.delivered - self.start.delivered;
        let took = counts.now - self.start.now;
        let lossy = delivered > 0 && 256 * lost >= LOSS * delivered;
        if !lossy || took < Duration::millis(1) {
            return;
        }
        let bits = u128::from(delivered) * u128::from(self.bits) * u128::from(SECOND);
        let rate = (bits / u128::from(took.0)) as u64;
        let difference = rate.abs_diff(self.rate);
        let same = difference <= self.rate / RATIO || difference <= DIFFERENCE;
        if self.rate > 0 && same {
            self.rate = u64::midpoint(self.rate, rate);
            (self.used, self.rounds) = (true, 0);
        } else {
            self.rate = rate;
            self.begin(counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of 10 ms with 100 arrivals of 1000 bits each (10 Mb/s) and `lost` losses, found at the start of a round.
    fn rounds(it: &mut Policed, n: u64, lost: u64, counts: &mut Counts) -> bool {
        (0..n).any(|_| {
            counts.now += Duration::millis(10);
            counts.delivered += 100;
            counts.lost += lost;
            it.on(&Event {
                counts: *counts,
                loss: lost > 0,
                app_limited: false,
                round_start: true,
                probes: true,
            })
        })
    }

    #[test]
    fn two_lossy_intervals_of_the_same_rate_are_a_policer_for_48_rounds() {
        let (mut it, mut counts) = (Policed::new(1000), Counts::default());
        // The first loss begins an interval of four rounds, its own among them; the second interval has four more.
        rounds(&mut it, 4, 30, &mut counts);
        assert_eq!((it.rate(), it.rate), (None, 10_000_000));
        rounds(&mut it, 3, 30, &mut counts);
        assert_eq!(it.rate(), None);
        rounds(&mut it, 1, 30, &mut counts);
        assert_eq!(it.rate(), Some(10_000_000));
        assert!(!rounds(&mut it, 47, 0, &mut counts));
        assert!(rounds(&mut it, 1, 0, &mut counts));
        assert_eq!((it.rate(), it.sampling), (None, false));
    }

    #[test]
    fn little_loss_other_rates_and_an_idle_application_are_none() {
        // 19 lost for 100 delivered are below 50 in 256; after 16 rounds the interval is given up.
        let (mut it, mut counts) = (Policed::new(1000), Counts::default());
        rounds(&mut it, 16, 19, &mut counts);
        assert_eq!((it.rate, it.sampling), (0, true));
        rounds(&mut it, 1, 19, &mut counts);
        assert!(!it.sampling);
        // The second interval has 4/3 of the first one's rate, so it becomes the first of the next two.
        let (mut it, mut counts) = (Policed::new(1000), Counts::default());
        rounds(&mut it, 4, 30, &mut counts);
        counts.delivered += 134;
        rounds(&mut it, 4, 50, &mut counts);
        assert_eq!((it.rate(), it.rate), (None, 13_350_000));
        it.on(&Event {
            counts,
            loss: true,
            app_limited: true,
            round_start: false,
            probes: true,
        });
        assert_eq!((it.rate, it.sampling), (0, false));
    }
}
