//! CUBIC: between two losses the window is a cubic function of time, flat around the window at which the last loss came; a loss reduces
//! it to beta times FlightSize. Where Reno would have a larger window, Reno's is used.
//!
//! Time is counted from the start of congestion avoidance, and only while the window is what limits the flow: neither idle time nor the
//! time in which the application sends less than the window counts. Slow start is that of `slow_start`. The common parameter `halve` has
//! no effect here: `beta_of` says what is multiplied by beta. Nor are there Reno's parameters, such as `recovered`: the window is cut when
//! a loss is found, and stays so at the end of the recovery.
//= rfc9438 §4

use super::{
    About, AckSample, Answer, CongestionWindow, Controller, Needs, Outstanding, Sending, Signal,
    Wants,
};
use crate::declare::Fault;
use crate::measure::Share;
use crate::time::{Duration, Instant};
use crate::transport::Common;
use alloc::boxed::Box;

crate::choice! {
    /// Quantity that `beta` multiplies on loss: FlightSize or cwnd.
    pub enum BetaOf {
        /// FlightSize, the segments outstanding, as in RFC 9438, but at most cwnd.
        Flight = "flight",
        /// min(cwnd, receiver's window).
        Window = "window",
    }
}

crate::declare! {
    /// Grows the window between losses as a cubic function of time around the window at the last loss, and at least as Reno would.
    pub struct CubicParams as "cubic" from "rfc9438 §4" {
        /// C: growth of the window far from its last maximum, in segments per second cubed.
        c: f64 = "0.4";
        /// Factor by which the window is multiplied on loss.
        beta: Share = "0.7";
        /// Quantity that `beta` multiplies on loss: FlightSize or cwnd.
        beta_of: BetaOf = "flight";
        /// Fast convergence: a flow whose window has not come back to its last maximum aims lower, which leaves room to others.
        fast_convergence: bool = "true";
        /// The window is never below Reno's; without this (Linux: tcp_friendliness 0, ns-3 before 3.41) it is the cubic function alone.
        reno_friendly: bool = "true";
    }
    check |it| check(it.c, it.beta)
}

/// Checks C and beta, of any CUBIC.
pub(super) fn check(c: f64, beta: Share) -> Result<(), Fault> {
    let fault = |name, found: f64, allowed: &str| {
        Err(Fault {
            name,
            found: alloc::format!("{found}"),
            allowed: allowed.into(),
        })
    };
    if c <= 0.0 {
        return fault("c", c, "above 0, or the window never grows");
    }
    if beta.0 <= 0.0 || beta.0 >= 1.0 {
        return fault("beta", beta.0, "above 0 and below 1");
    }
    Ok(())
}

/// It keeps a part of the window, if not half. With selective acks it is the transport `cubic`.
pub const ABOUT: About = About::new(Answer::Halves, Needs::Acks).with_repair("sack");

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// When it began, later by all the time in which the application limited the flow: idle time, and what passed before acks that
    /// found the window not full.
    start: Instant,
    /// When the last ack came, or sending began again after idle time.
    last: Instant,
    /// K: how long until the window is W_max again \[s\].
    k: f64,
    /// W_est: Reno's window under the same conditions \[segments\].
    w_est: f64,
}

/// State of before congestion that may be undone.
#[derive(Clone, Copy, Debug)]
struct Saved {
    w_max: f64,
    cwnd_prior: f64,
    epoch: Option<Epoch>,
}

/// CUBIC.
#[derive(Clone, Debug)]
pub struct Cubic {
    window: CongestionWindow,
    c: f64,
    beta: f64,
    beta_of: BetaOf,
    /// The factor for an echo.
    beta_ecn: f64,
    fast_convergence: bool,
    reno_friendly: bool,
    /// W_max \[segments\]; 0 before a loss and after a timeout.
    w_max: f64,
    /// cwnd_prior: the window when ssthresh was set last \[segments\]; 0 if it has not been.
    cwnd_prior: f64,
    /// None before congestion avoidance.
    epoch: Option<Epoch>,
    saved: Option<Box<Saved>>,
}

impl Cubic {
    /// At the start of a connection.
    pub fn new(own: &CubicParams, params: &Common) -> Self {
        Self {
            window: CongestionWindow::new(params),
            c: own.c,
            beta: own.beta.0,
            beta_of: own.beta_of,
            beta_ecn: params.beta_ecn.unwrap_or(own.beta).0,
            fast_convergence: own.fast_convergence,
            reno_friendly: own.reno_friendly,
            w_max: 0.0,
            cwnd_prior: 0.0,
            epoch: None,
            saved: None,
        }
    }

