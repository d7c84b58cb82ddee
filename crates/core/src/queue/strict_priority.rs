//! Strict priority: a packet is sent only if none of a higher class waits.
//!
//! Each class has a queue of its own, with a discipline inside it. When the buffer that they share is full, the lowest class that has
//! packets loses the next one that it would send, if that class is below the arriving packet's; otherwise the arriving packet is dropped.
//! So a lower class never takes the place of a higher one. A class with a discipline of its own has that one's buffer beside.
//!
//! A class that is always busy starves those below it; `wfq` gives each its share.
//= rfc4594 §1.4
//= rfc2474 §4.2.2

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
use alloc::vec::Vec;

crate::declare! {
    /// Keeps a queue per class, and sends a packet only if none of a higher class waits.
    pub struct StrictPriorityParams as "strict-priority" from "rfc4594 §1.4" {
        /// Capacity of the buffer that all classes share, without the packet being transmitted.
        buffer: Room;
        /// Classes: by the `dscp` of flows, or acks and trimmed packets before data.
        classes: Classes = "diffserv4";
        /// Discipline inside each class.
        inner: Option<Nested> = unset "drop-tail";
    }
    check |it| it.inner.as_ref().map_or(Ok(()), Nested::check)
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// Queues of classes, the least first.
#[derive(Debug)]
pub struct StrictPriority<U> {
    classes: Classes,
    queues: Vec<Box<Queue<U>>>,
    room: u64,
}

impl<U: Unit> Make<StrictPriorityParams> for StrictPriority<U> {
    fn make(params: &StrictPriorityParams, line: Line) -> Self {
        let inner = or_drop_tail(params.inner.as_ref(), params.buffer);
        let classes = 0..params.classes.count();
        Self {
            classes: params.classes,
            queues: classes.map(|at| inner.queue(&line, at)).collect(),
            room: params.buffer.count(),
        }
    }
}

impl<U: Unit> Discipline<U> for StrictPriority<U> {
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        let class = self.classes.of(&unit);
        while Discipline::<U>::backlog(self) >= self.room {
            let waiting = self.queues[..class].iter_mut();
            let Some(lowest) = waiting.into_iter().find(|queue| queue.backlog() > 0) else {
                return book.drop(unit, Cause::Overflow);
            };
            if let Some(pushed_out) = lowest.pull(now, book) {
                book.drop(pushed_out, Cause::PushedOut);
            }
        }
        self.queues[class].offer(now, unit, book);
    }

    #[inline(never)]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        let mut sent = None;
        for queue in self.queues.iter_mut().rev() {
            // An inner discipline may drop all that waits in it. One without packets is asked to note that.
            if sent.is_none() || queue.backlog() == 0 {
                sent = sent.or(queue.pull(now, book));
            }
        }
        sent
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.queues.iter().map(|queue| queue.backlog()).sum()
    }

    fn gauges(&self, tell: &mut Tell) {
        for (queue, name) in self.queues.iter().zip(self.classes.names()) {
            tell(BACKLOG.of(name), queue.backlog() as f64);
            queue.gauges(&mut |gauge, value| tell(gauge.of(name), value));
        }
    }

    /// All classes have the same discipline.
    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        self.queues[0].drop_laws()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::QueueParams;
    use crate::queue::codel::CodelParams;
    use crate::queue::pie::PieParams;
    use crate::queue::tests::script::{Fates, Named, check, line};
    use std::format;

    fn queue(texts: &[(&str, &str)]) -> StrictPriority<Named> {
        StrictPriority::make(&StrictPriorityParams::from_texts(texts), line())
    }

    #[test]
    //= rfc4594 §1.4 type=test
    fn a_higher_class_goes_first() {
        check(
            queue(&[("buffer", "5 packets")]),
            "a1 100 => kept           # best effort
             c1 100 => kept           # background
             d1 100 => kept           # video
             b1 100 => kept           # voice
             a2 100 => kept
             b2 100 => kept, pushed-out c1
             c2 100 => overflow       # no lower class has packets
             pull => b1
             pull => b2
             b3 100 => kept
             b4 100 => kept
             b5 100 => kept, pushed-out a1
             pull => b3
             pull => b4
             pull => b5
             pull => d1
             pull => a2
             pull => nothing",
        );
    }

    #[test]
    fn a_flood_of_a_lower_class_takes_no_place_of_a_higher_one() {
        let codel = QueueParams::Codel(CodelParams::from_texts(&[("buffer", "1000 packets")]));
        let pie = QueueParams::Pie(PieParams::from_texts(&[("buffer", "1000 packets")]));
        for inner in [None, Some(codel), Some(pie)] {
            let params = StrictPriorityParams {
                inner: inner.clone().map(Nested::of),
                ..StrictPriorityParams::from_texts(&[("buffer", "20 packets")])
            };
            let mut queue = StrictPriority::<Named>::make(&params, line());
            let mut book = Fates::default();
            let mut sent = 0;
            for n in 0..2_000u64 {
                let now = Instant(n * 1_000_000_000);
                for at in 0..4 {
                    queue.offer(now, Named::packet(format!("c{n}-{at}"), 1000), &mut book);
                }
                if n % 4 == 0 {
                    queue.offer(now, Named::packet(format!("b{n}"), 100), &mut book);
                }
                let next = queue.pull(now, &mut book);
                sent += usize::from(next.is_some_and(|it| it.name.starts_with('b')));
            }
            assert_eq!(sent, 500, "{inner:?}");
        }
    }

    #[test]
    fn acks_go_before_data() {
        check(
            queue(&[("buffer", "5 packets"), ("classes", "acks")]),
            "a1 1500 => kept
             b1 1500 => kept
             a2 40 control => kept
             pull => a2
             pull => a1",
        );
    }
}
