//! The retransmission timeout: round trips measured by a coarse clock, Karn's rule, back-off.
//!
//! By default one segment is timed at a time, as BSD does; with acks that echo which transmission caused them, every one can measure
//! ([`Samples`]). The clock's granularity acts as it did in the simulator of the 1990s that the
//! papers used: a measured round trip is rounded to the nearest tick, at least one, and a timeout is a whole number of ticks,
//! counted from the moment it is set (not from a common `heartbeat`, which would let all senders of a run time out together).
//= rfc6298 §2
//= ns-1
//= cohen-hamo-2001 §2.1 type=departure

use super::scaled::Scaled;
use super::{Ack, Common, RtoRule, RttTicks, Samples, Undouble};
use crate::time::{Duration, Instant};
use alloc::collections::VecDeque;

/// Round trips by an exact clock, of the acks that `samples` names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trips {
    /// Smoothed, with a gain of 1/8.
    pub smoothed: Duration,
    /// The smoothed deviation from that, with a gain of 1/4.
    pub variation: Duration,
    /// The latest.
    pub latest: Duration,
    /// The shortest so far.
    pub shortest: Duration,
    /// How many have been measured.
    pub count: u64,
}

/// Estimator and back-off of one sender. The fields are in the order of use: the first 64 bytes are for a segment, the next for an ack,
/// because thousands of senders do not fit in a cache.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Rtt {
    samples: Samples,
    undouble: Undouble,
    /// The timer counts the ticks of the clock.
    heartbeat: bool,
    backoff: bool,
    rule: RtoRule,
    /// Number of times that the timeout has been doubled.
    doubled: u32,
    /// The timeout without back-off.
    base: Duration,
    max: Duration,
    /// The segment being timed and when it was sent.
    timed: Option<(u64, Instant)>,
    first: u64,
    /// Round trips by an exact clock, for controllers and repairs.
    exact: Option<Trips>,
    tick: Duration,
    min: Duration,
    /// Smoothed round trip and its variation \[ps\], once measured.
    smoothed: Option<(u64, u64)>,
    /// How a round trip is counted in ticks, and how long before the start the clock ticked.
    ticks: (RttTicks, Duration),
    /// Longest delay of an ack that is the receiver's, and not the path's.
    max_ack_delay: Duration,
    /// The round trip and its variation in scaled whole ticks.
    scaled: Scaled,
    /// When each transmission from number `first` on went out, and whether its segment had been sent before; unless one is timed
    /// at a time. With [`Samples::Latest`] one entry per segment, from number `first` on.
    sent: VecDeque<(Instant, bool)>,
}

impl Rtt {
    /// Before the first measurement.
    pub fn new(params: &Common, rule: RtoRule, samples: Samples) -> Self {
        //= rfc6298 §2.4
        //= rfc6298 §2.4 type=departure
        let min = params
            .min_rto
            .unwrap_or(Duration(params.tick.0.saturating_mul(2)))
            .round_up(params.tick);
        //= rfc6298 §2.1
        //= rfc6298 §5.7 type=departure
        let base = params.initial_rto.round_up(params.tick);
        Self {
            tick: params.tick,
            ticks: (params.rtt_ticks, params.tick_phase),
            heartbeat: params.heartbeat,
            min,
            max: params.max_rto,
            rule,
            samples,
            undouble: params.undouble,
            backoff: params.backoff,
            max_ack_delay: params.ack_delay,
            smoothed: None,
            scaled: Scaled::default(),
            exact: None,
            base,
            doubled: 0,
            timed: None,
            sent: VecDeque::new(),
            first: 0,
        }
    }

    /// The timeout to set now \[ps\]: a whole number of ticks unless it is at its maximum.
    pub fn rto(&self) -> Duration {
        //= rfc6298 §5.5
        //= rfc6298 §2.5
        Duration(self.base.0.saturating_mul(1 << self.doubled.min(32))).min(self.max)
    }