    /// K = cbrt((W_max - cwnd_epoch) / C), and 0 for a window that is at W_max already
    //= rfc9438 §4.2, Fig. 2
    //= rfc9438 §4.8, K
    // "K is set to 0, and W_max is set to the congestion window size at the beginning of the current congestion avoidance stage", and
    // so is W_est.
    fn begin(&mut self, now: Instant) -> Epoch {
        let cwnd = self.window.cwnd;
        //= rfc9438 §4.2, W_max type=departure
        // A window at its floor can be above W_max. Then K would be below 0, and the window would begin on the steep part of the curve.
        self.w_max = self.w_max.max(cwnd);
        if self.cwnd_prior == 0.0 {
            self.cwnd_prior = cwnd;
        }
        Epoch {
            start: now,
            last: now,
            k: libm::cbrt((self.w_max - cwnd) / self.c),
            w_est: cwnd,
        }
    }

    /// W_cubic(t) = C (t - K)^3 + W_max
    //= rfc9438 §4.2, Fig. 1
    fn w_cubic(&self, epoch: &Epoch, t: f64) -> f64 {
        let from_k = t - epoch.k;
        self.c * (from_k * from_k * from_k) + self.w_max
    }

    /// alpha = 3 (1 - beta) / (1 + beta), until Reno's window is where the last loss came; then 1, as Reno
    //= rfc9438 §4.3, alpha
    fn alpha(&self, w_est: f64) -> f64 {
        if w_est >= self.cwnd_prior {
            1.0
        } else {
            3.0 * (1.0 - self.beta) / (1.0 + self.beta)
        }
    }

    /// Excludes the time since the last ack: the flow was limited by its application, or idle.
    //= rfc9438 §4.2, idle
    // "The elapsed time t in Figure 1 MUST NOT include periods during which cwnd has not been updated due to application-limited
    // behavior"
    fn shift(&mut self, now: Instant) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += now - epoch.last;
            epoch.last = now;
        }
    }

    /// The window grows for an ack of `acked` segments in congestion avoidance.
    fn avoid(&mut self, now: Instant, acked: u64, srtt: Duration) {
        let mut epoch = match self.epoch {
            Some(epoch) => epoch,
            None => self.begin(now),
        };
        epoch.last = now;
        let cwnd = self.window.cwnd;
        let t = (now - epoch.start).seconds();
        //= rfc9438 §4.3, Fig. 4
        // W_est = W_est + alpha * segments_acked / cwnd
        epoch.w_est += self.alpha(epoch.w_est) * acked as f64 / cwnd;
        self.window.set(
            if self.reno_friendly && self.w_cubic(&epoch, t) < epoch.w_est {
                //= rfc9438 §4.3
                // cwnd SHOULD be set to W_est, even if cwnd is above W_est because it was growing towards W_cubic(t + RTT).
                epoch.w_est
            } else {
                //= rfc9438 §4.2, target
                // W_cubic(t + RTT), at least cwnd and at most 1.5 cwnd
                let target = self.w_cubic(&epoch, t + srtt.seconds());
                //= rfc9438 §4.4
                //= rfc9438 §4.5
                // cwnd += (target - cwnd) / cwnd
                cwnd + (target.clamp(cwnd, 1.5 * cwnd) - cwnd) / cwnd
            },
        );
        self.epoch = Some(epoch);
    }

    /// `beta` times the quantity that `beta_of` names \[segments\].
    fn part(&self, beta: f64, outstanding: &Outstanding) -> f64 {
        let cwnd = self.window.cwnd;
        beta * match self.beta_of {
            //= rfc9438 §4.6, Fig. 5
            // ssthresh = flight_size * beta
            //= rfc9438 §4.6, flight_size type=departure
            // Segments that a recovery or limited transmit has sent beyond cwnd do not count.
            BetaOf::Flight => cwnd.min(outstanding.flight as f64),
            BetaOf::Window => cwnd.min(outstanding.receiver as f64),
        }
    }

    /// Congestion leaves `beta` of the window, at least `least` segments.
    //= rfc9438 §4.6
    fn cut(&mut self, beta: f64, outstanding: &Outstanding, least: f64) {
        let cwnd = self.window.cwnd;
        //= rfc9438 §4.7
        // W_max = cwnd (1 + beta) / 2 if cwnd < W_max, else cwnd
        self.w_max = if self.fast_convergence && cwnd < self.w_max {
            cwnd * (1.0 + self.beta) / 2.0
        } else {
            cwnd
        };
        self.window.leave(self.part(beta, outstanding).max(least));
        self.window.shrink();
        self.cwnd_prior = cwnd;
        self.epoch = None;
    }
}

