//! The ledger: every fate of a unit, one call each, so that nothing leaves a queue unaccounted.
//!
//! The law, per queue: `offered + minted = sent + dropped (by cause) + waiting + in service`.

use crate::measure::Bytes;
use crate::unit::{Ecn, Unit};

/// Why a unit was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Cause {
    /// The buffer had no room.
    Overflow,
    /// A threshold below the buffer's size was passed (EPD, BPD), by the average queue (RED) or by the time waited (CoDel).
    Early,
    /// The rest of a packet that has already lost a unit (PPD).
    Partial,
    /// The unit waited, and was dropped to make room for another (fair queueing that discards from the longest queue).
    PushedOut,
    /// Named by a loss script.
    Script,
    /// Drawn by a random loss model.
    Random,
}

impl Cause {
    /// All of them, in the order of their discriminants.
    pub const ALL: [Self; 6] = [
        Self::Overflow,
        Self::Early,
        Self::Partial,
        Self::PushedOut,
        Self::Script,
        Self::Random,
    ];

    /// The word in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overflow => "overflow",
            Self::Early => "early",
            Self::Partial => "partial",
            Self::PushedOut => "pushed-out",
            Self::Script => "script",
            Self::Random => "random",
        }
    }
}

/// The only way a discipline touches the world: one call per fate, any number per offer or pull.
///
/// The host decides what a fate means: count it, free a buffer, draw a dot. A verdict as a return value could not say
/// that one arrival evicts three, or mints as many, without allocating.
pub trait Ledger<U> {
    /// Drops the unit.
    fn drop(&mut self, unit: U, why: Cause);
    /// Congestion is marked in the unit, which stays where it is: it is sent, dropped or waits as any other. False if it cannot be
    /// marked, because its transport does not understand marks: the discipline drops it instead.
    //= rfc3168 §5
    fn mark(&mut self, unit: &mut U) -> bool;
    /// The unit's ECN field; for a cell, which has none, that of its packet, if the host knows it.
    fn ecn(&self, unit: &U) -> Ecn
    where
        U: Unit,
    {
        unit.ecn()
    }
    /// Whether `newer` is an ack that says all that the earlier ack `older` of its flow says, and more, so that `older` need not be sent. Only a
    /// host that looks into packets knows that.
    fn supersedes(&self, _newer: &U, _older: &U) -> bool {
        false
    }
    /// Trims the unit to its first `keep` bytes. They say that they are trimmed, and have priority over data from now on: the payload
    /// is lost, and the receiver of the rest knows it.
    fn trim(&mut self, unit: &mut U, keep: Bytes);
    /// A new unit with the first `keep` bytes of `of`. Only the transport's checksum, which is that of the whole packet, shows that
    /// something is missing.
    fn mint(&mut self, of: &U, keep: Bytes) -> U;
}
