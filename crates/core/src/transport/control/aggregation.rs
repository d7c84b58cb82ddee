//! The extra data that acks report at once, beyond what the estimated rate would have delivered since an epoch began: BBRv1 adds it to
//! its window, so that it need not stop between acks that come in bursts.
//= linux-bbr §bbr_update_ack_aggregation

use crate::time::{Duration, Instant};

/// Rounds that one of the two slots covers.
const ROUNDS: u64 = 5;
/// Segments after which the count of an epoch begins anew.
const EPOCH_SEGMENTS: u64 = 1 << 20;

/// The largest extra data of the last five to ten rounds.
#[derive(Clone, Debug, Default)]
pub struct Aggregation {
    /// `ack_epoch_mstamp`
    begun: Instant,
    /// `ack_epoch_acked` \[segments\]
    acked: u64,
    /// `extra_acked`, of the current rounds and of those before \[segments\].
    extra: [u64; 2],
    rounds: u64,
    current: usize,
}

impl Aggregation {
    /// An epoch begins.
    pub fn begin(&mut self, now: Instant) {
        (self.begun, self.acked) = (now, 0);
    }

    /// Time since the epoch began.
    pub fn elapsed(&self, now: Instant) -> Duration {
        now - self.begun
    }

    /// The largest extra data \[segments\].
    pub fn extra_acked(&self) -> u64 {
        self.extra[0].max(self.extra[1])
    }

    /// An ack reports `arrived` segments, `expected` were to arrive since the epoch began, and the window is `cwnd`; a round begins with it
    /// if `round_start`.
    pub fn on_ack(
        &mut self,
        now: Instant,
        (arrived, mut expected, cwnd): (u64, u64, u64),
        round_start: bool,
    ) {
        self.rounds += u64::from(round_start);
        if self.rounds >= ROUNDS {
            self.rounds = 0;
            self.current = 1 - self.current;
            self.extra[self.current] = 0;
        }
        if self.acked <= expected || self.acked + arrived >= EPOCH_SEGMENTS {
            self.begin(now);
            expected = 0;
        }
        self.acked += arrived;
        let slot = &mut self.extra[self.current];
        *slot = (self.acked - expected).min(cwnd).max(*slot);
    }
}