impl Controller for Cubic {
    fn window(&self) -> f64 {
        self.window.cwnd
    }
    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    fn state(&self, recovering: bool) -> &'static str {
        self.window.state(recovering)
    }
    // A separate function, so that the acks of other controllers do not pay for its stack frame.
    #[inline(never)]
    fn on_ack(&mut self, sample: &AckSample) {
        if !sample.opens() {
            if let Some(epoch) = &mut self.epoch {
                epoch.last = sample.now;
            }
            return;
        }
        //= rfc9438 §5.8
        // "CUBIC does not increase its congestion window if a flow is application limited."
        if !sample.is_limited_by(self.window.cwnd) {
            self.shift(sample.now);
        } else if self.window.cwnd <= self.window.ssthresh {
            //= rfc9438 §4.10
            // Slow start while cwnd <= ssthresh. After a cut both are equal, so the next ack is of slow start.
            self.window.slow_start(sample.acked);
        } else {
            self.avoid(
                sample.now,
                sample.acked,
                sample.srtt.unwrap_or(Duration::ZERO),
            );
        }
        self.window.hear(sample);
    }
    fn wants(&self) -> Wants {
        self.window.wants()
    }
    fn set_windows(&mut self, cwnd: f64, ssthresh: f64) {
        self.window.set_both(cwnd, ssthresh);
        self.epoch = None;
    }
    fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
        match signal {
            //= rfc9438 §4.6, Fig. 5
            // cwnd is at least 2 segments after a loss, and 1 after an echo.
            //= rfc9438 §4.6, one segment type=departure
            // At one segment echoes reduce nothing any more.
            Signal::Loss { echoed: true } => {}
            Signal::Loss { echoed: false } => self.cut(self.beta, outstanding, 2.0),
            //= rfc8511 §3.1, CUBIC
            //= rfc8511 §4
            // W_max is that of any congestion, by beta.
            Signal::Ecn if self.window.cwnd > self.window.ssthresh => {
                self.cut(self.beta_ecn, outstanding, 1.0);
            }
            Signal::Ecn => self.cut(self.beta, outstanding, 1.0),
            //= rfc9438 §4.8
            // "CUBIC follows Reno to reduce cwnd [RFC5681] but sets ssthresh using beta": so it sets ssthresh once per segment.
            Signal::Timeout { again } => {
                if !again {
                    self.window
                        .leave(self.part(self.beta, outstanding).max(2.0));
                    self.cwnd_prior = self.window.cwnd;
                }
                self.window.close();
                self.w_max = 0.0;
                self.epoch = None;
            }
        }
    }
    fn save(&mut self) {
        self.window.save();
        let Self {
            w_max,
            cwnd_prior,
            epoch,
            ..
        } = *self;
        self.saved = Some(Box::new(Saved {
            w_max,
            cwnd_prior,
            epoch,
        }));
    }
    //= rfc9438 §4.9.1
    //= rfc9438 §4.9.2
    // The variables are restored if cwnd is below what it was: then the curve goes on where it was.
    fn undo(&mut self) {
        if self.window.undo()
            && let Some(saved) = self.saved.take()
        {
            (self.w_max, self.cwnd_prior) = (saved.w_max, saved.cwnd_prior);
            self.epoch = saved.epoch;
        }
    }
    fn on_recovered(&mut self, _: &Outstanding) {
        self.window.shrink();
        self.epoch = None;
    }
    fn on_sent(&mut self, sending: &Sending) {
        // Idle time ends here. The acks cannot detect it: when the ack of this segment arrives, the window may be full.
        if sending.in_flight == 0 {
            self.shift(sending.now);
        }
    }
    fn on_deflate(&mut self, segments: u64) {
        self.window.deflate(segments);
    }
}

#[cfg(test)]
mod tests;
