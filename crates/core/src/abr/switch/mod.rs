//! Rate markers: they write the answers of an output port into the RM cells of the sources whose cells leave by it. One file each.
//!
//! A marker holds no cell and drops none. It watches the cells offered to its port, and lowers the explicit rate (or sets CI, NI)
//! of RM cells: of those that go forward through the port, or of those that return to the source, which is earlier by up to a round
//! trip.

pub mod eprca;
pub mod erica;

use super::rm_cell::RmCell;
use crate::gauge::Tell;
use crate::measure::CellRate;
use crate::time::Instant;
use crate::unit::FlowId;

/// A rate marker, as a port calls it. `backlog` is the number of cells waiting in the port's queue, without the one being sent and
/// before the cell in question; `vc` is that of the data, in both directions.
pub trait RateMarker {
    /// A cell of an ABR VC, of data or RM, is offered to the port.
    fn on_cell(&mut self, _now: Instant, _vc: FlowId, _backlog: u64) {}
    /// The cell is a forward RM cell; called after [`Self::on_cell`].
    fn on_forward(&mut self, _now: Instant, _vc: FlowId, _rm: &mut RmCell, _backlog: u64) {}
    /// A backward RM cell of `vc`, whose data leave by this port, passes the other way.
    fn on_backward(&mut self, now: Instant, vc: FlowId, rm: &mut RmCell, backlog: u64);
    /// Reports its state.
    fn gauges(&self, tell: &mut Tell);
}

/// Information for a marker about the line that its port feeds.
#[derive(Clone, Copy, Debug)]
pub struct MarkedLine {
    /// Rate of the line, all of it available to ABR.
    pub rate: CellRate,
}

include!(concat!(env!("OUT_DIR"), "/abr_switch.rs"));

words! {
    ($)
    /// The parameters of any rate marker.
    params MarkerParams,
    /// Any rate marker.
    #[derive(Clone, Debug)]
    any AnyMarker (),
    about (),
    beside (),
}

impl AnyMarker {
    /// A marker that has seen nothing yet, before `line`.
    pub fn new(params: &MarkerParams, line: MarkedLine) -> Self {
        made!(params, new, line)
    }
}

impl RateMarker for AnyMarker {
    #[inline]
    fn on_cell(&mut self, now: Instant, vc: FlowId, backlog: u64) {
        each!(self, it => it.on_cell(now, vc, backlog));
    }
    fn on_forward(&mut self, now: Instant, vc: FlowId, rm: &mut RmCell, backlog: u64) {
        each!(self, it => it.on_forward(now, vc, rm, backlog));
    }
    fn on_backward(&mut self, now: Instant, vc: FlowId, rm: &mut RmCell, backlog: u64) {
        each!(self, it => it.on_backward(now, vc, rm, backlog));
    }
    fn gauges(&self, tell: &mut Tell) {
        each!(self, it => it.gauges(tell));
    }
}

#[cfg(test)]
mod conformance;
#[cfg(test)]
pub(crate) mod script;
