//! Weighted fair queueing of classes: while several classes have packets, each sends bytes in proportion to its weight.
//!
//! Each class has a queue of its own, with a discipline inside it. An exact server would know the length of a packet before it
//! chooses a class, but an inner discipline may drop its head at the moment of departure. So classes have start tags
//! (start-time fair queueing): the class with the least tag S is served, of several the highest. When it has sent L bytes, its tag grows
//! by L / weight. A class that was empty gets the tag max(S, v) when a packet arrives, where v is the tag of the packet that was sent
//! last, or the largest tag of all classes once none has packets. So while two classes wait, their bytes over their weights differ by at
//! most one longest packet of each.
//!
//! When the buffer that the classes share is full, the class with the most packets over its weight loses one: the arriving packet, if
//! that is its class, and otherwise the next packet that it would send. So each class has room in proportion to its weight while all
//! want it. A class with a discipline of its own has that one's buffer beside.
//= goyal-vin-cheng-1996 §2
//= demers-keshav-shenker-1989 §2

use super::classes::Classes;
use super::drop_law::DropLaw;
use super::nested::{Nested, or_drop_tail};
use super::{About, Discipline, Grain, Line, Make, Queue};
use crate::gauge::{BACKLOG, Tell};
use crate::ledger::{Cause, Ledger};
use crate::measure::Room;
use crate::time::Instant;
use crate::unit::Unit;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