    /// When a timer that is set now runs out.
    #[inline]
    pub fn expiry(&self, now: Instant) -> Instant {
        let mut left = self.rto();
        //= cohen-hamo-2001 §2.1
        if self.heartbeat {
            let since = now.0.saturating_add(self.ticks.1.0) % self.tick.0;
            // `max_rto` may be shorter than a tick; the next tick is then the first.
            left.0 = left.0.max(self.tick.0) - since;
        }
        now + left
    }

    /// The timeout without back-off \[ps\].
    pub fn base(&self) -> Duration {
        self.base
    }

    /// Granularity of the clock that drives the timers \[ps\].
    pub fn tick(&self) -> Duration {
        self.tick
    }

    /// Reads from each cache line that an ack needs; the number has no meaning.
    #[inline(always)]
    pub(super) fn glance(&self) -> u64 {
        self.base.0 ^ self.tick.0
    }

    /// The round trips by an exact clock, once one is measured.
    pub fn trips(&self) -> Option<Trips> {
        self.exact
    }

    /// `segment` is sent, as transmission after transmission; `again` if it was before.
    pub fn on_sent(&mut self, now: Instant, segment: u64, again: bool) {
        //= rfc6298 §3, Karn
        // Karn: a retransmission is not timed, and timing of its segment stops: the ack would not tell which transmission it is of.
        match (self.samples, again) {
            //= rfc6298 §3, one
            (Samples::Timed, false) => self.timed = self.timed.or(Some((segment, now))),
            (Samples::Timed, true) => {
                self.timed = self.timed.filter(|(timed, _)| *timed != segment);
            }
            (Samples::Latest, true) => {
                let at = segment.checked_sub(self.first).map(|at| at as usize);
                if let Some(entry) = at.and_then(|at| self.sent.get_mut(at)) {
                    *entry = (now, true);
                }
            }
            _ => self.sent.push_back((now, again)),
        }
    }

    /// An ack has come, `advance` if it is the first to say that all before its `next` have arrived. Returns whether a round trip was
    /// measured; that also ends back-off.
    #[inline]
    pub fn on_ack(&mut self, now: Instant, ack: &Ack, advance: bool) -> bool {
        if advance && self.undouble == Undouble::Advance {
            self.doubled = 0;
        }
        // A notice of loss travels in a faster queue than data, and an ack that repeats the last one has been measured already.
        let echoes = !ack.trimmed && !ack.repeats;
        let sent = match self.samples {
            Samples::Timed => self
                .timed
                .take_if(|(segment, _)| advance && *segment < ack.next)
                .map(|(_, sent)| sent),
            _ if !echoes => None,
            Samples::Latest => self.latest(ack),
            Samples::Karn | Samples::Each => self.echoed(ack.id),
        };
        let Some(sent) = sent else {
            return false;
        };
        self.measure(sent, now, ack.delay);
        if self.undouble == Undouble::Sample {
            self.doubled = 0;
        }
        true
    }

    /// Time at which the segment that caused an ack was last sent.
    fn latest(&mut self, ack: &Ack) -> Option<Instant> {
        let at = ack.cause.checked_sub(self.first).map(|at| at as usize);
        let sent = at.and_then(|at| self.sent.get(at)).map(|(sent, _)| *sent);
        let gone = ack.next.saturating_sub(self.first);
        self.sent.drain(..(gone as usize).min(self.sent.len()));
        self.first += gone;
        sent
    }

    /// When transmission `id` went out, if its ack measures. The earlier ones are forgotten: on a path that keeps their order they
    /// are lost.
    fn echoed(&mut self, id: u64) -> Option<Instant> {
        let at = id.checked_sub(self.first)? as usize;
        let (sent, again) = *self.sent.get(at)?;
        self.sent.drain(..=at);
        self.first = id + 1;
        (self.samples == Samples::Each || !again).then_some(sent)
    }

