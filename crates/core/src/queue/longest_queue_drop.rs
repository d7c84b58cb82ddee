//! Longest queue drop: an arrival at a full buffer pushes out from the flow with the largest backlog.
//!
//! Buffer space is shared without thresholds until it is needed; then the flow with the most units waiting loses some. Suter and others
//! have a queue per flow; here there is one FIFO, so that only the choice of the victim differs from the other disciplines with push-out.
//! (`fair-queueing` with `overflow = "longest-queue-tail"` has the queues.)
//!
//! With `unit = "packet"` the last packet of that flow is dropped, whole, even while it still arrives, but not if it is being
//! transmitted. If the arriving cell's VC is the longest, its own packet is dropped: refused at its first cell, withdrawn later. With
//! `unit = "unit"` the last cell is dropped, whatever happens to its packet. On packets both are the same. The arriving unit counts in
//! its own flow: the policy admits it, and then drops from the longest queue; so an arriving packet whose flow is as long as any other is
//! dropped itself. Among other flows of equal length, the one with the lowest number loses.
//= suter-lakshman-stiliadis-choudhury-1998
//= antoniadis-englert-matsakis-vesely-2021
//= kobayashi-miyazaki-okabe-2008

use super::frames::{Frames, Policy, Rules};
use super::policed::Policed;
use super::thresholds::{Thresholds, Victims};
use super::{About, Grain, Make};
use crate::ledger::{Cause, Ledger};
use crate::measure::Room;
use crate::unit::{FlowId, Unit};

crate::choice! {
    /// Units to drop from the longest queue.
    pub enum Loss {
        /// Its last packet.
        Packet = "packet",
        /// Its last cell, or its last packet on links that carry packets.
        Unit = "unit",
    }
}

crate::declare! {
    /// Pushes out the last packet, or unit, of the flow with the most units waiting when a unit arrives at a full buffer.
    pub struct LongestQueueDropParams as "longest-queue-drop" from "suter-lakshman-stiliadis-choudhury-1998" {
        /// Capacity of the buffer that all flows share, without the unit being transmitted.
        buffer: Room;
        /// What is dropped from the longest queue.
        unit: Loss = "packet";
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets, Grain::Cells]);

/// A FIFO that knows the flow with the most units.
pub type LongestQueueDrop<U> = Policed<U, Longest>;

/// Takes room from the flow that exceeds its threshold by most, even if that is the arriving one. Among flows without thresholds,
/// takes it from the one with the longest queue, the arriving unit included.
#[derive(Debug)]
pub struct Longest(pub Victims);

impl<U: Unit> Make<LongestQueueDropParams> for LongestQueueDrop<U> {
    fn make(params: &LongestQueueDropParams, _: super::Line) -> Self {
        let rules = Rules {
            unitwise: params.unit == Loss::Unit,
            withdraws: true,
            ..Rules::default()
        };
        Self::new(
            params.buffer.count(),
            rules,
            Longest(Victims::new(Thresholds::default())),
        )
    }
}

impl<U: Unit> Policy<U> for Longest {
    #[inline]
    fn refuse(
        &mut self,
        frames: &mut Frames<U>,
        flow: FlowId,
        book: &mut impl Ledger<U>,
    ) -> Option<Cause> {
        if !frames.full() {
            return None;
        }
        match self.0.worst(frames, None) {
            Some(victim) if victim != flow && !self.0.as_long(frames, flow, victim) => {
                frames.push_out(victim, book);
                None
            }
            _ => Some(Cause::Overflow),
        }
    }

    fn make_room(&mut self, frames: &mut Frames<U>, flow: FlowId, book: &mut impl Ledger<U>) {
        if let Some(victim) = self.0.worst(frames, None) {
            let own = frames.can_push_out(flow) && self.0.as_long(frames, flow, victim);
            frames.push_out(if own { flow } else { victim }, book);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{Named, check, line};

    fn queue(buffer: &str, unit: &str) -> LongestQueueDrop<Named> {
        let params = LongestQueueDropParams::from_texts(&[("buffer", buffer), ("unit", unit)]);
        LongestQueueDrop::make(&params, line())
    }

    #[test]
    fn the_longest_loses_its_last_packet_and_what_has_yet_to_come_of_it() {
        check(
            queue("6 cells", "packet"),
            "a1 .     => kept
             a2 last  => kept
             b1 last  => kept
             a3 .     => kept
             a4 .     => kept
             c1 .     => kept
             b2 last  => kept, pushed-out a4 a3
             a5 last  => partial
             c2 last  => kept
             a6 last  => overflow   # of a, b and c with two, a is the first
             b3 last  => overflow   # and so is b
             d1 last  => kept, pushed-out a2 a1
             d2 .     => kept
             c3 last  => overflow   # no longer without it
             e1 last  => kept, pushed-out b2",
        );
    }

    #[test]
    fn the_arriving_packet_goes_if_its_own_queue_is_the_longest() {
        check(
            queue("4 cells", "packet"),
            "a1 .     => kept
             b1 .     => kept
             a2 .     => kept
             a3 .     => kept
             a4 .     => partial, pushed-out a3 a2 a1
             a5 last  => partial
             b2 .     => kept
             b3 .     => kept
             pull     => b1
             b4 .     => kept
             b5 .     => kept
             b6 .     => overflow   # only b is here, and it is on the line
             a6 last  => overflow
             pull     => b2
             b7 last  => kept",
        );
    }

    #[test]
    //= antoniadis-englert-matsakis-vesely-2021 type=test
    // "LQD drops a packet from whichever queue is currently the longest": counting b2, this is the queue of b.
    fn what_arrives_counts_in_its_own_queue() {
        check(
            queue("2 packets", "packet"),
            "a1 40    => kept
             b1 40    => kept
             b2 40    => overflow
             pull     => a1",
        );
        check(
            queue("4 packets", "packet"),
            "a1 40    => kept
             a2 40    => kept
             a3 40    => kept
             b1 40    => kept
             b2 40    => kept, pushed-out a3
             b3 40    => overflow
             c1 40    => kept, pushed-out a2
             a4 40    => kept, pushed-out b2",
        );
    }

    #[test]
    fn unit_by_unit_the_last_cell_goes_whatever_its_packet() {
        check(
            queue("3 cells", "unit"),
            "a1 .     => kept
             a2 .     => kept
             b1 .     => kept
             b2 .     => kept, pushed-out a2
             a3 last  => kept, pushed-out b2
             a4 last  => overflow   # a is the longest
             pull     => a1
             pull     => b1
             pull     => a3",
        );
        check(
            queue("3 packets", "packet"),
            "a1 1500  => kept
             a2 40    => kept
             b1 1500  => kept
             b2 1500  => kept, pushed-out a2",
        );
    }
}
