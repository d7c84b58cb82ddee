//! The one timer: for the reordering window, the probe or the retransmission timeout.
//= rfc8985 §8

use super::Machine;
use crate::time::{Duration, Instant};
use crate::transport::repair::Span;

/// Purpose of the timer.
//= rfc8985 §8, exclusive
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Reordering,
    Probe,
    Retransmission,
}

impl Machine {
    /// When the retransmission timeout is over.
    fn retransmission_at(&self, span: &Span) -> Instant {
        let at = self.since + span.rtt.rto();
        if at > span.now {
            at
        } else {
            span.now + span.rtt.rto()
        }
    }

    /// The timer for the retransmission timeout, which counts from now.
    //= rfc6298 §5.1
    //= rfc6298 §5.3
    pub(super) fn retransmission(&mut self, span: &Span) -> Option<(Instant, Purpose)> {
        self.since = span.now;
        Some((span.now + span.rtt.rto(), Purpose::Retransmission))
    }

    /// How long the timer runs to wait for `time`, and how much is added.
    //= linux §tcp_recovery.c, TCP_TIMEOUT_MIN
    fn in_ticks(&self, span: &Span, time: Duration) -> (Duration, Duration) {
        if self.late_ticks == 0 {
            return (time, Duration::ZERO);
        }
        let tick = span.rtt.tick();
        (
            time.round_up(tick),
            Duration(tick.0.saturating_mul(self.late_ticks)),
        )
    }

    /// TLP_calc_PTO(), with `flight` segments outstanding.
    //= rfc8985 §7.2, PTO
    pub(super) fn probe_at(&self, span: &Span, flight: u64) -> Instant {
        let wait = span.rtt.trips().map_or(Duration(u64::MAX), |trips| {
            let (wait, late) = self.in_ticks(span, Duration(trips.smoothed.0.saturating_mul(2)));
            // A receiver withholds the ack of fewer segments than `ack_every`; of one, if that is two.
            //= rfc8985 §7.2, delayed
            wait + if flight < self.ack_every {
                self.max_ack_delay
            } else {
                late
            }
        });
        //= rfc8985 §7.2, RTO
        (span.now + wait).min(self.retransmission_at(span))
    }

    /// Whether a probe may be scheduled.
    //= rfc8985 §7.2, schedule
    //= rfc8985 §7.2, 1 second type=departure
    // None is before a round trip has been measured: it would not be sent, and the timeout would come later by the wait for it.
    pub(super) fn may_probe(&self) -> bool {
        let quiet = self.recovery.is_none() && self.board.sacked() == 0;
        self.tlp && quiet && self.measured[0] > 0
    }

    /// Sets the timer after an ack that has left `una` the oldest segment; `waits` is what remains of the reordering window, and `anew`
    /// says whether the retransmission timeout counts from now.
    //= rfc8985 §8, exclusive
    pub(super) fn set_timer(&mut self, span: &Span, una: u64, anew: bool, waits: Option<Duration>) {
        if anew {
            self.since = span.now;
        }
        let retransmission = || Some((self.retransmission_at(span), Purpose::Retransmission));
        self.timer = match self.timer {
            //= rfc6298 §5.2
            _ if una == span.max => None,
            //= rfc8985 §6.2, timer
            _ if waits.is_some() => waits.map(|it| {
                let (wait, late) = self.in_ticks(span, it);
                (
                    span.now + (wait + late).min(span.rtt.rto()),
                    Purpose::Reordering,
                )
            }),
            _ if anew && self.may_probe() => {
                Some((self.probe_at(span, span.max - una), Purpose::Probe))
            }
            _ if anew => retransmission(),
            Some((_, Purpose::Retransmission)) => self.timer,
            Some((_, Purpose::Probe)) if self.may_probe() => self.timer,
            _ => retransmission(),
        };
    }
}
