//! Drop-tail: a packet that finds the buffer full is dropped.

use super::{Discipline, Grain};
use crate::ledger::{Cause, Ledger};
use crate::measure::Room;
use crate::time::Instant;
use crate::unit::Unit;
use alloc::collections::VecDeque;

crate::declare! {
    /// A packet that finds the buffer full is dropped.
    pub struct Params as "drop-tail" from "common practice" {
        /// Room of the buffer, without the packet being sent.
        buffer: Room;
    }
}

/// Where it runs; on cells the same is called `plain`.
pub const GRAINS: &[Grain] = &[Grain::Packets];

/// A FIFO of limited room.
#[derive(Debug)]
pub struct Queue<U> {
    ring: VecDeque<U>,
    room: u64,
}

impl<U: Unit> Queue<U> {
    /// An empty buffer of this room \[units\].
    pub fn with_room(room: Room) -> Self {
        Self { ring: VecDeque::new(), room: room.count() }
    }
}

impl<U: Unit> From<&Params> for Queue<U> {
    fn from(params: &Params) -> Self {
        Self::with_room(params.buffer)
    }
}

impl<U: Unit> Discipline<U> for Queue<U> {
    #[inline(always)]
    fn offer(&mut self, _: Instant, unit: U, book: &mut impl Ledger<U>) {
        if self.ring.len() as u64 >= self.room {
            book.drop(unit, Cause::Overflow);
        } else {
            self.ring.push_back(unit);
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
