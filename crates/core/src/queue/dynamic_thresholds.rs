//! Dynamic thresholds: a flow may hold at most alpha times the free room.
//!
//! With n greedy flows, each holds alpha / (1 + n alpha) of the buffer: the same for all, whatever they offer, and a part stays free for
//! new flows. Nothing is pushed out.
//!
//! "A queue whose length equals or exceeds the current threshold value may accept no more arrivals." Choudhury & Hahne had a queue per
//! output port and no packets. Here a queue is the backlog of a VC in the FIFO, and the threshold applies at a packet's first cell: the
//! whole packet is admitted, or dropped with its end mark. A further cell that arrives at a full buffer is dropped, with the rest of its
//! packet except for the end mark (PPD).
//!
//! alpha is a power of two, as they propose for hardware, so it is exact.
//= choudhury-hahne-1998

use super::frames::{Frames, Policy, Rules};
use super::policed::Policed;
use super::{About, Grain, Make};
use crate::ledger::{Cause, Ledger};
use crate::measure::Room;
use crate::unit::{FlowId, Unit};

crate::choice! {
    /// Multiple of the free room.
    pub enum Alpha {
        /// 1/8
        Eighth = "1/8",
        /// 1/4
        Quarter = "1/4",
        /// 1/2
        Half = "1/2",
        /// 1
        One = "1",
        /// 2
        Two = "2",
        /// 4
        Four = "4",
        /// 8
        Eight = "8",
        /// 16
        Sixteen = "16",
    }
}

crate::declare! {
    /// Admits no new packet of a flow that holds alpha times the free room or more.
    pub struct DynamicThresholdsParams as "dynamic-thresholds" from "choudhury-hahne-1998" {
        /// Capacity of the buffer that all flows share, without the unit being transmitted.
        buffer: Room;
        /// Room that a flow may hold, as a multiple of the free room.
        alpha: Alpha = "1";
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets, Grain::Cells]);

/// A FIFO with a threshold that moves.
pub type DynamicThresholds<U> = Policed<U, Dynamic>;

/// alpha is `times` / `parts`.
#[derive(Clone, Copy, Debug)]
pub struct Dynamic {
    times: u32,
    parts: u32,
}

impl<U: Unit> Make<DynamicThresholdsParams> for DynamicThresholds<U> {
    fn make(params: &DynamicThresholdsParams, _: super::Line) -> Self {
        let (times, parts) = match params.alpha {
            Alpha::Eighth => (1, 8),
            Alpha::Quarter => (1, 4),
            Alpha::Half => (1, 2),
            Alpha::One => (1, 1),
            Alpha::Two => (2, 1),
            Alpha::Four => (4, 1),
            Alpha::Eight => (8, 1),
            Alpha::Sixteen => (16, 1),
        };
        let room = params.buffer.count();
        Self::new(room, Rules::default(), Dynamic { times, parts })
    }
}

impl<U: Unit> Policy<U> for Dynamic {
    #[inline]
    fn refuse(
        &mut self,
        frames: &mut Frames<U>,
        flow: FlowId,
        _: &mut impl Ledger<U>,
    ) -> Option<Cause> {
        let own = frames.cells_of(flow) * u64::from(self.parts);
        let free = frames.available() as u64 * u64::from(self.times);
        // `>=`, because the threshold is 0 if no room is free: then a flow without cells is refused, too.
        (own >= free).then_some(Cause::Early)
    }

    fn make_room(&mut self, _: &mut Frames<U>, _: FlowId, _: &mut impl Ledger<U>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{Named, check, line};

    fn queue(buffer: &str, alpha: &str) -> DynamicThresholds<Named> {
        let params = DynamicThresholdsParams::from_texts(&[("buffer", buffer), ("alpha", alpha)]);
        DynamicThresholds::make(&params, line())
    }

    #[test]
    fn who_holds_alpha_times_the_free_room_begins_no_packet() {
        check(
            queue("6 packets", "1"),
            "a1 40    => kept       # 1 of 5
             a2 40    => kept       # 2 of 4
             a3 40    => kept       # 3 of 3
             a4 40    => early
             b1 40    => kept       # 1 of 2
             b2 40    => kept       # 2 of 1
             b3 40    => early
             c1 40    => kept
             d1 40    => early      # full
             pull     => a1
             a5 40    => early      # 2 of 1
             c2 40    => early      # 1 of 1
             d2 40    => kept",
        );
        check(
            queue("8 packets", "1/2"),
            "a1 40    => kept
             a2 40    => kept       # 2 of 6
             a3 40    => kept       # 3 of 5
             a4 40    => early",
        );
        check(
            queue("4 packets", "2"),
            "a1 40    => kept
             a2 40    => kept       # 2 of 2
             a3 40    => kept       # 3 of 1
             a4 40    => early
             b1 40    => kept",
        );
    }

    #[test]
    fn packets_are_refused_whole_and_a_damaged_one_is_delimited() {
        check(
            queue("4 cells", "1"),
            "a1 .     => kept
             a2 .     => kept       # two of two; but the packet was let in
             a3 .     => kept
             b1 .     => kept
             c1 .     => early
             c2 last  => partial
             b2 .     => overflow
             pull     => a1
             b3 .     => partial
             b4 last  => kept
             a4 last  => overflow
             pull     => a2
             a5 last  => kept       # for both",
        );
    }
}
