//! SFQ: hashes flows to queues, and serves these in turn, by bytes; the longest queue loses a packet when the buffer overflows.
//!
//! McKenney serves a packet of each queue in turn. As in Linux, a queue has byte credits instead (deficit round robin): it is
//! served while it has some, and gets a quantum when its turn is over. A queue that was empty joins at the end of the round with a
//! quantum; a queue that becomes empty leaves it, and forgets its credits.
//!
//! A packet that finds its queue at its `depth` is dropped. If the buffer is exceeded then, the queue with the most packets loses its last
//! one; of several, the one whose length has changed last. If every queue has one packet, the next to be served loses it. With
//! `headdrop`, queues lose their first packets instead of their last.
//!
//! With `perturb`, flows are hashed anew at multiples of that time, because flows that share a queue would share it forever. Waiting packets
//! move to their new queues in order, so that a flow's packets do not overtake each other.
//!
//! Not here: Linux's limit of 128 queues in use, and a RED per queue.
//= mckenney-1990
//= linux-sfq

use super::buckets::Buckets;
use super::{About, Discipline, Grain, Line, Make};
use crate::gauge::{LONGEST, QUEUES, Tell};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Bytes, Packets, Room};
use crate::rng::Stream;
use crate::storage::lists::{List, Lists};
use crate::time::{Duration, Instant};
use crate::unit::Unit;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

