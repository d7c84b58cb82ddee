//! Prague: DCTCP for the Internet. Its data bears ECT(1), so that a queue such as dualpi2 may mark it early, with little delay.
//!
//! | | DCTCP | Prague |
//! |---|---|---|
//! | share of marked segments | averaged once per round trip | the same, and at most once per virtual round trip |
//! | an echo takes | alpha / 2 of the window, once per round trip | the same, and at most once per virtual round trip |
//! | the window grows | for acks without an echo, outside recoveries | for each segment that was not marked, also in the round trip after an echo |
//! | by, per round trip | one segment | one segment times the square of the round trip per virtual round trip |
//! | transmissions | at once | paced |
//!
//! The virtual round trip is the smoothed one, but at least 25 ms: flows with shorter round trips get the rate that they would have with
//! 25 ms, and not more. A flow begins to use it some rounds after slow start, so that short flows are as fast as they can be.
//= prague-04 §2.4

use super::{
    About, AckSample, Answer, CongestionWindow, Controller, Needs, Outstanding, Phase, Signal,
    Wants,
};
use crate::measure::Share;
use crate::time::{Duration, Instant};
use crate::transport::Common;
use crate::unit::Ecn;

crate::declare! {
    /// DCTCP with ECT(1), for the Internet: growth for each segment that was not marked, and rates that do not depend on short round trips.
    pub struct PragueParams as "prague" from "prague-04 §2.4" {
        /// Weight of the latest round in the average share of marked segments.
        g: Share = "0.0625", try ["1"];
        /// RTT_VIRT_MIN: least virtual round trip; 0 for none.
        rtt_virt_min: Duration = "25 ms", try ["0 s"];
        /// Rounds after slow start from which on the virtual round trip is used.
        rtt_transition: u64 = "500", try ["0"];
    }
    check |it| {
        if it.g.0 <= 0.0 {
            return Err(crate::declare::Fault {
                name: "g",
                found: alloc::format!("{}", it.g.0),
                allowed: "above 0, or the average never changes".into(),
            });
        }
        Ok(())
    }
}

/// With RACK-TLP it is the transport `prague`. Its receiver counts marks.
//= prague-04 §2.2
//= prague-04 §2.3.1
//= rfc9331 §4.1
pub const ABOUT: About = About::new(Answer::Halves, Needs::Acks)
    .with_ect(Ecn::Ect1)
    .with_repair("rack-tlp")
    .with_defaults(&[
        ("ecn", "true"),
        ("ecn_echo", "counter"),
        ("counted", "segments"),
        ("pace", "1"),
    ]);

/// Prague. Windows are in segments, with a fraction.
#[derive(Clone, Debug)]
pub struct Prague {
    window: CongestionWindow,
    gain: f64,
    least: Duration,
    transition: u64,
    alpha: f64,
    /// A mark has been echoed: there is a queue that marks.
    marked_ever: bool,
    /// Segments acknowledged so far, and the number at which the round ends.
    una: u64,
    round_end: u64,
    /// Of the round: segments acknowledged, and those marked.
    acked: u64,
    marked: u64,
    /// Rounds since slow start.
    rounds: u64,
    /// When alpha was last updated, and when an echo last reduced the window.
    averaged: Option<Instant>,
    reduced: Option<Instant>,
    /// The ack that is being read echoes the first mark of a round.
    echo: bool,
    /// The window before it was last reduced for an echo.
    before: f64,
}

impl Prague {
    /// At the start of a connection.
    pub fn new(own: &PragueParams, params: &Common) -> Self {
        Self {
            window: CongestionWindow::new(params),
            gain: own.g.0,
            least: own.rtt_virt_min,
            transition: own.rtt_transition,
            alpha: 1.0,
            marked_ever: false,
            una: 0,
            round_end: 0,
            acked: 0,
            marked: 0,
            rounds: 0,
            averaged: None,
            reduced: None,
            echo: false,
            before: f64::INFINITY,
        }
    }

    fn in_slow_start(&self) -> bool {
        self.window.cwnd < self.window.ssthresh
    }

    /// The part of a virtual round trip that a round trip of `srtt` is: 1 until the virtual one is used.
    //= prague-04 §2.4.4
    fn part(&self, srtt: Option<Duration>) -> f64 {
        match srtt {
            Some(srtt) if !self.in_slow_start() && self.rounds >= self.transition => {
                srtt.0 as f64 / srtt.max(self.least).0.max(1) as f64
            }
            _ => 1.0,
        }
    }

    /// Whether a virtual round trip has passed since `last`.
    fn passed(&self, last: Option<Instant>, now: Instant, srtt: Option<Duration>) -> bool {
        self.part(srtt) >= 1.0 || last.is_none_or(|last| now.since(last) >= self.least)
    }

