//! Rate markers: what an output port answers to the RM cells of the sources whose cells leave by it. One file each; the roster is the
//! line at the end.
//!
//! A marker holds no cell and drops none. It watches what is offered to its port, and lowers the explicit rate (or sets CI, NI) of RM cells:
//! of those that go forward through the port, or of those that come back on their way to the source, which is sooner by up to a round trip.

use super::rm_cell::RmCell;
use crate::declare::{Declared, Parameter, Value};
use crate::measure::CellRate;
use crate::time::Instant;
use crate::unit::FlowId;

/// What a port asks of its marker. `backlog` is the cells that wait in the port's queue, without the one being sent and before
/// the cell in question; `vc` is that of the data, in both directions.
pub trait RateMarker {
    /// A cell of an ABR VC, of data or RM, is offered to the port.
    fn on_cell(&mut self, _now: Instant, _vc: FlowId, _backlog: u64) {}
    /// That cell is a forward RM cell; after [`Self::on_cell`].
    fn on_forward(&mut self, _now: Instant, _vc: FlowId, _rm: &mut RmCell, _backlog: u64) {}
    /// A backward RM cell of `vc`, whose data leave by this port, passes the other way.
    fn on_backward(&mut self, now: Instant, vc: FlowId, rm: &mut RmCell, backlog: u64);
    /// Tells its state, by name: rates in cells per second.
    fn gauges(&self, tell: &mut dyn FnMut(&'static str, f64));
}

/// What a marker is told of the line that its port feeds.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// What the line carries, all of it for ABR.
    pub rate: CellRate,
}

/// What plans, pages and errors say of a marker.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The word in plans.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

/// Makes the roster: per word a module with `Params` (declared) and `Marker`.
macro_rules! roster {
    ($($word:ident),+ $(,)?) => {
        $(pub mod $word;)+

        /// The parameters of any marker.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum Params { $($word($word::Params)),+ }

        /// Any marker.
        #[derive(Clone, Debug)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum Marker { $($word($word::Marker)),+ }

        /// Every marker, in the order of the pages.
        pub const ROSTER: &[Entry] = &[$(Entry {
            name: $word::Params::NAME,
            summary: $word::Params::SUMMARY,
            source: $word::Params::SOURCE,
            parameters: $word::Params::PARAMETERS,
        }),+];

        impl Params {
            /// The parameters of the marker called `name`, from values in the order of its declaration.
            pub fn from_values(name: &str, values: &[Value]) -> Option<Self> {
                $(if name == $word::Params::NAME { return Some(Self::$word($word::Params::from_values(values))); })+
                None
            }

            /// Whether the values go together.
            pub fn check(&self) -> Result<(), crate::declare::Fault> {
                match self { $(Self::$word(it) => it.check()),+ }
            }

            /// The marker's name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$word(_) => $word::Params::NAME),+ }
            }
        }

        impl Marker {
            /// A marker that has seen nothing yet, before `line`.
            pub fn new(params: &Params, line: Line) -> Self {
                match params { $(Params::$word(it) => Self::$word($word::Marker::new(it, line))),+ }
            }
        }

        impl RateMarker for Marker {
            #[inline]
            fn on_cell(&mut self, now: Instant, vc: FlowId, backlog: u64) {
                match self { $(Self::$word(it) => it.on_cell(now, vc, backlog)),+ }
            }
            fn on_forward(&mut self, now: Instant, vc: FlowId, rm: &mut RmCell, backlog: u64) {
                match self { $(Self::$word(it) => it.on_forward(now, vc, rm, backlog)),+ }
            }
            fn on_backward(&mut self, now: Instant, vc: FlowId, rm: &mut RmCell, backlog: u64) {
                match self { $(Self::$word(it) => it.on_backward(now, vc, rm, backlog)),+ }
            }
            fn gauges(&self, tell: &mut dyn FnMut(&'static str, f64)) {
                match self { $(Self::$word(it) => it.gauges(tell)),+ }
            }
        }
    };
}

roster!(eprca, erica);

#[cfg(test)]
mod conformance;
#[cfg(test)]
pub(crate) mod script;
