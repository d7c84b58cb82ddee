//! HyStart as Linux has it: slow start ends when a round's acks come in a train as long as half of the shortest round trip, which is when the
//! window fills the path, or when round trips have grown longer, which is when a queue has formed.
//!
//! Slow start after a timeout is watched, too, unlike HyStart++'s.
//= ha-rhee-2011 §3
//= linux §tcp_cubic.c, HyStart

use super::AckSample;
use crate::time::{Duration, Instant};
use crate::transport::Common;

/// Data that Linux may send at once on every path, by which its acks may be late \[B\]: four packets of `sk_gso_max_size`.
const BURST: f64 = 4.0 * 65_536.0;
/// The most that they are taken to be late.
const MOST_LATE: Duration = Duration::millis(1);

/// HyStart of one connection.
#[derive(Clone, Debug)]
pub struct Hystart {
    low_window: f64,
    ack_delta: Duration,
    min_rtt_thresh: Duration,
    max_rtt_thresh: Duration,
    min_rtt_divisor: u64,
    n_rtt_sample: u64,
    /// Payload of a segment \[B\].
    mss: f64,
    paced: bool,
    /// delay_min
    shortest: Option<Duration>,
    round: u64,
    /// round_start
    began: Instant,
    /// last_ack: of the train.
    last: Instant,
    /// curr_rtt
    current: Option<Duration>,
    /// sample_cnt
    samples: u64,
}

impl Hystart {
    /// At the start of a connection.
    pub fn new(params: &Common) -> Self {
        Self {
            low_window: params.hystart_low_window as f64,
            ack_delta: params.hystart_ack_delta,
            min_rtt_thresh: params.min_rtt_thresh,
            max_rtt_thresh: params.max_rtt_thresh,
            min_rtt_divisor: params.min_rtt_divisor,
            n_rtt_sample: params.n_rtt_sample,
            mss: params.mss.0 as f64,
            paced: params.pace.is_some(),
            shortest: None,
            round: 0,
            began: Instant::ZERO,
            last: Instant::ZERO,
            current: None,
            samples: 0,
        }
    }

    /// A timeout: what is known of the path is forgotten.
    //= linux §tcp_cubic.c, bictcp_state
    pub fn restart(&mut self) {
        self.shortest = None;
        self.round = 0;
    }

    /// An ack has arrived in slow start, with a window of `cwnd` segments: whether slow start is over.
    pub fn is_over(&mut self, sample: &AckSample, cwnd: f64) -> bool {
        let Some(delivery) = &sample.delivery else {
            return false;
        };
        let Some(rtt) = delivery.newest.and_then(|it| it.rtt) else {
            return false;
        };
        let shortest = self.shortest.map_or(rtt, |it| it.min(rtt));
        self.shortest = Some(shortest);
        if delivery.round != self.round {
            self.round = delivery.round;
            (self.began, self.last) = (sample.now, sample.now);
            (self.current, self.samples) = (None, 0);
        }
        if cwnd < self.low_window {
            return false;
        }
        if sample.now - self.last <= self.ack_delta {
            self.last = sample.now;
            if sample.now - self.began > self.train(shortest, sample, cwnd) {
                return true;
            }
        }
        let current = self.current.map_or(rtt, |it| it.min(rtt));
        self.current = Some(current);
        if self.samples < self.n_rtt_sample {
            self.samples += 1;
            return false;
        }
        let part = Duration(shortest.0 / self.min_rtt_divisor);
        let thresh = part.clamp(self.min_rtt_thresh, self.max_rtt_thresh);
        current > shortest + thresh
    }