    /// The timed segment may have been lost: measuring it would mix up two transmissions.
    pub fn stop_timing(&mut self) {
        self.timed = None;
    }

    /// The timer ran out.
    pub fn back_off(&mut self) {
        self.timed = None;
        self.doubled += u32::from(self.backoff && self.rto() < self.max);
        self.scaled.back_off(self.doubled);
    }

    /// A round trip from `sent` to `now`; an ack of QUIC says that it was withheld for `delay`.
    fn measure(&mut self, sent: Instant, now: Instant, delay: Duration) {
        let elapsed = now - sent;
        self.exact = Some(match self.exact {
            None => Trips {
                smoothed: elapsed,
                variation: Duration(elapsed.0 / 2),
                latest: elapsed,
                shortest: elapsed,
                count: 1,
            },
            Some(Trips {
                smoothed,
                variation,
                shortest,
                count,
                ..
            }) => {
                //= rfc9002 §5.3
                // "MUST use the lesser of the acknowledgment delay and the peer's max_ack_delay" and "MUST NOT subtract the acknowledgment
                // delay from the RTT sample if the resulting value is smaller than the min_rtt": adjusted_rtt.
                let least = shortest.min(elapsed);
                let own = Duration(elapsed.0.saturating_sub(delay.min(self.max_ack_delay).0));
                let adjusted = if own >= least { own } else { elapsed };
                let off = smoothed.0.abs_diff(adjusted.0);
                Trips {
                    smoothed: Duration(smoothed.0.saturating_mul(7).saturating_add(adjusted.0) / 8),
                    variation: Duration(variation.0.saturating_mul(3).saturating_add(off) / 4),
                    latest: elapsed,
                    shortest: shortest.min(elapsed),
                    count: count + 1,
                }
            }
        });
        //= rfc6298 §4 type=departure
        let ticks = match self.ticks {
            (RttTicks::Nearest, _) => (elapsed.0 + self.tick.0 / 2) / self.tick.0,
            (RttTicks::Passed, phase) => {
                let by = |at: Instant| (at + phase).0 / self.tick.0;
                by(now) - by(sent)
            }
        }
        .max(1);
        let r = ticks * self.tick.0;
        let (srtt, rttvar) = match self.smoothed {
            //= rfc6298 §2.2
            // SRTT <- R, RTTVAR <- R/2
            None => (r, r / 2),
            //= rfc6298 §2.3
            // RTTVAR <- (1 - 1/4) * RTTVAR + 1/4 * |SRTT - R|, then SRTT <- (1 - 1/8) * SRTT + 1/8 * R
            Some((srtt, rttvar)) => (
                srtt.saturating_mul(7).saturating_add(r) / 8,
                rttvar.saturating_mul(3).saturating_add(srtt.abs_diff(r)) / 4,
            ),
        };
        self.smoothed = Some((srtt, rttvar));
        let rto = Duration(match self.rule {
            //= rfc6298 §4
            // RTO <- SRTT + max(G, K * RTTVAR), K = 4
            RtoRule::Jacobson => srtt.saturating_add(self.tick.0.max(rttvar.saturating_mul(4))),
            //= linux §tcp_input.c, tcp_rtt_estimator
            RtoRule::Floored => srtt.saturating_add(self.min.0.max(rttvar.saturating_mul(4))),
            //= keshav-morgan-1997 §2
            RtoRule::TwiceSrtt => srtt.saturating_mul(2),
            RtoRule::Scaled => self.scaled.measure(ticks).saturating_mul(self.tick.0),
        });
        //= rfc6298 §2.4
        // Limited first, because a time that has saturated cannot be rounded up.
        let rto = rto.min(self.max).round_up(self.tick);
        self.base = rto.max(self.min).min(self.max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use proptest::prelude::*;

    /// An ack of all before `next`, caused by transmission `id`.
    fn ack(next: u64, id: u64) -> Ack {
        let cause = next - 1;
        Ack {
            next,
            cause,
            id,
            ..Ack::default()
        }
    }

    fn ms(n: u64) -> Instant {
        Instant(Duration::millis(n).0)
    }

    /// Sends segment `n` at `sent` and acknowledges it at `acked`.
    fn trip(rtt: &mut Rtt, n: u64, sent: u64, acked: u64) {
        rtt.on_sent(ms(sent), n, false);
        assert!(rtt.on_ack(ms(acked), &ack(n + 1, n), true));
    }

    fn tcp(params: &Common) -> Rtt {
        Rtt::new(params, RtoRule::Jacobson, Samples::Timed)
    }

    fn fine() -> Rtt {
        tcp(&Common::from_texts(&[
            ("tick", "1 ms"),
            ("min_rto", "0 s"),
            ("initial_rto", "1 s"),
        ]))
    }

    #[test]
    //= linux §tcp_input.c, tcp_rtt_estimator type=test
    fn the_variation_of_a_floored_timeout_is_at_least_the_least_timeout() {
        let texts = [("tick", "1 ms"), ("min_rto", "200 ms")];
        let params = Common::from_texts(&texts);
        let rto = |rule, rtts: &[u64]| {
            let mut rtt = Rtt::new(&params, rule, Samples::Timed);
            for (n, trip_ms) in (0..).zip(rtts) {
                trip(&mut rtt, n, 10_000 * n, 10_000 * n + trip_ms);
            }
            rtt.base().seconds() * 1e3
        };
        // RTTVAR is 150 ms, then it decays: 4 RTTVAR is 600 ms, and after many more less than 200 ms.
        assert_eq!(rto(RtoRule::Floored, &[300]), 900.0);
        assert_eq!(rto(RtoRule::Floored, &[300; 40]), 500.0);
        assert_eq!(rto(RtoRule::Jacobson, &[300; 40]), 301.0);
    }

    #[test]
    fn trips_are_exact_whatever_the_tick() {
        let mut rtt = tcp(&Common::default());
        assert_eq!(rtt.trips(), None);
        trip(&mut rtt, 0, 0, 104);
        trip(&mut rtt, 1, 200, 408);
        let us = |n| Duration(Duration::millis(n).0 / 1000);
        let (smoothed, variation) = (us(117_000), us(65_000));
        let (latest, shortest) = (us(208_000), us(104_000));
        let want = Trips {
            smoothed,
            variation,
            latest,
            shortest,
            count: 2,
        };
        assert_eq!(rtt.trips(), Some(want));
    }

    #[test]
    //= rfc9002 §5.3 type=test
    // An ack was withheld for 25 ms, and the receiver may do so. Of 60 ms, 35 are the path's. Less than the shortest round trip is
    // none.
    fn the_time_for_which_an_ack_was_withheld_is_no_part_of_the_round_trip() {
        let mut rtt = tcp(&Common::from_texts(&[("ack_delay", "25 ms")]));
        let mut told = |n, sent, acked, withheld| {
            rtt.on_sent(ms(sent), n, false);
            let delay = Duration::millis(withheld);
            let ack = Ack {
                delay,
                ..ack(n + 1, n)
            };
            rtt.on_ack(ms(acked), &ack, true);
            let trips = rtt.trips().unwrap();
            [trips.smoothed, trips.variation, trips.latest].map(|it| it.0 / 1_000_000_000)
        };
        assert_eq!(told(0, 0, 100, 25), [100, 50, 100]);
        assert_eq!(told(1, 200, 325, 25), [100, 37, 125]);
        // 135 and not 160: 100 + 35/8, and (3 * 37.5 + 35) / 4.
        assert_eq!(told(2, 400, 560, 60), [104, 36, 160]);
        // 110 and not 85.
        assert_eq!(told(3, 600, 710, 25), [105, 29, 110]);
    }

    #[test]
    //= rfc6298 §2.1 type=test
    //= rfc6298 §2.2 type=test
    //= rfc6298 §2.3 type=test
    fn the_estimator() {
        let mut rtt = fine();
        assert_eq!(rtt.rto(), Duration::secs(1)); // 2.1: before any measurement
        trip(&mut rtt, 0, 0, 100);
        assert_eq!(rtt.rto(), Duration::millis(300)); // 2.2: 100 + 4 * 50
        trip(&mut rtt, 1, 100, 260);
        // 2.3: RTTVAR = 3/4 * 50 + 1/4 * 60 = 52.5; SRTT = 7/8 * 100 + 1/8 * 160 = 107.5; 317.5 rounded up to a tick
        assert_eq!(rtt.rto(), Duration::millis(318));
    }

    proptest! {
        //= rfc6298 §2.2 type=test
        //= rfc6298 §2.3 type=test
        //= rfc6298 §4 type=test
        // The same arithmetic in floats. Only the timeout is rounded, up to a tick.
        #[test]
        fn the_arithmetic_of_any_round_trips(trips in prop::collection::vec(1u64..5000, 1..60)) {
            let (g, k) = (0.001, 4.0);
            let mut rtt = tcp(&Common::from_texts(&[("tick", "1 ms"), ("min_rto", "1 ms")]));
            let mut estimate: Option<(f64, f64)> = None;
            let mut now = 0;
            for (n, trip_ms) in (0..).zip(trips) {
                trip(&mut rtt, n, now, now + trip_ms);
                now += trip_ms;
                let r = trip_ms as f64 / 1e3;
                let (srtt, rttvar) = match estimate {
                    None => (r, r / 2.0),
                    Some((srtt, rttvar)) => (
                        0.875 * srtt + 0.125 * r,
                        0.75 * rttvar + 0.25 * (srtt - r).abs(),
                    ),
                };
                estimate = Some((srtt, rttvar));
                let beyond = rtt.rto().seconds() - (srtt + f64::max(g, k * rttvar));
                prop_assert!((-1e-9..g + 1e-9).contains(&beyond), "{beyond} s beyond");
            }
        }
    }

    #[test]
    //= rfc6298 §2.4 type=test
    //= rfc6298 §4 type=test
    fn the_least_timeout_and_the_granularity() {
        // A round trip far below the tick counts as one tick, and the variance term is at least one tick.
        let mut rtt = tcp(&Common::default());
        for n in 0..50 {
            trip(&mut rtt, n, n * 10, n * 10 + 5);
        }
        assert_eq!(rtt.rto(), Duration::millis(200));
        // The least timeout, 1 ms here, is not the reason: "the variance term MUST be rounded to G seconds".
        let mut rtt = tcp(&Common::from_texts(&[("min_rto", "1 ms")]));
        for n in 0..300 {
            trip(&mut rtt, n, n * 10, n * 10 + 5);
        }
        assert_eq!(rtt.smoothed.unwrap().1, 0);
        assert_eq!(rtt.rto(), Duration::millis(200));
        let mut slow = tcp(&Common::from_texts(&[("tick", "500 ms")]));
        trip(&mut slow, 0, 0, 5);
        assert_eq!(slow.rto(), Duration::millis(1500)); // 500 + 4 * 250
    }

    #[test]
    //= rfc6298 §3, Karn type=test
    fn what_was_sent_again_is_not_measured() {
        let mut rtt = fine();
        rtt.on_sent(ms(0), 0, false);
        rtt.stop_timing();
        assert!(!rtt.on_ack(ms(500), &ack(1, 0), true));
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

    /// Transmissions 0, 1 and 2 at 0, 10 and 20 ms, of segments 0, 1 and 1 again.
    fn echoing(samples: Samples, texts: &[(&str, &str)]) -> Rtt {
        let texts = [&[("tick", "1 ms"), ("min_rto", "0 s")], texts].concat();
        let mut rtt = Rtt::new(&Common::from_texts(&texts), RtoRule::TwiceSrtt, samples);
        for (id, segment) in [0, 1, 1].into_iter().enumerate() {
            rtt.on_sent(ms(10 * id as u64), segment, id == 2);
        }
        rtt
    }

    #[test]
    //= keshav-morgan-1997 §2 type=test
    fn twice_the_smoothed_round_trip() {
        let mut rtt = echoing(Samples::Each, &[]);
        assert!(rtt.on_ack(ms(50), &ack(1, 0), true));
        assert_eq!(rtt.rto(), Duration::millis(100));
        assert!(rtt.on_ack(ms(68), &ack(1, 1), false)); // a duplicate measures as well: 7/8 * 50 + 1/8 * 58
        assert_eq!(rtt.rto(), Duration::millis(102));
        assert!(rtt.on_ack(ms(70), &ack(2, 2), true));
        assert_eq!(rtt.trips().unwrap().shortest, Duration::millis(50));
    }

    #[test]
    fn by_karns_rule_no_retransmission_measures() {
        let mut rtt = echoing(Samples::Karn, &[]);
        assert!(rtt.on_ack(ms(50), &ack(1, 0), true));
        assert!(!rtt.on_ack(ms(70), &ack(2, 2), true)); // sent again
        assert!(!rtt.on_ack(ms(75), &ack(2, 1), false)); // forgotten: 2 has overtaken it
    }

    #[test]
    fn what_ends_back_off() {
        let mut rtt = echoing(Samples::Karn, &[("undouble", "advance")]);
        rtt.back_off();
        assert!(!rtt.on_ack(ms(70), &ack(1, 2), true));
        assert_eq!(rtt.rto(), Duration::secs(1));
        let mut rtt = echoing(Samples::Karn, &[]);
        rtt.back_off();
        assert!(!rtt.on_ack(ms(70), &ack(1, 2), true));
        assert_eq!(rtt.rto(), Duration::secs(2));
        let mut rtt = echoing(Samples::Karn, &[("backoff", "false")]);
        rtt.back_off();
        assert_eq!(rtt.rto(), Duration::secs(1));
    }

    #[test]
    fn without_an_echo_a_retransmission_is_mistaken_for_what_the_ack_is_of() {
        let mut rtt = echoing(Samples::Latest, &[]);
        assert!(rtt.on_ack(ms(50), &ack(1, 0), true));
        // The first transmission of segment 1 went out at 10 ms, the second at 20.
        assert!(rtt.on_ack(ms(60), &ack(2, 1), true));
        assert_eq!(rtt.trips().unwrap().shortest, Duration::millis(40));
        assert!(!rtt.on_ack(ms(70), &ack(2, 2), false));
    }

    #[test]
    fn notices_and_repeated_acks_measure_nothing_and_spoil_nothing() {
        for samples in [Samples::Karn, Samples::Each, Samples::Latest] {
            let mut rtt = Rtt::new(&Common::default(), RtoRule::Jacobson, samples);
            (0..4).for_each(|n| rtt.on_sent(ms(10 * n), n, false));
            // Segment 1 is missing, the ack of 2 is repeated, and a notice tells of 3.
            let beyond = Ack {
                cause: 2,
                ..ack(1, 2)
            };
            let repeats = Ack {
                repeats: true,
                ..beyond
            };
            let trimmed = Ack {
                cause: 3,
                trimmed: true,
                ..ack(1, 3)
            };
            assert!(!rtt.on_ack(ms(35), &trimmed, false));
            assert!(rtt.on_ack(ms(50), &ack(1, 0), true));
            assert!(rtt.on_ack(ms(70), &beyond, false));
            assert!(!rtt.on_ack(ms(80), &repeats, false));
            let exact = rtt.trips().unwrap();
            let fifty = Duration::millis(50);
            assert_eq!((exact.smoothed, exact.shortest), (fifty, fifty));
        }
    }
}
