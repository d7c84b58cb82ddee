//! The retransmission timeout: round trips measured by a coarse clock, Karn's rule, back-off.
//!
//! One segment is timed at a time, as BSD does. The clock's granularity acts as it did in the simulator of the 1990s that the
//! papers used: a measured round trip is rounded to the nearest tick, at least one, and a timeout is a whole number of ticks,
//! counted from the moment it is set (not from a common heartbeat, which would let all senders of a run time out together).
//= rfc6298 §2
//= ns-1
//= cohen-hamo-2001 §2.1 type=departure

use super::Common;
use crate::time::{Duration, Instant};

/// Estimator and back-off of one sender.
#[derive(Clone, Debug)]
pub struct Rtt {
    tick: Duration,
    min: Duration,
    max: Duration,
    /// Smoothed round trip and its variation \[ps\], once measured.
    smoothed: Option<(u64, u64)>,
    /// The timeout without back-off.
    base: Duration,
    /// How often it has been doubled.
    doubled: u32,
    /// The segment being timed and when it was sent.
    timed: Option<(u64, Instant)>,
}

impl Rtt {
    /// Before the first measurement.
    pub fn new(params: &Common) -> Self {
        //= rfc6298 §2.4 type=departure
        let min = params
            .min_rto
            .unwrap_or(Duration(2 * params.tick.0))
            .round_up(params.tick);
        //= rfc6298 §2.1
        let base = params.initial_rto.round_up(params.tick);
        Self {
            tick: params.tick,
            min,
            max: params.max_rto,
            smoothed: None,
            base,
            doubled: 0,
            timed: None,
        }
    }

    /// The timeout to set now \[ps\]: a whole number of ticks unless it is at its maximum.
    pub fn rto(&self) -> Duration {
        //= rfc6298 §5.5
        Duration(self.base.0.saturating_mul(1 << self.doubled.min(32))).min(self.max)
    }

    /// The timeout without back-off \[ps\].
    pub fn base(&self) -> Duration {
        self.base
    }

    /// `segment` is sent for the first time: it is timed if no other is.
    //= rfc6298 §3
    // Karn: what was sent again is never timed, so the caller tells of first transmissions only.
    pub fn on_first_sent(&mut self, now: Instant, segment: u64) {
        if self.timed.is_none() {
            self.timed = Some((segment, now));
        }
    }

    /// `segment` is sent again: if it is being timed, its ack will not tell for which transmission.
    //= rfc6298 §3
    pub fn on_sent_again(&mut self, segment: u64) {
        self.timed = self.timed.filter(|(timed, _)| *timed != segment);
    }

    /// All before `next` are acknowledged. Returns whether a round trip was measured; that also ends back-off.
    pub fn on_acked(&mut self, now: Instant, next: u64) -> bool {
        let Some((_, sent)) = self.timed.filter(|(segment, _)| *segment < next) else {
            return false;
        };
        self.timed = None;
        self.measure(now - sent);
        self.doubled = 0;
        true
    }

    /// The timed segment may have been lost: measuring it would mix up two transmissions.
    pub fn stop_timing(&mut self) {
        self.timed = None;
    }

    /// The timer ran out.
    pub fn back_off(&mut self) {
        self.timed = None;
        self.doubled += u32::from(self.rto() < self.max);
    }

    fn measure(&mut self, elapsed: Duration) {
        //= rfc6298 §4 type=departure
        let r = ((elapsed.0 + self.tick.0 / 2) / self.tick.0).max(1) * self.tick.0;
        let (srtt, rttvar) = match self.smoothed {
            //= rfc6298 §2.2
            // SRTT <- R, RTTVAR <- R/2
            None => (r, r / 2),
            //= rfc6298 §2.3
            // RTTVAR <- (1 - 1/4) * RTTVAR + 1/4 * |SRTT - R|, then SRTT <- (1 - 1/8) * SRTT + 1/8 * R
            Some((srtt, rttvar)) => ((7 * srtt + r) / 8, (3 * rttvar + srtt.abs_diff(r)) / 4),
        };
        self.smoothed = Some((srtt, rttvar));
        // RTO <- SRTT + max(G, K * RTTVAR), K = 4
        let rto = Duration(srtt + self.tick.0.max(4 * rttvar));
        //= rfc6298 §2.4
        self.base = rto.round_up(self.tick).max(self.min).min(self.max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;

    fn ms(n: u64) -> Instant {
        Instant(Duration::millis(n).0)
    }

    /// Sends segment `n` at `sent` and acknowledges it at `acked`.
    fn trip(rtt: &mut Rtt, n: u64, sent: u64, acked: u64) {
        rtt.on_first_sent(ms(sent), n);
        assert!(rtt.on_acked(ms(acked), n + 1));
    }

    fn fine() -> Rtt {
        Rtt::new(&Common::from_texts(&[
            ("tick", "1 ms"),
            ("min_rto", "0 s"),
            ("initial_rto", "1 s"),
        ]))
    }

    #[test]
    //= rfc6298 §2 type=test
    fn the_estimator() {
        let mut rtt = fine();
        assert_eq!(rtt.rto(), Duration::secs(1)); // 2.1: before any measurement
        trip(&mut rtt, 0, 0, 100);
        assert_eq!(rtt.rto(), Duration::millis(300)); // 2.2: 100 + 4 * 50
        trip(&mut rtt, 1, 100, 260);
        // 2.3: RTTVAR = 3/4 * 50 + 1/4 * 60 = 52.5; SRTT = 7/8 * 100 + 1/8 * 160 = 107.5; 317.5 rounded up to a tick
        assert_eq!(rtt.rto(), Duration::millis(318));
    }

    #[test]
    //= rfc6298 §2.4 type=test
    fn the_least_timeout_and_the_granularity() {
        // A round trip far below the tick counts as one tick, and the variation as no less than one.
        let mut rtt = Rtt::new(&Common::default());
        for n in 0..50 {
            trip(&mut rtt, n, n * 10, n * 10 + 5);
        }
        assert_eq!(rtt.rto(), Duration::millis(200));
        let mut slow = Rtt::new(&Common::from_texts(&[("tick", "500 ms")]));
        trip(&mut slow, 0, 0, 5);
        assert_eq!(slow.rto(), Duration::millis(1500)); // 500 + 4 * 250
    }

    #[test]
    //= rfc6298 §3 type=test
    fn what_was_sent_again_is_not_measured() {
        let mut rtt = fine();
        rtt.on_first_sent(ms(0), 0);
        rtt.stop_timing();
        assert!(!rtt.on_acked(ms(500), 1));
        assert_eq!(rtt.rto(), Duration::secs(1));
    }

    #[test]
    //= rfc6298 §5.5 type=test
    fn back_off_doubles_up_to_the_maximum_and_a_measurement_ends_it() {
        let mut rtt = fine();
        trip(&mut rtt, 0, 0, 100);
        for want in [600, 1200, 2400] {
            rtt.back_off();
            assert_eq!(rtt.rto(), Duration::millis(want));
        }
        for _ in 0..40 {
            rtt.back_off();
        }
        assert_eq!(rtt.rto(), Duration::secs(64));
        trip(&mut rtt, 1, 1000, 1100);
        assert_eq!(rtt.rto(), Duration::millis(250)); // 100 + 4 * 37.5
    }
}