    /// Length of a train of acks by which slow start ends. A sender that paces spreads its packets over the whole round trip.
    fn train(&self, shortest: Duration, sample: &AckSample, cwnd: f64) -> Duration {
        // At the pacing rate of slow start, two windows per round trip.
        let rate = |srtt: Duration| 2.0 * cwnd * self.mss / srtt.0 as f64;
        let late = sample
            .srtt
            .map(|srtt| Duration((BURST / rate(srtt)) as u64));
        let whole = shortest + late.unwrap_or_default().min(MOST_LATE);
        if self.paced {
            whole
        } else {
            Duration(whole.0 / 2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::heard;
    use super::*;
    use crate::declare::Declared;

    /// Acks of a path whose shortest round trip is 40 ms, in a round that begins 1 s after the connection, `apart` ms from each other:
    /// after how many slow start is over, if it is after at most 100.
    fn train(apart: u64, texts: &[(&str, &str)], cwnd: f64) -> Option<u64> {
        let mut hystart = Hystart::new(&Common::from_texts(texts));
        let rtt = Duration::millis(40);
        (0..100).find(|n| {
            let now = Instant::ZERO + Duration::secs(1) + Duration::millis(apart * n);
            hystart.is_over(&heard::with_rtt(now, 1, rtt), cwnd)
        })
    }

    #[test]
    //= linux §tcp_cubic.c, HyStart type=test
    fn a_train_of_half_a_round_trip_ends_it() {
        // More than half of 40 ms.
        assert_eq!(train(1, &[], 20.0), Some(21));
        assert_eq!(train(2, &[], 20.0), Some(11));
        // Acks further apart are no train.
        assert_eq!(train(3, &[], 20.0), None);
        assert_eq!(train(3, &[("hystart_ack_delta", "3 ms")], 20.0), Some(7));
        // A window below 16 segments is too small to judge.
        assert_eq!(train(1, &[], 15.0), None);
        assert_eq!(train(1, &[("hystart_low_window", "15")], 15.0), Some(21));
        // A paced sender's train is as long as a round trip.
        assert_eq!(train(1, &[("pace", "1.25")], 20.0), Some(41));
    }

    #[test]
    //= linux §tcp_cubic.c, HyStart type=test
    fn longer_round_trips_end_it() {
        let over = |longer: u64, samples: u64| {
            let mut hystart = Hystart::new(&Common::default());
            let at = |n: u64| Instant::ZERO + Duration::millis(100 * n);
            // The first round has the shortest round trip.
            let first = heard::with_rtt(at(0), 1, Duration::millis(80));
            assert!(!hystart.is_over(&first, 100.0));
            let rtt = Duration::millis(80 + longer);
            (1..=samples).any(|n| hystart.is_over(&heard::with_rtt(at(n), 2, rtt), 100.0))
        };
        // An eighth of 80 ms, after eight samples.
        assert!(over(11, 9));
        assert!(!over(11, 8));
        assert!(!over(10, 100));
    }

    #[test]
    fn bursts_make_a_train_longer() {
        // At two windows per round trip of 12 ms, 262,144 B take 10.9 ms with 100 segments of 1,448 B, which is too much, and 0.136 ms with
        // 8,000.
        let hystart = Hystart::new(&Common::from_texts(&[("mss", "1448 B")]));
        let (rtt, now) = (Duration::millis(12), Instant::ZERO);
        let of = |cwnd| {
            let srtt = Some(rtt);
            let sample = AckSample {
                srtt,
                ..heard::with_rtt(now, 1, rtt)
            };
            hystart.train(rtt, &sample, cwnd).seconds() * 1e3
        };
        assert_eq!(of(100.0), 6.5);
        assert!((of(8000.0) - 6.068).abs() < 1e-3, "{}", of(8000.0));
    }

    #[test]
    fn a_timeout_forgets_the_path() {
        let mut hystart = Hystart::new(&Common::default());
        let at = |ms: u64| Instant::ZERO + Duration::millis(ms);
        hystart.is_over(&heard::with_rtt(at(0), 1, Duration::millis(10)), 100.0);
        hystart.restart();
        let slow = |n: u64| heard::with_rtt(at(100 * n), 2, Duration::millis(80));
        assert!(!(1..100).any(|n| hystart.is_over(&slow(n), 100.0)));
    }
}
