//! Losses on a line, other than drops at a full buffer. One file each.

pub mod bernoulli;
pub mod burst;
pub mod gilbert_elliott;
pub mod script;

use crate::ledger::Cause;
use crate::rng::Stream;

/// A data segment of a flow that a loss model watches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Its number, from 0.
    pub number: u64,
    /// Whether it is a retransmission.
    pub again: bool,
}

/// A loss model, as a line calls it: once per packet whose transmission begins (for cells: at its first cell). A model that watches
/// flows exists once for each, and is asked about their data only; any other is asked about all packets.
pub trait Loss {
    /// The cause if the line loses this packet. `segment` is the segment that it carries, if the model watches the flow.
    fn on_packet(&mut self, segment: Option<Segment>) -> Option<Cause>;
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
    fn on_packet(&mut self, segment: Option<Segment>) -> Option<Cause> {
        each!(self, it => it.on_packet(segment))
    }
}
