//! What samples read of a port.

use super::{Buffer, Port};
use crate::grain::Grain;
use dupack_core::gauge::Tell;
use dupack_core::queue::Discipline;
use dupack_core::time::Instant;

impl<U: Grain> Port<U> {
    /// Units in the buffer now.
    pub fn backlog(&self, now: Instant) -> u64 {
        match &self.buffer {
            Buffer::Served(served) => served.queue.backlog(),
            Buffer::Unlimited(unlimited) => unlimited.pending_at(now).waiting,
        }
    }

    /// The state variables of its discipline.
    pub fn gauges(&self, tell: &mut Tell) {
        if let Buffer::Served(served) = &self.buffer {
            served.queue.gauges(tell);
        }
    }
}
