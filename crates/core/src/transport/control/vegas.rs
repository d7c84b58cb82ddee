//! Vegas: the window is kept so large that between `alpha` and `beta` segments wait in queues. Their number is estimated from how much
//! longer the round trip is than the shortest one so far.
//!
//! Once per round trip the window grows by one segment, shrinks by one, or stays. Slow start ends when more than `gamma` segments wait. It is
//! Linux's: the window doubles in every round trip, where the paper lets it double in every other one. Losses halve the window as Reno's do;
//! the paper's retransmissions by a fine clock are not here, because losses are found by the repair.
//= brakmo-peterson-1995 §3.2
//= brakmo-peterson-1995 §3.3
//= linux §tcp_vegas.c, slow start

use super::{
    About, AckSample, Answer, CongestionWindow, Controller, Needs, Outstanding, Signal, Wants,
};
use crate::time::Duration;
use crate::transport::Common;

crate::declare! {
    /// Keeps a few segments waiting in queues, by the increase of the round trip over the shortest one.
    pub struct VegasParams as "vegas" from "brakmo-peterson-1995 §3.2" {
        /// Segments that wait in queues, below which the window grows.
        alpha: f64 = "2";
        /// Segments that wait in queues, above which the window shrinks.
        beta: f64 = "4";
        /// Segments that wait in queues, above which slow start ends.
        gamma: f64 = "1";
    }
    check |it| {
        let fault = |name, found: f64, allowed: &str| Err(crate::declare::Fault {
            name,
            found: alloc::format!("{found}"),
            allowed: allowed.into(),
        });
        if it.alpha < 0.0 { return fault("alpha", it.alpha, "at least 0"); }
        if it.beta < it.alpha { return fault("beta", it.beta, "at least `alpha`"); }
        if it.gamma < 0.0 { return fault("gamma", it.gamma, "at least 0"); }
        Ok(())
    }
}

/// With selective acks it is the transport `vegas`.
pub const ABOUT: About = About::new(Answer::Halves, Needs::Acks).with_repair("sack");

/// Measurements in a round trip, with which it can be judged.
const ENOUGH: u64 = 3;

/// Vegas.
#[derive(Clone, Debug)]
pub struct Vegas {
    window: CongestionWindow,
    alpha: f64,
    beta: f64,
    gamma: f64,
    /// BaseRTT: the shortest round trip so far.
    base: Option<Duration>,
    /// The shortest of the present round, and how many it has.
    shortest: Option<Duration>,
    measured: u64,
    round: u64,
}

impl Vegas {
    /// At the start of a connection.
    pub fn new(own: &VegasParams, params: &Common) -> Self {
        Self {
            window: CongestionWindow::new(params),
            alpha: own.alpha,
            beta: own.beta,
            gamma: own.gamma,
            base: None,
            shortest: None,
            measured: 0,
            round: 0,
        }
    }

    /// Segments that wait in queues: Diff times BaseRTT, where Diff = Expected - Actual = cwnd/BaseRTT - cwnd/RTT. RTT is the shortest of the
    /// round, which a delayed ack does not make longer.
    //= brakmo-peterson-1995 §3.2, Diff
    //= linux §tcp_vegas.c, shortest
    fn waiting(&self) -> Option<(f64, f64)> {
        let (base, trip) = self.base.zip(self.shortest)?;
        let used = base.0 as f64 / trip.0.max(1) as f64;
        let cwnd = self.window.cwnd;
        Some((cwnd * (1.0 - used), cwnd * used))
    }

    /// A round trip is over.
    fn judge(&mut self, sample: &AckSample) {
        let in_slow_start = self.window.cwnd < self.window.ssthresh;
        let cwnd = self.window.cwnd;
        match self.waiting() {
            Some((waiting, target)) if self.measured >= ENOUGH => {
                if in_slow_start && waiting > self.gamma {
                    //= linux §tcp_vegas.c, slow start
                    // "Set cwnd to match the actual rate exactly", and one segment more.
                    self.window
                        .set(cwnd.min(target as u64 as f64 + 1.0).max(2.0));
                    self.window.ssthresh = self.window.cwnd;
                } else if in_slow_start {
                    self.window.slow_start(sample.acked);
                } else if waiting > self.beta {
                    //= linux §tcp_vegas.c, tcp_vegas_ssthresh
                    // A window below ssthresh would grow as in slow start.
                    self.window.set((cwnd - 1.0).max(2.0));
                    self.window.ssthresh = self.window.ssthresh.min(self.window.cwnd);
                } else if waiting < self.alpha {
                    self.window.set(cwnd + 1.0);
                }
            }
            //= linux §tcp_vegas.c, few
            // Too few to tell: as Reno.
            _ => self.window.open(sample),
        }
        (self.shortest, self.measured) = (None, 0);
    }
}

