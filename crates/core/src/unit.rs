//! What waits in a queue: a packet, or a cell of one.

use crate::measure::CELL_BITS;

/// One direction of one flow; the VC of a cell. Dense from 0, so tables are indexed by it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FlowId(pub u32);

/// A thing that waits in a queue: owned, moved, never cloned, at most 32 bytes.
pub trait Unit {
    /// Length on the line \[bytes\].
    fn bytes(&self) -> u32;
    /// Whose it is; the VC of a cell.
    fn flow(&self) -> FlowId;
    /// AAL5's end mark; a packet is always its own last.
    fn last(&self) -> bool;
}

/// Where the host keeps what a unit is about (its TCP header): the algorithms below TCP never look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BodyId(pub u32);

/// A whole packet.
#[derive(Debug, PartialEq, Eq)]
pub struct Packet {
    /// Whose it is.
    pub flow: FlowId,
    /// The host's handle.
    pub body: BodyId,
    /// Length with headers \[bytes\].
    pub bytes: u32,
    /// Links passed so far on the flow's route.
    pub hop: u16,
    /// The packet's number on its flow, modulo 65,536.
    pub serial: u16,
}

/// An ATM cell of an AAL5 frame: 53 bytes on the line, 48 of them payload.
///
/// A switch sees `flow` and `last` only. `serial`, `index` and `of` stand for AAL5's length and CRC: with them
/// [`Reassembler`](crate::sar::Reassembler) tells a whole frame from a damaged one.
#[derive(Debug, PartialEq, Eq)]
pub struct Cell {
    /// The VC.
    pub flow: FlowId,
    /// The host's handle of the frame.
    pub body: BodyId,
    /// Links passed so far.
    pub hop: u16,
    /// The frame's number on its VC, modulo 65,536.
    pub serial: u16,
    /// Position in the frame, from 0.
    pub index: u16,
    /// Cells of the frame.
    pub of: u16,
}

impl Unit for Packet {
    fn bytes(&self) -> u32 {
        self.bytes
    }
    fn flow(&self) -> FlowId {
        self.flow
    }
    fn last(&self) -> bool {
        true
    }
}

impl Unit for Cell {
    fn bytes(&self) -> u32 {
        (CELL_BITS / 8) as u32
    }
    fn flow(&self) -> FlowId {
        self.flow
    }
    fn last(&self) -> bool {
        self.index + 1 == self.of
    }
}

const _: () = assert!(size_of::<Packet>() <= 32 && size_of::<Cell>() == 16);
