//! What waits in a queue: a packet, or a cell of one.

use crate::measure::CELL_BITS;

/// One direction of one flow; the VC of a cell. Dense from 0, so tables are indexed by it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FlowId(pub u32);

/// Source host, destination host and protocol, by which a router tells packets apart that does not look into the transport's
/// header: several flows may share one. Dense from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HostPair(pub u32);

/// A thing that waits in a queue: owned, moved, never cloned, at most 32 bytes.
pub trait Unit {
    /// Length on the line \[bytes\].
    fn bytes(&self) -> u32;
    /// Whose it is; the VC of a cell.
    fn flow(&self) -> FlowId;
    /// Between which hosts it travels. A cell tells its VC and no more.
    fn hosts(&self) -> HostPair {
        HostPair(self.flow().0)
    }
    /// AAL5's end mark; a packet is always its own last.
    fn last(&self) -> bool;
    /// Its class of service says that it goes before data: an ack, or what is left of a trimmed packet.
    fn urgent(&self) -> bool {
        false
    }
}

/// Where the host keeps what a unit is about (its TCP header): the algorithms below TCP never look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BodyId(pub u32);

/// A whole packet.
#[derive(Debug, PartialEq, Eq)]
pub struct Packet {
    /// Whose it is.
    pub flow: FlowId,
    /// Between which hosts.
    pub hosts: HostPair,
    /// The host's handle.
    pub body: BodyId,
    /// Length with headers \[bytes\].
    pub bytes: u16,
    /// Links passed so far on the flow's route.
    pub hop: u16,
    /// The packet's number on its flow, modulo 65,536.
    pub serial: u16,
    /// It goes before data.
    pub urgent: bool,
}

/// An ATM cell of an AAL5 frame: 53 bytes on the line, 48 of them payload.
///
/// A switch sees `flow` and `last` only. `serial`, `index` and `of` stand for AAL5's length and CRC: with them
/// [`Reassembler`](crate::sar::Reassembler) tells a whole frame from a damaged one.
///
/// Two words instead of six fields: cells are moved at every step, as two registers and not through memory.
#[derive(PartialEq, Eq)]
pub struct Cell {
    /// flow (32 bits), body (32)
    whose: u64,
    /// hop, serial, index, of (16 each)
    place: u64,
}

impl Cell {
    /// The first of the `of` cells of frame number `serial` (modulo 65,536) on its VC.
    pub fn first(flow: FlowId, body: BodyId, serial: u16, of: u16) -> Self {
        Self {
            whose: (u64::from(flow.0) << 32) | u64::from(body.0),
            place: (u64::from(serial) << 32) | u64::from(of),
        }
    }

    /// The cell after this one in its frame.
    #[inline]
    pub fn following(&self) -> Self {
        debug_assert!(!self.last());
        Self {
            place: self.place + (1 << 16),
            ..*self
        }
    }

    /// The host's handle of the frame.
    #[inline]
    pub fn body(&self) -> BodyId {
        BodyId(self.whose as u32)
    }

    /// Links passed so far.
    #[inline]
    pub fn hop(&self) -> u16 {
        (self.place >> 48) as u16
    }

    /// One more link passed.
    #[inline]
    pub fn pass(&mut self) {
        self.place += 1 << 48;
    }

    /// The frame's number on its VC, modulo 65,536.
    #[inline]
    pub fn serial(&self) -> u16 {
        (self.place >> 32) as u16
    }

    /// Position in the frame, from 0.
    #[inline]
    pub fn index(&self) -> u16 {
        (self.place >> 16) as u16
    }

    /// Cells of the frame.
    #[inline]
    pub fn of(&self) -> u16 {
        self.place as u16
    }
}

impl core::fmt::Debug for Cell {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (index, of) = (self.index(), self.of());
        write!(
            f,
            "cell {index} of {of}, frame {} of flow {}",
            self.serial(),
            self.flow().0
        )
    }
}

impl Unit for Packet {
    fn bytes(&self) -> u32 {
        u32::from(self.bytes)
    }
    fn flow(&self) -> FlowId {
        self.flow
    }
    fn hosts(&self) -> HostPair {
        self.hosts
    }
    fn last(&self) -> bool {
        true
    }
    fn urgent(&self) -> bool {
        self.urgent
    }
}

impl Unit for Cell {
    #[inline]
    fn bytes(&self) -> u32 {
        (CELL_BITS / 8) as u32
    }
    #[inline]
    fn flow(&self) -> FlowId {
        FlowId((self.whose >> 32) as u32)
    }
    #[inline]
    fn last(&self) -> bool {
        self.index() + 1 == self.of()
    }
}

const _: () = assert!(size_of::<Packet>() <= 32 && size_of::<Cell>() == 16);
