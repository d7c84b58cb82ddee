//! Cells or packets: how a packet is split into units on a line, and reassembled.

use dupack_core::measure::{Bytes, CELL_BITS, Pacer};
use dupack_core::sar::{self, Joined, Reassembler};
use dupack_core::time::Duration;
use dupack_core::unit::{BodyId, Cell, Ecn, FlowId, HostPair, Packet, Unit};

/// Properties that the units of a packet share.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub way: FlowId,
    pub hosts: HostPair,
    pub ends: (u32, u32),
    pub body: BodyId,
    pub serial: u16,
    pub priority: u8,
    pub dscp: u8,
    pub ecn: Ecn,
}

/// A unit that the world can carry.
pub trait Grain: Unit + Sized {
    /// The receiving end of a flow's way.
    type Joiner: Default + Clone + std::fmt::Debug;
    /// There are lines on which such units overtake each other.
    const OVERTAKES: bool;
    /// What follows a unit in its packet: nothing, or how many units and the state needed to time them.
    type Rest: Copy + std::fmt::Debug;

    /// The rest of a packet of which one unit has been sent and `more` follow.
    fn rest(more: u16, pacer: &Pacer) -> Self::Rest;
    /// How many units it has.
    fn more(rest: &Self::Rest) -> u16;
    /// One less; the time that its `bits` take.
    fn advance(rest: &mut Self::Rest, bits: u64) -> Duration;

    /// Units that a packet of `bytes` becomes.
    fn count(bytes: Bytes, trailer: Bytes) -> u16;
    /// Bits on the line of all of them.
    fn line_bits(bytes: Bytes, trailer: Bytes) -> u64;
    /// The first of `of` units of a packet of `bytes`.
    fn first(header: Header, bytes: Bytes, of: u16) -> Self;
    /// An RM cell; `None` for units that are no cells.
    fn control(way: FlowId, body: BodyId, serial: u16) -> Option<Self>;
    /// Whether it is an RM cell.
    fn is_control(&self) -> bool;
    /// Sets CE in its header; for a cell, the packet is marked instead.
    fn set_ce(&mut self) {}
    /// The unit after it is cut to `keep`; `None` for units that are never cut.
    fn cut(&self, body: BodyId, keep: Bytes, priority: u8) -> Option<Self>;
    /// The unit after this one in its packet.
    fn following(&self) -> Self;
    /// The first unit of its packet, as number `serial` of another VC, and how many follow it.
    fn again(self, vc: FlowId, serial: u16) -> (Self, u16);
    /// Whose it is, end to end, and in which direction.
    fn way(&self) -> FlowId;
    /// Whether it begins a packet.
    fn begins(&self) -> bool;
    /// Bits on the line.
    fn bits(&self) -> u64;
    /// Bits of its whole packet, as units.
    fn packet_bits(&self) -> u64;
    /// The host's handle.
    fn body(&self) -> BodyId;
    /// The packet's number on its way.
    fn serial(&self) -> u16;
    /// A key that is unique among all waiting units.
    fn key(&self) -> u64;
    /// Links passed.
    fn hop(&self) -> u16;
    /// One more link passed.
    fn pass(&mut self);
    /// Arrives at the end of its way.
    fn join(&self, joiner: &mut Self::Joiner) -> Joined;
}

impl Grain for Packet {
    type Joiner = ();
    const OVERTAKES: bool = true;
    // A packet is a single unit, so no unit follows it.
    type Rest = ();

    fn rest(_: u16, _: &Pacer) {}
    fn more((): &()) -> u16 {
        0
    }
    fn advance((): &mut (), _: u64) -> Duration {
        Duration::ZERO
    }

