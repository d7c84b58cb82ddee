//! Drop-tail: drops a packet that arrives at a full buffer.

use super::aqm::{Aqm, Arrival, Departure, Fifo, Verdict};
use super::{About, Grain, Line, Make};
use crate::measure::Room;
use crate::time::Instant;

crate::declare! {
    /// Drops a packet that arrives at a full buffer.
    pub struct DropTailParams as "drop-tail" from "common practice" {
        /// Capacity of the buffer, without the packet being transmitted.
        buffer: Room;
    }
}

impl DropTailParams {
    /// Whether it marks.
    pub(super) const fn marks(&self) -> bool {
        false
    }
}

/// Where it runs; on cells the same is called `plain`.
pub const ABOUT: About = About::on(&[Grain::Packets]).blind_to_flows();

/// Lets every unit in for which there is room.
#[derive(Debug)]
pub struct TailDrop;

impl Aqm for TailDrop {
    type Stamp = ();
    const AT_ARRIVAL: bool = true;

    #[inline(always)]
    fn on_arrival(&mut self, _: Instant, _: &Arrival) -> Verdict {
        Verdict::Pass
    }

    #[inline(always)]
    fn on_joined(&mut self, _: Instant, _: u32) {}

    #[inline(always)]
    fn on_departure(&mut self, _: Instant, _: &Departure<()>) -> Verdict {
        Verdict::Pass
    }
}

impl Make<DropTailParams> for TailDrop {
    fn make(_: &DropTailParams, _: Line) -> Self {
        Self
    }
}

/// A FIFO of limited room.
pub type DropTail<U> = Fifo<U, TailDrop>;

impl<U> DropTail<U> {
    /// An empty buffer of this room \[units\].
    pub fn with_room(room: Room) -> Self {
        Self::new(room, TailDrop)
    }
}

impl<U> Make<DropTailParams> for DropTail<U> {
    fn make(params: &DropTailParams, _: Line) -> Self {
        Self::with_room(params.buffer)
    }
}
