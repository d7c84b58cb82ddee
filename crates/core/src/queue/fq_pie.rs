//! FQ-PIE: hashes flows to queues with a PIE each, and serves them by deficit round robin; queues that were empty are served first.
//!
//! The scheduler is that of `fq-codel`. Each queue has a PIE of its own, which drops or marks arrivals with a probability that follows the
//! delay of this queue alone. When the buffer that all share is full, the arriving packet is dropped.
//!
//! As in Linux, drops are spread (`derandomize`) and increases of the probability limited (`cap`). Not here: Linux's larger
//! increase at delays beyond 250 ms, drop probabilities by packet length, and a limit in bytes of memory.
//= linux-fq-pie
//= rfc8033 §4
//= rfc8290 §4.2

use super::aqm::{Aqm, Arrival, Departure, Verdict};
use super::buckets::Buckets;
use super::drop_law::DropLaw;
use super::pie::{DROP_PROB, Decay, DelayController, Estimator, PieParams};
use super::rounds::Rounds;
use super::{About, Discipline, Grain, Line, Make};
use crate::gauge::{QUEUES, Tell};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Bytes, Room, Share};
use crate::rng::Stream;
use crate::storage::lists::{List, Lists};
use crate::time::{Duration, Instant};
use crate::unit::Unit;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

crate::declare! {
    /// Serves flows in turn by bytes, those that queue nothing first, and drops arrivals at random by a PIE per flow.
    pub struct FqPieParams as "fq-pie" from "linux-fq-pie" {
        /// Capacity of the buffer that all flows share, without the packet being transmitted.
        buffer: Room = "10240 packets", show "40 packets";
        /// Number of queues to which flows are hashed, at most 65536.
        flows: u64 = "1024", try ["1024", "2"];
        /// Hashing of flows to `flows` queues, so that two can share one; if false, each flow has a queue of its own.
        collisions: bool = "true";
        /// Bytes that a queue may send in its turn.
        quantum: Bytes = "1514 B", try ["1514 B", "300 B"];
        /// Queueing delay to which the drop probability of a queue is controlled.
        target: Duration = "15 ms", show "2 ms";
        /// Interval between updates of the drop probabilities.
        update: Duration = "15 ms", show "1 ms";
        /// Change of a drop probability per update and second of delay beyond the target.
        alpha: f64 = "0.125", show "20";
        /// Change of a drop probability per update and second of delay beyond that of the update before.
        beta: f64 = "1.25", show "200";
        /// Time for which nothing is dropped early when congestion begins.
        max_burst: Duration = "150 ms", try ["150 ms", "0 s"], show "0 s";
        /// Drops as regular as the drop probability allows.
        derandomize: bool = "true";
        /// Increases of at most 0.02 when the drop probability is 0.1 or more.
        cap: bool = "true";
        /// Marking of ECN-capable packets instead of dropping them, while the drop probability is below `mark_ecnth`.
        ecn: bool = "false";
        /// Drop probability from which on ECN-capable packets are dropped.
        mark_ecnth: Share = "0.1", try ["1"];
        /// Size of a usual packet, headers included: nothing is dropped early while twice as many bytes wait in a queue, or fewer.
        packet_size: Bytes = "1500 B", try ["300 B"], show "100 B";
    }
    check |it| {
        let fault = |name, found: alloc::string::String, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        if !(1..=65536).contains(&it.flows) { return fault("flows", format!("{}", it.flows), "1 to 65536"); }
        if it.quantum.0 == 0 { return fault("quantum", "0 B".into(), "at least 1 B"); }
        crate::declare::Declared::check(&it.pie())
    }
}