    /// alpha <- alpha + g (F - alpha), once per round and virtual round trip; F is the share of marked segments
    //= prague-04 §2.3.2
    fn estimate(&mut self, sample: &AckSample) {
        let next = self.una + sample.flight;
        self.una += sample.acked;
        self.acked += sample.acked;
        self.marked += sample.ce;
        self.marked_ever |= sample.ce > 0;
        if self.una <= self.round_end || !self.passed(self.averaged, sample.now, sample.srtt) {
            return;
        }
        // As long as nothing was marked, alpha stays at 1: the first mark halves the window.
        if self.marked_ever {
            // Counters may count marks of packets whose acks come later.
            let share = (self.marked as f64 / self.acked as f64).min(1.0);
            self.alpha += self.gain * (share - self.alpha);
        }
        self.averaged = Some(sample.now);
        self.rounds += u64::from(!self.in_slow_start());
        self.round_end = next;
        (self.acked, self.marked) = (0, 0);
    }

    /// cwnd <- cwnd (1 - alpha / 2), at least two segments
    //= prague-04 §2.4.2
    //= rfc3168 §6.1.2, one segment type=departure
    fn reduce(&mut self, sample: &AckSample) {
        if !self.passed(self.reduced, sample.now, sample.srtt) {
            return;
        }
        self.reduced = Some(sample.now);
        let cwnd = self.window.cwnd;
        self.before = cwnd;
        self.window
            .leave((cwnd * (1.0 - self.alpha / 2.0)).max(2.0));
        self.window.set(cwnd.min(self.window.ssthresh));
    }

    /// The window grows for the segments that were not marked.
    //= prague-04 §2.4.3
    fn grow(&mut self, sample: &AckSample) {
        let unmarked = sample.acked.saturating_sub(sample.ce);
        if sample.phase == Phase::Recovery || unmarked == 0 {
            return;
        }
        if self.in_slow_start() {
            if self.window.opens(sample) {
                self.window.open(sample);
            }
            return;
        }
        let part = self.part(sample.srtt);
        let cwnd = self.window.cwnd;
        self.window.set(cwnd + unmarked as f64 * part * part / cwnd);
    }
}

