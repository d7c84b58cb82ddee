//! FQ-CoDel: hashes flows to queues with a CoDel each, and serves them by deficit round robin; queues that were empty are served first.
//!
//! When the buffer is exceeded, packets are dropped from the head of the queue with the most bytes, as in Linux: until `drop_batch` packets
//! or half of its bytes are dropped. Among queues of equal length, the one that was used first loses. CoDel is not told of these drops.
//! (Linux adds them to its count.)
//!
//! Each queue keeps the state of its CoDel while it is empty. The longest packet so far, up to which CoDel drops nothing, is that of all
//! queues, since it stands for the MTU of the line.
//!
//! With `ce_threshold`, ECN-capable packets whose sojourn time exceeds it are marked, whatever CoDel decides.
//= rfc8290 §4
//= rfc8290 §5.2
//= linux-fq-codel

use super::aqm::{Aqm, Departure, Verdict};
use super::buckets::Buckets;
use super::codel::{CodelParams, ControlledDelay};
use super::drop_law::{Curve, DropLaw, of_ms};
use super::rounds::Rounds;
use super::{About, Discipline, Grain, Line, Make};
use crate::gauge::{Gauge, QUEUES, Tell, largest};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Bytes, Packets, Room};
use crate::storage::lists::{List, Lists};
use crate::time::{Duration, Instant};
use crate::unit::Unit;
use alloc::boxed::Box;
use alloc::vec::Vec;

