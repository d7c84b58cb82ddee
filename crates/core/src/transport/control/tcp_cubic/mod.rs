//! CUBIC as Linux has it, which is older than RFC 9438 and differs from it where windows are small or round trips short.
//!
//! - Windows are whole segments: a loss leaves the whole part of `beta` of the window, and an ack adds whole segments or nothing.
//! - Reno's window always grows as a Reno with this `beta` would at the same average window, by 0.53 segments per round trip. RFC 9438 has 1 from
//!   the window at the last loss on.
//! - Slow start ends at ssthresh. In RFC 9438 the first ack after a loss, with cwnd at ssthresh, is one more of slow start.
//! - The growth is reckoned anew when the window has changed, or after a 32nd of a second. Time counts in ticks of `tick`, the kernel's HZ.
//! - Nothing grows for a window of data after an echo of congestion: the state CWR.
//!
//! Names in comments are the kernel's.
//= linux §tcp_cubic.c

use super::{
    About, AckSample, Answer, CongestionWindow, Controller, Needs, Outstanding, Sending, Signal,
    Wants, cubic,
};
use crate::measure::Share;
use crate::time::{Duration, Instant};
use crate::transport::Common;

crate::declare! {
    /// Grows the window as CUBIC does in Linux: in whole segments, and never below Reno's window, which grows by 8/15 of a segment per round trip.
    pub struct TcpCubicParams as "tcp-cubic" from "linux §tcp_cubic.c" {
        /// bic_scale: growth of the window far from its last maximum, in segments per second cubed (410/1024).
        c: f64 = "0.400390625";
        /// beta: factor by which the window is multiplied on loss (717/1024).
        beta: Share = "0.7001953125";
        /// fast_convergence: a flow whose window has not come back to its last maximum aims lower, which leaves room to others.
        fast_convergence: bool = "true";
        /// tcp_friendliness: the window is never below Reno's.
        reno_friendly: bool = "true";
    }
    check |it| cubic::check(it.c, it.beta)
}

/// With the preset linux and RACK-TLP it is the transport `linux-cubic`.
pub const ABOUT: About = About::new(Answer::Halves, Needs::Acks).with_defaults(&[
    ("slow_start", "hystart"),
    ("counted", "segments"),
    ("tick", "1 ms"),
    ("min_rto", "200 ms"),
]);

/// The most that cnt is without a loss so far.
const FIRST: u64 = 20;
/// cnt at a window at or above the curve, per segment of the window.
const FLAT: u64 = 100;
/// A window grows by half of what is acknowledged at most.
const LEAST: u64 = 2;

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// epoch_start \[ticks\]
    start: u64,
    /// bic_K: time from the start to the last maximum \[s\].
    k: f64,
    /// bic_origin_point \[segments\]
    origin: u64,
}

/// CUBIC as in Linux.
#[derive(Clone, Debug)]
pub struct TcpCubic {
    window: CongestionWindow,
    c: f64,
    beta: f64,
    /// The factor for an echo.
    beta_ecn: f64,
    fast_convergence: bool,
    /// beta_scale: acknowledged segments per segment of Reno's window, for each segment of the window; 0 without Reno's window.
    friendly: f64,
    tick: Duration,
    /// HZ: ticks per second.
    hz: u64,
    epoch: Option<Epoch>,
    /// last_max_cwnd; 0 before a loss and after a timeout \[segments\].
    last_max: u64,
    /// snd_cwnd_cnt: acknowledged segments that have not grown the window yet.
    count: u64,
    /// cnt: those that grow it by one.
    each: u64,
    /// last_cwnd and last_time: window and tick when the growth was reckoned last.
    last: Option<(u64, u64)>,
    /// ack_cnt: acknowledged segments that have not grown Reno's window yet.
    acks: u64,
    /// tcp_cwnd: Reno's window \[segments\].
    reno: u64,
    /// snd_una
    una: u64,
    /// high_seq: one beyond the last segment sent when the window was last reduced.
    high: u64,
    /// That was for an echo, and nothing beyond it is acknowledged: the state CWR.
    echoed: bool,
    /// A reduction since the last ack that was counted: its time, and the segments then outstanding.
    reduced: Option<(Instant, u64)>,
    /// lsndtime
    sent: Instant,
}

