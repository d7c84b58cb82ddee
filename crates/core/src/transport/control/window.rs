//! The congestion window that Tahoe and Reno share: slow start, congestion avoidance, half.

use super::InUse;
use crate::transport::{Common, Halve};

/// cwnd and ssthresh \[segments\].
#[derive(Clone, Copy, Debug)]
pub struct CongestionWindow {
    /// cwnd
    pub cwnd: f64,
    /// ssthresh
    pub ssthresh: f64,
    max: f64,
    halve: Halve,
}

impl CongestionWindow {
    /// At the start of a connection.
    pub fn new(params: &Common) -> Self {
        let segments = |w: crate::measure::Window| w.whole_segments(params.mss) as f64;
        let max = params.max_cwnd.map_or(f64::INFINITY, segments);
        Self {
            cwnd: segments(params.initial_window).min(max),
            ssthresh: params.initial_ssthresh.map_or(f64::INFINITY, segments),
            max,
            halve: params.halve,
        }
    }

    /// Grows for an ack of new data: one segment per ack in slow start, 1/cwnd in congestion avoidance.
    //= rfc5681 §3.1
    //= cohen-hamo-2001 §2.1
    pub fn grow(&mut self) {
        self.cwnd += if self.cwnd < self.ssthresh {
            1.0
        } else {
            1.0 / self.cwnd
        };
        self.cwnd = self.cwnd.min(self.max);
    }

    /// ssthresh <- half of what was in use, at least two segments.
    pub fn halve(&mut self, in_use: InUse) {
        let half = match self.halve {
            //= rfc5681 §3.1 type=departure
            Halve::Window => (self.cwnd.min(in_use.receiver as f64) / 2.0) as u64 as f64,
            //= rfc5681 §3.1
            // ssthresh = max (FlightSize / 2, 2*SMSS)
            Halve::Flight => in_use.flight as f64 / 2.0,
        };
        self.ssthresh = half.max(2.0);
    }

    /// cwnd <- ssthresh.
    pub fn shrink(&mut self) {
        self.cwnd = self.ssthresh.min(self.max);
    }

    /// Back to one segment after a timeout.
    //= rfc5681 §3.1
    // A segment that times out again leaves ssthresh as it is; the code of the 1990s halved the window of one segment again.
    //= rfc2001 §2 type=departure
    // What a fast recovery had added to the window is not halved with it.
    pub fn time_out(&mut self, in_use: InUse, again: bool) {
        if !(again && self.halve == Halve::Flight) {
            self.halve(in_use);
        }
        self.cwnd = 1.0;
    }
}
