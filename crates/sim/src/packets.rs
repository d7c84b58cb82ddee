//! The TCP part of each packet, kept beside the network while the packet's units travel.

use dupack_core::abr::rm_cell::RmCell;
use dupack_core::time::Instant;
use dupack_core::transport::Ack;
use dupack_core::unit::{BodyId, Ecn, FlowId};
use std::collections::HashSet;

/// The TCP part of a packet.
#[derive(Clone, Copy, Debug)]
pub enum Payload {
    /// A data segment.
    Data {
        /// Its number.
        segment: u64,
        /// Whether it is a retransmission.
        again: bool,
        /// The number of this transmission.
        id: u64,
        /// CWR: the window was reduced since the last echo of congestion.
        cwr: bool,
    },
    /// An acknowledgment of a segment that was sent at `sent` (`None` if that had been sent before: no round trip is
    /// measured with it).
    Ack {
        /// The ack.
        ack: Ack,
        /// For measuring round trips, which no machine sees.
        sent: Option<Instant>,
    },
    /// An RM cell, which is of no packet.
    Rm(RmCell),
}

/// Contents of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// A data segment.
    Data {
        /// Its number.
        segment: u64,
        /// Whether it is a retransmission.
        again: bool,
        /// The number of this transmission.
        id: u64,
        /// CWR: the window was reduced since the last echo of congestion.
        cwr: bool,
    },
    /// An acknowledgment.
    Ack(Ack),
}

/// Remaining part of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    /// All of it.
    Whole,
    /// Its header; that the rest is missing shows by the transport's checksum alone.
    Truncated,
    /// Its header, which says that the rest was trimmed off.
    Trimmed,
}

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Whose.
    pub way: FlowId,
    /// Its number on that way, modulo 65,536, as its units carry it.
    pub serial: u16,
    /// Send time.
    pub sent: Instant,
    /// A unit of it has been dropped already.
    pub damaged: bool,
    /// Remaining part.
    pub left: Left,
    /// The ECN field of its IP header.
    pub ecn: Ecn,
    /// The TCP part.
    pub kind: Payload,
}

/// A body as it is stored. Thousands of flows have tens of thousands of bodies, each used twice with a long time between, so their cost
/// is their size. Most acks only say that all data up to their cause has arrived; the others are kept apart.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Kept {
    /// For a truncated copy, which never measures anything: the hop where it was made.
    sent: Instant,
    /// A segment's number, or the next one expected, or the place of an ack that is kept apart.
    number: u64,
    /// Number of the transmission, or of the one that caused the ack.
    id: u64,
    way: FlowId,
    serial: u16,
    is: Is,
    flags: Flags,
}

/// A packet between the parts of a divided run.
#[derive(Debug)]
pub struct Parted {
    kept: Kept,
    /// The ack, if it is kept apart.
    apart: Option<Box<Ack>>,
}

/// Fate of a packet and the bits of its headers, in a byte: its [`State`] (2 bits), its ECN field (2), CWR (1).
#[derive(Clone, Copy, Debug)]
struct Flags(u8);

impl Flags {
    const ECN: u32 = 2;
    const CWR: u8 = 1 << 4;

    fn new(state: State, ecn: Ecn, cwr: bool) -> Self {
        let cwr = if cwr { Self::CWR } else { 0 };
        Self(state as u8 | (ecn as u8) << Self::ECN | cwr)
    }
    #[inline]
    fn state(self) -> State {
        State::ALL[usize::from(self.0 & 3)]
    }
    #[inline]
    fn set_state(&mut self, state: State) {
        self.0 = self.0 & !3 | state as u8;
    }
    #[inline]
    fn ecn(self) -> Ecn {
        Ecn::ALL[usize::from(self.0 >> Self::ECN & 3)]
    }
    fn set_ecn(&mut self, ecn: Ecn) {
        self.0 = self.0 & !(3 << Self::ECN) | (ecn as u8) << Self::ECN;
    }
    #[inline]
    fn cwr(self) -> bool {
        self.0 & Self::CWR != 0
    }
}

/// Fate of a packet: a unit of it was dropped, or it was cut, or neither.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum State {
    Sound,
    Damaged,
    Truncated,
    Trimmed,
}

impl State {
    /// In the order of their discriminants.
    const ALL: [Self; 4] = [Self::Sound, Self::Damaged, Self::Truncated, Self::Trimmed];
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Is {
    New,
    Again,
    /// An ack of its cause and everything before it, without SACK blocks.
    InOrder,
    /// An ack that is kept apart.
    Apart,
    /// An RM cell, which is kept apart, too.
    Rm,
}

impl Kept {
    /// Whose.
    pub fn way(&self) -> FlowId {
        self.way
    }