impl TcpCubic {
    /// At the start of a connection.
    pub fn new(own: &TcpCubicParams, params: &Common) -> Self {
        let beta = own.beta.0;
        //= linux §tcp_cubic.c, beta_scale
        let scale = (8.0 * (1.0 + beta) / 3.0 / (1.0 - beta)) as u64 as f64 / 8.0;
        Self {
            window: CongestionWindow::new(params),
            c: own.c,
            beta,
            beta_ecn: params.beta_ecn.unwrap_or(own.beta).0,
            fast_convergence: own.fast_convergence,
            friendly: if own.reno_friendly { scale } else { 0.0 },
            tick: params.tick,
            hz: Duration::secs(1).0.div_ceil(params.tick.0),
            epoch: None,
            last_max: 0,
            count: 0,
            each: 0,
            last: None,
            acks: 0,
            reno: 0,
            una: 0,
            high: 0,
            echoed: false,
            reduced: None,
            sent: Instant::ZERO,
        }
    }

    fn ticks(&self, now: Instant) -> u64 {
        now.0 / self.tick.0
    }

    /// cwnd \[segments\]
    fn cwnd(&self) -> u64 {
        self.window.cwnd as u64
    }

    /// `acked` segments of slow start; returns those that are beyond ssthresh.
    //= linux §tcp_cong.c, slow start
    fn slow_start(&mut self, acked: u64) -> u64 {
        let before = self.window.cwnd;
        self.window.slow_start(acked);
        let beyond = self.window.cwnd - self.window.ssthresh;
        if beyond <= 0.0 {
            return 0;
        }
        self.window.set(self.window.ssthresh);
        acked.saturating_sub((self.window.ssthresh - before) as u64)
    }

    /// The window grows for an ack of `acked` segments in congestion avoidance.
    fn avoid(&mut self, now: Instant, acked: u64, min_rtt: Duration) {
        // HyStart++ leaves slow start with a part of a segment.
        let whole = libm::floor(self.window.ssthresh);
        if whole < self.window.ssthresh {
            self.window.set_both(libm::floor(self.window.cwnd), whole);
        }
        self.reckon(now, acked, min_rtt);
        //= linux §tcp_cong.c, tcp_cong_avoid_ai
        let mut cwnd = self.cwnd();
        if self.count >= self.each {
            self.count = 0;
            cwnd += 1;
        }
        self.count += acked;
        cwnd += self.count / self.each;
        self.count %= self.each;
        self.window.set(cwnd as f64);
    }

    /// The growth for the acks that follow.
    //= linux §tcp_cubic.c, bictcp_update
    fn reckon(&mut self, now: Instant, acked: u64, min_rtt: Duration) {
        let (cwnd, tick) = (self.cwnd(), self.ticks(now));
        self.acks += acked;
        if let Some((window, last)) = self.last
            && window == cwnd
            && tick - last <= self.hz / 32
        {
            return;
        }
        // Within a tick only Reno's window has changed.
        if self.epoch.is_none() || self.last.is_none_or(|(_, last)| last != tick) {
            self.last = Some((cwnd, tick));
            self.each = self.curve(tick, cwnd, acked, min_rtt);
        }
        self.catch_up(cwnd);
        self.each = self.each.max(LEAST);
    }

    /// Segments to be acknowledged for one more, so that the window is on the curve after a round trip.
    fn curve(&mut self, tick: u64, cwnd: u64, acked: u64, min_rtt: Duration) -> u64 {
        let epoch = *self.epoch.get_or_insert_with(|| {
            (self.acks, self.reno) = (acked, cwnd);
            let origin = self.last_max.max(cwnd);
            let k = libm::cbrt((origin - cwnd) as f64 / self.c);
            Epoch {
                start: tick,
                k,
                origin,
            }
        });
        //= linux §tcp_cubic.c, usecs_to_jiffies
        // The kernel's round trips are whole microseconds.
        let trip = Duration(min_rtt.0 - min_rtt.0 % 1_000_000).round_up(self.tick);
        let from_start = (tick - epoch.start.min(tick)) as f64 * self.tick.seconds();
        let from_k = from_start + trip.seconds() - epoch.k;
        let delta = (self.c * from_k.abs() * from_k.abs() * from_k.abs()) as u64;
        let target = if from_k < 0.0 {
            epoch.origin.saturating_sub(delta)
        } else {
            epoch.origin.saturating_add(delta)
        };
        let each = if target > cwnd {
            cwnd / (target - cwnd)
        } else {
            FLAT * cwnd
        };
        if self.last_max == 0 {
            each.min(FIRST)
        } else {
            each
        }
    }

