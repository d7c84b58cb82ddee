//! Plain ATM: drops a cell that arrives at a full buffer, whatever packet it belongs to.
//!
//! The algorithm is drop-tail's, so its queue is used; only the name in the literature and the grain differ.
//= cohen-hamo-2001 §3

pub use super::drop_tail::DropTail as Plain;
use super::{About, Grain, Line, Make};
use crate::measure::Room;
use crate::unit::Unit;

crate::declare! {
    /// Drops a cell that arrives at a full buffer, whatever packet it belongs to.
    pub struct PlainParams as "plain" from "cohen-hamo-2001 §3" {
        /// Capacity of the buffer, without the cell being transmitted.
        buffer: Room;
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Cells]);

impl<U: Unit> Make<PlainParams> for Plain<U> {
    fn make(params: &PlainParams, _: Line) -> Self {
        Self::with_room(params.buffer)
    }
}