    fn count(_: Bytes, _: Bytes) -> u16 {
        1
    }
    #[inline]
    fn line_bits(bytes: Bytes, _: Bytes) -> u64 {
        bytes.0 * 8
    }
    #[inline]
    fn first(header: Header, bytes: Bytes, _: u16) -> Self {
        Self {
            flow: header.way,
            hosts: header.hosts,
            ends: header.ends,
            body: header.body,
            bytes: bytes.0 as u16,
            hop: 0,
            serial: header.serial,
            priority: header.priority,
            dscp: header.dscp,
            ecn: header.ecn,
        }
    }
    fn control(_: FlowId, _: BodyId, _: u16) -> Option<Self> {
        None
    }
    #[inline]
    fn is_control(&self) -> bool {
        false
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn cut(&self, body: BodyId, keep: Bytes, priority: u8) -> Option<Self> {
        let bytes = keep.0.min(u64::from(self.bytes)) as u16;
        Some(Self {
            body,
            bytes,
            priority: priority.max(self.priority),
            ..*self
        })
    }
    fn following(&self) -> Self {
        unreachable!("a packet is one unit")
    }
    fn again(self, _: FlowId, _: u16) -> (Self, u16) {
        // A packet was not segmented, and has no VC.
        (self, 0)
    }
    #[inline]
    fn way(&self) -> FlowId {
        self.flow
    }
    fn begins(&self) -> bool {
        true
    }
    #[inline]
    fn bits(&self) -> u64 {
        u64::from(self.bytes) * 8
    }
    #[inline]
    fn packet_bits(&self) -> u64 {
        self.bits()
    }
    #[inline]
    fn body(&self) -> BodyId {
        self.body
    }
    fn serial(&self) -> u16 {
        self.serial
    }
    fn key(&self) -> u64 {
        u64::from(self.body.0)
    }
    #[inline]
    fn hop(&self) -> u16 {
        self.hop
    }
    #[inline]
    fn pass(&mut self) {
        self.hop += 1;
    }
    #[inline]
    fn join(&self, (): &mut ()) -> Joined {
        Joined::Whole
    }
}

impl Grain for Cell {
    type Joiner = Reassembler;
    const OVERTAKES: bool = false;
    type Rest = (u16, Pacer);

    #[inline]
    fn rest(more: u16, pacer: &Pacer) -> (u16, Pacer) {
        (more, *pacer)
    }
    #[inline]
    fn more((more, _): &(u16, Pacer)) -> u16 {
        *more
    }
    #[inline]
    fn advance((more, pacer): &mut (u16, Pacer), bits: u64) -> Duration {
        *more -= 1;
        pacer.advance(bits)
    }

    fn count(bytes: Bytes, trailer: Bytes) -> u16 {
        sar::cells(bytes, trailer)
    }
    #[inline]
    fn line_bits(bytes: Bytes, trailer: Bytes) -> u64 {
        u64::from(sar::cells(bytes, trailer)) * CELL_BITS
    }
    #[inline]
    fn first(header: Header, _: Bytes, of: u16) -> Self {
        Self::first(header.way, header.body, header.serial, of)
    }
    fn control(way: FlowId, body: BodyId, serial: u16) -> Option<Self> {
        Some(Self::control(way, body, serial))
    }
    #[inline]
    fn is_control(&self) -> bool {
        self.is_control()
    }
    fn cut(&self, _: BodyId, _: Bytes, _: u8) -> Option<Self> {
        None
    }
    #[inline]
    fn following(&self) -> Self {
        self.following()
    }
    fn again(self, vc: FlowId, serial: u16) -> (Self, u16) {
        (Self::again(&self, vc, serial), self.of() - 1)
    }
    #[inline]
    fn way(&self) -> FlowId {
        self.way()
    }
    #[inline]
    fn begins(&self) -> bool {
        self.index() == 0
    }
    #[inline]
    fn bits(&self) -> u64 {
        CELL_BITS
    }
    #[inline]
    fn packet_bits(&self) -> u64 {
        u64::from(self.of()) * CELL_BITS
    }
    #[inline]
    fn body(&self) -> BodyId {
        self.body()
    }
    #[inline]
    fn serial(&self) -> u16 {
        self.serial()
    }
    fn key(&self) -> u64 {
        // A packet's place may be reused before its last cell arrives, but its serial number on its VC is unique, also for RM cells.
        let cell = u64::from(self.index()) << 1 | u64::from(self.is_control());
        u64::from(self.flow().0) << 32 | u64::from(self.serial()) << 16 | cell
    }
    #[inline]
    fn hop(&self) -> u16 {
        self.hop()
    }
    #[inline]
    fn pass(&mut self) {
        self.pass();
    }
    #[inline]
    fn join(&self, joiner: &mut Reassembler) -> Joined {
        joiner.join(self)
    }
}
