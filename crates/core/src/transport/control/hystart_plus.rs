//! HyStart++: the first slow start of a connection ends when round trips grow longer, before the queue of the bottleneck overflows.
//!
//! If the shortest round trip of a round is longer than that of the round before by a threshold, the window grows more slowly for some
//! rounds: conservative slow start (CSS). If a round trip in it is shorter again, slow start goes on. Otherwise congestion avoidance
//! follows. Only the first slow start is such; after a loss or a mark ssthresh is known.
//!
//! A round ends when a segment is acknowledged that was sent after it had begun: [`Delivery::round`](super::Delivery::round) counts
//! such rounds, by the data delivered at a transmission instead of the RFC's sequence number windowEnd.
//= rfc9406 §4.2

use super::AckSample;
use crate::time::Duration;
use crate::transport::Common;

/// Conservative slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Css {
    /// cssBaselineMinRtt
    baseline: Duration,
    /// Rounds that are complete; the one in which it began counts.
    rounds: u64,
}

/// Whether slow start goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Goes,
    /// Congestion avoidance follows.
    Over,
}

/// HyStart++ of one connection.
#[derive(Clone, Debug)]
pub struct HystartPlus {
    min_rtt_thresh: Duration,
    max_rtt_thresh: Duration,
    min_rtt_divisor: u64,
    n_rtt_sample: u64,
    css_growth_divisor: u64,
    css_rounds: u64,
    /// L \[segments\]
    limit: u64,
    round: u64,
    /// lastRoundMinRTT; `None` is infinity.
    last: Option<Duration>,
    /// currentRoundMinRTT
    current: Option<Duration>,
    /// rttSampleCount
    samples: u64,
    css: Option<Css>,
}

impl HystartPlus {
    /// At the start of a connection.
    pub fn new(params: &Common) -> Self {
        Self {
            min_rtt_thresh: params.min_rtt_thresh,
            max_rtt_thresh: params.max_rtt_thresh,
            min_rtt_divisor: params.min_rtt_divisor,
            n_rtt_sample: params.n_rtt_sample,
            css_growth_divisor: params.css_growth_divisor,
            css_rounds: params.css_rounds,
            //= rfc9406 §4.3, L
            // "L = infinity if paced, L = 8 if non-paced"
            limit: params.growth_limit.unwrap_or(match params.pace {
                Some(_) => u64::MAX,
                None => 8,
            }),
            round: 0,
            last: None,
            current: None,
            samples: 0,
            css: None,
        }
    }

    /// Whether conservative slow start is going on.
    pub fn is_conservative(&self) -> bool {
        self.css.is_some()
    }

    /// Segments by which the window grows for an ack of `acked` of them: min(N, L), or that divided by CSS_GROWTH_DIVISOR
    //= rfc9406 §4.2, cwnd
    pub fn growth(&self, acked: u64) -> f64 {
        let segments = acked.min(self.limit) as f64;
        match self.css {
            None => segments,
            Some(_) => segments / self.css_growth_divisor as f64,
        }
    }

    /// RttThresh = max(MIN_RTT_THRESH, min(lastRoundMinRTT / MIN_RTT_DIVISOR, MAX_RTT_THRESH))
    //= rfc9406 §4.2, RttThresh
    fn thresh(&self, last: Duration) -> Duration {
        let part = Duration(last.0 / self.min_rtt_divisor);
        part.min(self.max_rtt_thresh).max(self.min_rtt_thresh)
    }

