//! DCTCP: an echo reduces the window in proportion to the share of segments that were marked, a loss halves it.
//!
//! The receiver echoes the marks exactly (`ecn_echo = "exact"`). The sender averages the share of marked segments over windows of data.
//! The window grows as Reno's does. Queues for DCTCP mark at a low threshold (§3.1).
//= rfc8257 §3.3
//= rfc8257 §3.4

use super::{
    About, AckSample, Answer, CongestionWindow, Controller, Needs, Outstanding, Signal, Wants,
};
use crate::measure::Share;
use crate::transport::Common;

crate::declare! {
    /// Reduces the window for an echo in proportion to the share of segments that were marked; a loss halves it.
    pub struct DctcpParams as "dctcp" from "rfc8257 §3.3" {
        /// Weight of the latest window of data in the average share of marked segments.
        g: Share = "0.0625", try ["1"];
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

/// With selective acks it is the transport `dctcp`, and its receiver echoes marks exactly.
pub const ABOUT: About = About::new(Answer::Halves, Needs::Acks)
    .with_repair("sack")
    .with_defaults(&[("ecn", "true"), ("ecn_echo", "exact")]);

/// DCTCP. Counts are of segments, where the RFC counts bytes.
#[derive(Clone, Debug)]
pub struct Dctcp {
    window: CongestionWindow,
    gain: f64,
    /// DCTCP.Alpha
    alpha: f64,
    /// SND.UNA
    una: u64,
    /// DCTCP.WindowEnd
    window_end: u64,
    /// DCTCP.BytesAcked
    acked: u64,
    /// DCTCP.BytesMarked
    marked: u64,
    /// The ack that is being read echoes the first mark of a window of data.
    echo: bool,
    /// The window before it was last reduced for an echo.
    before: f64,
}

impl Dctcp {
    /// At the start of a connection.
    pub fn new(own: &DctcpParams, params: &Common) -> Self {
        Self {
            window: CongestionWindow::new(params),
            gain: own.g.0,
            alpha: 1.0,
            una: 0,
            window_end: 0,
            acked: 0,
            marked: 0,
            echo: false,
            before: f64::INFINITY,
        }
    }

    /// alpha <- alpha (1 - g) + g M, once per window of data
    //= rfc8257 §3.3, steps 1 to 8
    fn estimate(&mut self, sample: &AckSample) {
        let next = self.una + sample.flight;
        self.una += sample.acked;
        self.acked += sample.acked;
        self.marked += sample.ce;
        if self.una <= self.window_end {
            return;
        }
        // Counters may count marks of packets whose acks come later.
        let share = (self.marked as f64 / self.acked as f64).min(1.0);
        self.alpha = self.alpha * (1.0 - self.gain) + self.gain * share;
        // SND.NXT is one beyond the highest segment sent, after a timeout as well.
        self.window_end = next;
        (self.acked, self.marked) = (0, 0);
    }

    /// cwnd <- cwnd (1 - alpha / 2), at least two segments as after a loss
    //= rfc8257 §3.3, step 9
    //= rfc3168 §6.1.2, one segment type=departure
    fn reduce(&mut self) {
        let cwnd = self.window.cwnd;
        self.before = cwnd;
        self.window
            .leave((cwnd * (1.0 - self.alpha / 2.0)).max(2.0));
        self.window.set(cwnd.min(self.window.ssthresh));
    }
}

impl Controller for Dctcp {
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
        // The estimate comes first: the ack may end a window of data.
        if core::mem::take(&mut self.echo) {
            self.reduce();
        }
        if self.window.opens(sample) {
            self.window.open(sample);
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
            Signal::Ecn => self.echo = true,
            //= rfc8257 §3.5
            // "A DCTCP sender MUST react to loss episodes in the same way as conventional TCP"
            Signal::Loss { echoed: false } => {
                self.window.halve(outstanding);
                self.window.shrink();
            }
            //= rfc8257 §3.5, once
            // Conventional TCP would have halved the window for the echo, and would not again for a loss in the same window of data. So
            // the loss takes what the echo has left of that half.
            Signal::Loss { echoed: true } => {
                let left = self.window.cwnd.min(self.before / 2.0);
                self.window.leave(left.max(2.0));
                self.window.shrink();
            }
            //= rfc8257 §3.5, timeout
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
    use crate::time::Instant;
    use crate::transport::control::Phase;

    /// In congestion avoidance with a window of `cwnd` segments.
    fn control(cwnd: u64) -> Dctcp {
        let segments = std::format!("{cwnd} segments");
        let common = Common::from_texts(&[
            ("initial_window", &segments),
            ("initial_ssthresh", &segments),
        ]);
        Dctcp::new(&DctcpParams::from_texts(&[]), &common)
    }

    fn outstanding(flight: u64) -> Outstanding {
        Outstanding {
            now: Instant::ZERO,
            receiver: 10_000,
            flight,
            resent: false,
        }
    }

    /// An ack of `acked` segments of `flight`, which bears the echo if they were marked.
    fn ack(control: &mut Dctcp, flight: u64, acked: u64, ece: bool) {
        control.on_ack(&AckSample {
            now: Instant::ZERO,
            phase: Phase::Open,
            id: None,
            acked,
            arrived: acked,
            ece,
            ce: if ece { acked } else { 0 },
            flight,
            paced: false,
            in_flight: flight - acked,
            srtt: None,
            min_rtt: None,
            delivery: None,
        });
    }

    #[test]
    //= rfc8257 §3.3, steps 1 to 8 type=test
    fn the_share_of_marked_segments_is_averaged_over_windows_of_data() {
        let mut control = control(16);
        // WindowEnd is SND.UNA at first, so the first ack ends a window: of one segment, not marked.
        ack(&mut control, 16, 1, false);
        assert_eq!((control.alpha, control.window_end), (15.0 / 16.0, 16));
        // 15 more are acknowledged, four of them marked, and then two of the next window.
        ack(&mut control, 15, 8, false);
        ack(&mut control, 12, 4, true);
        ack(&mut control, 10, 3, false);
        assert_eq!((control.una, control.alpha), (16, 15.0 / 16.0));
        ack(&mut control, 9, 2, false);
        let share = 4.0 / 17.0;
        assert_eq!(control.alpha, 15.0 / 16.0 * (15.0 / 16.0) + share / 16.0);
        assert_eq!(control.window_end, 25);
        // A duplicate counts nothing.
        let before = control.alpha;
        ack(&mut control, 7, 0, true);
        assert_eq!(
            (control.alpha, control.acked, control.marked),
            (before, 0, 0)
        );
    }

    #[test]
    //= rfc8257 §3.3, step 9 type=test
    fn an_echo_takes_half_of_alpha() {
        for (alpha, left) in [(1.0, 50.0), (0.5, 75.0), (0.125, 93.75), (0.0, 100.0)] {
            let mut control = control(100);
            (control.window_end, control.alpha) = (1000, alpha);
            control.on_congestion(Signal::Ecn, &outstanding(100));
            ack(&mut control, 100, 1, true);
            assert_eq!((control.window(), control.ssthresh()), (left, left));
        }
        // At least two segments are left.
        let mut small = control(3);
        small.on_congestion(Signal::Ecn, &outstanding(3));
        ack(&mut small, 3, 1, true);
        assert_eq!((small.window(), small.ssthresh()), (2.0, 2.0));
        //= rfc3168 §6.1.2, one segment type=test
        let mut one = control(1);
        one.on_congestion(Signal::Ecn, &outstanding(1));
        ack(&mut one, 1, 1, true);
        assert_eq!((one.window(), one.ssthresh()), (1.0, 2.0));
    }

    #[test]
    //= rfc8257 §3.5 type=test
    //= rfc8257 §3.5, once type=test
    //= rfc8257 §3.5, timeout type=test
    fn a_loss_halves_the_window_whatever_alpha_is() {
        let lost = |echoed| {
            let mut control = control(100);
            (control.window_end, control.alpha) = (1000, 0.125);
            if echoed {
                control.on_congestion(Signal::Ecn, &outstanding(100));
                ack(&mut control, 100, 1, true);
            }
            control.on_congestion(Signal::Loss { echoed }, &outstanding(100));
            (control.window(), control.ssthresh())
        };
        assert_eq!(lost(false), (50.0, 50.0));
        // Of 100 segments, 93.75 after the echo: half of 100 after the loss.
        assert_eq!(lost(true), (50.0, 50.0));
        let mut control = control(100);
        control.on_congestion(Signal::Timeout { again: false }, &outstanding(100));
        assert_eq!((control.window(), control.ssthresh()), (1.0, 50.0));
    }

    #[test]
    // A queue that marks everything while more than W segments are outstanding. Once in P windows of data the window is above W. It is
    // then reduced by alpha W / 2, which takes as many windows to grow back, so P = 1 + alpha W / 2; and alpha, the average share, is 1/P.
    // With large W, alpha is sqrt(2/W). P is a whole number, so it is known to one window of data. The gain is small: with 1/16, alpha
    // would decay within P windows, and be less than its average when the echo comes.
    fn alpha_follows_the_square_root_law() {
        for most in [100u64, 400, 1600] {
            let mut control = control(most - 10);
            control.gain = 0.004;
            let (mut sum, rounds) = (0.0, 20_000);
            for round in 0..2 * rounds {
                let flight = control.window() as u64;
                let marked = flight > most;
                if marked {
                    control.on_congestion(Signal::Ecn, &outstanding(flight));
                }
                (0..flight).for_each(|_| ack(&mut control, flight, 1, marked));
                sum += if round < rounds { 0.0 } else { control.alpha };
            }
            let (found, half) = (sum / f64::from(rounds), most as f64 / 2.0);
            let want = ((1.0 + 4.0 * half).sqrt() - 1.0) / (2.0 * half);
            let off = 1.0 / found - 1.0 / want;
            assert!(off.abs() < 1.0, "W {most}: {found}, not {want}");
            let law = (2.0 / most as f64).sqrt();
            assert!(want < law && want > (1.0 - 1.0 / law / most as f64) * law);
        }
    }

    #[test]
    #[should_panic(expected = "above 0")]
    fn a_gain_of_zero_is_refused() {
        DctcpParams::from_texts(&[("g", "0")]);
    }
}
