//! Fair queueing: a logical queue per flow, served round robin by bytes; all of them share one buffer.
//!
//! Bit-by-bit round robin gives a unit the finish number F = max(R, F of the flow's unit before it) + bytes, where R is the round of an
//! imaginary server that sends one bit of every waiting flow in turn; the unit with the least F is sent first. R would have to be kept up
//! at every arrival and departure of that server. As in self-clocked fair queueing, v, the F of the unit that is being sent or was sent
//! last, stands for R. So of two flows that are always backlogged, neither gets ahead of the other by more than a longest unit of each,
//! whatever the sizes of their units; and units of one size are served exactly in turn, which packet-pair depends on. (Deficit round
//! robin costs less, yet with a quantum of several packets it would send the two packets of a pair together.)
//!
//! While a flow is backlogged, the F of its last unit is not less than v, so the maximum matters only for a unit that arrives at an empty
//! queue of its flow; and the F of a unit is needed only when it becomes the first of its queue. So a flow keeps one number, and is
//! charged for the units that are sent, not for those that are pushed out.
//!
//! Queues are measured in units, as the buffer is. The longest queue has the most units waiting; among equals it is the one whose length
//! has not changed for the longest time. The arriving unit does not count.
//!
//! On cells, units are pushed out regardless of frames: the rest of a frame is carried in vain, or a frame without its end mark destroys
//! the next one.
//= demers-keshav-shenker-1989 §2
//= demers-keshav-shenker-1989 §2 type=departure
//= golestani-1994
//= keshav-morgan-1997 §2
//= keshav-morgan-1997 §5

use super::{About, Discipline, Grain, Line, Make};
use crate::ledger::{Cause, Ledger};
use crate::measure::Room;
use crate::storage::by_length::ByLength;
use crate::storage::lists::{List, Lists};
use crate::storage::per_flow::PerFlow;
use crate::storage::turns::Turns;
use crate::time::Instant;
use crate::unit::Unit;
use alloc::boxed::Box;

crate::choice! {
    /// Units to drop when a unit arrives at a full buffer.
    pub enum Overflow {
        /// The arriving unit.
        Arriving = "arriving",
        /// All units of the longest queue; the arriving unit is kept.
        LongestQueue = "longest-queue",
        /// The first unit of the longest queue; the arriving unit is kept.
        LongestQueueHead = "longest-queue-head",
        /// The last unit of the longest queue; the arriving unit is kept.
        LongestQueueTail = "longest-queue-tail",
    }
}

crate::declare! {
    /// Keeps a queue per flow in one buffer, and serves them round robin by bytes.
    pub struct FairQueueingParams as "fair-queueing" from "demers-keshav-shenker-1989 §2" {
        /// Capacity of the buffer that all flows share, without the unit being transmitted.
        buffer: Room;
        /// What is dropped when a unit arrives at a full buffer: that unit, or units (all, the first or the last) of the flow with the
        /// most units waiting.
        overflow: Overflow = "arriving";
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets, Grain::Cells]);

/// A flow's queue.
#[derive(Clone, Debug, Default)]
struct FlowQueue {
    waiting: List,
    /// F of its first unit without that unit's bytes.
    start: u64,
}

/// Queues that take turns.
#[derive(Debug)]
pub struct FairQueueing<U> {
    units: Lists<U>,
    flows: PerFlow<FlowQueue>,
    /// Flows with something waiting, by the F of its first unit \[bytes\].
    turns: Turns,
    /// v: F of the unit that is being sent, or was sent last \[bytes\].
    v: u64,
    backlog: u64,
    room: u64,
    overflow: Overflow,
    /// Kept only if anybody asks for the longest queue.
    longest: Option<Box<ByLength>>,
}

impl<U: Unit> Make<FairQueueingParams> for FairQueueing<U> {
    fn make(params: &FairQueueingParams, _: Line) -> Self {
        Self {
            units: Lists::default(),
            flows: PerFlow::default(),
            turns: Turns::default(),
            v: 0,
            backlog: 0,
            room: params.buffer.count(),
            overflow: params.overflow,
            longest: (params.overflow != Overflow::Arriving).then(Box::default),
        }
    }
}

impl<U: Unit> FairQueueing<U> {
    /// Drops units of the longest queue when the buffer is full.
    #[cold]
    fn push_out(&mut self, book: &mut impl Ledger<U>) {
        let Some(lengths) = &mut self.longest else {
            return;
        };
        let Some(flow) = lengths.longest() else {
            return;
        };
        let own = self.flows.of(flow);
        let before = own.waiting.len();
        loop {
            let unit = match self.overflow {
                Overflow::LongestQueueTail => self.units.pop_back(&mut own.waiting),
                _ => self.units.pop_front(&mut own.waiting),
            };
            let Some(unit) = unit else { break };
            book.drop(unit, Cause::PushedOut);
            if self.overflow != Overflow::LongestQueue {
                break;
            }
        }
        self.backlog -= (before - own.waiting.len()) as u64;
        lengths.set(flow, own.waiting.len());
        match self.units.front(&own.waiting) {
            None => self.turns.remove(flow),
            // The next unit takes the turn of the dropped one. v never falls, so the tag of a shorter unit is raised to v.
            Some(first) if self.overflow == Overflow::LongestQueueHead => {
                let bytes = u64::from(first.bytes());
                own.start = own.start.max(self.v.saturating_sub(bytes));
                self.turns.set(flow, own.start + bytes);
            }
            Some(_) => {}
        }
    }
}

