//! Tahoe: any loss closes the window to one segment and starts slow start.
//= cohen-hamo-2001 §2.1
//= fall-floyd-1996 §2

use super::{
    About, AckSample, Answer, CongestionWindow, Controller, Needs, Outstanding, Signal, Wants,
};
use crate::transport::Common;

crate::declare! {
    /// Uses slow start and congestion avoidance; any loss closes the window to one segment.
    pub struct TahoeParams as "tahoe" from "fall-floyd-1996 §2" {
    }
}

/// Its part of the entry.
pub const ABOUT: About = About::new(Answer::Closes, Needs::Acks);

/// Slow start after every loss.
#[derive(Clone, Debug)]
pub struct Tahoe(CongestionWindow);

impl Tahoe {
    /// At the start of a connection.
    pub fn new(_: &TahoeParams, params: &Common) -> Self {
        Self(CongestionWindow::new(params))
    }
}

impl Controller for Tahoe {
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
        if sample.opens() {
            self.0.open(sample);
        }
    }
    fn wants(&self) -> Wants {
        self.0.wants()
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
            //= rfc3168 §6.1.2, ssthresh
            // "the TCP source should not decrease the slow-start threshold, ssthresh, if it has been decreased within the last
            // round trip time". Tahoe still goes back, whatever was echoed.
            Signal::Loss { echoed } => {
                if !echoed {
                    self.0.halve(outstanding);
                }
                self.0.cwnd = 1.0;
            }
            Signal::Ecn => self.0.on_mark(outstanding),
            Signal::Timeout { again } => self.0.time_out(outstanding, again),
        }
    }
}
