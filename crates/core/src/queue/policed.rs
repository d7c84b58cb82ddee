//! The discipline made of a policy and a buffer from which whole packets can be pushed out.
//= chan-wang-chen-2002 §3.2

use super::Discipline;
use super::frames::{Frames, Policy, Rules};
use crate::ledger::Ledger;
use crate::time::Instant;
use crate::unit::Unit;
use alloc::boxed::Box;

/// A FIFO of frames under a policy.
#[derive(Debug)]
pub struct Policed<U, P> {
    pub(super) frames: Frames<U>,
    // Boxed, because every `Queue` has the size of the largest discipline.
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
    // Not inlined: inlined code would slow the path of a cell through the other disciplines.
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