    /// Its units bear another number from now on.
    pub fn renumber(&mut self, serial: u16) {
        self.serial = serial;
    }

    /// Its ECN field.
    pub fn ecn(&self) -> Ecn {
        self.flags.ecn()
    }

    /// Its ECN field says this from now on.
    pub fn set_ecn(&mut self, ecn: Ecn) {
        self.flags.set_ecn(ecn);
    }

    /// Changes the state; returns the previous one.
    #[inline]
    fn becomes(&mut self, state: State) -> State {
        let before = self.flags.state();
        self.flags.set_state(state);
        before
    }

    /// A unit of it has been dropped already.
    pub fn damaged(&self) -> bool {
        self.flags.state() == State::Damaged
    }

    /// A unit of it is dropped; true if this loses a transmission that was not lost before.
    pub fn damage(&mut self) -> bool {
        self.becomes(State::Damaged) == State::Sound
    }

    /// Its payload is trimmed off; true if this loses a transmission.
    pub fn trim(&mut self) -> bool {
        self.becomes(State::Trimmed) == State::Sound
    }

    /// Bits of it are wrong, which shows by the transport's checksum alone; true if this loses a transmission.
    pub fn corrupt(&mut self) -> bool {
        match self.flags.state() {
            // A header that is left of a packet is discarded or answered as it was before.
            State::Truncated | State::Trimmed => false,
            State::Damaged | State::Sound => {
                // It is no copy: its host sent it.
                self.sent = Instant::NEVER;
                self.becomes(State::Truncated) == State::Sound
            }
        }
    }

    /// Whether it is complete.
    pub fn whole(&self) -> bool {
        matches!(self.flags.state(), State::Sound | State::Damaged)
    }

    /// Remaining part.
    fn left(&self) -> Left {
        match self.flags.state() {
            State::Sound | State::Damaged => Left::Whole,
            State::Truncated => Left::Truncated,
            State::Trimmed => Left::Trimmed,
        }
    }

    /// The hop of its way where it was made, if it is a truncated copy.
    pub fn made_at(&self) -> Option<usize> {
        let copy = self.flags.state() == State::Truncated && self.sent != Instant::NEVER;
        copy.then_some(self.sent.0 as usize)
    }

    /// Its number, and whether that was sent before, if it is data.
    pub fn segment(&self) -> Option<(u64, bool)> {
        match self.is {
            Is::New => Some((self.number, false)),
            Is::Again => Some((self.number, true)),
            Is::InOrder | Is::Apart | Is::Rm => None,
        }
    }

    /// Its contents if it is whole, and neither kept apart nor an RM cell: this needs no copy of an ack.
    #[inline(always)]
    pub fn common(&self) -> Option<Common> {
        if !self.whole() {
            return None;
        }
        let again = match self.is {
            Is::New => false,
            Is::Again => true,
            Is::InOrder => {
                return Some(Common::InOrder {
                    next: self.number,
                    id: self.id,
                    sent: Some(self.sent).filter(|sent| *sent != Instant::NEVER),
                });
            }
            Is::Apart | Is::Rm => return None,
        };
        Some(Common::Data {
            segment: self.number,
            id: self.id,
            sent: (!again).then_some(self.sent),
            ecn: self.flags.ecn(),
            cwr: self.flags.cwr(),
        })
    }

