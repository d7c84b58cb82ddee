//! What the rules for unused windows know of a sender, and what they change.

use crate::time::{Duration, Instant};

/// The windows of a controller \[segments\].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Windows {
    /// cwnd
    pub cwnd: f64,
    /// ssthresh
    pub ssthresh: f64,
}

impl Windows {
    /// The same with cwnd at `cwnd`, one segment at least; ssthresh remembers three quarters of the window of before.
    //= rfc7661 §4.4.3
    // "ssthresh = max(ssthresh, 3*cwnd/4)"
    pub fn reduced_to(self, cwnd: f64) -> Self {
        Self {
            cwnd: cwnd.max(1.0),
            ssthresh: self.ssthresh.max(0.75 * self.cwnd),
        }
    }
}

/// State of a sender when a rule is asked.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Time at which it is asked.
    pub now: Instant,
    /// The controller's windows.
    pub windows: Windows,
    /// The oldest segment not acknowledged.
    pub una: u64,
    /// One beyond the last segment sent so far.
    pub max: u64,
    /// The receiver's window \[segments\].
    pub receiver: u64,
    /// The retransmission timeout, with its back-off.
    pub rto: Duration,
    /// The smoothed round trip, once measured.
    pub srtt: Option<Duration>,
}

impl State {
    /// FlightSize \[segments\]
    pub fn flight(&self) -> u64 {
        self.max - self.una
    }

    /// Whether the window is full.
    pub fn is_full(&self) -> bool {
        self.flight() >= self.windows.cwnd as u64
    }
}