crate::declare! {
    /// Serves flows in turn by bytes, those that queue nothing first, and drops packets as they depart by a CoDel per flow.
    pub struct FqCodelParams as "fq-codel" from "rfc8290 §4" {
        /// Capacity of the buffer that all flows share, without the packet being transmitted.
        buffer: Room = "10240 packets", show "30 packets";
        /// Number of queues to which flows are hashed, at most 65536.
        flows: u64 = "1024", try ["1024", "2"];
        /// Hashing of flows to `flows` queues, so that two can share one; if false, each flow has a queue of its own.
        collisions: bool = "true";
        /// Bytes that a queue may send in its turn.
        quantum: Bytes = "1514 B", try ["1514 B", "300 B"];
        /// Acceptable sojourn time of a standing queue.
        target: Duration = "5 ms", show "3 ms";
        /// Time for which the sojourn time may exceed `target` before the first drop: an RTT that most flows do not exceed.
        interval: Duration = "100 ms", show "10 ms";
        /// Marking of ECN-capable packets instead of dropping them, except on overflow.
        ecn: bool = "true";
        /// Sojourn time above which every ECN-capable packet is marked.
        ce_threshold: Option<Duration> = unset "none", try ["1 ms"];
        /// Number of packets dropped at once from the queue with the most bytes when the buffer overflows, up to half of its bytes.
        drop_batch: Packets = "64 packets", try ["64 packets", "1 packets"];
    }
    check |it| {
        let fault = |name, found: alloc::string::String, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        if !(1..=65536).contains(&it.flows) { return fault("flows", alloc::format!("{}", it.flows), "1 to 65536"); }
        if it.quantum.0 == 0 { return fault("quantum", "0 B".into(), "at least 1 B"); }
        if it.target == Duration::ZERO { return fault("target", "0 s".into(), "more than 0"); }
        if it.interval == Duration::ZERO { return fault("interval", "0 s".into(), "more than 0"); }
        if it.drop_batch.0 == 0 { return fault("drop_batch", "0 packets".into(), "at least 1 packet"); }
        if it.ce_threshold.is_some() && !it.ecn { return fault("ecn", "false".into(), "true with `ce_threshold`, which marks"); }
        Ok(())
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// The queue of one flow, or of several that are hashed to it.
#[derive(Debug)]
struct FlowQueue {
    waiting: List,
    bytes: u64,
    codel: ControlledDelay,
}

/// Queues that take turns, the new ones first.
#[derive(Debug)]
pub struct FqCodel<U> {
    units: Lists<(U, Instant)>,
    buckets: Box<Buckets>,
    queues: Vec<FlowQueue>,
    // Boxed, because every `Queue` has the size of the largest discipline.
    rounds: Box<Rounds>,
    backlog: u64,
    room: u64,
    quantum: i64,
    batch: u64,
    ce_threshold: Option<Duration>,
    /// A CoDel before its first packet.
    codel: Box<ControlledDelay>,
    /// The longest packet that has come \[bytes\].
    longest: u64,
}

impl<U> Make<FqCodelParams> for FqCodel<U> {
    fn make(params: &FqCodelParams, line: Line) -> Self {
        let mut stream = line.stream;
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
            batch: params.drop_batch.0,
            ce_threshold: params.ce_threshold,
            codel: Box::new(ControlledDelay::new(&CodelParams {
                buffer: params.buffer,
                target: params.target,
                interval: params.interval,
                ecn: params.ecn,
            })),
            longest: 0,
        }
    }
}

/// A packet that has waited for `sojourn` is marked because of `ce_threshold`.
//= rfc8290 §5.2.7
fn exceeds(sojourn: Duration, ce_threshold: Option<Duration>) -> bool {
    ce_threshold.is_some_and(|most| sojourn > most)
}

impl<U: Unit> FqCodel<U> {
    /// The buffer is exceeded by a packet that has joined queue `own`.
    //= rfc8290 §4.1
    //= linux-fq-codel
    #[cold]
    fn drop_batch(&mut self, own: usize, book: &mut impl Ledger<U>) {
        let mut fattest = 0;
        for (at, queue) in self.queues.iter().enumerate() {
            if queue.bytes > self.queues[fattest].bytes {
                fattest = at;
            }
        }
        let queue = &mut self.queues[fattest];
        //= rfc8290 §4.1, half type=departure
        // As Linux does; the RFC counts packets.
        let half = queue.bytes / 2;
        let mut dropped = (0, 0);
        while dropped.0 == 0 || (dropped.0 < self.batch && dropped.1 < half) {
            let Some((unit, _)) = self.units.pop_front(&mut queue.waiting) else {
                break;
            };
            let bytes = unit.bytes();
            dropped = (dropped.0 + 1, dropped.1 + u64::from(bytes));
            self.backlog -= 1;
            queue.bytes -= u64::from(bytes);
            queue.codel.on_pushed_out(bytes);
            // The arriving packet is the last one of its queue.
            let arrives = fattest == own && queue.waiting.is_empty();
            book.drop(
                unit,
                if arrives {
                    Cause::Overflow
                } else {
                    Cause::PushedOut
                },
            );
        }
    }

    /// The packet that CoDel lets depart from queue `at`, if one is left.
    fn pull_of(&mut self, at: usize, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        let queue = &mut self.queues[at];
        queue.codel.expect_packets_of(self.longest);
        while let Some((mut unit, stamp)) = self.units.pop_front(&mut queue.waiting) {
            let bytes = unit.bytes();
            self.backlog -= 1;
            queue.bytes -= u64::from(bytes);
            match queue.codel.on_departure(now, &Departure { bytes, stamp }) {
                Verdict::Pass => {
                    //= rfc8290 §5.2.7
                    if exceeds(now - stamp, self.ce_threshold) {
                        book.mark(&mut unit);
                    }
                    return Some(unit);
                }
                Verdict::Mark(_) if book.mark(&mut unit) => {
                    queue.codel.on_marked();
                    return Some(unit);
                }
                Verdict::MarkIfAble => unreachable!("CoDel wants marks or drops"),
                Verdict::Mark(why) | Verdict::Drop(why) => book.drop(unit, why),
            }
        }
        queue.codel.on_empty(now);
        None
    }
}

impl<U: Unit> Discipline<U> for FqCodel<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    //= rfc8290 §4.1
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        let (at, bytes) = (self.buckets.of(unit.flow()), unit.bytes());
        if at == self.queues.len() {
            self.queues.push(FlowQueue {
                waiting: List::default(),
                bytes: 0,
                codel: (*self.codel).clone(),
            });
        }
        let queue = &mut self.queues[at];
        let stamp = queue.codel.on_joined(now, bytes);
        self.units.push_back(&mut queue.waiting, (unit, stamp));
        queue.bytes += u64::from(bytes);
        self.longest = self.longest.max(u64::from(bytes));
        self.backlog += 1;
        self.rounds.join(at, self.quantum);
        if self.backlog > self.room {
            self.drop_batch(at, book);
        }
    }

    //= rfc8290 §4.2
    #[inline(never)]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        loop {
            let at = self.rounds.next(|_| self.quantum)?;
            if let Some(unit) = self.pull_of(at, now, book) {
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
        let codels = self.queues.iter().map(|queue| &queue.codel);
        let all = core::iter::once(&*self.codel).chain(codels);
        largest(all, |codel, tell| codel.gauges(tell), tell);
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        let mut laws = self.codel.drop_laws();
        if let Some(threshold) = self.ce_threshold {
            let milliseconds = threshold.seconds() * 1e3;
            laws.push(DropLaw {
                says: "Probability that an ECN-capable packet is marked because of `ce_threshold`, over its sojourn time.",
                over: Gauge::new("sojourn time", "ms"),
                range: (0.0, 2.0 * milliseconds),
                parameters: Vec::from([("ce_threshold", milliseconds)]),
                curves: Vec::from([Curve::probability("marked", |sojourn| {
                    let marks = exceeds(of_ms(sojourn), self.ce_threshold);
                    f64::from(u8::from(marks))
                })]),
            });
        }
        laws
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{Named, check, line};
    use std::format;
    use std::string::String;

    /// Each flow has its own queue.
    fn queue(texts: &[(&str, &str)]) -> FqCodel<Named> {
        let all = [&[("collisions", "false")], texts].concat();
        FqCodel::make(&FqCodelParams::from_texts(&all), line())
    }

    /// `many` packets of `flow` arrive at one time.
    fn arrive(flow: char, many: usize, bytes: &str) -> String {
        let line = |n| format!("{flow}{n} {bytes} => kept\n");
        (1..=many).map(line).collect()
    }

    #[test]
    //= rfc8290 §4.2 type=test
    fn queues_send_a_quantum_in_their_turn() {
        // Short packets of a take turns with long ones of b by bytes: 1,000 B are two packets of a.
        let script = arrive('a', 7, "500")
            + &arrive('b', 4, "1000")
            + "pull => a1
             pull => a2           # its 1000 B are sent
             pull => b1
             pull => a3
             pull => a4
             pull => b2
             pull => a5
             pull => a6
             pull => b3
             pull => a7
             pull => b4           # a is empty
             pull => nothing";
        check(queue(&[("quantum", "1000 B")]), &script);
        // What was sent beyond the quantum is missing from the next turn.
        let script = arrive('a', 4, "700")
            + &arrive('b', 3, "1000")
            + "pull => a1
             pull => a2           # 400 B more than its quantum
             pull => b1
             pull => a3           # of 600 B, one has begun
             pull => b2
             pull => a4
             pull => b3";
        check(queue(&[("quantum", "1000 B")]), &script);
    }

    #[test]
    //= rfc8290 §4.2 type=test
    fn new_queues_come_first_and_are_old_after_a_quantum_or_when_empty() {
        let script = arrive('a', 4, "1000")
            + "pull => a1
             pull => a2             # a is old from here on
             b1 500 => kept
             pull => b1             # b is new
             b2 500 => kept         # on the new list still: it has 500 B
             b3 500 => kept
             pull => b2             # b has sent its quantum, and is the last old one;
             pull => b3             # a has no credits, and goes behind it
             c1 500 => kept
             pull => c1
             pull => a3             # c was found empty, and has become old; b has left the list
             c2 500 => kept         # so it waits for its turn
             d1 500 => kept
             pull => d1
             pull => c2
             pull => a4
             pull => nothing
             b4 500 => kept         # none is on a list: b and a are new
             a5 1000 => kept
             b5 500 => kept
             pull => b4
             pull => b5
             pull => a5";
        check(queue(&[("quantum", "1000 B")]), &script);
    }

    #[test]
    //= rfc8290 §4.1 type=test
    //= linux-fq-codel type=test
    fn the_queue_with_the_most_bytes_loses_from_its_head() {
        let short = [("buffer", "5 packets"), ("quantum", "1500 B")];
        let script = arrive('a', 3, "100")
            + &arrive('b', 2, "1000")
            + "c1 100 => kept, pushed-out b1          # half of 2000 B
             c2 1100 => overflow, pushed-out c1     # 100 B are less than half of 1200 B\n";
        check(
            queue(&short),
            &(script + "pull => a1\npull => a2\npull => a3\npull => b2\npull => nothing"),
        );
        // A batch of one; of equal queues the first.
        let script = arrive('a', 2, "100") + &arrive('b', 3, "100");
        let one = "b4 100 => kept, pushed-out b1
             b5 100 => kept, pushed-out b2
             a3 100 => kept, pushed-out a1
             a4 100 => kept, pushed-out a2
             pull => a3";
        check(
            queue(&[short[0], ("drop_batch", "1 packets")]),
            &(script + one),
        );
        // A single packet that exceeds the buffer.
        check(
            queue(&[("buffer", "1 packets")]),
            "a1 100 => kept
             b1 101 => overflow
             b2 100 => kept, pushed-out a1
             pull => b2",
        );
    }

    #[test]
    //= rfc8290 §4.1 type=test
    fn a_batch_ends_at_half_of_the_bytes_or_at_its_number() {
        let many = |batch: &str, gone: &str| {
            let script = arrive('a', 9, "100") + &format!("b1 50 => kept, pushed-out {gone}");
            check(
                queue(&[("buffer", "9 packets"), ("drop_batch", batch)]),
                &script,
            );
        };
        many("64 packets", "a1 a2 a3 a4 a5");
        many("5 packets", "a1 a2 a3 a4 a5");
        many("3 packets", "a1 a2 a3");
    }

    #[test]
    //= rfc8290 §4.2 type=test
    fn each_queue_has_a_codel_of_its_own() {
        let script = arrive('a', 12, "1500")
            + "@5ms pull => a1               # above the target: the interval of a begins\n@104ms "
            + &arrive('b', 9, "1500")
            + "@105ms pull => a3, early a2
             pull => b1
             @110ms pull => b2             # the interval of b begins
             pull => a4
             @205ms pull => b3
             pull => a6, early a5          # the second drop of a
             @209.999999999ms pull => b4
             @210ms pull => a7
             pull => b6, early b5          # the first drop of b
             @275.710678117ms pull => a8
             pull => b7
             @275.710678118ms pull => a10, early a9";
        check(queue(&[("ecn", "false")]), &script);
    }

    #[test]
    //= rfc8289 §5.3 type=test
    fn the_longest_packet_of_any_queue_stands_for_the_mtu() {
        // In a queue of acks, up to 1500 B may stand.
        let acks = arrive('a', 30, "50") + "@5ms pull => a1\n@105ms pull => ";
        check(queue(&[]), &(acks.clone() + "a3, early a2"));
        let data = "z1 1500 => kept\npull => z1\n";
        check(queue(&[]), &(String::from(data) + &acks + "a2"));
    }

    #[test]
    //= rfc8290 §5.2.6 type=test
    //= rfc8290 §5.2.7 type=test
    fn marks_take_the_place_of_drops_and_come_above_a_threshold() {
        let script = arrive('a', 4, "1500 ect")
            + &arrive('b', 4, "1500")
            + "@5ms pull => a1
             pull => b1
             @105ms pull => a2, marked a2
             pull => b3, early b2";
        check(
            queue(&[
                ("quantum", "1500 B"),
                ("target", "4 ms"),
                ("interval", "99 ms"),
            ]),
            &script,
        );
        check(
            queue(&[("ce_threshold", "1 ms")]),
            "a1 1500 ect => kept
             a2 1500 ect => kept
             b1 1500 => kept
             @1ms pull => a1
             @1.001ms pull => a2, marked a2
             @9ms pull => b1               # Not-ECT: only CoDel drops",
        );
    }

    #[test]
    //= linux-codel type=test
    fn a_mark_sets_the_next_time_at_once() {
        let script = arrive('a', 8, "1500 ect")
            + "@5ms pull => a1
             @105ms pull => a2, marked a2
             @205ms pull => a3, marked a3
             @276ms pull => a4, marked a4
             @334ms pull => a5, marked a5       # the next would be at 383.4 ms
             pull => a6
             pull => a7
             pull => a8\n@350ms "
            + &arrive('a', 9, "1500")
            + "@1883.445705035ms pull => a1       # CoDel begins again 16 intervals after 383.4 ms, or a picosecond less
             @1983.445705035ms pull => a3, early a2
             @2041.180731953ms pull => a5, early a4";
        check(queue(&[]), &script);
    }

    #[test]
    fn a_queue_that_was_pushed_out_begins_its_interval_anew() {
        let script = arrive('a', 3, "1500")
            + "@5ms pull => a1                    # above the target
             b1 100 => kept
             b2 100 => kept, pushed-out a2
             b3 100 => kept, pushed-out a3
             pull => b1                         # a is found empty
             pull => b2
             pull => b3
             @50ms "
            + &arrive('a', 3, "1500")
            + "@105ms pull => a1";
        check(queue(&[("buffer", "3 packets")]), &script);
    }

    #[test]
    fn flows_of_one_bucket_share_a_queue() {
        let script = arrive('a', 2, "1500") + &arrive('b', 2, "1500");
        let one = FqCodelParams::from_texts(&[("flows", "1")]);
        let fifo = "pull => a1\npull => a2\npull => b1\npull => b2";
        check(FqCodel::make(&one, line()), &(script.clone() + fifo));
        let turns = "pull => a1\npull => b1\npull => a2\npull => b2";
        check(queue(&[("quantum", "1500 B")]), &(script + turns));
    }
}
