//! Ack filtering: an arriving ack takes the place of earlier acks of its flow that still wait, so that a slow way back carries fewer.
//!
//! An earlier ack is removed only if the new one says all that it says, and more. So duplicate acks stay, as do acks with other marks. The
//! filter looks into packets for this, and keeps no state of a flow once its acks have left. Beside that the queue is drop-tail; room is
//! asked for after the filter.
//= rfc3449 §5.2.1

use super::{About, Discipline, Grain, Line, Make};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Packets, Room};
use crate::storage::lists::{List, Lists, Position};
use crate::storage::per_flow::PerFlow;
use crate::time::Instant;
use crate::unit::{CONTROL, Unit};
use alloc::collections::VecDeque;

crate::declare! {
    /// Drops waiting acks when a newer one of their flow says all that they say.
    pub struct AckFilterParams as "ack-filter" from "rfc3449 §5.2.1" {
        /// Capacity of the buffer, without the packet being transmitted.
        buffer: Room;
        /// Number of acks that stay although a newer one says all that they say: the newest of them.
        keep: Packets = "0 packets", try ["0 packets", "2 packets"];
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// A FIFO, with the places of the acks in it.
#[derive(Debug)]
pub struct AckFilter<U> {
    units: Lists<U>,
    waiting: List,
    /// By flow, the waiting acks, oldest first.
    acks: PerFlow<VecDeque<Position>>,
    room: u64,
    keep: usize,
}

impl<U> Make<AckFilterParams> for AckFilter<U> {
    fn make(params: &AckFilterParams, _: Line) -> Self {
        Self {
            units: Lists::default(),
            waiting: List::default(),
            acks: PerFlow::default(),
            room: params.buffer.count(),
            keep: usize::try_from(params.keep.0).unwrap_or(usize::MAX),
        }
    }
}

impl<U: Unit> AckFilter<U> {
    /// Drops what the arriving `ack` makes redundant, but for the newest acks that are to stay.
    fn filter(&mut self, ack: &U, book: &mut impl Ledger<U>) {
        let Self { units, waiting, .. } = self;
        let own = self.acks.of(ack.flow());
        let redundant = |at: Position, units: &Lists<U>, book: &_| {
            units
                .get(at)
                .is_some_and(|it| Ledger::supersedes(book, ack, it))
        };
        let found = own.iter().filter(|at| redundant(**at, units, book)).count();
        let mut surplus = found.saturating_sub(self.keep);
        if surplus > 0 {
            own.retain(|at| {
                let goes = surplus > 0 && redundant(*at, units, book);
                if goes {
                    surplus -= 1;
                    book.drop(units.remove(waiting, *at), Cause::PushedOut);
                }
                !goes
            });
        }
    }
}

impl<U: Unit> Discipline<U> for AckFilter<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    #[inline(never)]
    fn offer(&mut self, _: Instant, unit: U, book: &mut impl Ledger<U>) {
        let (flow, control) = (unit.flow(), unit.priority() >= CONTROL);
        if control {
            self.filter(&unit, book);
        }
        if self.waiting.len() as u64 >= self.room {
            return book.drop(unit, Cause::Overflow);
        }
        let at = self.units.push_back(&mut self.waiting, unit);
        if control {
            self.acks.of(flow).push_back(at);
        }
    }

    #[inline(never)]
    fn pull(&mut self, _: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        let unit = self.units.pop_front(&mut self.waiting)?;
        if unit.priority() >= CONTROL {
            self.acks.of(unit.flow()).pop_front();
        }
        Some(unit)
    }

    fn backlog(&self) -> u64 {
        self.waiting.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{Named, check, line};

    fn queue(texts: &[(&str, &str)]) -> AckFilter<Named> {
        AckFilter::make(&AckFilterParams::from_texts(texts), line())
    }

    #[test]
    //= rfc3449 §5.2.1 type=test
    fn an_ack_takes_out_the_older_acks_of_its_flow() {
        check(
            queue(&[("buffer", "4 packets")]),
            "a1 40 control => kept
             b1 1500 => kept
             c1 40 control => kept
             a2 40 control => kept, pushed-out a1
             b2 1500 => kept
             a3 40 control => kept, pushed-out a2     # it finds room because a2 has left
             b3 1500 => overflow
             pull => b1
             pull => c1
             a4 40 control => kept, pushed-out a3
             pull => b2
             pull => a4
             a5 40 control => kept                    # none waits
             pull => a5
             pull => nothing",
        );
    }

    #[test]
    //= rfc3449 §5.2.1 type=test
    // Some of the older acks may stay.
    fn the_newest_redundant_acks_stay() {
        check(
            queue(&[("buffer", "9 packets"), ("keep", "2 packets")]),
            "a1 40 control => kept
             a2 40 control => kept
             a3 40 control => kept
             a4 40 control => kept, pushed-out a1
             a5 40 control => kept, pushed-out a2
             pull => a3
             pull => a4
             pull => a5
             pull => nothing",
        );
    }
}
