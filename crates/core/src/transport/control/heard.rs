//! What tests of controllers tell them: acks, and outstanding data.

use super::{AckSample, Delivery, Newest, Outstanding, Phase};
use crate::time::{Duration, Instant};

/// This many seconds after the start.
pub fn at(seconds: f64) -> Instant {
    Instant((seconds * 1e12) as u64)
}

/// `flight` segments, of a receiver with a large window.
pub fn outstanding(flight: u64) -> Outstanding {
    Outstanding {
        now: Instant::ZERO,
        receiver: 1000,
        flight,
        resent: false,
    }
}

/// Panics unless a number is what it should be, within `by`.
pub fn close(found: f64, want: f64, by: f64) {
    assert!((found - want).abs() <= by, "found {found}, want {want}");
}

/// An ack of one segment in this round, at `now`, whose transmission took `rtt`; 10 segments are outstanding.
pub fn with_rtt(now: Instant, round: u64, rtt: Duration) -> AckSample {
    let newest = Newest {
        id: 0,
        rtt: Some(rtt),
        delivery_rate: None,
        app_limited: false,
        delivered_when_sent: 0,
        in_flight_when_sent: 1,
        lost_since_sent: 0,
        sent_before_recovery: false,
    };
    let delivery = Delivery {
        arrived: 1,
        sacked: 0,
        lost: 0,
        delivered: 0,
        round,
        newest: Some(newest),
    };
    AckSample {
        now,
        phase: Phase::Open,
        id: None,
        acked: 1,
        arrived: 1,
        ece: false,
        ce: 0,
        flight: 10,
        paced: false,
        in_flight: 10,
        srtt: None,
        min_rtt: None,
        delivery: Some(delivery),
    }
}
