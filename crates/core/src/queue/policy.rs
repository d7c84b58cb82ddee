//! A policy on a buffer that whole packets can be pushed out of, and the discipline that the two make.
//= chan-wang-chen-2002 §3.2

use super::Discipline;
use super::frames::{Frames, Rules};
use crate::ledger::{Cause, Ledger};
use crate::storage::lists::Position;
use crate::time::Instant;
use crate::unit::{FlowId, Unit};
use alloc::boxed::Box;

/// Decides who comes in, and who must go for it.
pub trait Policy<U: Unit> {
    /// Why the packet whose first cell arrives may not come in, if it may not: then there is room for that cell, perhaps because others were
    /// pushed out for it.
    fn refuse(
        &mut self,
        frames: &mut Frames<U>,
        flow: FlowId,
        book: &mut impl Ledger<U>,
    ) -> Option<Cause>;
    /// A further cell of a packet finds the buffer full.
    fn make_room(&mut self, frames: &mut Frames<U>, flow: FlowId, book: &mut impl Ledger<U>);
    /// A cell of `flow` is at `place` now; of so many of its VC, this one among them.
    #[inline]
    fn on_joined(&mut self, _flow: FlowId, _place: Position, _first: bool, _cells: u64) {}
    /// The first cell of the packet, which was at `place`, is sent.
    #[inline]
    fn on_begun(&mut self, _flow: FlowId, _place: Position) {}
    /// The packet of `flow` that arrives is to be withdrawn.
    #[inline]
    fn on_withdrawn(&mut self, _flow: FlowId) {}
}

/// A FIFO of frames under a policy.
#[derive(Debug)]
pub struct Policed<U, P> {
    pub(super) frames: Frames<U>,
    // Boxed: a queue has the size of the largest.
    policy: Box<P>,
}

impl<U: Unit, P> Policed<U, P> {
    /// An empty one with this room \[units\].
    pub fn new(room: u64, rules: Rules, policy: P) -> Self {
        Self {
            frames: Frames::new(room, rules),
            policy: Box::new(policy),
        }
    }
}

impl<U: Unit, P: Policy<U>> Discipline<U> for Policed<U, P> {
    // Not inlined: the path of a cell through the other disciplines would pay for it.
    #[inline(never)]
    fn offer(&mut self, _: Instant, unit: U, book: &mut impl Ledger<U>) {
        self.frames.offer(unit, &mut *self.policy, book);
    }

    #[inline(never)]
    fn pull(&mut self, _: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        self.frames.pull(&mut *self.policy)
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.frames.backlog()
    }
}
