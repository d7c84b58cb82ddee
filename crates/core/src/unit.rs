//! The units that wait in a queue: packets, or cells of packets.

use crate::measure::CELL_BITS;

/// One direction of one flow; the VC of a cell. Dense from 0, so tables are indexed by it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FlowId(pub u32);

/// Source host, destination host and protocol, by which a router distinguishes packets without reading the transport's
/// header: several flows may share one. Dense from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HostPair(pub u32);

/// The ECN field of an IP header: whether congestion on the way is marked, and whether it was.
//= rfc3168 §5
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Ecn {
    /// The transport does not understand marks.
    #[default]
    NotEct,
    /// ECN-capable.
    Ect0,
    /// ECN-capable; the second codepoint, with which L4S asks for marks at a shallow threshold.
    Ect1,
    /// Congestion was experienced on the way.
    Ce,
}

impl Ecn {
    /// All code points, in the order of their discriminants.
    pub const ALL: [Self; 4] = [Self::NotEct, Self::Ect0, Self::Ect1, Self::Ce];

    /// The transport understands marks.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotEct)
    }

    /// The two bits of the header.
    //= rfc3168 §5, Fig. 1
    pub const fn bits(self) -> u8 {
        match self {
            Self::NotEct => 0b00,
            Self::Ect1 => 0b01,
            Self::Ect0 => 0b10,
            Self::Ce => 0b11,
        }
    }

    /// The word in traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotEct => "Not-ECT",
            Self::Ect0 => "ECT(0)",
            Self::Ect1 => "ECT(1)",
            Self::Ce => "CE",
        }
    }
}

/// The priority of data.
pub const DATA: u8 = 0;
/// Priority of acks and of trimmed packets.
pub const CONTROL: u8 = 1;

/// A thing that waits in a queue: owned, moved, never cloned, at most 32 bytes.
pub trait Unit {
    /// Length on the line \[bytes\].
    fn bytes(&self) -> u32;
    /// Whose it is; the VC of a cell.
    fn flow(&self) -> FlowId;
    /// Pair of hosts between which it travels. A cell knows only its VC.
    fn hosts(&self) -> HostPair {
        HostPair(self.flow().0)
    }
    /// The hosts from which and to which it travels, as numbers. For a cell both are its VC.
    fn ends(&self) -> (u32, u32) {
        (self.flow().0, self.flow().0)
    }
    /// AAL5's end mark; a packet is always its own last.
    fn last(&self) -> bool;
    /// Its ECN field. A cell has none: whether it can be marked, the ledger knows.
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    /// Its class of service: if a discipline distinguishes classes, the higher one is served first. [`DATA`] or [`CONTROL`] today.
    fn priority(&self) -> u8 {
        DATA
    }
    /// Diffserv code point of its IP header, 6 bits: the class of service that its flow asks for, 0 by default. A cell has none.
    //= rfc2474 §3
    fn dscp(&self) -> u8 {
        0
    }
    /// Switches can cut it down to its first bytes.
    fn can_be_cut(&self) -> bool {
        true
    }
}

/// Key under which the host keeps a unit's contents (its TCP header), which algorithms below TCP never read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BodyId(pub u32);

/// A whole packet.
#[derive(Debug, PartialEq, Eq)]
pub struct Packet {
    /// Whose it is.
    pub flow: FlowId,
    /// Between which hosts.
    pub hosts: HostPair,
    /// From which host to which; see [`Unit::ends`].
    pub ends: (u32, u32),
    /// The host's handle.
    pub body: BodyId,
    /// Length with headers \[bytes\].
    pub bytes: u16,
    /// Links passed so far on the flow's route.
    pub hop: u16,
    /// The packet's number on its flow, modulo 65,536.
    pub serial: u16,
    /// Its class of service; see [`Unit::priority`].
    pub priority: u8,
    /// Its Diffserv code point; see [`Unit::dscp`].
    pub dscp: u8,
    /// Its ECN field.
    pub ecn: Ecn,
}

/// An ATM cell of an AAL5 frame: 53 bytes on the line, 48 of them payload.
///
/// A switch sees `flow` and `last` only. `serial`, `index` and `of` stand for AAL5's length and CRC: with them
/// [`Reassembler`](crate::sar::Reassembler) tells a whole frame from a damaged one.
///
/// Two words instead of six fields: cells are moved at every step, as two registers and not through memory.
#[derive(PartialEq, Eq)]
pub struct Cell {
    /// VC (32 bits), body (32)
    whose: u64,
    /// way (20), hop (6), serial (16), index (11), of (11)
    place: u64,
}

/// Where the parts of [`Cell`]'s second word begin.
mod at {
    pub const INDEX: u32 = 11;
    pub const SERIAL: u32 = INDEX + 11;
    pub const HOP: u32 = SERIAL + 16;
    pub const WAY: u32 = HOP + 6;
}