impl FqPieParams {
    /// The parameters of each PIE.
    pub(super) fn pie(&self) -> PieParams {
        PieParams {
            buffer: self.buffer,
            target: self.target,
            update: self.update,
            alpha: self.alpha,
            beta: self.beta,
            max_burst: self.max_burst,
            estimator: Estimator::Timestamp,
            dq_threshold: Bytes(16384),
            decay: Decay::Idle,
            derandomize: self.derandomize,
            cap: self.cap,
            ecn: self.ecn,
            mark_ecnth: self.mark_ecnth,
            packet_size: self.packet_size,
        }
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// The queue of one flow, or of several that are hashed to it.
#[derive(Debug)]
struct FlowQueue {
    waiting: List,
    pie: DelayController,
}

/// Queues that take turns, the new ones first.
#[derive(Debug)]
pub struct FqPie<U> {
    units: Lists<(U, Instant)>,
    buckets: Box<Buckets>,
    queues: Vec<FlowQueue>,
    rounds: Box<Rounds>,
    backlog: u64,
    room: u64,
    quantum: i64,
    params: Box<PieParams>,
    line: Box<Line>,
}

impl<U> Make<FqPieParams> for FqPie<U> {
    fn make(params: &FqPieParams, line: Line) -> Self {
        let mut stream = line.stream.clone();
        Self {
            units: Lists::default(),
            buckets: Box::new(Buckets::new(
                params.collisions.then_some(params.flows),
                &mut stream,
            )),
            queues: Vec::new(),
            rounds: Box::default(),
            backlog: 0,
            room: params.buffer.count(),
            quantum: i64::try_from(params.quantum.0).unwrap_or(i64::MAX / 2),
            params: Box::new(params.pie()),
            line: Box::new(line),
        }
    }
}

impl<U: Unit> FqPie<U> {
    /// The queue of `unit`. A new one has random numbers of its own.
    fn queue_of(&mut self, unit: &U) -> usize {
        let at = self.buckets.of(unit.flow());
        if at == self.queues.len() {
            let seed = self.line.stream.clone().between(0, u64::MAX);
            let line = Line {
                stream: Stream::new(seed, &format!("queue.{at}")),
                ..(*self.line).clone()
            };
            self.queues.push(FlowQueue {
                waiting: List::default(),
                pie: DelayController::make(&self.params, line),
            });
        }
        at
    }
}

impl<U: Unit> Discipline<U> for FqPie<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    //= linux-fq-pie
    #[inline(never)]
    fn offer(&mut self, now: Instant, mut unit: U, book: &mut impl Ledger<U>) {
        let (at, bytes) = (self.queue_of(&unit), unit.bytes());
        let queue = &mut self.queues[at];
        let arrival = Arrival {
            bytes,
            backlog: queue.waiting.len() as u64,
        };
        if self.backlog >= self.room {
            queue.pie.on_overflow(now, &arrival);
            return book.drop(unit, Cause::Overflow);
        }
        match queue.pie.on_arrival(now, &arrival) {
            Verdict::Pass => {}
            Verdict::Mark(_) | Verdict::MarkIfAble if book.mark(&mut unit) => {}
            Verdict::MarkIfAble => {}
            Verdict::Mark(why) | Verdict::Drop(why) => return book.drop(unit, why),
        }
        let stamp = queue.pie.on_joined(now, bytes);
        self.units.push_back(&mut queue.waiting, (unit, stamp));
        self.backlog += 1;
        self.rounds.join(at, self.quantum);
    }

    //= rfc8290 §4.2
    #[inline(never)]
    fn pull(&mut self, now: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        loop {
            let at = self.rounds.next(|_| self.quantum)?;
            let queue = &mut self.queues[at];
            let Some((unit, stamp)) = self.units.pop_front(&mut queue.waiting) else {
                self.rounds.found_empty();
                continue;
            };
            let bytes = unit.bytes();
            let verdict = queue.pie.on_departure(now, &Departure { bytes, stamp });
            debug_assert_eq!(verdict, Verdict::Pass, "PIE decides at arrivals");
            self.backlog -= 1;
            self.rounds.charge(at, i64::from(bytes));
            return Some(unit);
        }
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.backlog
    }

    fn gauges(&self, tell: &mut Tell) {
        tell(QUEUES, self.rounds.listed() as f64);
        let most = self.queues.iter().map(|queue| queue.pie.drop_prob);
        tell(DROP_PROB, most.fold(0.0, f64::max));
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        DelayController::make(&self.params, (*self.line).clone()).laws()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::laws::{Fates, Named};
    use crate::queue::tests::script::{check, line};

    fn queue(texts: &[(&str, &str)]) -> FqPie<Named> {
        let all = [&[("collisions", "false")], texts].concat();
        FqPie::make(&FqPieParams::from_texts(&all), line())
    }

    #[test]
    //= linux-fq-pie type=test
    fn queues_take_turns_and_new_ones_come_first() {
        check(
            queue(&[("quantum", "1000 B"), ("buffer", "7 packets")]),
            "a1 500 => kept
             a2 500 => kept
             a3 500 => kept
             a4 500 => kept
             pull => a1
             pull => a2
             b1 500 => kept        # a is old from here on
             pull => b1
             pull => a3
             b2 500 => kept
             b3 500 => kept
             b4 500 => kept
             b5 500 => kept
             b6 500 => kept
             b7 500 => kept
             c1 500 => overflow    # the buffer is full
             pull => a4",
        );
    }

    #[test]
    //= linux-fq-pie type=test
    fn only_the_flow_that_queues_loses_packets() {
        // a offers two packets a millisecond of which one is sent, b one in ten.
        let mut queue = queue(&[("target", "5 ms"), ("update", "5 ms")]);
        let mut book = Fates::default();
        for ms in 0..2000u64 {
            let now = Instant(ms * 1_000_000_000);
            for n in 0..2 {
                queue.offer(now, Named::packet(format!("a{ms}.{n}"), 1000), &mut book);
            }
            if ms % 10 == 0 {
                queue.offer(now, Named::packet(format!("b{ms}"), 1000), &mut book);
            }
            queue.pull(now, &mut book);
        }
        assert!(book.0.len() > 800, "{}", book.0.len());
        assert!(
            book.0
                .iter()
                .all(|(name, why)| name.starts_with('a') && *why == "early")
        );
    }
}