    /// An ack of slow start has arrived, and the window has grown for it.
    pub fn on_ack(&mut self, sample: &AckSample) -> Verdict {
        let Some(delivery) = &sample.delivery else {
            return Verdict::Goes;
        };
        if delivery.round != self.round {
            //= rfc9406 §4.2, round
            self.round = delivery.round;
            (self.last, self.current) = (self.current.take(), None);
            self.samples = 0;
            if let Some(css) = &mut self.css {
                //= rfc9406 §4.2, CSS_ROUNDS
                // "If the transition into CSS happens in the middle of a round, that partial round counts towards the limit."
                css.rounds += 1;
                if css.rounds >= self.css_rounds {
                    return Verdict::Over;
                }
            }
        }
        let Some(rtt) = delivery.newest.and_then(|it| it.rtt) else {
            return Verdict::Goes;
        };
        //= rfc9406 §4.2, samples
        let current = self.current.map_or(rtt, |least| least.min(rtt));
        self.current = Some(current);
        self.samples += 1;
        if self.samples < self.n_rtt_sample {
            return Verdict::Goes;
        }
        match (self.css, self.last) {
            //= rfc9406 §4.2, enter CSS
            (None, Some(last)) if current >= last + self.thresh(last) => {
                self.css = Some(Css {
                    baseline: current,
                    rounds: 0,
                });
            }
            //= rfc9406 §4.2, resume
            (Some(css), _) if current < css.baseline => self.css = None,
            _ => {}
        }
        Verdict::Goes
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CongestionWindow, Outstanding, heard};
    use super::*;
    use crate::declare::Declared;
    use crate::time::Instant;

    /// A window of 10 segments, and the round that it is in.
    struct Play {
        window: CongestionWindow,
        round: u64,
    }

    fn play(texts: &[(&str, &str)]) -> Play {
        let always = [
            ("slow_start", "hystart++"),
            ("initial_window", "10 segments"),
        ];
        let params = Common::from_texts(&[texts, &always].concat());
        Play {
            window: CongestionWindow::new(&params),
            round: 0,
        }
    }

    /// An ack of `acked` segments with a round trip of `rtt` ms.
    fn ack(round: u64, rtt: u64, acked: u64) -> AckSample {
        AckSample {
            acked,
            arrived: acked,
            ..heard::with_rtt(Instant::ZERO, round, Duration::millis(rtt))
        }
    }

    impl Play {
        /// A new round, with acks of one segment and round trips of `rtts` ms; returns by how many segments the window has grown.
        fn round(&mut self, rtts: &[u64]) -> f64 {
            self.round += 1;
            self.more(rtts)
        }

        /// More acks in the same round.
        fn more(&mut self, rtts: &[u64]) -> f64 {
            let before = self.window.cwnd;
            for rtt in rtts {
                self.window.open(&ack(self.round, *rtt, 1));
            }
            self.window.cwnd - before
        }
    }

    #[test]
    //= rfc9406 §4.3, L type=test
    fn one_ack_opens_the_window_by_eight_segments_unless_the_sender_is_paced() {
        let growth =
            |texts: &[(&str, &str)]| HystartPlus::new(&Common::from_texts(texts)).growth(20);
        assert_eq!(growth(&[]), 8.0);
        assert_eq!(growth(&[("growth_limit", "3")]), 3.0);
        assert_eq!(growth(&[("pace", "1.25")]), 20.0);
        assert_eq!(growth(&[("pace", "1.25"), ("growth_limit", "3")]), 3.0);
    }

    #[test]
    //= rfc9406 §4.2, RttThresh type=test
    fn the_threshold_is_an_eighth_within_its_bounds() {
        let hystart = HystartPlus::new(&Common::default());
        for (last, thresh) in [(1, 4), (32, 4), (80, 10), (128, 16), (1000, 16)] {
            let thresh = Duration::millis(thresh);
            assert_eq!(hystart.thresh(Duration::millis(last)), thresh, "{last} ms");
        }
    }

    #[test]
    //= rfc9406 §4.2, cwnd type=test
    //= rfc9406 §4.3, L type=test
    fn an_ack_of_many_segments_opens_the_window_by_eight_at_most() {
        let mut hystart = HystartPlus::new(&Common::default());
        assert_eq!(
            [1, 2, 8, 20].map(|n| hystart.growth(n)),
            [1.0, 2.0, 8.0, 8.0]
        );
        let baseline = Duration::ZERO;
        hystart.css = Some(Css {
            baseline,
            rounds: 0,
        });
        assert_eq!([1, 20].map(|n| hystart.growth(n)), [0.25, 2.0]);
    }

