//! What units are about: the TCP part of each packet, kept beside the network while its units travel.

use dupack_core::time::Instant;
use dupack_core::transport::Ack;
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

/// All packets on their way. A packet's place is given back when its last unit is dropped or arrives; earlier units that
/// are still under way then hold a stale handle, which the serial number shows.
#[derive(Debug, Default)]
pub struct Bodies {
    slots: Vec<Body>,
    free: Vec<BodyId>,
}

impl Bodies {
    pub fn put(&mut self, body: Body) -> BodyId {
        if let Some(id) = self.free.pop() {
            self.slots[id.0 as usize] = body;
            return id;
        }
        self.slots.push(body);
        BodyId((self.slots.len() - 1) as u32)
    }

    /// The packet that a unit with these marks belongs to, if it is still kept.
    pub fn get(&mut self, id: BodyId, way: FlowId, serial: u16) -> Option<&mut Body> {
        self.slots
            .get_mut(id.0 as usize)
            .filter(|body| body.way == way && body.serial == serial)
    }

    /// Gives the place back; the caller holds the packet's last unit, so the handle is good.
    pub fn take(&mut self, id: BodyId) -> Body {
        self.free.push(id);
        self.slots[id.0 as usize]
    }

    /// The packets that are still kept: on their way, or damaged with units on their way.
    pub fn kept(&self) -> impl Iterator<Item = &Body> {
        let free: HashSet<u32> = self.free.iter().map(|id| id.0).collect();
        self.slots
            .iter()
            .zip(0..)
            .filter(move |(_, at)| !free.contains(at))
            .map(|(body, _)| body)
    }
}
