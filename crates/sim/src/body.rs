//! What units are about: the TCP part of each packet, kept beside the network while its units travel.

use dupack_core::time::Instant;
use dupack_core::transport::{Ack, Block, SACK_BLOCKS};
use dupack_core::unit::{BodyId, FlowId};
use std::collections::HashSet;

/// The TCP part of a packet.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A data segment.
    Data {
        /// Its number.
        segment: u64,
        /// It had been sent before.
        again: bool,
        /// The number of this transmission.
        id: u64,
    },
    /// An acknowledgement of a segment that was sent at `sent` (`None` if that had been sent before: no round trip is
    /// measured with it).
    Ack {
        /// What it says.
        ack: Ack,
        /// For the meter of round trips, which no machine sees.
        sent: Option<Instant>,
    },
}

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Whose.
    pub way: FlowId,
    /// Its number on that way, modulo 65,536, as its units carry it.
    pub serial: u16,
    /// When it was sent.
    pub sent: Instant,
    /// A unit of it has been dropped already.
    pub damaged: bool,
    /// The TCP part.
    pub kind: Kind,
}

/// A body as it is kept: with thousands of flows there are tens of thousands, each touched twice and long apart, so their size is
/// what they cost. Few acks have runs to report, which are kept apart.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    sent: Instant,
    /// A segment's number, or the next one expected.
    number: u64,
    /// The transmission's number, or that of what caused the ack.
    id: u64,
    /// What caused the ack, and where its runs are ([`NONE`] if it has none).
    cause: u64,
    runs: u32,
    way: FlowId,
    serial: u16,
    is: Is,
    damaged: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Is {
    New,
    Again,
    Ack,
}

const NONE: u32 = u32::MAX;

impl Kept {
    /// Whose.
    pub fn way(&self) -> FlowId {
        self.way
    }

    /// A unit of it has been dropped already.
    pub fn damaged(&self) -> bool {
        self.damaged
    }

    /// A unit of it is dropped; true if it is the first.
    pub fn damage(&mut self) -> bool {
        !std::mem::replace(&mut self.damaged, true)
    }

    /// Its number, and whether that was sent before, if it is data.
    pub fn segment(&self) -> Option<(u64, bool)> {
        (self.is != Is::Ack).then_some((self.number, self.is == Is::Again))
    }
}

/// All packets on their way. A packet's place is given back when its last unit is dropped or arrives; earlier units that
/// are still under way then hold a stale handle, which the serial number shows.
#[derive(Debug, Default)]
pub struct Bodies {
    slots: Vec<Kept>,
    free: Vec<BodyId>,
    runs: Vec<[Block; SACK_BLOCKS]>,
    free_runs: Vec<u32>,
}

impl Bodies {
    pub fn put(&mut self, body: Body) -> BodyId {
        let mut kept = Kept {
            sent: body.sent,
            number: 0,
            id: 0,
            cause: 0,
            runs: NONE,
            way: body.way,
            serial: body.serial,
            is: Is::Ack,
            damaged: body.damaged,
        };
        match body.kind {
            Kind::Data { segment, again, id } => {
                (kept.number, kept.id) = (segment, id);
                kept.is = if again { Is::Again } else { Is::New };
            }
            Kind::Ack { ack, sent } => {
                (kept.number, kept.id, kept.cause) = (ack.next, ack.id, ack.cause);
                // Of an ack it is asked when its cause was sent, not when it was itself.
                kept.sent = sent.unwrap_or(Instant::NEVER);
                if ack.sacked().next().is_some() {
                    kept.runs = self.put_runs(ack.blocks);
                }
            }
        }
        if let Some(id) = self.free.pop() {
            self.slots[id.0 as usize] = kept;
            return id;
        }
        self.slots.push(kept);
        BodyId((self.slots.len() - 1) as u32)
    }

    #[cold]
    fn put_runs(&mut self, runs: [Block; SACK_BLOCKS]) -> u32 {
        if let Some(at) = self.free_runs.pop() {
            self.runs[at as usize] = runs;
            return at;
        }
        self.runs.push(runs);
        (self.runs.len() - 1) as u32
    }

    /// The packet that a unit with these marks belongs to, if it is still kept.
    pub fn get(&mut self, id: BodyId, way: FlowId, serial: u16) -> Option<&mut Kept> {
        self.slots
            .get_mut(id.0 as usize)
            .filter(|body| body.way == way && body.serial == serial)
    }

    /// Gives the place back; the caller holds the packet's last unit, so the handle is good.
    pub fn take(&mut self, id: BodyId) -> Body {
        self.free.push(id);
        let kept = self.slots[id.0 as usize];
        let kind = match kept.segment() {
            Some((segment, again)) => Kind::Data {
                segment,
                again,
                id: kept.id,
            },
            None => {
                let mut blocks = Default::default();
                if kept.runs != NONE {
                    blocks = self.runs[kept.runs as usize];
                    self.free_runs.push(kept.runs);
                }
                let (next, cause, id) = (kept.number, kept.cause, kept.id);
                let ack = Ack {
                    next,
                    cause,
                    id,
                    blocks,
                };
                let sent = Some(kept.sent).filter(|sent| *sent != Instant::NEVER);
                Kind::Ack { ack, sent }
            }
        };
        Body {
            way: kept.way,
            serial: kept.serial,
            sent: kept.sent,
            damaged: kept.damaged,
            kind,
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

const _: () = assert!(size_of::<Kept>() <= 48);
