//! Ack samples for tests.

use super::{AckSample, Delivery, Newest, Phase};
use crate::time::{Duration, Instant};

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