impl Controller for Vegas {
    fn window(&self) -> f64 {
        self.window.cwnd
    }
    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    fn state(&self, recovering: bool) -> &'static str {
        self.window.state(recovering)
    }
    fn wants(&self) -> Wants {
        Wants {
            records: true,
            ..self.window.wants()
        }
    }
    #[inline(never)]
    fn on_ack(&mut self, sample: &AckSample) {
        let Some(delivery) = &sample.delivery else {
            return;
        };
        if let Some(trip) = delivery.newest.and_then(|it| it.rtt) {
            self.base = Some(self.base.map_or(trip, |base| base.min(trip)));
            self.shortest = Some(self.shortest.map_or(trip, |least| least.min(trip)));
            self.measured += 1;
        }
        if !sample.opens() {
            return;
        }
        if delivery.round > self.round {
            self.round = delivery.round;
            self.judge(sample);
        } else if self.window.cwnd < self.window.ssthresh {
            self.window.slow_start(sample.acked);
        }
    }
    fn save(&mut self) {
        self.window.save();
    }
    fn undo(&mut self) {
        self.window.undo();
    }
    fn set_windows(&mut self, cwnd: f64, ssthresh: f64) {
        self.window.set_both(cwnd, ssthresh);
    }
    fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
        match signal {
            Signal::Loss { echoed: true } => {}
            Signal::Loss { echoed: false } => {
                self.window.halve(outstanding);
                self.window.shrink();
            }
            Signal::Ecn => self.window.on_mark(outstanding),
            Signal::Timeout { again } => self.window.time_out(outstanding, again),
        }
    }
    fn on_recovered(&mut self, _: &Outstanding) {
        self.window.shrink();
    }
    fn on_deflate(&mut self, segments: u64) {
        self.window.deflate(segments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::time::Instant;
    use crate::transport::control::{Delivery, Newest, Phase};

    /// In congestion avoidance with a window of `cwnd` segments, or in slow start.
    fn control(cwnd: u64, slow_start: bool) -> Vegas {
        let segments = std::format!("{cwnd} segments");
        let both = [
            ("initial_window", &*segments),
            ("initial_ssthresh", &segments),
        ];
        let texts = if slow_start { &both[..1] } else { &both };
        Vegas::new(&VegasParams::from_texts(&[]), &Common::from_texts(texts))
    }

    /// `acks` acks of one segment, with a round trip of `ms`, the first of which begins round `round`; the window after each.
    fn round(control: &mut Vegas, round: u64, ms: u64, acks: u64) -> f64 {
        let trip = Some(Duration::millis(ms));
        for _ in 0..acks {
            let newest = Some(Newest {
                id: 0,
                rtt: trip,
                delivery_rate: None,
                app_limited: false,
                delivered_when_sent: 0,
                in_flight_when_sent: 1,
                lost_since_sent: 0,
                sent_before_recovery: false,
            });
            control.on_ack(&AckSample {
                now: Instant::ZERO,
                phase: Phase::Open,
                id: None,
                acked: 1,
                arrived: 1,
                ece: false,
                ce: 0,
                flight: control.window() as u64,
                paced: false,
                in_flight: 0,
                srtt: trip,
                min_rtt: trip,
                delivery: Some(Delivery {
                    arrived: 1,
                    sacked: 0,
                    lost: 0,
                    delivered: 0,
                    round,
                    newest,
                }),
            });
        }
        control.window()
    }

    #[test]
    //= brakmo-peterson-1995 §3.2 type=test
    //= brakmo-peterson-1995 §3.2, Diff type=test
    // With a window of 20 and a BaseRTT of 100 ms, 20 (1 - 100/RTT) segments wait: 1.8 at 110 ms, 3.3 at 120, 4.6 at 130.
    fn between_alpha_and_beta_the_window_stays() {
        for (ms, want) in [(110, 21.0), (120, 20.0), (130, 19.0)] {
            let mut control = control(20, false);
            // The shortest round trip, in a round of its own that is too short to be judged; it ends as Reno's would.
            round(&mut control, 0, 100, 1);
            (control.measured, control.shortest) = (0, None);
            assert_eq!(round(&mut control, 0, ms, 10), 20.0);
            assert_eq!(round(&mut control, 1, ms, 1), want, "{ms}");
            // Until the round is over it stays so.
            assert_eq!(round(&mut control, 1, ms, 9), want, "{ms}");
        }
    }

    #[test]
    //= linux §tcp_vegas.c, slow start type=test
    // 40 (1 - 100/110) = 3.6 segments wait; 36.4 would without a queue.
    fn slow_start_ends_when_a_queue_grows() {
        let mut control = control(10, true);
        assert_eq!(round(&mut control, 0, 100, 10), 20.0);
        assert_eq!(round(&mut control, 1, 100, 20), 40.0);
        assert_eq!(control.ssthresh(), f64::INFINITY);
        (control.measured, control.shortest) = (0, None);
        round(&mut control, 1, 110, 9);
        control.window.cwnd = 40.0;
        assert_eq!(round(&mut control, 2, 110, 1), 37.0);
        assert_eq!(control.ssthresh(), 37.0);
    }

    #[test]
    //= linux §tcp_vegas.c, few type=test
    //= linux §tcp_vegas.c, shortest type=test
    fn a_round_with_few_acks_is_renos_and_one_late_ack_does_not_count() {
        let mut control = control(20, false);
        round(&mut control, 0, 100, 1);
        assert_eq!(round(&mut control, 1, 200, 1), 20.0 + 1.0 / 20.0);
        let mut late = self::control(20, false);
        round(&mut late, 0, 100, 9);
        round(&mut late, 0, 300, 1);
        assert_eq!(round(&mut late, 1, 300, 1), 21.0);
    }

    #[test]
    #[should_panic(expected = "beta")]
    fn a_beta_below_alpha_is_refused() {
        VegasParams::from_texts(&[("beta", "1")]);
    }
}
