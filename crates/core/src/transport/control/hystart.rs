//! HyStart as Linux has it: slow start ends when a round's acks come in a train as long as half of the shortest round trip, which is when the
//! window fills the path, or when round trips have grown longer, which is when a queue has formed.
//!
//! It ends slow start once, and again only after a timeout. A round ends when a segment is acknowledged that was sent after it had begun.
//= linux §tcp_cubic.c, HyStart

use super::AckSample;
use crate::time::{Duration, Instant};
use crate::transport::Common;

/// Four packets of `sk_gso_max_size` \[B\]: what the ends and the first queue may hold back, of a sender at twice the rate of the path.
const BURST: f64 = 4.0 * 65_536.0;
/// The most by which acks are taken to be late for that.
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
    /// It has ended slow start.
    found: bool,
    /// snd_una, counted by acks of slow start.
    una: u64,
    /// end_seq: one beyond the last segment sent when the round began.
    end: Option<u64>,
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
            found: false,
            una: 0,
            end: None,
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
        self.found = false;
        (self.una, self.end) = (0, None);
    }

    /// An ack has arrived in slow start, with a window of `cwnd` segments: whether slow start is over.
    pub fn is_over(&mut self, sample: &AckSample, cwnd: f64) -> bool {
        let sent = self.una + sample.flight;
        self.una += sample.acked;
        let newest = sample.delivery.and_then(|it| it.newest);
        let Some(rtt) = newest.and_then(|it| it.rtt) else {
            return false;
        };
        let shortest = self.shortest.map_or(rtt, |it| it.min(rtt));
        self.shortest = Some(shortest);
        if self.end.is_none_or(|end| self.una > end) {
            self.end = Some(sent);
            (self.began, self.last) = (sample.now, sample.now);
            (self.current, self.samples) = (None, 0);
        }
        let watches = !self.found && cwnd >= self.low_window;
        self.found |= watches && self.ends(sample, rtt, shortest, cwnd);
        watches && self.found
    }

    /// Whether the acks of the round so far end slow start.
    //= linux §tcp_cubic.c, hystart_update
    fn ends(&mut self, sample: &AckSample, rtt: Duration, shortest: Duration, cwnd: f64) -> bool {
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

    /// An ack of one segment of many, at `now` ms.
    fn ack(now: u64, rtt: u64) -> AckSample {
        let now = Instant::ZERO + Duration::millis(now);
        AckSample {
            flight: 200,
            ..heard::with_rtt(now, 1, Duration::millis(rtt))
        }
    }

    /// Acks of a path whose shortest round trip is 40 ms, in a round that begins 1 s after the connection, `apart` ms from each other:
    /// after how many slow start is over, if it is after at most 100.
    fn train(apart: u64, texts: &[(&str, &str)], cwnd: f64) -> Option<u64> {
        let mut hystart = Hystart::new(&Common::from_texts(texts));
        (0..100).find(|n| hystart.is_over(&ack(1000 + apart * n, 40), cwnd))
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
            // The first round has one segment, and the shortest round trip.
            let first = AckSample {
                flight: 0,
                ..ack(0, 80)
            };
            assert!(!hystart.is_over(&first, 100.0));
            (1..=samples).any(|n| hystart.is_over(&ack(100 * n, 80 + longer), 100.0))
        };
        // An eighth of 80 ms, after eight samples.
        assert!(over(11, 9));
        assert!(!over(11, 8));
        assert!(!over(10, 100));
    }

    #[test]
    //= linux §tcp_cubic.c, HyStart type=test
    fn it_ends_slow_start_once() {
        let mut hystart = Hystart::new(&Common::default());
        let mut ends = |from: u64| (from..from + 100).any(|n| hystart.is_over(&ack(n, 40), 20.0));
        assert!(ends(0));
        assert!(!ends(1000));
        hystart.restart();
        assert!((0..100).any(|n| hystart.is_over(&ack(2000 + n, 40), 20.0)));
    }

    #[test]
    //= linux §tcp_cubic.c, HyStart type=test
    // The train of a round begins with its first ack. While the window is too small no ack is watched, and so the train may break.
    fn a_round_ends_when_what_was_sent_before_it_is_acknowledged() {
        let mut hystart = Hystart::new(&Common::default());
        let mut ends = |from: u64, to: u64, flight, cwnd| {
            (from..to).any(|n| {
                let sample = AckSample {
                    flight,
                    ..ack(n, 40)
                };
                hystart.is_over(&sample, cwnd)
            })
        };
        // 15 segments are outstanding: every 15 acks are a round, too short for a train of 20 ms.
        assert!(!ends(0, 165, 15, 20.0));
        // 30 are long enough.
        assert!(!ends(165, 167, 30, 15.0));
        assert!(!ends(167, 186, 30, 20.0));
        assert!(ends(186, 187, 30, 20.0));
        let mut hystart = Hystart::new(&Common::default());
        let mut ends = |from: u64, to: u64, cwnd| {
            (from..to).any(|n| {
                hystart.is_over(
                    &AckSample {
                        flight: 30,
                        ..ack(n, 40)
                    },
                    cwnd,
                )
            })
        };
        assert!(!ends(0, 10, 15.0));
        assert!(!ends(10, 31, 20.0));
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
        hystart.is_over(&ack(0, 10), 100.0);
        hystart.restart();
        assert!(!(1..100).any(|n| hystart.is_over(&ack(100 * n, 80), 100.0)));
    }
}
