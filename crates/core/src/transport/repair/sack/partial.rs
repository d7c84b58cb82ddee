//! Partial acks of ns-2's agent Sack1 with `partial_ack_`: each sends two segments, whatever `pipe` says.

use super::{Sack, SegmentState, Span};

/// What a partial ack sends in any case.
//= ns-2 §tcp-sack1.cc, partial_ack_action()
#[derive(Clone, Debug, Default)]
pub(super) struct Partials {
    /// Segments that the last partial ack has still to send.
    owed: u8,
    /// `next_pkt_`: they begin here, if it is not acknowledged. It stays from one recovery to the next.
    next: u64,
    /// `firstpartial_`: a partial ack has restarted the timer, and no ack outside a recovery has come since.
    restarted: bool,
    /// The last of them that was a new segment. The agent's counter of new segments, `t_seqno_`, is set to it, not to the one after it:
    /// so it is sent again before other new ones.
    last_new: Option<u64>,
}

impl Partials {
    /// An ack has come: nothing is owed for one before it.
    pub fn on_ack(&mut self) {
        self.owed = 0;
    }

    /// A partial ack has come; whether it restarts the timer.
    pub fn on_partial(&mut self) -> bool {
        self.owed = 2;
        !core::mem::replace(&mut self.restarted, true)
    }

    /// An ack of new data has come outside a recovery.
    pub fn on_open(&mut self) {
        self.restarted = false;
    }

    /// The timer ran out: new segments are sent from the oldest on.
    pub fn on_timeout(&mut self) {
        (self.owed, self.last_new) = (0, None);
    }

    /// The segment that is owed: not one that is reported, and not beyond what may be sent.
    pub fn next(&self, sack: &Sack, span: &Span) -> Option<u64> {
        let mut next = self.next.max(span.una);
        while sack.state(next).sacked {
            next += 1;
        }
        (self.owed > 0 && next < span.edge).then_some(next)
    }

    /// The new segment that is sent a second time.
    pub fn again(&self, span: &Span) -> Option<u64> {
        self.last_new.filter(|it| *it >= span.una)
    }

    /// `segment` is sent; whether it was owed.
    pub fn on_sent(&mut self, segment: u64, again: bool) -> bool {
        if self.owed == 0 {
            self.last_new = self.last_new.filter(|it| *it != segment);
            return false;
        }
        self.owed -= 1;
        self.next = segment + 1;
        if !again {
            self.last_new = Some(segment);
        }
        true
    }
}

impl Sack {
    /// `segment` has been sent, and what is before it is not sent again in this recovery: the agent's scoreboard knows the highest
    /// retransmission alone.
    pub(super) fn pass(&mut self, segment: u64) {
        self.state_mut(segment);
        let passed = (segment - self.base) as usize;
        self.states
            .range_mut(..=passed)
            .for_each(|it: &mut SegmentState| it.resent = true);
    }
}
