//! Answers of a sender: what an ack meant to it, and what it sends.

use super::repair::Reading;
use crate::unit::Ecn;

/// Meaning of an ack, for the host's counters and the tape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AckOutcome {
    /// Its meaning for the repair.
    pub reading: Reading,
    /// The round trip was measured with it.
    pub measured: bool,
}

/// A segment to send now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transmit {
    /// Its number.
    pub segment: u64,
    /// Whether it is a retransmission.
    pub again: bool,
    /// The number of this transmission, which its ack echoes.
    pub id: u64,
    /// The ECN field of its packet.
    pub ecn: Ecn,
    /// CWR: the first new segment after the window was reduced, for whatever reason: an echo, a loss, a timeout.
    //= rfc3168 §6.1.2
    pub cwr: bool,
}
