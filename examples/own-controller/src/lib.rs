//! Scalable TCP (Kelly 2003): the window grows by 1/100 segment per acknowledged segment, and a loss costs an eighth of it.
//!
//! This is a controller of a program of its own: it depends on `dupack-core` alone, and the tests beside it run it in dupack's simulator.

use dupack_core::transport::Common;
use dupack_core::transport::control::{AckSample, Controller, Outstanding, Signal};

/// Growth per acknowledged segment \[segments\].
const A: f64 = 0.01;
/// What a loss leaves of the window.
const LEFT: f64 = 0.875;
/// Below this window it does as Reno does \[segments\].
const LEGACY: f64 = 16.0;

/// The controller. Windows are in segments.
#[derive(Debug)]
pub struct Scalable {
    cwnd: f64,
    ssthresh: f64,
}

impl Scalable {
    /// At the start of a connection; `common` has the transport's parameters, such as its initial window.
    pub fn new(common: &Common) -> Self {
        Self {
            cwnd: common.initial_window.whole_segments(common.mss) as f64,
            ssthresh: f64::INFINITY,
        }
    }

    fn reduce(&mut self) {
        let left = if self.cwnd < LEGACY { 0.5 } else { LEFT };
        self.ssthresh = (self.cwnd * left).max(2.0);
    }
}

impl Controller for Scalable {
    fn window(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_ack(&mut self, ack: &AckSample) {
        if !ack.opens() {
            return;
        }
        let acked = ack.acked as f64;
        self.cwnd += if self.cwnd < self.ssthresh {
            acked
        } else if self.cwnd < LEGACY {
            acked / self.cwnd
        } else {
            A * acked
        };
    }

    fn on_congestion(&mut self, signal: Signal, _: &Outstanding) {
        match signal {
            // A mark in the same window of data was told already.
            Signal::Loss { echoed: true } => {}
            Signal::Loss { echoed: false } | Signal::Ecn => {
                self.reduce();
                self.cwnd = self.ssthresh;
            }
            Signal::Timeout { .. } => {
                self.reduce();
                self.cwnd = 1.0;
            }
        }
    }
}
