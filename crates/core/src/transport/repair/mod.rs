//! Repairs: how a loss is recognised, and what is sent again.

pub mod cumulative;
pub mod scoreboard;

use super::Ack;

/// Duplicate acks that mean a loss.
//= rfc5681 §3.2
pub const DUPLICATES: u64 = 3;

/// The sender's sequence space \[segments\].
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The oldest segment not acknowledged.
    pub una: u64,
    /// The next segment to send in sequence; behind `max` after a timeout.
    pub next: u64,
    /// One beyond the highest segment ever sent.
    pub max: u64,
    /// One beyond the last that may be sent: the application's data and the receiver's window end here.
    pub edge: u64,
}

/// What an ack means to the repair part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// Nothing: old, or nothing is outstanding.
    Stale,
    /// A duplicate.
    Duplicate,
    /// The duplicate that proves a loss; `restart` sends everything from `una` again. With selective acks it may also
    /// acknowledge new data.
    Loss {
        /// Tahoe's way: the sequence goes back to the lost segment.
        restart: bool,
    },
    /// New data is acknowledged.
    Advance(Phase),
}

/// Where an ack of new data finds a repair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// None was going on.
    Open,
    /// It goes on: the ack covers a part of what was outstanding when the loss was found.
    Partial {
        /// The first partial ack of this recovery, or one that should restart the timer as it does.
        restart_timer: bool,
    },
    /// It is over.
    Over,
}

/// What to send again.
pub trait Repair {
    /// Reads an ack of no more than was sent; `span` is as before it.
    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading;
    /// The retransmission timer ran out; the sender goes back to `una`.
    fn on_timeout(&mut self, span: &Span);
    /// What fast recovery adds to the congestion window for segments known to have left the network \[segments\].
    fn credit(&self) -> i64;
    /// The segment to send now under a congestion window of `window` segments, if any.
    fn poll(&mut self, span: &Span, window: f64) -> Option<u64>;
    /// `segment` has been sent, for the first time or again.
    fn on_sent(&mut self, segment: u64);
}

/// One beyond the last segment that a window of `window` segments, `credit` added, lets out.
pub(crate) fn window_end(span: &Span, window: f64, credit: i64) -> u64 {
    let whole = (window as u64).saturating_add_signed(credit);
    span.edge.min(span.una.saturating_add(whole))
}