    /// Whether it belongs to a transport, and is not an RM cell.
    pub fn is_transport(&self) -> bool {
        self.is != Is::Rm
    }
}

/// Contents of most packets.
#[derive(Clone, Copy, Debug)]
pub enum Common {
    /// A data segment, by the number of this transmission.
    Data {
        segment: u64,
        id: u64,
        /// Send time, unless it had been sent before.
        sent: Option<Instant>,
        ecn: Ecn,
        cwr: bool,
    },
    /// An ack of its cause and everything before it, without SACK blocks.
    InOrder {
        next: u64,
        id: u64,
        /// When its cause was sent, unless that had been sent before.
        sent: Option<Instant>,
    },
}

/// All packets, and RM cells, on their way. A packet's place is freed when its last unit is dropped or arrives. Units of it that are still
/// on their way then have a stale handle, which the serial number reveals.
#[derive(Debug, Default)]
pub struct Bodies {
    slots: Vec<Kept>,
    free: Vec<BodyId>,
    apart: Vec<Ack>,
    free_apart: Vec<u64>,
    rm_cells: Vec<RmCell>,
    free_rm_cells: Vec<u64>,
}

impl Bodies {
    /// A packet is sent: it is whole, and nothing of it has been dropped.
    // Inlined, because callers know the kind of payload, and the compiler can then remove the other branches.
    #[inline(always)]
    pub fn put(&mut self, body: Body) -> BodyId {
        debug_assert!(body.left == Left::Whole && !body.damaged);
        let mut flags = Flags::new(State::Sound, body.ecn, false);
        let (is, number, id, sent) = match body.kind {
            Payload::Data {
                segment,
                again,
                id,
                cwr,
            } => {
                let is = if again { Is::Again } else { Is::New };
                flags = Flags::new(State::Sound, body.ecn, cwr);
                (is, segment, id, body.sent)
            }
            // For an ack, the field is the time at which its cause was sent, not that of the ack itself.
            Payload::Ack { ack, sent } => {
                let sent = sent.unwrap_or(Instant::NEVER);
                if ack.next == ack.cause + 1
                    && !ack.trimmed
                    && !ack.repeats
                    && !ack.ece
                    && ack.marks == 0
                    && ack.sacked().next().is_none()
                    && ack.ranges.is_empty()
                {
                    (Is::InOrder, ack.next, ack.id, sent)
                } else {
                    (Is::Apart, self.put_apart(ack), ack.id, sent)
                }
            }
            Payload::Rm(rm) => (Is::Rm, self.put_rm(rm), 0, body.sent),
        };
        let kept = Kept {
            sent,
            number,
            id,
            way: body.way,
            serial: body.serial,
            is,
            flags,
        };
        self.keep(kept)
    }

    #[inline(always)]
    fn keep(&mut self, kept: Kept) -> BodyId {
        if let Some(id) = self.free.pop() {
            self.slots[id.0 as usize] = kept;
            return id;
        }
        self.slots.push(kept);
        BodyId((self.slots.len() - 1) as u32)
    }

    /// A truncated copy of a packet that is kept, made at this hop of its way.
    pub fn truncated(&mut self, id: BodyId, hop: u16) -> BodyId {
        let id = self.copied(id);
        let copy = &mut self.slots[id.0 as usize];
        copy.flags.set_state(State::Truncated);
        copy.sent = Instant(u64::from(hop));
        id
    }

    /// A copy of a packet that is kept.
    pub fn copied(&mut self, id: BodyId) -> BodyId {
        let mut copy = self.slots[id.0 as usize];
        if copy.is == Is::Apart {
            let ack = self.apart[copy.number as usize];
            copy.number = self.put_apart(ack);
        }
        self.keep(copy)
    }

    #[cold]
    fn put_apart(&mut self, ack: Ack) -> u64 {
        if let Some(at) = self.free_apart.pop() {
            self.apart[at as usize] = ack;
            return at;
        }
        self.apart.push(ack);
        (self.apart.len() - 1) as u64
    }

    #[cold]
    fn take_apart(&mut self, at: u64) -> Ack {
        self.free_apart.push(at);
        self.apart[at as usize]
    }

    #[cold]
    fn put_rm(&mut self, rm: RmCell) -> u64 {
        if let Some(at) = self.free_rm_cells.pop() {
            self.rm_cells[at as usize] = rm;
            return at;
        }
        self.rm_cells.push(rm);
        (self.rm_cells.len() - 1) as u64
    }

    #[cold]
    fn take_rm(&mut self, at: u64) -> RmCell {
        self.free_rm_cells.push(at);
        self.rm_cells[at as usize]
    }

    /// Contents of an RM cell in the network.
    pub fn rm_cell(&mut self, id: BodyId) -> &mut RmCell {
        let kept = &self.slots[id.0 as usize];
        debug_assert!(kept.is == Is::Rm);
        &mut self.rm_cells[kept.number as usize]
    }

    /// The packet that a unit with these marks belongs to, if it is still kept.
    pub fn get(&mut self, id: BodyId, way: FlowId, serial: u16) -> Option<&mut Kept> {
        self.slots
            .get_mut(id.0 as usize)
            .filter(|body| body.way == way && body.serial == serial)
    }