crate::declare! {
    /// Keeps a queue per class, and sends bytes of each in proportion to its weight.
    pub struct WfqParams as "wfq" from "goyal-vin-cheng-1996 §2" {
        /// Capacity of the buffer that all classes share, without the packet being transmitted.
        buffer: Room;
        /// Classes: by the `dscp` of flows, or acks and trimmed packets apart from data.
        classes: Classes = "diffserv4";
        /// Weights of the classes, from the least; 1 each.
        weights: Option<Vec<u64>> = unset "equal";
        /// Discipline inside each class.
        inner: Option<Nested> = unset "drop-tail";
    }
    check |it| {
        if let Some(weights) = &it.weights && (weights.len() != it.classes.count() || weights.iter().any(|it| !(1..=1_000_000).contains(it))) {
            let allowed = format!("a weight from 1 to 1000000 for each of the {} classes of \"{}\"", it.classes.count(), it.classes.in_plans());
            return Err(crate::declare::Fault { name: "weights", found: format!("{weights:?}"), allowed });
        }
        it.inner.as_ref().map_or(Ok(()), Nested::check)
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// Queue of a class.
#[derive(Debug)]
struct Class<U> {
    queue: Box<Queue<U>>,
    weight: u64,
    /// Start tag of its next packet \[2^-20 bytes per weight of 1\].
    start: u128,
}

/// Queues of classes, the least first.
#[derive(Debug)]
pub struct Wfq<U> {
    classes: Classes,
    queues: Vec<Class<U>>,
    /// Start tag of the packet that was sent last; after a busy period, the largest tag of all.
    v: u128,
    room: u64,
}

impl<U: Unit> Make<WfqParams> for Wfq<U> {
    fn make(params: &WfqParams, line: Line) -> Self {
        let inner = or_drop_tail(params.inner.as_ref(), params.buffer);
        let weight = |at: usize| params.weights.as_ref().map_or(1, |weights| weights[at]);
        let class = |at| Class {
            queue: inner.queue(&line, at),
            weight: weight(at),
            start: 0,
        };
        Self {
            classes: params.classes,
            queues: (0..params.classes.count()).map(class).collect(),
            v: 0,
            room: params.buffer.count(),
        }
    }
}

impl<U: Unit> Wfq<U> {
    /// The class with the most packets over its weight, with one more of class `own`; of several `own`, or else the least.
    fn largest(&self, own: usize) -> usize {
        let packets =
            |at: usize| u128::from(self.queues[at].queue.backlog()) + u128::from(at == own);
        let mut largest = own;
        for (at, class) in self.queues.iter().enumerate() {
            let most = packets(largest) * u128::from(class.weight);
            if packets(at) * u128::from(self.queues[largest].weight) > most {
                largest = at;
            }
        }
        largest
    }
}

impl<U: Unit> Discipline<U> for Wfq<U> {
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        let at = self.classes.of(&unit);
        while Discipline::<U>::backlog(self) >= self.room {
            let largest = self.largest(at);
            if largest == at {
                return book.drop(unit, Cause::Overflow);
            }
            if let Some(pushed_out) = self.queues[largest].queue.pull(now, book) {
                book.drop(pushed_out, Cause::PushedOut);
            }
        }
        let class = &mut self.queues[at];
        if class.queue.backlog() == 0 {
            class.start = class.start.max(self.v);
        }
        class.queue.offer(now, unit, book);
    }

    //= goyal-vin-cheng-1996 §2
    #[inline(never)]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        // An inner discipline without packets is asked to note that.
        for class in &mut self.queues {
            if class.queue.backlog() == 0 {
                class.queue.pull(now, book);
            }
        }
        // One with packets may drop all of them; then the next class is asked.
        loop {
            let waiting = self.queues.iter_mut().rev();
            let next = waiting
                .filter(|class| class.queue.backlog() > 0)
                .min_by_key(|class| class.start);
            let Some(class) = next else {
                // A busy period is over: v is the largest finish tag. Otherwise a class that sent alone would be held back in the next.
                let tags = self.queues.iter().map(|class| class.start);
                self.v = tags.fold(self.v, u128::max);
                return None;
            };
            if let Some(unit) = class.queue.pull(now, book) {
                self.v = class.start;
                class.start += (u128::from(unit.bytes()) << 20) / u128::from(class.weight);
                return Some(unit);
            }
        }
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.queues.iter().map(|class| class.queue.backlog()).sum()
    }

    fn gauges(&self, tell: &mut Tell) {
        for (class, name) in self.queues.iter().zip(self.classes.names()) {
            tell(BACKLOG.of(name), class.queue.backlog() as f64);
            class
                .queue
                .gauges(&mut |gauge, value| tell(gauge.of(name), value));
        }
    }

    /// All classes have the same discipline.
    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        self.queues[0].queue.drop_laws()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::{Declared, Value};
    use crate::queue::tests::script::{Fates, Named, check, line};
    use crate::roster::Roster;
    use std::string::String;

    fn params(texts: &[(&str, &str)]) -> WfqParams {
        let buffer = [("buffer", "4000 packets")];
        WfqParams::from_texts(&[&buffer[..], texts].concat())
    }

    #[test]
    //= goyal-vin-cheng-1996 §2 type=test
    // b has a hundred times the weight of c. c has sent one packet alone, and the line has been idle since.
    fn what_was_sent_in_an_earlier_busy_period_does_not_count() {
        let params = params(&[("weights", "[1, 1, 1, 100]")]);
        let mut queue = Wfq::make(&params, line());
        let mut book = Fates::default();
        let mut offer = |queue: &mut Wfq<Named>, name: String| {
            queue.offer(Instant::ZERO, Named::packet(name, 1500), &mut book);
        };
        offer(&mut queue, "c0".into());
        let mut book = Fates::default();
        assert_eq!(queue.pull(Instant::ZERO, &mut book).expect("c0").name, "c0");
        assert!(queue.pull(Instant::ZERO, &mut book).is_none());
        for n in 1..=50 {
            offer(&mut queue, format!("c{n}"));
            offer(&mut queue, format!("b{n}"));
        }
        let mut next = || {
            queue
                .pull(Instant::ZERO, &mut book)
                .expect("some wait")
                .name
        };
        assert_eq!([next(), next(), next()], ["b1", "c1", "b2"]);
    }

    #[test]
    //= goyal-vin-cheng-1996 §2 type=test
    fn classes_send_bytes_by_their_weights() {
        // c, a, d and b are the classes from the least; all of them always have packets, of different lengths.
        let params = params(&[("weights", "[1, 2, 3, 6]")]);
        let mut queue = Wfq::make(&params, line());
        let mut book = Fates::default();
        let flows = [('c', 1500, 1), ('a', 700, 2), ('d', 1000, 3), ('b', 400, 6)];
        for (flow, bytes, _) in flows {
            for n in 0..600 {
                queue.offer(
                    Instant::ZERO,
                    Named::packet(format!("{flow}{n}"), bytes),
                    &mut book,
                );
            }
        }
        let mut sent = [0u32; 4];
        for turn in 0..300 {
            let unit = queue.pull(Instant::ZERO, &mut book).expect("some wait");
            let at = flows
                .iter()
                .position(|(flow, ..)| unit.name.starts_with(*flow));
            sent[at.expect("one of the four")] += unit.bytes;
            if turn % 50 == 49 {
                for ((_, most, weight), bytes) in flows.iter().zip(sent) {
                    for ((_, other_most, other_weight), other) in flows.iter().zip(sent) {
                        let shares = (
                            bytes as f64 / f64::from(*weight),
                            other as f64 / f64::from(*other_weight),
                        );
                        let bound = f64::from(*most) / f64::from(*weight)
                            + f64::from(*other_most) / f64::from(*other_weight);
                        assert!((shares.0 - shares.1).abs() <= bound, "{sent:?}");
                    }
                }
            }
        }
        assert!(book.0.is_empty());
    }

    #[test]
    fn a_full_buffer_takes_from_the_class_with_the_most_over_its_weight() {
        let buffer = ("buffer", "4 packets");
        let params = WfqParams::from_texts(&[buffer, ("weights", "[1, 1, 1, 3]")]);
        check(
            Wfq::<Named>::make(&params, line()),
            "c1 1000 => kept
             c2 1000 => kept
             b1 1000 => kept
             b2 1000 => kept
             b3 1000 => kept, pushed-out c1    # 3 over 3, beside 2 over 1
             b4 1000 => overflow               # 4 over 3, beside 1
             c3 1000 => overflow               # 2 over 1, beside 3 over 3
             pull => b1
             pull => c2
             pull => b2
             pull => b3
             pull => nothing",
        );
    }

    #[test]
    fn weights_hold_in_overload() {
        // Voice has nine times the weight of background, and both offer twice what the line sends.
        let buffer = ("buffer", "40 packets");
        let params = WfqParams::from_texts(&[buffer, ("weights", "[1, 1, 1, 9]")]);
        let mut queue = Wfq::<Named>::make(&params, line());
        let mut book = Fates::default();
        let mut voice = 0;
        for n in 0..4_000u64 {
            let now = Instant(n * 1_000_000_000);
            for (class, at) in [('c', 0), ('b', 0), ('c', 1), ('b', 1)] {
                queue.offer(
                    now,
                    Named::packet(format!("{class}{n}-{at}"), 1000),
                    &mut book,
                );
            }
            let next = queue.pull(now, &mut book).expect("some wait");
            voice += u64::from(next.name.starts_with('b'));
        }
        assert!((3_590..=3_640).contains(&voice), "{voice}");
    }

    #[test]
    //= goyal-vin-cheng-1996 §2 type=test
    fn a_class_that_was_empty_is_not_paid_for_that_time() {
        check(
            Wfq::<Named>::make(&params(&[]), line()),
            "a1 1000 => kept
             a2 1000 => kept
             a3 1000 => kept
             pull => a1
             pull => a2
             b1 500 => kept            # with the tag of a2, 1000
             b2 500 => kept
             b3 500 => kept
             pull => b1                # 1000, before a3 with 2000
             pull => b2                # 1500
             pull => b3                # 2000: of equal tags the highest class
             pull => a3
             pull => nothing",
        );
    }

    #[test]
    fn the_discipline_inside_has_its_own_rules() {
        let codel = crate::queue::QueueParams::ENTRIES
            .iter()
            .find(|it| it.name == "codel");
        let values = codel
            .expect("codel")
            .parameters
            .iter()
            .map(|p| match p.fallback {
                crate::declare::Fallback::Text(text) => p.kind.read(text).expect(text),
                _ => Value::Unset,
            });
        let inner = Nested::from_values("codel", &values.collect::<Vec<_>>());
        let params = WfqParams {
            inner,
            ..params(&[])
        };
        check(
            Wfq::<Named>::make(&params, line()),
            "a1 1500 => kept
             a2 1500 => kept
             a3 1500 => kept
             a4 1500 => kept
             a5 1500 => kept
             @5ms pull => a1
             @105ms pull => a3, early a2",
        );
    }

    #[test]
    fn weights_are_one_for_each_class() {
        let check = |weights: &str| {
            let buffer = crate::declare::Kind::Room
                .read("5 packets")
                .expect("a room");
            let weights = crate::declare::Kind::Indices.read(weights).expect("a list");
            let classes = Value::Choice("acks");
            WfqParams::from_values(&[buffer, classes, weights, Value::Unset]).check()
        };
        assert!(check("[1, 3]").is_ok());
        for wrong in ["[1]", "[1, 2, 3]", "[0, 1]"] {
            assert_eq!(check(wrong).expect_err("a fault").name, "weights");
        }
    }
}
