//! Deficit round robin: a queue per flow, served in turn; in its turn a flow may send a quantum of bytes, and what it cannot use for a
//! whole packet it keeps for the next.
//!
//! A packet that arrives at an empty queue puts its flow at the end of the round, without a deficit. A flow whose turn it is gets a
//! quantum, and sends packets while its deficit is at least the length of the next; then it goes to the end of the round. If its queue
//! has become empty, it leaves the round and forgets its deficit.
//!
//! When the buffer is full, the longest queue gives up a packet, even to the arriving one (buffer stealing, after McKenney).
//! The paper leaves open how queues are measured, which packet is given up, and what is done with queues of equal length; here
//! they are measured in packets, the last packet is given up, and of equal ones the queue whose length has not changed for the
//! longest time.
//= shreedhar-varghese-1996 §3
//= shreedhar-varghese-1996 §3, victim type=departure
//= mckenney-1990

use super::buckets::Buckets;
use super::{About, Discipline, Grain, Line, Make};
use crate::gauge::{LONGEST, QUEUES, Tell};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Bytes, Room};
use crate::storage::by_length::ByLength;
use crate::storage::lists::{List, Lists};
use crate::time::Instant;
use crate::unit::{FlowId, Unit};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

crate::declare! {
    /// Serves flows in turn by bytes, and drops a packet of the longest queue when the buffer is full.
    pub struct DrrParams as "drr" from "shreedhar-varghese-1996 §3" {
        /// Capacity of the buffer that all flows share, without the packet being transmitted.
        buffer: Room;
        /// Bytes that a flow may send in its turn.
        quantum: Bytes = "1500 B", try ["1500 B", "300 B"];
        /// Number of queues to which flows are hashed, at most 65536.
        flows: Option<u64> = unset "one for each", try ["2"];
    }
    check |it| {
        let fault = |name, found, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        if it.quantum.0 == 0 { return fault("quantum", "0 B".into(), "at least 1 B"); }
        if let Some(flows) = it.flows && !(1..=65536).contains(&flows) { return fault("flows", format!("{flows}"), "1 to 65536"); }
        Ok(())
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// The queue of a flow.
#[derive(Debug, Default)]
struct FlowQueue {
    waiting: List,
    /// DC.
    deficit: u64,
    /// It is in the round.
    active: bool,
}

/// Queues that take turns.
#[derive(Debug)]
pub struct Drr<U> {
    units: Lists<U>,
    buckets: Box<Buckets>,
    queues: Vec<FlowQueue>,
    /// Numbers of queues.
    items: Lists<u32>,
    /// `ActiveList`.
    round: List,
    /// The first of the round has its quantum for this turn.
    credited: bool,
    lengths: Box<ByLength>,
    backlog: u64,
    room: u64,
    quantum: u64,
}

impl<U> Make<DrrParams> for Drr<U> {
    fn make(params: &DrrParams, line: Line) -> Self {
        let mut stream = line.stream;
        Self {
            units: Lists::default(),
            buckets: Box::new(Buckets::new(params.flows, &mut stream)),
            queues: Vec::new(),
            items: Lists::default(),
            round: List::default(),
            credited: false,
            lengths: Box::default(),
            backlog: 0,
            room: params.buffer.count(),
            quantum: params.quantum.0,
        }
    }
}

impl<U: Unit> Drr<U> {
    /// The length of queue `at` has changed.
    fn measure(&mut self, at: usize) {
        let length = self.queues[at].waiting.len();
        self.lengths.set(FlowId(at as u32), length);
    }

    /// The longest queue gives up a packet; the one that has just joined queue `own` among them.
    //= shreedhar-varghese-1996 §3, buffer stealing
    #[cold]
    fn steal(&mut self, own: usize, book: &mut impl Ledger<U>) {
        let Some(FlowId(at)) = self.lengths.longest() else {
            return;
        };
        let at = at as usize;
        if let Some(unit) = self.units.pop_back(&mut self.queues[at].waiting) {
            self.backlog -= 1;
            self.measure(at);
            let why = if at == own {
                Cause::Overflow
            } else {
                Cause::PushedOut
            };
            book.drop(unit, why);
        }
    }

    /// The turn of the first of the round is over; it `stays` in the round, at its end, or leaves it.
    fn next(&mut self, stays: bool) {
        self.credited = false;
        if let Some(at) = self.items.pop_front(&mut self.round) {
            if stays {
                self.items.push_back(&mut self.round, at);
            } else {
                let queue = &mut self.queues[at as usize];
                (queue.deficit, queue.active) = (0, false);
            }
        }
    }
}

impl<U: Unit> Discipline<U> for Drr<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    #[inline(never)]
    fn offer(&mut self, _: Instant, unit: U, book: &mut impl Ledger<U>) {
        let at = self.buckets.of(unit.flow());
        if at == self.queues.len() {
            self.queues.push(FlowQueue::default());
        }
        let queue = &mut self.queues[at];
        if !queue.active {
            (queue.active, queue.deficit) = (true, 0);
            self.items.push_back(&mut self.round, at as u32);
        }
        self.units.push_back(&mut queue.waiting, unit);
        self.backlog += 1;
        self.measure(at);
        if self.backlog > self.room {
            self.steal(at, book);
        }
    }

    //= shreedhar-varghese-1996 §3
    #[inline(never)]
    fn pull(&mut self, _: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        loop {
            let at = *self.items.front(&self.round)? as usize;
            let queue = &mut self.queues[at];
            if !self.credited {
                self.credited = true;
                queue.deficit = queue.deficit.saturating_add(self.quantum);
            }
            let Some(bytes) = self
                .units
                .front(&queue.waiting)
                .map(|it| u64::from(it.bytes()))
            else {
                self.next(false);
                continue;
            };
            if bytes > queue.deficit {
                self.next(true);
                continue;
            }
            queue.deficit -= bytes;
            let unit = self.units.pop_front(&mut queue.waiting);
            self.backlog -= 1;
            self.measure(at);
            // Whether the queue is empty is asked when the packet has been sent: one that comes until then is part of this turn.
            return unit;
        }
    }

    fn gauges(&self, tell: &mut Tell) {
        tell(QUEUES, self.round.len() as f64);
        let longest = self.queues.iter().map(|queue| queue.waiting.len()).max();
        tell(LONGEST, longest.unwrap_or(0) as f64);
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

    fn queue(texts: &[(&str, &str)]) -> Drr<Named> {
        Drr::make(&DrrParams::from_texts(texts), line())
    }

    #[test]
    //= shreedhar-varghese-1996 §3 type=test
    fn a_deficit_is_kept_for_the_next_turn() {
        // The paper's figures 2 and 3: queues of 20, 750 and 200; 500 and 500; 200, 600 and 100; 50, 700 and 180, with a quantum of 500.
        check(
            queue(&[("buffer", "20 packets"), ("quantum", "500 B")]),
            "a1 200 => kept
             a2 750 => kept
             a3 20 => kept
             b1 500 => kept
             b2 500 => kept
             c1 100 => kept
             c2 600 => kept
             c3 200 => kept
             d1 180 => kept
             d2 700 => kept
             d3 50 => kept
             pull => a1           # 300 are left
             pull => b1           # none
             pull => c1           # 400
             pull => d1           # 320
             pull => a2           # of 800
             pull => a3           # and is empty
             pull => b2
             pull => c2           # of 900
             pull => c3           # and is empty
             pull => d2           # of 820
             pull => d3
             pull => nothing",
        );
    }

    #[test]
    //= shreedhar-varghese-1996 §3 type=test
    fn an_empty_queue_keeps_no_deficit() {
        check(
            queue(&[("buffer", "20 packets"), ("quantum", "500 B")]),
            "a1 100 => kept
             b1 400 => kept
             b2 400 => kept
             pull => a1           # 400 are left
             pull => b1           # a is empty, and they are forgotten
             a2 600 => kept
             pull => b2           # with a second quantum, for 500 are less than a's packet
             pull => a2",
        );
        check(
            queue(&[("buffer", "20 packets"), ("quantum", "500 B")]),
            "a1 100 => kept
             b1 400 => kept
             b2 400 => kept
             pull => a1
             a2 600 => kept       # while a1 is sent: the 400 are kept
             pull => b1
             pull => a2           # of 900
             pull => b2",
        );
    }

    #[test]
    //= shreedhar-varghese-1996 §3, buffer stealing type=test
    fn a_full_buffer_takes_from_the_longest_queue() {
        check(
            queue(&[("buffer", "4 packets")]),
            "a1 100 => kept
             a2 100 => kept
             a3 100 => kept
             b1 100 => kept
             b2 100 => kept, pushed-out a3
             c1 100 => kept, pushed-out b2     # a's length changed first, but it lost a packet after b had come
             a3 100 => overflow                # the longest is a's own
             pull => a1",
        );
    }
}