impl<U: Unit> Discipline<U> for FairQueueing<U> {
    // Not inlined: inlined code would slow the path of a cell through the other disciplines.
    #[inline(never)]
    fn offer(&mut self, _: Instant, unit: U, book: &mut impl Ledger<U>) {
        if self.backlog >= self.room {
            if self.overflow == Overflow::Arriving {
                return book.drop(unit, Cause::Overflow);
            }
            self.push_out(book);
        }
        let (flow, bytes) = (unit.flow(), u64::from(unit.bytes()));
        let own = self.flows.of(flow);
        if own.waiting.is_empty() {
            own.start = self.v;
            self.turns.set(flow, own.start + bytes);
        }
        self.units.push_back(&mut own.waiting, unit);
        self.backlog += 1;
        if let Some(lengths) = &mut self.longest {
            lengths.set(flow, own.waiting.len());
        }
    }

    #[inline(never)]
    fn pull(&mut self, _: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        let (finish, flow) = self.turns.first()?;
        let own = self.flows.of(flow);
        let unit = self.units.pop_front(&mut own.waiting)?;
        self.v = finish;
        match self.units.front(&own.waiting) {
            Some(next) => {
                own.start = finish;
                self.turns.set(flow, finish + u64::from(next.bytes()));
            }
            None => self.turns.remove(flow),
        }
        self.backlog -= 1;
        if let Some(lengths) = &mut self.longest {
            lengths.set(flow, own.waiting.len());
        }
        Some(unit)
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.backlog
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{Named, check, line};

    fn queue(buffer: &str, overflow: &str) -> FairQueueing<Named> {
        FairQueueing::make(
            &FairQueueingParams::from_texts(&[("buffer", buffer), ("overflow", overflow)]),
            line(),
        )
    }

    #[test]
    fn flows_take_turns_and_a_pair_is_spread_over_a_round() {
        check(
            queue("20 packets", "arriving"),
            "a1 500   => kept
             a2 500   => kept
             a3 500   => kept
             a4 500   => kept
             b1 500   => kept
             b2 500   => kept
             b3 500   => kept
             pull     => a1
             pull     => b1
             c1 500   => kept       # a pair
             c2 500   => kept
             pull     => a2         # whose turn came when a1 was sent, before c asked for one
             pull     => b2
             pull     => c1
             pull     => a3         # one packet of each other flow lies between the two
             pull     => b3
             pull     => c2
             pull     => a4
             pull     => nothing",
        );
    }

    #[test]
    fn turns_are_by_bytes() {
        check(
            queue("20 packets", "arriving"),
            "a1 1500  => kept       # F = 1500
             a2 1500  => kept       #     3000
             b1 500   => kept       #      500
             b2 500   => kept       #     1000
             b3 500   => kept       #     1500
             b4 500   => kept       #     2000
             pull     => b1
             pull     => b2
             pull     => a1         # it was given its 1500 first
             pull     => b3
             c1 100   => kept       # 1600: the past, when it was silent, is no credit
             pull     => c1
             pull     => b4
             pull     => a2",
        );
    }

    #[test]
    fn a_full_buffer_refuses_whoever_comes() {
        check(
            queue("3 packets", "arriving"),
            "a1 500   => kept
             a2 500   => kept
             a3 500   => kept
             b1 500   => overflow   # though b has nothing here
             pull     => a1
             b2 500   => kept
             pull     => a2
             pull     => b2         # a2's turn came before b asked
             pull     => a3",
        );
    }

    //= keshav-morgan-1997 §5 type=test
    #[test]
    fn the_longest_queue_is_discarded_whoever_arrives() {
        check(
            queue("5 packets", "longest-queue"),
            "a1 500   => kept
             b1 500   => kept
             b2 500   => kept
             b3 500   => kept
             a2 500   => kept
             a3 500   => kept, pushed-out b1 b2 b3
             b4 500   => kept
             c1 500   => kept
             a4 500   => kept, pushed-out a1 a2 a3   # whether or not the arriving packet belongs to it
             pull     => b4                          # a's turn is gone with what waited of it
             pull     => c1
             pull     => a4
             pull     => nothing",
        );
    }

    #[test]
    fn of_queues_as_long_the_one_that_has_been_so_for_the_longest_time_is_the_longest() {
        check(
            queue("4 packets", "longest-queue-tail"),
            "a1 500   => kept
             b1 500   => kept
             b2 500   => kept       # two of b
             a2 500   => kept       # two of a
             c1 500   => kept, pushed-out b2
             c2 500   => kept, pushed-out a2
             d1 500   => kept, pushed-out c2
             pull     => a1
             pull     => b1
             pull     => c1
             pull     => d1",
        );
    }

    #[test]
    fn a_flow_pays_for_what_is_sent_not_for_what_is_pushed_out() {
        check(
            queue("4 packets", "longest-queue-head"),
            "a1 1500  => kept       # F = 1500
             a2 200   => kept
             a3 200   => kept
             b1 300   => kept       #      300
             b2 300   => kept, pushed-out a1     # a2 has the turn now: 200
             pull     => a2
             pull     => b1
             pull     => a3         #      400
             pull     => b2         #      600
             pull     => nothing",
        );
        check(
            queue("4 packets", "longest-queue-tail"),
            "a1 200   => kept
             a2 200   => kept
             a3 1500  => kept
             b1 300   => kept
             b2 300   => kept, pushed-out a3
             a4 200   => kept, pushed-out a2     # both have two, and a had them first
             pull     => a1
             pull     => b1
             pull     => a4         # 400, as if a2 and a3 had never come
             pull     => b2",
        );
    }
}
