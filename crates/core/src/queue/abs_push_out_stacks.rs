//! Available buffer space with push-out, as Chan, Wang & Chen would build it: a stack of illegal packets per VC instead of an order of all VCs.
//!
//! The space B, and when something is pushed out, are those of `abs-push-out`. What is pushed out comes from stacks:
//!
//! - An admitted packet whose first cell finds NC_i >= TL_i - M (without that cell) is put onto its VC's stack, because it may be
//!   illegal: above TL_i. If NC_i < TL_i, the stack is cleared first: what is in it has become legal. If NC_i < TL_i - M, nothing is
//!   done, as printed.
//! - The top of the stack with the most packets is pushed out, until *more than M cells* are gone; among equal stacks, that of the VC
//!   with the lowest number. "The selected candidate" is one: another stack follows when this one is empty. (At a first cell B is at
//!   least 1 - M, so that many make B > 0.)
//! - The paper does not say what becomes of a packet in a stack that is sent: it leaves the stack with its first cell, which cannot be
//!   taken back. Nor whether the arriving cell's own VC may be the candidate: as in §3.2 it may not.
//!
//! So it differs from `abs-push-out`; a test for each:
//!
//! 1. It never pushes out legal packets: where all stacks are empty, the arriving packet is refused, withdrawn, or, if it is on the
//!    line already, damaged (there the VC that is least below its threshold pays). If the room is that of a packet per VC, only a VC
//!    with TL_i < M is ever damaged.
//! 2. It counts packets, not cells: many short ones make a victim before few long ones. It does not subtract TL.
//! 3. It pops more than M cells: two packets of M cells, where one gave B > 0.
//! 4. The top of the stack need not be the VC's last packet, nor illegal: a stack is not cleared by what comes in while NC_i < TL_i - M.
//! 5. A packet that came in while NC_i < TL_i - M is legal for good, however long it is and whatever TL_i says.
//= chan-wang-chen-2002 §3.3, Fig. 4
//= chan-wang-chen-2002 §3.3, Fig. 5
//= chan-wang-chen-2002 §3.3 type=departure

use super::frames::{Frames, Policy, Rules};
use super::policed::Policed;
use super::thresholds::{Excess, Thresholds};
use super::{About, Grain, Line, Make};
use crate::ledger::{Cause, Ledger};
use crate::measure::Room;
use crate::storage::lists::Position;
use crate::storage::per_flow::PerFlow;
use crate::storage::turns::Turns;
use crate::unit::{FlowId, Unit};
use alloc::collections::VecDeque;

crate::declare! {
    /// Works like `abs-push-out`, with a stack of illegal packets per VC: the top of the stack with the most packets is pushed out.
    pub struct AbsPushOutStacksParams as "abs-push-out-stacks" from "chan-wang-chen-2002 §3.3" {
        /// Q: capacity of the buffer, without the cell being transmitted.
        buffer: Room;
        /// M: length of the longest packet in cells.
        max_packet: Option<Room> = unset "that of the flows which pass";
        /// Division of what the guarantees leave: in proportion to them (the paper's formula), or equally (its text).
        excess: Excess = "proportional";
    }
    check |it| super::max_packet::fits("max_packet", it.max_packet, it.buffer)
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Cells]).without_control_cells();

/// A FIFO with a stack per VC.
pub type AbsPushOutStacks<U> = Policed<U, Stacks>;

/// A packet in a stack: of which no cell has been sent.
#[derive(Clone, Copy, Debug)]
struct Illegal {
    first: Position,
    newest: Position,
    cells: u32,
}

#[derive(Clone, Debug, Default)]
struct Stack {
    /// The top is at the back. The oldest leave at the front, when they are sent.
    packets: VecDeque<Illegal>,
    /// The top is still arriving.
    arriving: bool,
}

/// B for all, and a stack per VC.
#[derive(Debug)]
pub struct Stacks {
    thresholds: Thresholds,
    stacks: PerFlow<Stack>,
    /// VCs with something in their stacks, the most packets first.
    turns: Turns,
    /// M \[cells\]
    max_packet: u64,
}

