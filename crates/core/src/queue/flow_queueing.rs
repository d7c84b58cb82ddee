//! Flow queueing: hashes flows to queues with any discipline inside each, and serves them by deficit round robin; queues that were empty
//! are served first.
//!
//! The scheduler is that of FQ-CoDel. So `flow-queueing` with `codel` inside does what `fq-codel` does as long as all packets have the same
//! length and the buffer has room, and with `pie` inside what `fq-pie` does.
//!
//! When the buffer that all share is full, the longest queue loses a packet: the arriving one, if that is its queue, and otherwise the next
//! one that it would send. Each discipline inside has its own buffer beside. One that estimates the idle time of the line, such as RED,
//! takes the whole rate of the link for its own.
//= rfc8290 §4.1
//= rfc8290 §4.2

use super::buckets::Buckets;
use super::drop_law::DropLaw;
use super::nested::{Nested, or_drop_tail};
use super::rounds::Rounds;
use super::{About, Discipline, Grain, Line, Make, Queue};
use crate::gauge::{QUEUES, Tell, largest};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Bytes, Room};
use crate::time::Instant;
use crate::unit::Unit;
use alloc::boxed::Box;
use alloc::vec::Vec;

crate::declare! {
    /// Serves flows in turn by bytes, those that queue nothing first, with any discipline inside the queue of each flow.
    pub struct FlowQueueingParams as "flow-queueing" from "rfc8290 §4" {
        /// Capacity of the buffer that all flows share, without the packet being transmitted.
        buffer: Room = "10240 packets", show "30 packets";
        /// Number of queues to which flows are hashed, at most 65536.
        flows: u64 = "1024", try ["1024", "2"];
        /// Hashing of flows to `flows` queues, so that two can share one; if false, each flow has a queue of its own.
        collisions: bool = "true";
        /// Bytes that a queue may send in its turn.
        quantum: Bytes = "1514 B", try ["1514 B", "300 B"];
        /// Discipline inside each queue, with a buffer of its own.
        inner: Option<Nested> = unset "drop-tail";
    }
    check |it| {
        let fault = |name, found: alloc::string::String, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        if !(1..=65536).contains(&it.flows) { return fault("flows", alloc::format!("{}", it.flows), "1 to 65536"); }
        if it.quantum.0 == 0 { return fault("quantum", "0 B".into(), "at least 1 B"); }
        it.inner.as_ref().map_or(Ok(()), Nested::check)
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// Queues that take turns, the new ones first.
#[derive(Debug)]
pub struct FlowQueueing<U> {
    buckets: Box<Buckets>,
    /// The first is there before any flow, so that its drop laws can be shown.
    queues: Vec<Box<Queue<U>>>,
    rounds: Box<Rounds>,
    backlog: u64,
    room: u64,
    quantum: i64,
    inner: Nested,
    line: Box<Line>,
}

impl<U: Unit> Make<FlowQueueingParams> for FlowQueueing<U> {
    fn make(params: &FlowQueueingParams, line: Line) -> Self {
        let inner = or_drop_tail(params.inner.as_ref(), params.buffer);
        let buckets = params.collisions.then_some(params.flows);
        Self {
            buckets: Box::new(Buckets::new(buckets, &mut line.stream.clone())),
            queues: Vec::from([inner.queue(&line, 0)]),
            rounds: Box::default(),
            backlog: 0,
            room: params.buffer.count(),
            quantum: i64::try_from(params.quantum.0).unwrap_or(i64::MAX / 2),
            inner,
            line: Box::new(line),
        }
    }
}

impl<U: Unit> FlowQueueing<U> {
    /// Does something to queue `at`, and counts what waits: a discipline may drop packets at any time.
    fn with<T>(&mut self, at: usize, does: impl FnOnce(&mut Queue<U>) -> T) -> T {
        let queue = &mut self.queues[at];
        self.backlog -= queue.backlog();
        let done = does(queue);
        self.backlog += queue.backlog();
        done
    }
}

impl<U: Unit> FlowQueueing<U> {
    /// The queue with the most packets.
    fn longest(&self) -> usize {
        let lengths = self.queues.iter().map(|queue| queue.backlog());
        lengths
            .enumerate()
            .fold((0, 0), |most, it| if it.1 > most.1 { it } else { most })
            .0
    }
}

impl<U: Unit> Discipline<U> for FlowQueueing<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    //= rfc8290 §4.1
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        let at = self.buckets.of(unit.flow());
        if at == self.queues.len() {
            self.queues.push(self.inner.queue(&self.line, at));
        }
        while self.backlog >= self.room {
            // Of several, the one that the packet comes to, or else the first.
            let longest = self.longest();
            if self.queues[at].backlog() + 1 >= self.queues[longest].backlog() {
                return book.drop(unit, Cause::Overflow);
            }
            if let Some(pushed_out) = self.with(longest, |queue| queue.pull(now, book)) {
                book.drop(pushed_out, Cause::PushedOut);
            }
        }
        self.with(at, |queue| queue.offer(now, unit, book));
        if self.queues[at].backlog() > 0 {
            self.rounds.join(at, self.quantum);
        } else {
            // It has dropped the packet and is in no round, where it would be found empty. RED, which was told of the arrival, would not
            // learn that it is idle again, and drop all that comes later, too.
            self.with(at, |queue| queue.pull(now, book));
        }
    }

    //= rfc8290 §4.2
    #[inline(never)]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        loop {
            let at = self.rounds.next(|_| self.quantum)?;
            if let Some(unit) = self.with(at, |queue| queue.pull(now, book)) {
                self.rounds.charge(at, i64::from(unit.bytes()));
                return Some(unit);
            }
            self.rounds.found_empty();
        }
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.backlog
    }

    fn gauges(&self, tell: &mut Tell) {
        tell(QUEUES, self.rounds.listed() as f64);
        largest(self.queues.iter(), |queue, tell| queue.gauges(tell), tell);
    }

    /// All queues have the same discipline.
    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        self.queues[0].drop_laws()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::measure::Rate;
    use crate::queue::QueueParams;
    use crate::queue::codel::CodelParams;
    use crate::queue::drop_tail::DropTailParams;
    use crate::queue::fq_codel::{FqCodel, FqCodelParams};
    use crate::queue::fq_pie::{FqPie, FqPieParams};
    use crate::queue::laws::{Fates, Named, NamedFate};
    use crate::queue::pie::PieParams;
    use crate::queue::red::RedParams;
    use crate::queue::tests::script::{check, line};
    use crate::rng::Stream;
    use std::format;
    use std::string::String;

    const ALONE: (&str, &str) = ("collisions", "false");

    fn queue(texts: &[(&str, &str)], inner: Option<QueueParams>) -> FlowQueueing<Named> {
        let params = FlowQueueingParams {
            inner: inner.map(Nested::of),
            ..FlowQueueingParams::from_texts(&[&[ALONE], texts].concat())
        };
        FlowQueueing::make(&params, line())
    }

    /// What becomes of 20,000 packets of 1000 B of 8 flows. At first the line sends one packet for every two that come, and later one for each.
    fn fates(queue: &mut impl Discipline<Named>, seed: u64) -> (Vec<String>, Vec<NamedFate>) {
        let mut stream = Stream::new(seed, "arrivals");
        let (mut book, mut sent) = (Fates::default(), Vec::new());
        let mut now = Instant::ZERO;
        for n in 0..20_000u64 {
            now = Instant(now.0 + stream.between(0, 1_000_000_000));
            // The first three flows send most.
            let flow = ['a', 'b', 'c', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
                [stream.between(0, 10) as usize];
            queue.offer(now, Named::packet(format!("{flow}{n}"), 1000), &mut book);
            if stream.share() < 0.5 + 0.7 * (n as f64 / 20_000.0) {
                sent.extend(queue.pull(now, &mut book).map(|it| it.name));
            }
        }
        (sent, book.0)
    }

    #[test]
    //= rfc8290 §4.1 type=test
    fn a_queue_has_a_buffer_of_its_own_and_all_share_one() {
        let inner = DropTailParams::from_texts(&[("buffer", "2 packets")]);
        check(
            queue(
                &[("quantum", "1000 B"), ("buffer", "3 packets")],
                Some(QueueParams::DropTail(inner)),
            ),
            "a1 1000 => kept
             a2 1000 => kept
             a3 1000 => overflow   # the buffer of a is full
             b1 1000 => kept
             b2 1000 => overflow   # the buffer of all is full, and b would have as many as a
             pull => a1
             b2 1000 => kept
             pull => b1            # a has sent its quantum
             pull => a2
             pull => b2
             pull => nothing",
        );
    }

    #[test]
    //= rfc8290 §4.1 type=test
    fn with_codel_inside_it_is_fq_codel() {
        for seed in 1..=5 {
            let codel = CodelParams::from_texts(&[("buffer", "10240 packets"), ("ecn", "true")]);
            let mut ours = queue(&[], Some(QueueParams::Codel(codel)));
            let theirs = FqCodelParams::from_texts(&[ALONE]);
            let mut theirs = FqCodel::<Named>::make(&theirs, line());
            let (sent, book) = fates(&mut ours, seed);
            assert!(sent.len() > 9_000 && book.len() > 100, "{}", book.len());
            assert_eq!((sent, book), fates(&mut theirs, seed));
        }
    }

    #[test]
    //= linux-fq-pie type=test
    fn with_pie_inside_it_is_fq_pie() {
        for seed in 1..=5 {
            let theirs = FqPieParams::from_texts(&[ALONE]);
            let pie = PieParams {
                buffer: theirs.buffer,
                ..theirs.pie()
            };
            let mut ours = queue(&[], Some(QueueParams::Pie(pie)));
            let mut theirs = FqPie::<Named>::make(&theirs, line());
            let (sent, book) = fates(&mut ours, seed);
            assert!(sent.len() > 9_000 && book.len() > 100, "{}", book.len());
            assert_eq!((sent, book), fates(&mut theirs, seed));
        }
    }

    #[test]
    fn each_flow_has_a_red_of_its_own() {
        // a offers twice what is sent, b a tenth of it: b's average stays below `min_th`.
        let red = RedParams::from_texts(&[
            ("buffer", "100 packets"),
            ("min_th", "5 packets"),
            ("max_th", "15 packets"),
        ]);
        let line = Line {
            rate: Rate(8_000_000),
            ..line()
        };
        let params = FlowQueueingParams {
            inner: Some(Nested::of(QueueParams::Red(red))),
            ..FlowQueueingParams::from_texts(&[ALONE])
        };
        let mut queue = FlowQueueing::<Named>::make(&params, line);
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
        assert!(book.0.len() > 1000, "{}", book.0.len());
        assert!(book.0.iter().all(|(name, _)| name.starts_with('a')));
        // A burst raises the average of c beyond `max_th`. Then c sends one packet in 100 ms, and its average falls while it is idle, though
        // b keeps the line busy: its packets get through again.
        for n in 0..200 {
            let now = Instant(2000 * 1_000_000_000);
            queue.offer(now, Named::packet(format!("c{n}"), 1000), &mut book);
        }
        let mut sent = 0;
        for ms in 2000..5000u64 {
            let now = Instant(ms * 1_000_000_000);
            if ms >= 2500 && ms % 100 == 0 {
                queue.offer(now, Named::packet(format!("c{ms}"), 1000), &mut book);
            }
            queue.offer(now, Named::packet(format!("b{ms}"), 1000), &mut book);
            let unit = queue.pull(now, &mut book);
            sent += u64::from(ms >= 2500 && unit.is_some_and(|it| it.name.starts_with('c')));
        }
        assert!(sent > 15, "{sent}");
    }
}