    #[test]
    //= rfc9406 §4.2, round type=test
    //= rfc9406 §4.2, samples type=test
    //= rfc9406 §4.2, enter CSS type=test
    //= rfc9406 §4.2, CSS_ROUNDS type=test
    //= rfc9406 §4.2, ssthresh type=test
    fn longer_round_trips_end_slow_start_after_five_rounds_of_css() {
        let mut it = play(&[]);
        assert_eq!(it.round(&[96; 10]), 10.0);
        // 96 + 12 ms are enough, but only from the eighth sample on; the ack that brings it still opens the window by a segment.
        assert_eq!(it.round(&[108; 8]), 8.0);
        assert_eq!(it.more(&[108; 4]), 1.0);
        // That was the first round of CSS; four more, and then congestion avoidance.
        for _ in 0..4 {
            assert_eq!(it.round(&[120; 8]), 2.0);
            assert_eq!(it.window.ssthresh, f64::INFINITY);
        }
        let cwnd = it.window.cwnd;
        assert_eq!(it.round(&[120]), 0.25);
        assert_eq!(it.window.ssthresh, cwnd + 0.25);
        it.more(&[120]);
        assert_eq!(it.window.cwnd, cwnd + 0.25 + 1.0 / (cwnd + 0.25));
    }

    #[test]
    //= rfc9406 §4.2, enter CSS type=test
    fn a_smaller_increase_or_a_single_short_round_trip_ends_nothing() {
        let mut it = play(&[]);
        it.round(&[96; 10]);
        assert_eq!(it.round(&[107; 20]), 20.0);
        // The shortest of the round counts.
        assert_eq!(
            it.round(&[200, 118, 200, 200, 200, 200, 200, 200, 200]),
            9.0
        );
        // Seven samples are too few, and a round with none says nothing to the next.
        assert_eq!(it.round(&[300; 7]), 7.0);
        assert_eq!(it.round(&[]), 0.0);
    }

    #[test]
    //= rfc9406 §4.2, resume type=test
    fn a_round_trip_below_the_baseline_resumes_slow_start() {
        let mut it = play(&[]);
        it.round(&[96; 10]);
        it.round(&[108; 8]);
        // 108 ms is the baseline: as long is no reason, shorter is one, if there are eight samples.
        assert_eq!(it.round(&[108; 8]), 2.0);
        assert_eq!(it.round(&[100; 8]), 2.0);
        assert_eq!(it.more(&[100; 4]), 4.0);
        // HyStart++ goes on with it: the last round's is 100 ms.
        assert_eq!(it.round(&[113; 8]), 8.0);
        assert_eq!(it.more(&[113; 4]), 1.0);
    }

    #[test]
    //= rfc9406 §4.2, loss type=test
    //= rfc9406 §4.3, initial type=test
    fn after_a_loss_slow_start_is_standard() {
        let mut it = play(&[]);
        let outstanding = Outstanding {
            now: Instant::ZERO,
            receiver: 100,
            flight: 10,
            resent: false,
        };
        assert!(it.window.wants().records);
        it.round(&[96; 10]);
        it.window.time_out(&outstanding, false);
        assert!(!it.window.wants().records);
        // An ack of two segments opens a window of one by one.
        it.window.open(&ack(3, 96, 2));
        assert_eq!(it.window.cwnd, 2.0);
        assert!(!play(&[("slow_start", "standard")]).window.wants().records);
    }

    #[test]
    //= rfc9406 §4.3, initial type=test
    fn a_threshold_that_is_given_ends_it_as_well() {
        let mut it = play(&[("initial_ssthresh", "12 segments")]);
        assert_eq!(it.round(&[96; 2]), 2.0);
        assert!(!it.window.wants().records);
        it.more(&[96]);
        assert_eq!(it.window.cwnd, 12.0 + 1.0 / 12.0);
    }

    #[test]
    //= rfc9406 §4.3, divisor type=test
    #[should_panic(expected = "at least 2")]
    fn a_growth_divisor_of_one_is_refused() {
        Common::from_texts(&[("css_growth_divisor", "1")]);
    }
}