    /// Reno's window grows, and the window goes after it if it is below.
    fn catch_up(&mut self, cwnd: u64) {
        let step = (cwnd as f64 * self.friendly) as u64;
        if step == 0 {
            return;
        }
        // As many steps as leave something, or a whole step.
        let steps = self.acks.saturating_sub(1) / step;
        self.acks -= steps * step;
        self.reno += steps;
        if self.reno > cwnd {
            self.each = self.each.min(cwnd / (self.reno - cwnd));
        }
    }

    /// Congestion leaves `beta` of the window.
    //= linux §tcp_cubic.c, bictcp_recalc_ssthresh
    fn cut(&mut self, beta: f64) {
        let cwnd = self.cwnd();
        self.epoch = None;
        self.last_max = if self.fast_convergence && cwnd < self.last_max {
            (cwnd as f64 * (1.0 + self.beta) / 2.0) as u64
        } else {
            cwnd
        };
        self.window
            .leave(((cwnd as f64 * beta) as u64).max(2) as f64);
        self.count = 0;
    }

    /// The window has been reduced, for an echo or a loss.
    fn reduce(&mut self, outstanding: &Outstanding, echoed: bool) {
        self.reduced = Some((outstanding.now, outstanding.flight));
        self.echoed = echoed;
    }

    /// Counts an ack, which may have led to a reduction before.
    fn advance(&mut self, sample: &AckSample) {
        let before = self.una;
        self.una += sample.acked;
        if let Some((at, flight)) = self.reduced.take() {
            // Outstanding after that ack, or at a timer between two acks.
            let una = if at == sample.now { self.una } else { before };
            self.high = una + flight;
        }
        self.echoed &= self.una <= self.high;
    }

    /// bictcp_reset
    fn reset(&mut self) {
        self.epoch = None;
        self.last = None;
        (self.last_max, self.each) = (0, 0);
        (self.acks, self.reno) = (0, 0);
    }
}

impl Controller for TcpCubic {
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
        self.advance(sample);
        if !sample.opens_or_ends() || self.echoed {
            return;
        }
        // pkts_acked comes before cong_avoid.
        self.window.hear(sample);
        if !sample.is_limited_by(self.window.cwnd) {
            return;
        }
        //= linux §tcp_input.c, tcp_cong_control
        let mut acked = sample.arrived;
        if self.window.cwnd < self.window.ssthresh {
            acked = self.slow_start(acked);
        }
        if acked > 0 {
            self.avoid(sample.now, acked, sample.min_rtt.unwrap_or_default());
        }
    }
    fn wants(&self) -> Wants {
        self.window.wants()
    }
    fn set_windows(&mut self, cwnd: f64, ssthresh: f64) {
        self.window
            .set_both(libm::floor(cwnd), libm::floor(ssthresh));
    }
    fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
        match signal {
            Signal::Loss { echoed: true } => {}
            Signal::Loss { echoed: false } => {
                self.reduce(outstanding, false);
                self.cut(self.beta);
                self.window.shrink();
            }
            Signal::Ecn => {
                self.reduce(outstanding, true);
                let abe = self.window.cwnd > self.window.ssthresh;
                self.cut(if abe { self.beta_ecn } else { self.beta });
                self.window.shrink();
            }
            Signal::Timeout { again } => {
                //= linux §tcp_input.c, tcp_enter_loss
                // What a reduction has left is not reduced again before all that was outstanding then is acknowledged.
                let reduced = self.reduced.take().is_some() || self.una < self.high;
                if !again && !reduced {
                    self.cut(self.beta);
                }
                (self.high, self.echoed) = (0, false);
                self.window.close();
                //= linux §tcp_cubic.c, bictcp_state
                self.reset();
            }
        }
    }
    fn save(&mut self) {
        self.window.save();
    }
    /// The windows are what they were. The last maximum stays that of the congestion that was none.
    //= linux §tcp_cong.c, tcp_reno_undo_cwnd
    fn undo(&mut self) {
        self.window.undo();
        (self.high, self.echoed, self.reduced) = (0, false, None);
    }
    fn on_recovered(&mut self, _: &Outstanding) {
        self.window.shrink();
    }
    /// Idle time ends: the curve is where it was before.
    //= linux §tcp_cubic.c, cubictcp_cwnd_event
    fn on_sent(&mut self, sending: &Sending) {
        if sending.in_flight == 0 {
            let (before, now) = (self.ticks(self.sent), self.ticks(sending.now));
            if let Some(epoch) = &mut self.epoch {
                epoch.start = (epoch.start + (now - before)).min(now);
            }
        }
        self.sent = sending.now;
    }
    fn on_deflate(&mut self, segments: u64) {
        self.window.deflate(segments);
    }
}

#[cfg(test)]
mod tests;
