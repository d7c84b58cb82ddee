//! Partial packet discard: after a cell is dropped, drops the rest of its packet except for the last cell.
//!
//! The last cell is admitted so that the packet stays delimited: without its end mark the receiver would take the next packet for its
//! continuation and lose both. A last cell that arrives at a full buffer is dropped all the same.
//= cohen-hamo-2001 §3

use super::{About, Discipline, Grain, Line, Make};
use crate::ledger::{Cause, Ledger};
use crate::measure::Room;
use crate::storage::per_flow::PerFlow;
use crate::time::Instant;
use crate::unit::{FlowId, Unit};
use alloc::collections::VecDeque;

crate::declare! {
    /// Drops the rest of a packet, except for its last cell, after one of its cells is dropped.
    pub struct PpdParams as "ppd" from "cohen-hamo-2001 §3" {
        /// Capacity of the buffer, without the cell being transmitted.
        buffer: Room;
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Cells]);

/// State that the switch keeps for a VC.
#[derive(Clone, Copy, Debug, Default)]
struct Vc {
    /// The last cell seen had no end mark, so the next one continues its packet: AAL5 marks no first cell.
    inside: bool,
    /// A cell of the current packet (the last one seen, until the next begins) has been dropped.
    damaged: bool,
}

/// A FIFO of limited room that does not forward the tails of damaged packets.
#[derive(Debug)]
pub struct Ppd<U> {
    ring: VecDeque<U>,
    room: u64,
    vcs: PerFlow<Vc>,
}

impl<U: Unit> Make<PpdParams> for Ppd<U> {
    fn make(params: &PpdParams, _: Line) -> Self {
        Self::with_room(params.buffer)
    }
}

impl<U: Unit> Ppd<U> {
    /// An empty buffer of this room \[cells\].
    pub fn with_room(room: Room) -> Self {
        Self {
            ring: VecDeque::new(),
            room: room.count(),
            vcs: PerFlow::default(),
        }
    }

    /// Room \[cells\].
    #[inline]
    pub fn room(&self) -> u64 {
        self.room
    }

    /// Whether the packet of `flow` that came last has lost a cell here.
    #[inline]
    pub fn damaged(&mut self, flow: FlowId) -> bool {
        self.vcs.of(flow).damaged
    }

    /// PPD with an admission test: a packet's first cell is kept only if `admit` of the backlog is true. Returns the cause if the
    /// cell was dropped. EPD and BPD are built on this.
    #[inline(always)]
    pub fn offer_if(
        &mut self,
        unit: U,
        book: &mut impl Ledger<U>,
        admit: impl FnOnce(u64) -> bool,
    ) -> Option<Cause> {
        let backlog = self.ring.len() as u64;
        let vc = self.vcs.of(unit.flow());
        let (first, last) = (!vc.inside, unit.last());
        vc.inside = !last;
        if first {
            vc.damaged = false;
        }
        let why = if first && !admit(backlog) {
            // A packet of one cell is dropped whole here. Nothing of it was forwarded, so its last cell has nothing to delimit.
            Some(Cause::Early)
        } else if vc.damaged && !last {
            Some(Cause::Partial)
        } else if backlog >= self.room {
            Some(Cause::Overflow)
        } else {
            None
        };
        match why {
            Some(why) => {
                vc.damaged = true;
                book.drop(unit, why);
            }
            None => self.ring.push_back(unit),
        }
        why
    }
}

impl<U: Unit> Discipline<U> for Ppd<U> {
    #[inline(always)]
    fn offer(&mut self, _: Instant, unit: U, book: &mut impl Ledger<U>) {
        self.offer_if(unit, book, |_| true);
    }

    /// Accepts an RM cell if there is room; it neither begins nor ends a packet.
    fn offer_control(&mut self, _: Instant, unit: U, book: &mut impl Ledger<U>) {
        if (self.ring.len() as u64) < self.room {
            self.ring.push_back(unit);
        } else {
            book.drop(unit, Cause::Overflow);
        }
    }

    #[inline]
    fn pull(&mut self, _: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        self.ring.pop_front()
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.ring.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{check, line};

    #[test]
    fn the_tail_of_a_damaged_packet_is_dropped_but_for_its_last_cell() {
        let queue = Ppd::make(&PpdParams::from_texts(&[("buffer", "2 cells")]), line());
        check(
            queue,
            "a1 .      => kept
             a2 .      => kept
             a3 .      => overflow
             pull      => a1
             a4 .      => partial      # there is room again, but the packet is damaged
             a5 last   => kept         # so that the packet stays delimited
             pull      => a2
             b1 .      => kept         # the next packet starts afresh
             c1 last   => overflow     # full: even a last cell is dropped
             pull      => a5
             c2 .      => kept         # and what follows counts as a new packet",
        );
    }

    #[test]
    //= atm-tm4 §5.10.3 type=test
    fn an_rm_cell_is_of_no_packet() {
        let queue = Ppd::make(&PpdParams::from_texts(&[("buffer", "2 cells")]), line());
        check(
            queue,
            "a1 .      => kept
             ar rm     => kept
             a2 .      => overflow     # the packet goes on behind the RM cell, and is damaged
             ar rm     => overflow
             pull      => a1
             ar rm     => kept         # though it passes in a damaged packet
             pull      => ar
             a3 .      => partial
             a4 last   => kept",
        );
    }
}
