//! Strict priority: a packet is sent only if none of a higher class waits.
//!
//! Each class has a queue of its own, with a discipline inside it. When the buffer that they share is full, the arriving packet is
//! dropped, whatever its class; a class with a discipline of its own has that one's buffer beside.
//!
//! A class that is always busy starves those below it; `wfq` gives each its share.
//= rfc4594 §1.4
//= rfc2474 §4.2.2

use super::classes::Classes;
use super::drop_law::DropLaw;
use super::nested::{Nested, or_drop_tail};
use super::{About, Discipline, Grain, Line, Make, Queue};
use crate::gauge::Tell;
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
        if Discipline::<U>::backlog(self) >= self.room {
            return book.drop(unit, Cause::Overflow);
        }
        self.queues[self.classes.of(&unit)].offer(now, unit, book);
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
    use crate::queue::tests::script::{Named, check, line};

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
             b2 100 => overflow       # the buffer is full, whatever the class
             pull => b1
             pull => d1
             b3 100 => kept
             pull => b3
             pull => a1
             pull => a2
             pull => c1
             pull => nothing",
        );
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
