//! Lines of packets that do nothing but carry them, with an unlimited FIFO: the access lines of most networks, and the lines of acks.

use super::{Buffer, Port};
use crate::flight::InFlight;
use crate::grain::Grain;
use crate::unlimited::Accepted;
use dupack_core::framing::Framing;
use dupack_core::time::Instant;

impl<U: Grain> Port<U> {
    /// Sees whether it is `plain`, when all is known about it.
    pub fn set_plain(&mut self) {
        self.plain = U::OVERTAKES
            && matches!(self.buffer, Buffer::Unlimited(_))
            && self.framing == Framing::Raw
            && self.flight.is_even()
            && self.lossy.is_none()
            && self.twice.is_none()
            && self.capture.is_none()
            && self.waits.is_none();
    }

    /// Books a packet on a line that is `plain`: when it arrives at the far end.
    #[inline(always)]
    pub fn book_one(&mut self, now: Instant, bits: u64) -> Instant {
        let Buffer::Unlimited(unlimited) = &mut self.buffer else {
            unreachable!("a plain line has an unlimited FIFO")
        };
        self.counts.offered += 1;
        let idle = unlimited.free_at <= now;
        let start = if idle {
            self.counts.pauses += u64::from(unlimited.free_at < now);
            self.pacer.rest();
            now
        } else {
            unlimited.free_at
        };
        let time = self.pacer.advance(bits);
        self.counts.busy += time.0;
        let end = start + time;
        if !(idle && unlimited.begin_alone(end)) {
            unlimited.accept(
                now,
                Accepted {
                    offered: now,
                    start,
                    end,
                    units: 1,
                },
            );
        }
        end + self.delay
    }

    /// Reads from each cache line that a packet needs which comes to a line that is `plain`; the number has no meaning.
    #[inline(always)]
    pub fn glance(&self) -> u64 {
        let room = match &self.buffer {
            Buffer::Unlimited(unlimited) => unlimited.free_at.0,
            Buffer::Served(_) => 0,
        };
        self.due.0 ^ self.counts.offered ^ room
    }

    /// A unit arrives `at`, unless the line delays it.
    #[inline(always)]
    pub fn fly(&mut self, at: Instant, unit: U) {
        let rest = U::rest(0, &self.pacer);
        self.flight.put(InFlight { at, unit, rest });
    }

    /// A unit that another part of a divided run has sent on this line arrives `at`.
    pub fn lands(&mut self, at: Instant, unit: U) {
        let rest = U::rest(0, &self.pacer);
        self.flight.lands(InFlight { at, unit, rest });
    }

    /// Nothing is in flight.
    #[inline(always)]
    pub fn is_clear(&self) -> bool {
        self.flight.first().is_none()
    }
}