crate::declare! {
    /// Hashes flows to queues that are served in turn by bytes, and drops the last packet of the longest queue.
    pub struct SfqParams as "sfq" from "mckenney-1990" {
        /// Capacity of the buffer that all flows share, without the packet being transmitted.
        buffer: Room = "127 packets", show "30 packets";
        /// Largest number of packets in a queue.
        depth: Packets = "127 packets", try ["127 packets", "3 packets"];
        /// Number of queues to which flows are hashed, at most 65536.
        flows: u64 = "1024", try ["16", "2"];
        /// Bytes that a queue may send in its turn.
        quantum: Bytes = "1514 B", try ["1514 B", "300 B"];
        /// Interval after which flows are hashed anew.
        perturb: Option<Duration> = unset "never", try ["1 ms"];
        /// Drops at the head of a queue instead of its tail.
        headdrop: bool = "false";
    }
    check |it| {
        let fault = |name, found: alloc::string::String, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        if it.depth.0 == 0 { return fault("depth", "0 packets".into(), "at least 1 packet"); }
        if !(1..=65536).contains(&it.flows) { return fault("flows", alloc::format!("{}", it.flows), "1 to 65536"); }
        if it.quantum.0 == 0 { return fault("quantum", "0 B".into(), "at least 1 B"); }
        if let Some(perturb) = it.perturb && perturb < Duration::millis(1) { return fault("perturb", alloc::format!("{} ps", perturb.0), "at least 1 ms"); }
        Ok(())
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// The queue of one flow, or of several that are hashed to it. It is in the round while it has packets.
#[derive(Debug, Default)]
struct FlowQueue {
    waiting: List,
    /// Bytes that it may still send in this turn.
    credits: i64,
    /// Number of the change of its length, of all changes.
    changed: u64,
}

/// Queues that take turns.
#[derive(Debug)]
pub struct Sfq<U> {
    units: Lists<U>,
    buckets: Box<Buckets>,
    queues: Vec<FlowQueue>,
    /// Numbers of queues.
    items: Lists<u32>,
    round: List,
    backlog: u64,
    /// Changes of lengths so far.
    changes: u64,
    params: Box<SfqParams>,
    /// Of which, with the number of a turn of `perturb`, the hash in that turn is made.
    seed: u64,
    /// Number of the turn.
    turn: u64,
}

impl<U> Make<SfqParams> for Sfq<U> {
    fn make(params: &SfqParams, line: Line) -> Self {
        let mut stream = line.stream;
        Self {
            units: Lists::default(),
            buckets: Box::new(Buckets::new(Some(params.flows), &mut stream)),
            queues: Vec::new(),
            items: Lists::default(),
            round: List::default(),
            backlog: 0,
            changes: 0,
            params: Box::new(params.clone()),
            seed: stream.between(0, u64::MAX),
            turn: 0,
        }
    }
}

impl<U: Unit> Sfq<U> {
    /// Hashes anew if that was due until `now`: once, because between two hashes nothing has happened.
    fn catch_up(&mut self, now: Instant, book: &mut impl Ledger<U>) {
        let Some(perturb) = self.params.perturb else {
            return;
        };
        let turn = now.0 / perturb.0;
        if turn > self.turn {
            self.turn = turn;
            self.perturb(book);
        }
    }

    /// Hashes all flows anew; what does not fit into its new queue is dropped.
    //= mckenney-1990
    //= linux-sfq
    #[cold]
    fn perturb(&mut self, book: &mut impl Ledger<U>) {
        let mut stream = Stream::new(self.seed, &format!("turn.{}", self.turn));
        *self.buckets = Buckets::new(Some(self.params.flows), &mut stream);
        while self.items.pop_front(&mut self.round).is_some() {}
        for mut queue in core::mem::take(&mut self.queues) {
            while let Some(unit) = self.units.pop_front(&mut queue.waiting) {
                self.backlog -= 1;
                let at = self.queue_of(&unit);
                if self.queues[at].waiting.len() as u64 >= self.params.depth.0 {
                    book.drop(unit, Cause::PushedOut);
                } else {
                    self.join(at, unit);
                }
            }
        }
    }

    fn queue_of(&mut self, unit: &U) -> usize {
        let at = self.buckets.of(unit.flow());
        if at == self.queues.len() {
            self.queues.push(FlowQueue::default());
        }
        at
    }

    /// `unit` joins queue `at`, and that the round if it was empty.
    fn join(&mut self, at: usize, unit: U) {
        let queue = &mut self.queues[at];
        if queue.waiting.is_empty() {
            queue.credits = i64::try_from(self.params.quantum.0).unwrap_or(i64::MAX / 2);
            self.items.push_back(&mut self.round, at as u32);
        }
        self.units.push_back(&mut queue.waiting, unit);
        self.backlog += 1;
        self.changes += 1;
        queue.changed = self.changes;
    }

    /// The packet that queue `at` gives, at its head or its tail.
    fn take(&mut self, at: usize, head: bool) -> Option<U> {
        let queue = &mut self.queues[at];
        let unit = if head {
            self.units.pop_front(&mut queue.waiting)
        } else {
            self.units.pop_back(&mut queue.waiting)
        };
        self.backlog -= u64::from(unit.is_some());
        self.changes += 1;
        queue.changed = self.changes;
        unit
    }

    /// The buffer is exceeded by a packet that has joined queue `own`.
    //= mckenney-1990
    //= linux-sfq
    #[cold]
    fn overflow(&mut self, own: usize, book: &mut impl Ledger<U>) {
        let queues = self.queues.iter().enumerate();
        let longest = queues.max_by_key(|(_, it)| (it.waiting.len(), it.changed));
        let Some((mut at, queue)) = longest else {
            return;
        };
        let length = queue.waiting.len();
        if length == 1
            && let Some(next) = self.items.pop_front(&mut self.round)
        {
            at = next as usize;
        }
        // The packet that has arrived is the last of its queue.
        let head = self.params.headdrop;
        let arrived = at == own && !head;
        if let Some(unit) = self.take(at, head) {
            let why = if arrived {
                Cause::Overflow
            } else {
                Cause::PushedOut
            };
            book.drop(unit, why);
        }
    }
}

impl<U: Unit> Discipline<U> for Sfq<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        self.catch_up(now, book);
        let at = self.queue_of(&unit);
        if self.queues[at].waiting.len() as u64 >= self.params.depth.0 {
            if !self.params.headdrop {
                return book.drop(unit, Cause::Overflow);
            }
            // The queue keeps its place in the round: the packet joins before the first one leaves.
            self.join(at, unit);
            if let Some(first) = self.take(at, true) {
                book.drop(first, Cause::PushedOut);
            }
            return;
        }
        self.join(at, unit);
        if self.backlog > self.params.buffer.count() {
            self.overflow(at, book);
        }
    }

    //= mckenney-1990 type=departure
    //= linux-sfq
    #[inline(never)]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        self.catch_up(now, book);
        loop {
            let at = *self.items.front(&self.round)?;
            let queue = &mut self.queues[at as usize];
            if queue.credits <= 0 {
                let quantum = i64::try_from(self.params.quantum.0).unwrap_or(i64::MAX / 2);
                queue.credits = queue.credits.saturating_add(quantum);
                self.items.pop_front(&mut self.round);
                self.items.push_back(&mut self.round, at);
                continue;
            }
            let unit = self.take(at as usize, true)?;
            let queue = &mut self.queues[at as usize];
            queue.credits -= i64::from(unit.bytes());
            if queue.waiting.is_empty() {
                self.items.pop_front(&mut self.round);
            }
            return Some(unit);
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
    use crate::queue::laws::{Fates, Named};
    use crate::queue::tests::script::{check, line};
    use crate::unit::FlowId;
    use std::collections::BTreeSet;

    fn queue(texts: &[(&str, &str)]) -> Sfq<Named> {
        Sfq::make(&SfqParams::from_texts(texts), line())
    }

    #[test]
    //= linux-sfq type=test
    fn queues_take_turns_by_bytes_and_a_new_one_waits_for_its_turn() {
        check(
            queue(&[("quantum", "1000 B")]),
            "a1 700   => kept
             a2 700   => kept
             a3 700   => kept
             a4 700   => kept
             b1 1000  => kept
             b2 1000  => kept
             pull     => a1
             pull     => a2      # it had 300 B left
             c1 100   => kept
             pull     => b1
             pull     => c1      # at the end of the round; it leaves it
             pull     => a3      # 600 B of the next quantum
             pull     => b2
             c2 100   => kept    # with a new quantum
             pull     => a4
             pull     => c2
             pull     => nothing",
        );
    }

    #[test]
    //= mckenney-1990 type=test
    fn flows_send_equal_bytes_whatever_they_offer() {
        // Flow a offers packets of 1500 B, b of 300 B, c of 40 B; none is ever empty.
        let mut queue = queue(&[("buffer", "10000 packets"), ("depth", "9000 packets")]);
        let mut book = Fates::default();
        let sizes = [('a', 1500), ('b', 300), ('c', 40)];
        for (flow, bytes) in sizes {
            for number in 0..240_000 / bytes {
                let unit = Named::packet(format!("{flow}{number}"), bytes);
                queue.offer(Instant::ZERO, unit, &mut book);
            }
        }
        let mut sent = [0u32; 3];
        while sent.iter().sum::<u32>() < 600_000 {
            let unit = queue.pull(Instant::ZERO, &mut book).expect("some wait");
            sent[usize::from(unit.name.as_bytes()[0] - b'a')] += unit.bytes;
        }
        // As in deficit round robin, two flows differ by less than a quantum and two packets.
        let differ = sent.iter().max().unwrap() - sent.iter().min().unwrap();
        assert!(differ < 1514 + 2 * 1500, "{sent:?}");
        assert!(book.0.is_empty());
    }

    #[test]
    //= mckenney-1990 type=test
    //= linux-sfq type=test
    fn the_longest_queue_gives_its_last_packet() {
        let arrive = "a1 100 => kept
             a2 100   => kept
             a3 100   => kept
             b1 100   => kept\n";
        let four = ("buffer", "4 packets");
        let rest = "b2 100   => kept, pushed-out a3     # a has most
             b3 100   => overflow                # b has three for a moment
             c1 100   => kept, pushed-out b2     # a and b have two; b's length has changed last
             d1 100   => kept, pushed-out a2
             e1 100   => kept, pushed-out a1     # all have one: a is next
             pull     => b1";
        check(queue(&[four]), &format!("{arrive}{rest}"));
        let rest = "b2 100   => kept, pushed-out a1
             b3 100   => kept, pushed-out b1
             c1 100   => kept, pushed-out b2
             pull     => a2";
        check(
            queue(&[four, ("headdrop", "true")]),
            &format!("{arrive}{rest}"),
        );
    }

    #[test]
    fn it_is_a_matter_of_depth_and_of_order() {
        check(
            queue(&[("depth", "2 packets")]),
            "a1 100   => kept
             a2 100   => kept
             a3 100   => overflow
             b1 100   => kept
             pull     => a1
             a4 100   => kept",
        );
        check(
            queue(&[("depth", "2 packets"), ("headdrop", "true")]),
            "a1 100   => kept
             a2 100   => kept
             a3 100   => kept, pushed-out a1
             pull     => a2
             pull     => a3
             pull     => nothing",
        );
    }

    #[test]
    //= mckenney-1990 type=test
    fn a_perturbation_hashes_anew_and_keeps_the_order() {
        let mut queue = queue(&[("flows", "2"), ("perturb", "1 ms")]);
        let mut book = Fates::default();
        let mut shared = BTreeSet::new();
        let mut next = [0, 0];
        for turn in 0..200u64 {
            let now = Instant(turn * 1_000_000_000);
            for flow in ['a', 'b'] {
                queue.offer(now, Named::packet(format!("{flow}{turn}"), 500), &mut book);
            }
            shared.insert(queue.buckets.of(FlowId(0)) == queue.buckets.of(FlowId(1)));
            // A packet more waits in every second turn, up to sixty.
            for _ in 0..if turn % 2 == 0 && turn < 120 { 1 } else { 2 } {
                let unit = queue.pull(now, &mut book).expect("some wait");
                let flow = usize::from(unit.name.as_bytes()[0] - b'a');
                assert_eq!(unit.name[1..], format!("{}", next[flow]), "in order");
                next[flow] += 1;
            }
        }
        assert_eq!(shared.len(), 2, "sometimes together, sometimes apart");
        assert_eq!((queue.backlog(), book.0.len()), (60, 0));
    }
}
