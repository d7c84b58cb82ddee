//! Weighted round robin: keeps a queue per VC, and serves them in turn. The FIFO with push-out is meant to replace it.
//!
//! A VC's weight is the rate that TL_i would give it in the FIFO: its guarantee and its part of what is left. At its turn a VC is
//! credited with its weight over the least weight of all, and sends a unit per 1 of its credit; it keeps the rest until its queue is
//! found empty. So weights need not be integers. VCs without any weight (no guarantee beside VCs that have one) are served in turn while
//! no other is backlogged. The discipline counts units: cells, or packets whatever their length; `fair-queueing` counts bytes.
//!
//! The paper does not say how such queues share the buffer. Fixed parts would refuse bursts while room is free, so all of it is shared
//! until it is full; then the VC furthest above TL_i loses its last packet, even if that is the arriving one: `longest-queue-drop` with
//! thresholds. The victims are the paper's, so that the order of service is what differs.
//= chan-wang-chen-2002 §2.3
//= katevenis-sidiropoulos-courcoubetis-1991
//= shreedhar-varghese-1996

use super::frames::{Frames, Rules};
use super::longest_queue_drop::Longest;
use super::thresholds::{Excess, Thresholds, Victims};
use super::{About, Discipline, Grain, Line, Make};
use crate::ledger::Ledger;
use crate::measure::Room;
use crate::storage::lists::{List, Lists};
use crate::storage::per_flow::PerFlow;
use crate::time::Instant;
use crate::unit::{FlowId, Unit};
use alloc::boxed::Box;

crate::declare! {
    /// Keeps a queue per VC in one buffer, and serves them in turn with weights from the guarantees.
    pub struct WeightedRoundRobinParams as "weighted-round-robin" from "chan-wang-chen-2002 §2.3" {
        /// Capacity of the buffer that all VCs share, without the unit being transmitted.
        buffer: Room;
        /// Division of what the guarantees leave: in proportion to them (the paper's formula), or equally (its text).
        excess: Excess = "proportional";
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets, Grain::Cells]);

/// Queues that take turns.
#[derive(Debug)]
pub struct WeightedRoundRobin<U> {
    frames: Frames<U>,
    scheduler: Box<Scheduler>,
}

#[derive(Debug)]
struct Scheduler {
    longest: Longest,
    /// VCs with something waiting, or that have just run out: those with weights, and those without.
    rings: [Ring; 2],
    items: Lists<FlowId>,
    vcs: PerFlow<Vc>,
}

#[derive(Debug, Default)]
struct Ring {
    flows: List,
    /// The first has been credited for its turn.
    credited: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Vc {
    /// Whether it is in a ring.
    waits: bool,
    /// In units x the least weight.
    credit: u64,
}

impl<U: Unit> Make<WeightedRoundRobinParams> for WeightedRoundRobin<U> {
    fn make(params: &WeightedRoundRobinParams, line: Line) -> Self {
        let room = params.buffer.count();
        let thresholds = Thresholds::new(&line, room, params.excess);
        let rules = Rules {
            withdraws: true,
            per_vc: true,
            ..Rules::default()
        };
        Self {
            frames: Frames::new(room, rules),
            scheduler: Box::new(Scheduler {
                longest: Longest(Victims::new(thresholds)),
                rings: Default::default(),
                items: Lists::default(),
                vcs: PerFlow::default(),
            }),
        }
    }
}

impl Scheduler {
    /// `flow` has something waiting.
    #[inline]
    fn join(&mut self, flow: FlowId) {
        let vc = self.vcs.of(flow);
        if vc.waits {
            return;
        }
        vc.waits = true;
        let class = usize::from(self.longest.0.thresholds.weight(flow) == 0);
        self.items.push_back(&mut self.rings[class].flows, flow);
    }

    /// Whose turn it is.
    fn turn<U: Unit>(&mut self, frames: &mut Frames<U>) -> Option<FlowId> {
        let thresholds = &mut self.longest.0.thresholds;
        for ring in &mut self.rings {
            while let Some(flow) = self.items.front(&ring.flows).copied() {
                let vc = self.vcs.of(flow);
                if frames.cells_of(flow) == 0 {
                    *vc = Vc::default();
                    self.items.pop_front(&mut ring.flows);
                    ring.credited = false;
                    continue;
                }
                let least = thresholds.least_weight();
                if !ring.credited {
                    vc.credit += thresholds.weight(flow).max(least);
                    ring.credited = true;
                }
                if vc.credit >= least {
                    vc.credit -= least;
                    return Some(flow);
                }
                self.items.pop_front(&mut ring.flows);
                self.items.push_back(&mut ring.flows, flow);
                ring.credited = false;
            }
        }
        None
    }
}

impl<U: Unit> Discipline<U> for WeightedRoundRobin<U> {
    // Not inlined: inlined code would slow the path of a cell through the other disciplines.
    #[inline(never)]
    fn offer(&mut self, _: Instant, unit: U, book: &mut impl Ledger<U>) {
        let flow = unit.flow();
        self.frames.offer(unit, &mut self.scheduler.longest, book);
        if self.frames.cells_of(flow) > 0 {
            self.scheduler.join(flow);
        }
    }

    #[inline(never)]
    fn pull(&mut self, _: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        let flow = self.scheduler.turn(&mut self.frames)?;
        self.frames.pull_of(flow)
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.frames.backlog()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{Named, check, guarantees};

    fn queue(buffer: &str, excess: &str, mpr: &[u64]) -> WeightedRoundRobin<Named> {
        let params =
            WeightedRoundRobinParams::from_texts(&[("buffer", buffer), ("excess", excess)]);
        WeightedRoundRobin::make(&params, guarantees(mpr))
    }

    #[test]
    fn vcs_are_served_in_turn_by_their_weights() {
        // The weights are 2 and 3: for each cell of a, one and a half cells of b are sent.
        check(
            queue("20 cells", "proportional", &[2, 3]),
            "c1 .     => kept       # no guarantee: when nobody else waits
             a1 .     => kept
             a2 .     => kept
             a3 .     => kept
             b1 .     => kept
             b2 .     => kept
             b3 .     => kept
             b4 .     => kept
             b5 .     => kept
             pull     => a1
             pull     => b1
             pull     => a2
             pull     => b2
             pull     => b3
             pull     => a3
             pull     => b4
             pull     => b5
             pull     => c1
             pull     => nothing",
        );
    }

    #[test]
    fn a_vc_without_a_guarantee_gives_way() {
        check(
            queue("20 cells", "proportional", &[1]),
            "c1 .     => kept
             c2 .     => kept
             d1 .     => kept
             pull     => c1
             a1 .     => kept
             pull     => a1
             pull     => d1         # c has had its turn
             pull     => c2
             pull     => nothing",
        );
    }

    #[test]
    fn the_vc_furthest_beyond_its_threshold_gives_its_last_packet() {
        // TL: 4 and 2.
        check(
            queue("6 cells", "proportional", &[2, 1]),
            "a1 .     => kept
             a2 last  => kept
             a3 last  => kept
             b1 .     => kept
             b2 last  => kept
             b3 .     => kept       # one beyond
             a4 .     => kept, pushed-out b3
             b4 last  => partial
             b5 last  => kept, pushed-out a4    # both were at TL: the first gives
             a5 last  => partial
             a6 last  => kept, pushed-out b5",
        );
    }
}