impl Cell {
    /// The most links on a way.
    pub const HOPS: usize = 63;
    /// The most ways in a network, two to a flow.
    pub const WAYS: usize = 1 << 20;

    /// The first of the `of` cells of frame number `serial` (modulo 65,536), on a VC of its own.
    #[inline]
    pub fn first(way: FlowId, body: BodyId, serial: u16, of: u16) -> Self {
        debug_assert!(of < 1 << 11 && (way.0 as usize) < Self::WAYS);
        Self {
            whose: (u64::from(way.0) << 32) | u64::from(body.0),
            place: u64::from(way.0) << at::WAY | u64::from(serial) << at::SERIAL | u64::from(of),
        }
    }

    /// The first cell of this one's frame, as frame number `serial` of another VC.
    pub fn again(&self, vc: FlowId, serial: u16) -> Self {
        let kept = self.place >> at::HOP << at::HOP | u64::from(self.of());
        Self {
            whose: (u64::from(vc.0) << 32) | u64::from(self.body().0),
            place: kept | u64::from(serial) << at::SERIAL,
        }
    }

    /// An RM cell, on the VC of the way: it is of no frame.
    pub fn control(way: FlowId, body: BodyId, serial: u16) -> Self {
        Self::first(way, body, serial, 0)
    }

    /// Whether it is an RM cell, which belongs to no packet. (A switch recognizes one by PTI 110 in the header.)
    #[inline]
    pub fn is_control(&self) -> bool {
        self.of() == 0
    }

    /// The cell after this one in its frame.
    #[inline]
    pub fn following(&self) -> Self {
        debug_assert!(!self.last());
        Self {
            place: self.place + (1 << at::INDEX),
            ..*self
        }
    }

    /// Whose it is, end to end, and in which direction; several ways may share a VC.
    #[inline]
    pub fn way(&self) -> FlowId {
        FlowId((self.place >> at::WAY) as u32)
    }

    /// The host's handle of the frame.
    #[inline]
    pub fn body(&self) -> BodyId {
        BodyId(self.whose as u32)
    }

    /// Links passed so far.
    #[inline]
    pub fn hop(&self) -> u16 {
        (self.place >> at::HOP) as u16 & 0x3f
    }

    /// One more link passed.
    #[inline]
    pub fn pass(&mut self) {
        self.place += 1 << at::HOP;
    }

    /// The frame's number on its VC, modulo 65,536.
    #[inline]
    pub fn serial(&self) -> u16 {
        (self.place >> at::SERIAL) as u16
    }

    /// Position in the frame, from 0.
    #[inline]
    pub fn index(&self) -> u16 {
        (self.place >> at::INDEX) as u16 & 0x7ff
    }

    /// Cells of the frame.
    #[inline]
    pub fn of(&self) -> u16 {
        self.place as u16 & 0x7ff
    }
}

impl core::fmt::Debug for Cell {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if self.is_control() {
            return write!(f, "RM cell of VC {}", self.flow().0);
        }
        let (index, of) = (self.index(), self.of());
        write!(
            f,
            "cell {index} of {of}, frame {} of VC {}",
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
    fn ends(&self) -> (u32, u32) {
        self.ends
    }
    fn last(&self) -> bool {
        true
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn priority(&self) -> u8 {
        self.priority
    }
    fn dscp(&self) -> u8 {
        self.dscp
    }
}

impl Unit for Cell {
    fn can_be_cut(&self) -> bool {
        false
    }
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
        // A unit that belongs to no frame is its own last unit.
        self.index() + 1 >= self.of()
    }
}

const _: () = assert!(size_of::<Packet>() <= 32 && size_of::<Cell>() == 16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_keeps_what_it_is_made_of() {
        let (way, body) = (FlowId(Cell::WAYS as u32 - 1), BodyId(u32::MAX));
        let mut cell = Cell::first(way, body, u16::MAX, 1366);
        for _ in 0..Cell::HOPS {
            cell.pass();
        }
        while !cell.last() {
            cell = cell.following();
        }
        let told = |cell: &Cell| (cell.way(), cell.flow(), cell.body(), cell.hop(), cell.of());
        assert_eq!(told(&cell), (way, way, body, 63, 1366));
        assert_eq!((cell.serial(), cell.index()), (u16::MAX, 1365));
        let control = Cell::control(way, body, 9);
        assert!(control.is_control() && control.last() && !cell.is_control());
        assert_eq!(told(&control), (way, way, body, 0, 0));
        let again = cell.again(FlowId(u32::MAX), 7);
        assert_eq!(told(&again), (way, FlowId(u32::MAX), body, 63, 1366));
        assert_eq!((again.serial(), again.index()), (7, 0));
    }
}
