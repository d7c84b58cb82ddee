//! Reno: a loss found by duplicate acks halves the window, a timeout closes it to one segment.
//!
//! The window inflation of fast recovery is not here: it says how many segments have left the network, which is the repair
//! part's knowledge, and is added by [`Repair::credit`](crate::transport::repair::Repair::credit).
//= rfc5681 §3.2
//= cohen-hamo-2001 §2.1

use super::{
    About, AckSample, Answer, CongestionWindow, Controller, Needs, Outstanding, Signal, Wants,
};
use crate::transport::Common;

crate::choice! {
    /// Congestion window at the end of a recovery.
    pub enum Recovered {
        /// cwnd <- ssthresh.
        Ssthresh = "ssthresh",
        /// The window stays as the loss and partial acks have left it.
        Stay = "stay",
        /// The same, and the ack increases the window as any other does: ns-2.
        Open = "open",
        /// At most one segment more than is outstanding, at most `ssthresh`; and the ack increases it: ns-2 with `exit_recovery_fix_ 1`.
        Outstanding = "outstanding",
    }
}

crate::declare! {
    /// Uses slow start and congestion avoidance; a loss halves the window, a timeout closes it to one segment.
    pub struct RenoParams as "reno" from "rfc5681 §3" {
        /// Congestion window at the end of a recovery.
        recovered: Recovered = "ssthresh";
    }
}

/// Its part of the entry.
pub const ABOUT: About = About::new(Answer::Halves, Needs::Acks);

/// Half after a loss.
#[derive(Clone, Debug)]
pub struct Reno(CongestionWindow, Recovered);

impl Reno {
    /// At the start of a connection.
    pub fn new(own: &RenoParams, params: &Common) -> Self {
        Self(CongestionWindow::new(params), own.recovered)
    }
}

impl Controller for Reno {
    fn window(&self) -> f64 {
        self.0.cwnd
    }
    fn ssthresh(&self) -> f64 {
        self.0.ssthresh
    }

    fn state(&self, recovering: bool) -> &'static str {
        self.0.state(recovering)
    }
    fn on_ack(&mut self, sample: &AckSample) {
        if self.0.opens(sample) {
            self.0.open(sample);
        }
    }
    fn save(&mut self) {
        self.0.save();
    }
    fn undo(&mut self) {
        self.0.undo();
    }
    fn set_windows(&mut self, cwnd: f64, ssthresh: f64) {
        self.0.set_both(cwnd, ssthresh);
    }
    fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
        match signal {
            Signal::Loss { echoed: true } => {}
            Signal::Loss { echoed: false } => {
                self.0.halve(outstanding);
                self.0.shrink();
            }
            Signal::Ecn => self.0.on_mark(outstanding),
            Signal::Timeout { again } => self.0.time_out(outstanding, again),
        }
    }
    fn on_recovered(&mut self, outstanding: &Outstanding) {
        match self.1 {
            //= rfc5681 §3.2, step 6
            //= rfc5681 §4.3, after
            // The window deflates when the repair's credit falls to 0; cwnd itself is at ssthresh already.
            Recovered::Ssthresh => self.0.shrink(),
            Recovered::Stay => {}
            //= ns-2
            Recovered::Open => self.0.grow(),
            //= ns-2
            // The window does not let out a burst if little is outstanding.
            Recovered::Outstanding => {
                let most = outstanding.flight as f64 + 1.0;
                self.0.cwnd = self.0.ssthresh.min(most);
                self.0.grow();
            }
        }
    }
    fn wants(&self) -> Wants {
        self.0.wants()
    }
    fn on_deflate(&mut self, segments: u64) {
        self.0.deflate(segments);
    }
}