impl<U: Unit> Make<AbsPushOutStacksParams> for AbsPushOutStacks<U> {
    fn make(params: &AbsPushOutStacksParams, line: Line) -> Self {
        let room = params.buffer.count();
        let max_packet = super::max_packet::longest(params.max_packet, &line, room);
        let rules = Rules {
            reserve: max_packet,
            withdraws: true,
            ..Rules::default()
        };
        Self::new(
            room,
            rules,
            Stacks {
                thresholds: Thresholds::new(&line, room, params.excess),
                stacks: PerFlow::default(),
                turns: Turns::default(),
                max_packet,
            },
        )
    }
}

/// More packets than a stack ever has.
const FEWEST: u64 = u32::MAX as u64;

impl Stacks {
    /// The stack of `flow` has grown or shrunk.
    fn rank(&mut self, flow: FlowId) {
        match self.stacks.of(flow).packets.len() as u64 {
            0 => self.turns.remove(flow),
            n => (self.turns).set(flow, (FEWEST - n) << 32 | u64::from(flow.0)),
        }
    }

    fn pop(&mut self, flow: FlowId) -> Option<Illegal> {
        let stack = self.stacks.of(flow);
        stack.arriving = false;
        stack.packets.pop_back()
    }
}

impl<U: Unit> Policy<U> for Stacks {
    #[inline]
    fn refuse(
        &mut self,
        frames: &mut Frames<U>,
        flow: FlowId,
        book: &mut impl Ledger<U>,
    ) -> Option<Cause> {
        if frames.available() > 0 {
            return None;
        }
        let cells = frames.cells_of(flow);
        if self.thresholds.leave(flow, cells, self.max_packet) {
            self.make_room(frames, flow, book);
        }
        (frames.available() <= 0).then_some(Cause::Early)
    }

    fn make_room(&mut self, frames: &mut Frames<U>, flow: FlowId, book: &mut impl Ledger<U>) {
        // The VC of the arriving cell does not push out its own packets.
        self.turns.remove(flow);
        let mut popped = 0;
        while popped <= self.max_packet
            && let Some((_, victim)) = self.turns.first()
        {
            while popped <= self.max_packet
                && let Some(packet) = self.pop(victim)
            {
                popped += u64::from(packet.cells);
                frames.push_out_at(victim, packet.newest, packet.cells, book);
            }
            self.rank(victim);
        }
        self.rank(flow);
    }

    #[inline]
    fn on_joined(&mut self, flow: FlowId, place: Position, first: bool, cells: u64) {
        let stack = self.stacks.of(flow);
        if !first {
            if let Some(top) = stack.packets.back_mut().filter(|_| stack.arriving) {
                (top.newest, top.cells) = (place, top.cells + 1);
            }
            return;
        }
        let before = cells - 1;
        stack.arriving = self.thresholds.reached(flow, before, self.max_packet);
        if !stack.arriving {
            return;
        }
        if !self.thresholds.reached(flow, before, 0) {
            stack.packets.clear();
        }
        stack.packets.push_back(Illegal {
            first: place,
            newest: place,
            cells: 1,
        });
        self.rank(flow);
    }

    #[inline]
    fn on_begun(&mut self, flow: FlowId, place: Position) {
        let stack = self.stacks.of(flow);
        if stack.packets.front().is_some_and(|it| it.first == place) {
            stack.packets.pop_front();
            self.rank(flow);
        }
    }

