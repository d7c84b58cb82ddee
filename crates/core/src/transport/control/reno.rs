//! Reno: a loss found by duplicate acks halves the window, a timeout sends it back to one segment.
//!
//! The window inflation of fast recovery is not here: it says how many segments have left the network, which is the repair
//! part's knowledge, and is added by [`Repair::credit`](crate::transport::repair::Repair::credit).
//= rfc5681 §3.2
//= cohen-hamo-2001 §2.1

use super::{About, Answer, CongestionWindow, Controller, InUse, Needs};
use crate::transport::Common;

crate::choice! {
    /// What becomes of the window when a recovery is over.
    pub enum Recovered {
        /// cwnd <- ssthresh.
        Ssthresh = "ssthresh",
        /// It stays as the loss, and partial acks, have left it.
        Stay = "stay",
        /// So it does, and the ack opens it as any other: ns-2.
        Open = "open",
    }
}

crate::declare! {
    /// Slow start and congestion avoidance; a loss halves the window, a timeout sends it back to one segment.
    pub struct RenoParams as "reno" from "rfc5681 §3" {
        /// What becomes of the window when a recovery is over.
        recovered: Recovered = "ssthresh";
    }
}

/// What its entry says of it.
pub const ABOUT: About = About {
    answer: Answer::Halves,
    needs: Needs::Acks,
};

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
    fn on_ack(&mut self) {
        self.0.grow();
    }
    fn on_loss(&mut self, in_use: InUse) {
        self.0.halve(in_use);
        self.0.shrink();
    }
    fn on_recovered(&mut self, _: InUse) {
        match self.1 {
            //= rfc5681 §3.2, step 6
            //= rfc5681 §4.3, after
            // Already there: deflating the window is the repair part's credit falling to nothing.
            Recovered::Ssthresh => self.0.shrink(),
            Recovered::Stay => {}
            //= ns-2
            Recovered::Open => self.0.grow(),
        }
    }
    fn on_deflate(&mut self, segments: u64) {
        self.0.deflate(segments);
    }
    fn on_timeout(&mut self, in_use: InUse, again: bool) {
        self.0.time_out(in_use, again);
    }
}
