//! RACK's reordering window: how long a segment may be late. It grows with the reports of segments that have arrived twice.
//= rfc8985 §6.2, step 4

use crate::time::{Duration, Instant};

/// Recoveries for which a window that has grown is kept.
const PERSIST: u64 = 16;

/// The adaptation of the window.
#[derive(Clone, Copy, Debug)]
pub struct Adaptation {
    /// RACK.dsack_round
    round: Option<u64>,
    /// RACK.reo_wnd_mult
    mult: u64,
    /// RACK.reo_wnd_persist
    persist: u64,
}

impl Default for Adaptation {
    fn default() -> Self {
        Self {
            round: None,
            mult: 1,
            persist: PERSIST,
        }
    }
}

impl Adaptation {
    /// An ack has left `una` the oldest segment, of those before `max`; with a report of a segment that has arrived twice if `dsack`,
    /// and at the end of a recovery if `exits`.
    //= rfc8985 §6.2, adapts
    pub fn on_ack(&mut self, una: u64, max: u64, dsack: bool, exits: bool) {
        self.round.take_if(|round| una >= *round);
        if dsack && self.round.is_none() {
            self.round = Some(max);
            self.mult += 1;
            self.persist = PERSIST;
        } else if exits {
            //= rfc8985 §6.2, persist
            self.persist = self.persist.saturating_sub(1);
            if self.persist == 0 {
                self.mult = 1;
            }
        }
    }

    /// min(RACK.reo_wnd_mult * RACK.min_RTT / 4, SRTT); zero before a round trip is measured.
    //= rfc8985 §3.3.2, bounded
    pub fn window(&self, min_rtt: Option<Duration>, srtt: Option<Duration>) -> Duration {
        let wide = min_rtt.map(|it| Duration(it.0.saturating_mul(self.mult) / 4));
        wide.zip(srtt)
            .map_or(Duration::ZERO, |(wide, srtt)| wide.min(srtt))
    }
}

/// The shortest round trip of the last one to two windows.
//= rfc8985 §6.2, step 1
// "SHOULD track a windowed min-filtered estimate of recent RTT measurements"
#[derive(Clone, Copy, Debug)]
pub struct MinRtt {
    window: Duration,
    /// When the present window began.
    began: Instant,
    present: Option<Duration>,
    previous: Option<Duration>,
}

impl MinRtt {
    /// Nothing has been measured.
    pub fn new(window: Duration) -> Self {
        Self {
            window,
            began: Instant::ZERO,
            present: None,
            previous: None,
        }
    }

    /// The estimate.
    pub fn get(&self) -> Option<Duration> {
        let known = [self.present, self.previous];
        known.into_iter().flatten().min()
    }

    /// `rtt` is measured.
    pub fn on_measured(&mut self, now: Instant, rtt: Duration) {
        let passed = now - self.began;
        if passed >= self.window {
            let windows = passed.0 / self.window.0;
            self.previous = self.present.take_if(|_| windows == 1);
            self.present = None;
            self.began += Duration(windows * self.window.0);
        }
        self.present = Some(self.present.map_or(rtt, |least| least.min(rtt)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::millis(n)
    }

    fn window(it: &Adaptation, min_rtt: u64, srtt: u64) -> Duration {
        it.window(Some(ms(min_rtt)), Some(ms(srtt)))
    }

    #[test]
    //= rfc8985 §6.2, adapts type=test
    //= rfc8985 §3.3.2, bounded type=test
    fn a_quarter_more_of_the_shortest_round_trip_per_round_with_a_dsack() {
        let mut it = Adaptation::default();
        assert_eq!(it.window(None, None), Duration::ZERO);
        assert_eq!(window(&it, 40, 40), ms(10));
        // The second is of the same round trip, which ends when segment 10 is acknowledged.
        it.on_ack(1, 10, true, false);
        assert_eq!(window(&it, 40, 40), ms(20));
        it.on_ack(9, 19, true, false);
        assert_eq!(window(&it, 40, 40), ms(20));
        it.on_ack(10, 20, true, false);
        assert_eq!(window(&it, 40, 40), ms(30));
        // At most SRTT.
        it.on_ack(20, 30, true, false);
        it.on_ack(30, 40, true, false);
        it.on_ack(40, 50, true, false);
        assert_eq!(window(&it, 40, 55), ms(55));
        assert_eq!(window(&it, 40, 100), ms(60));
    }

    #[test]
    //= rfc8985 §6.2, persist type=test
    fn after_sixteen_recoveries_without_a_dsack_it_is_as_at_the_start() {
        let mut it = Adaptation::default();
        it.on_ack(1, 10, true, false);
        (0..15).for_each(|_| it.on_ack(20, 30, false, true));
        assert_eq!(window(&it, 40, 40), ms(20));
        // A DSACK begins the count anew.
        it.on_ack(20, 30, true, true);
        (0..15).for_each(|_| it.on_ack(40, 50, false, true));
        assert_eq!(window(&it, 40, 40), ms(30));
        it.on_ack(40, 50, false, true);
        assert_eq!(window(&it, 40, 40), ms(10));
        // And so it stays, until the next one.
        it.on_ack(40, 50, false, true);
        it.on_ack(40, 50, true, false);
        assert_eq!(window(&it, 40, 40), ms(20));
    }

    #[test]
    //= rfc8985 §6.2, step 1 type=test
    fn the_shortest_round_trip_of_late() {
        let mut it = MinRtt::new(ms(1000));
        let mut at = |now, rtt| {
            it.on_measured(Instant(ms(now).0), ms(rtt));
            it.get().unwrap()
        };
        assert_eq!(
            [at(0, 40), at(10, 20), at(20, 30)],
            [ms(40), ms(20), ms(20)]
        );
        // The next window still knows the one before, the second no more.
        assert_eq!([at(1000, 50), at(1999, 60)], [ms(20); 2]);
        assert_eq!([at(2000, 70), at(2001, 55)], [ms(50); 2]);
        // After a pause all that was measured before it is forgotten.
        assert_eq!(at(9000, 90), ms(90));
    }
}