    fn on_withdrawn(&mut self, flow: FlowId) {
        if self.stacks.of(flow).arriving {
            self.pop(flow);
            self.rank(flow);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::abs_push_out as ordered;
    use crate::queue::tests::script::{check, guarantees};
    use std::string::String;

    /// Runs a script on both; where they differ, its lines say `ORDERED | STACKS`.
    fn compare(buffer: &str, max_packet: &str, mpr: &[u64], script: &str) {
        let texts = [("buffer", buffer), ("max_packet", max_packet)];
        let side = |n: usize| -> String {
            let pick = |line: &str| {
                let (step, outcome) = line.split_once("=>").unwrap();
                let outcome = outcome.split('#').next().unwrap();
                let outcome = outcome.split('|').nth(n).unwrap_or(outcome);
                std::format!("{step}=>{outcome}\n")
            };
            script.lines().map(pick).collect()
        };
        let params = ordered::AbsPushOutParams::from_texts(&texts);
        let queue: ordered::AbsPushOut<_> = Make::make(&params, guarantees(mpr));
        check(queue, side(0).trim_end());
        let queue: AbsPushOutStacks<_> =
            Make::make(&AbsPushOutStacksParams::from_texts(&texts), guarantees(mpr));
        check(queue, side(1).trim_end());
    }

    #[test]
    fn legal_packets_are_never_pushed_out() {
        // TL: 4 each; M is 3. A packet is legal if it finds at most one cell of its VC.
        compare(
            "8 cells",
            "3 cells",
            &[1, 1],
            "b1 .     => kept
             b2 .     => kept
             b3 last  => kept       # B = 5
             c1 .     => kept       #     2, and stacked: there is no guarantee
             pull     => b1
             pull     => b2
             pull     => b3         #     5
             pull     => c1         #     6: not to be taken back
             c2 .     => kept
             c3 last  => kept       #     6
             b4 .     => kept       #     3, legal
             b5 .     => kept
             b6 .     => kept
             b7 .     => kept       #     2
             b8 .     => kept       #     1
             b9 .     => kept       #     0
             a1 .     => kept, pushed-out b9 b8 b7 b6 b5 b4 | early",
        );
    }

    #[test]
    fn a_packet_on_the_line_may_be_damaged_while_all_others_are_legal() {
        // TL: a 8, b 0.
        compare(
            "8 cells",
            "4 cells",
            &[1, 0],
            "b1 .     => kept       # B = 4
             pull     => b1         #     5
             a1 .     => kept       # found none: legal
             a2 .     => kept
             a3 last  => kept       #     2
             a4 .     => kept       #    -2; found three: legal
             a5 .     => kept
             a6 .     => kept
             a7 last  => kept
             b2 .     => kept       # eight
             b3 .     => kept, pushed-out a7 a6 a5 a4 | overflow
             pull     => a1
             b4 last  => kept       # whole there, dead here",
        );
    }

    #[test]
    fn packets_are_counted_not_cells() {
        // TL: a 8, b 4, c 4; M is 3. The packets of b and c are stacked from NC = 1 on.
        compare(
            "16 cells",
            "3 cells",
            &[2, 1, 1],
            "b1 .     => kept
             b2 .     => kept
             b3 last  => kept
             b4 .     => kept       # stacked
             b5 .     => kept
             b6 last  => kept
             b7 .     => kept       # stacked
             b8 .     => kept
             b9 last  => kept       # nine of b: five beyond TL, two packets
             c1 last  => kept
             c2 last  => kept
             c3 last  => kept
             c4 last  => kept       # the last that clears the stack before
             c5 last  => kept
             c6 last  => kept
             c7 last  => kept       # seven of c: three beyond TL, four packets
             a1 .     => kept, pushed-out b9 b8 b7 | kept, pushed-out c7 c6 c5 c4",
        );
    }

    #[test]
    fn more_than_m_cells_are_popped() {
        // TL: 4 each.
        compare(
            "8 cells",
            "2 cells",
            &[1, 1],
            "b1 .     => kept
             b2 last  => kept
             b3 .     => kept
             b4 last  => kept
             b5 .     => kept
             b6 last  => kept
             b7 .     => kept
             b8 last  => kept       # B = 0
             a1 .     => kept, pushed-out b8 b7 | kept, pushed-out b8 b7 b6 b5",
        );
    }

    #[test]
    fn the_top_of_a_stack_may_be_old_and_what_is_not_in_it_illegal() {
        // TL: 4 each; M is 2. Packets are stacked from NC = 2 on.
        compare(
            "12 cells",
            "2 cells",
            &[1, 1, 1],
            "b1 .     => kept
             b2 last  => kept
             b3 .     => kept       # found two: stacked
             b4 last  => kept
             pull     => b1
             pull     => b2
             b5 last  => kept       # found two: the stack is cleared for it
             pull     => b3
             pull     => b4
             b6 .     => kept       # found one: legal, and nothing is cleared
             b7 last  => kept       # B = 9
             c1 .     => kept       # found none: legal for good
             c2 .     => kept       # B = 7
             c3 .     => kept
             c4 .     => kept
             c5 .     => kept
             c6 .     => kept
             c7 .     => kept
             c8 .     => kept
             c9 .     => kept       # B = 0: nine of c, though TL is four
             a1 .     => kept, pushed-out c9 c8 c7 c6 c5 c4 c3 c2 c1 | kept, pushed-out b5
             pull     => b5 | b6",
        );
    }
}