    /// ECN field of the packet to which a unit with these marks belongs; if it is not kept any more, that of an unmarkable packet.
    pub fn ecn(&self, id: BodyId, way: FlowId, serial: u16) -> Ecn {
        let kept = self.slots.get(id.0 as usize);
        let kept = kept.filter(|body| body.way == way && body.serial == serial);
        kept.map_or(Ecn::NotEct, Kept::ecn)
    }

    /// Contents of the packet to which a unit with these marks belongs, its remaining part, and its ECN field, if it is still kept.
    pub fn peek(&self, id: BodyId, way: FlowId, serial: u16) -> Option<(Carried, Left, Ecn)> {
        let kept = self.slots.get(id.0 as usize)?;
        if kept.way != way || kept.serial != serial {
            return None;
        }
        let carried = match (kept.segment(), kept.is) {
            (Some((segment, again)), _) => Carried::Data {
                segment,
                again,
                id: kept.id,
                cwr: kept.flags.cwr(),
            },
            (None, Is::Apart) => Carried::Ack(self.apart[kept.number as usize]),
            (None, _) => Carried::Ack(Ack {
                next: kept.number,
                cause: kept.number - 1,
                id: kept.id,
                ..Ack::default()
            }),
        };
        Some((carried, kept.left(), kept.ecn()))
    }

    /// The same of an ack of `next - 1` and everything before it, which answers transmission `id`.
    #[inline(always)]
    pub fn put_in_order(
        &mut self,
        (way, serial): (FlowId, u16),
        (next, id): (u64, u64),
        sent: Option<Instant>,
    ) -> BodyId {
        self.keep(Kept {
            sent: sent.unwrap_or(Instant::NEVER),
            number: next,
            id,
            way,
            serial,
            is: Is::InOrder,
            flags: Flags::new(State::Sound, Ecn::NotEct, false),
        })
    }

    /// Frees the place; the caller holds the packet's last unit, so the handle is valid.
    #[inline(always)]
    pub fn take(&mut self, id: BodyId) -> Body {
        let kept = self.free(id);
        self.open(kept)
    }

    /// The same, and what was in it as it was stored: [`Bodies::open`] must follow unless it is [`Kept::common`].
    #[inline(always)]
    pub fn free(&mut self, id: BodyId) -> Kept {
        self.free.push(id);
        self.slots[id.0 as usize]
    }

    /// Contents of a packet whose place was freed.
    #[inline(always)]
    pub fn open(&mut self, kept: Kept) -> Body {
        let kind = match kept.segment() {
            Some((segment, again)) => Payload::Data {
                segment,
                again,
                id: kept.id,
                cwr: kept.flags.cwr(),
            },
            None if kept.is == Is::Rm => Payload::Rm(self.take_rm(kept.number)),
            None => {
                let ack = match kept.is {
                    Is::Apart => self.take_apart(kept.number),
                    _ => Ack {
                        next: kept.number,
                        cause: kept.number - 1,
                        id: kept.id,
                        ..Ack::default()
                    },
                };
                let sent = Some(kept.sent).filter(|sent| *sent != Instant::NEVER);
                Payload::Ack { ack, sent }
            }
        };
        Body {
            way: kept.way,
            serial: kept.serial,
            sent: kept.sent,
            damaged: kept.damaged(),
            left: kept.left(),
            ecn: kept.ecn(),
            kind,
        }
    }

    /// A packet leaves for the bodies of another part of a divided run.
    pub fn part_with(&mut self, id: BodyId) -> Parted {
        let kept = self.free(id);
        let apart = (kept.is == Is::Apart).then(|| Box::new(self.take_apart(kept.number)));
        debug_assert!(kept.is != Is::Rm, "a run of cells is not divided");
        Parted { kept, apart }
    }

    /// A packet comes from there.
    pub fn take_in(&mut self, parted: Parted) -> BodyId {
        let Parted { mut kept, apart } = parted;
        if let Some(ack) = apart {
            kept.number = self.put_apart(*ack);
        }
        self.keep(kept)
    }

    /// Takes all that is kept in the bodies of another part, whose handles are void then.
    pub fn join(&mut self, other: &Self) {
        for kept in other.kept() {
            self.keep(*kept);
        }
    }

    /// The packets that are still kept: on their way, or damaged with units on their way.
    pub fn kept(&self) -> impl Iterator<Item = &Kept> {
        let free: HashSet<u32> = self.free.iter().map(|id| id.0).collect();
        self.slots
            .iter()
            .zip(0..)
            .filter(move |(_, at)| !free.contains(at))
            .map(|(body, _)| body)
    }
}

const _: () = assert!(size_of::<Kept>() == 32);
