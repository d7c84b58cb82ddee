//! Losses on a line, other than drops at a full buffer. One file each.

pub mod bernoulli;
pub mod bit_errors;
pub mod burst;
pub mod gilbert_elliott;
pub mod late_in_burst;
pub mod script;
pub mod timed_burst;

use crate::ledger::Cause;
use crate::rng::Stream;
use crate::time::Instant;

/// A data segment of a flow that a loss model watches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Its number, from 0.
    pub number: u64,
    /// Whether it is a retransmission.
    pub again: bool,
}

/// A packet that a line has sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sent {
    /// The segment that it carries, if the model watches its flow.
    pub segment: Option<Segment>,
    /// Its length, as cells with their headers if the line carries cells \[bit\].
    pub bits: u64,
    /// When its transmission ends; of cells, that of the first.
    pub at: Instant,
}

/// What a line does to a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Harm {
    /// It does not reach the far end.
    Lost(Cause),
    /// It goes on with wrong bits, which only the transport's checksum shows.
    Corrupted,
}

/// A loss model, as a line calls it: once per packet whose transmission begins (for cells: at its first cell). A model that watches
/// flows exists once for each, and is asked about their data only; any other is asked about all packets.
pub trait Loss {
    /// What the line does to this packet, if anything.
    fn on_packet(&mut self, packet: &Sent) -> Option<Harm>;
}

/// A name in a plan, and the parameter that holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Named<'p> {
    /// The parameter.
    pub key: &'static str,
    /// The name.
    pub name: &'p str,
}

include!(concat!(env!("OUT_DIR"), "/loss.rs"));

words! {
    ($)
    /// The parameters of any loss model.
    params LossParams,
    /// Any loss model.
    #[derive(Clone, Debug)]
    any AnyLoss (),
    about (),
    beside (),
}

impl LossParams {
    /// The flow whose data it watches; `None` for a model that is asked about all packets.
    pub fn watches(&self) -> Option<Named<'_>> {
        each!(self, it => it.watches())
    }
}

impl AnyLoss {
    /// A model at the start of a run.
    pub fn new(params: &LossParams, rng: Stream) -> Self {
        made!(params, new, rng)
    }
}

impl Loss for AnyLoss {
    #[inline]
    fn on_packet(&mut self, packet: &Sent) -> Option<Harm> {
        each!(self, it => it.on_packet(packet))
    }
}