impl Controller for Prague {
    fn window(&self) -> f64 {
        self.window.cwnd
    }
    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    fn state(&self, recovering: bool) -> &'static str {
        self.window.state(recovering)
    }
    fn on_ack(&mut self, sample: &AckSample) {
        self.estimate(sample);
        if core::mem::take(&mut self.echo) {
            self.reduce(sample);
        }
        self.grow(sample);
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
            Signal::Ecn => self.echo = true,
            //= prague-04 §2.4.1
            Signal::Loss { echoed: false } => {
                self.window.halve(outstanding);
                self.window.shrink();
            }
            // The loss takes what the echo has left of the half.
            Signal::Loss { echoed: true } => {
                let left = self.window.cwnd.min(self.before / 2.0);
                self.window.leave(left.max(2.0));
                self.window.shrink();
            }
            Signal::Timeout { again } => self.window.time_out(outstanding, again),
        }
    }
    fn on_recovered(&mut self, _: &Outstanding) {
        self.window.shrink();
    }
    fn on_deflate(&mut self, segments: u64) {
        self.window.deflate(segments);
    }
    fn wants(&self) -> Wants {
        self.window.wants()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;

    const ECHO: Signal = Signal::Ecn;

    /// In congestion avoidance with a window of `cwnd` segments, and already with the virtual round trip.
    fn control(cwnd: u64) -> Prague {
        let segments = std::format!("{cwnd} segments");
        let common = Common::from_texts(&[
            ("initial_window", &segments),
            ("initial_ssthresh", &segments),
            ("counted", "segments"),
        ]);
        Prague::new(
            &PragueParams::from_texts(&[("rtt_transition", "0")]),
            &common,
        )
    }

    fn ms(n: u64) -> Instant {
        Instant(Duration::millis(n).0)
    }

    fn outstanding(flight: u64) -> Outstanding {
        Outstanding {
            now: Instant::ZERO,
            receiver: 10_000,
            flight,
            resent: false,
        }
    }

    /// An ack of `acked` segments of `flight` at `now`, on a path of `rtt` ms, of which all were marked or none.
    fn ack(control: &mut Prague, (now, rtt): (u64, u64), flight: u64, acked: u64, ece: bool) {
        control.on_ack(&AckSample {
            now: ms(now),
            phase: Phase::Open,
            id: None,
            acked,
            arrived: acked,
            ece,
            ce: if ece { acked } else { 0 },
            flight,
            paced: false,
            in_flight: flight - acked,
            srtt: Some(Duration::millis(rtt)),
            min_rtt: None,
            delivery: None,
        });
    }

    #[test]
    //= prague-04 §2.3.2 type=test
    fn alpha_waits_for_the_first_mark() {
        let mut control = control(10);
        for round in 0..50 {
            ack(&mut control, (100 * round, 100), 10, 10, false);
        }
        assert_eq!(control.alpha, 1.0);
        // A quarter of a round is marked: 1 - 1/16 + 1/64.
        ack(&mut control, (5000, 100), 8, 2, true);
        ack(&mut control, (5050, 100), 6, 6, false);
        ack(&mut control, (5100, 100), 8, 8, false);
        assert!(
            control.alpha < 1.0 && control.alpha > 0.9,
            "{}",
            control.alpha
        );
    }

    #[test]
    //= prague-04 §2.4.2 type=test
    //= prague-04 §2.4.4 type=test
    fn an_echo_takes_half_of_alpha_once_per_virtual_round_trip() {
        let mut control = control(100);
        (control.alpha, control.round_end) = (0.5, 10_000);
        let mut echo = |now, rtt| {
            control.on_congestion(ECHO, &outstanding(100));
            ack(&mut control, (now, rtt), 100, 1, true);
            control.window()
        };
        assert_eq!(echo(0, 5), 75.0);
        // 5 and 20 ms later it is still the same virtual round trip, of 25 ms.
        assert_eq!([echo(5, 5), echo(20, 5)], [75.0, 75.0]);
        assert_eq!(echo(25, 5), 56.25);
        // A longer round trip is its own virtual one, and the sender tells one echo in each.
        assert_eq!(echo(30, 30), 42.1875);
    }

    #[test]
    //= prague-04 §2.4.3 type=test
    //= prague-04 §2.4.4 type=test
    // Per round trip a segment, and a twenty-fifth of it at a fifth of 25 ms; for marked segments nothing, but for the others of the round trip
    // of an echo all the same.
    fn the_window_grows_for_what_was_not_marked() {
        let grown = |rtt, ece| {
            let mut control = control(100);
            control.round_end = 10_000;
            ack(&mut control, (0, rtt), 100, 100, ece);
            control.window() - 100.0
        };
        let close = |found: f64, want: f64| assert!((found - want).abs() < 1e-9, "{found}");
        close(grown(40, false), 1.0);
        close(grown(25, false), 1.0);
        close(grown(5, false), 0.04);
        close(grown(40, true), 0.0);
        let mut control = control(100);
        control.rounds = 0;
        control.transition = 500;
        control.round_end = 10_000;
        ack(&mut control, (0, 5), 100, 100, false);
        close(control.window() - 100.0, 1.0);
    }

    #[test]
    //= prague-04 §2.4.1 type=test
    fn a_loss_halves_the_window_and_not_twice_with_an_echo() {
        let mut control = control(100);
        (control.alpha, control.round_end) = (0.5, 10_000);
        control.on_congestion(ECHO, &outstanding(100));
        ack(&mut control, (0, 50), 100, 1, true);
        control.on_congestion(Signal::Loss { echoed: true }, &outstanding(100));
        assert_eq!((control.window(), control.ssthresh()), (50.0, 50.0));
        control.on_congestion(Signal::Loss { echoed: false }, &outstanding(50));
        assert_eq!((control.window(), control.ssthresh()), (25.0, 25.0));
        control.on_congestion(Signal::Timeout { again: false }, &outstanding(25));
        assert_eq!((control.window(), control.ssthresh()), (1.0, 12.0));
    }

    #[test]
    // The rate at which a flow settles where each round trip has two marks: alpha is 2/W, and W does not change. Two flows with the same
    // share of marks p have the same rate whether their round trip is 5 or 25 ms; without the virtual round trip the shorter would have five
    // times that of the longer.
    fn flows_with_short_round_trips_have_the_rate_of_the_virtual_one() {
        // One segment in 50 is marked.
        let rate = |rtt: u64, least: &str| {
            let common = Common::from_texts(&[
                ("initial_window", "20 segments"),
                ("initial_ssthresh", "20 segments"),
            ]);
            let own = PragueParams::from_texts(&[("rtt_transition", "0"), ("rtt_virt_min", least)]);
            let mut control = Prague::new(&own, &common);
            let (mut count, mut sum, rounds) = (0u64, 0.0, 40_000u64);
            for round in 0..rounds {
                let (now, flight) = (round * rtt, control.window() as u64);
                let mut told = false;
                for left in (1..=flight).rev() {
                    count += 1;
                    let marked = count % 50 == 0;
                    if marked && !told {
                        control.on_congestion(ECHO, &outstanding(flight));
                        told = true;
                    }
                    ack(&mut control, (now, rtt), left, 1, marked);
                }
                sum += if round < rounds / 2 {
                    0.0
                } else {
                    control.window()
                };
            }
            sum / (rounds / 2) as f64 / rtt as f64
        };
        let virtually = rate(5, "25 ms") / rate(25, "25 ms");
        let really = rate(5, "0 s") / rate(25, "0 s");
        assert!((0.8..1.25).contains(&virtually), "{virtually}");
        assert!((4.0..6.0).contains(&really), "{really}");
    }

    #[test]
    #[should_panic(expected = "above 0")]
    fn a_gain_of_zero_is_refused() {
        PragueParams::from_texts(&[("g", "0")]);
    }
}
