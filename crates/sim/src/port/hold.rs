//! Ports with a discipline that holds units back while the line is idle: it is asked again at the time when it says that it will be
//! ready.

use super::{Buffer, Port, Served};
use crate::grain::Grain;
use crate::probe::Probe;
use crate::shared::Shared;
use dupack_core::queue::Discipline;
use dupack_core::time::Instant;

/// State of a discipline that holds units back while the line is idle.
#[derive(Debug)]
pub(super) struct Hold {
    /// The discipline holds its units back if this equals [`Served::ends`].
    pub until: Instant,
    /// Number of successive times at which it was not ready as promised, without an arrival in between.
    pub vain: u32,
    /// Time and kind of its breach of the law.
    pub broken: Option<Box<(Instant, Withheld)>>,
}

/// Breaches of the law that a discipline holds units back only until the time that it has given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Withheld {
    /// It gave no time.
    Silent,
    /// It gave a time that was not later.
    Past,
    /// Too often it gave a time at which it then returned no unit.
    Vain,
}

impl std::fmt::Display for Withheld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Silent => f.write_str("ready_at does not say when it will give one"),
            Self::Past => f.write_str("ready_at gave a time that is not later than now"),
            Self::Vain => write!(
                f,
                "it gave nothing at any of the {IN_VAIN} times that ready_at has given before, though nothing arrived since the first"
            ),
        }
    }
}

/// A rounded time may be a little too early, and so may the next; if this happens more often, rounding is not the cause.
pub(super) const IN_VAIN: u32 = 100;

impl<U> Served<U> {
    /// The line is idle although units `wait`.
    #[inline]
    pub(super) fn holds(&self, waiting: u64) -> bool {
        // A line that stays down never begins either, but it is the line that holds.
        let known = self.ends < Instant::NEVER || self.hold.broken.is_some();
        self.hold.until == self.ends && known && waiting > 0
    }
}

impl<U: Grain> Port<U> {
    /// Continues with transmissions after the discipline has given nothing at `start`.
    // A separate function, so that the compiler sees that the loop for departures calls nothing that may change the port.
    #[cold]
    #[inline(never)]
    pub(super) fn resume<P: Probe>(&mut self, start: Instant, shared: &mut Shared<U, P>) {
        let mut nothing = Some(start);
        while let Some(start) = nothing {
            self.hold(start, shared);
            nothing = self.send(shared);
        }
    }

    /// The discipline has given nothing at `start`: it has dropped all that waited, or it holds that back and says until when.
    #[cold]
    #[inline(never)]
    fn hold<P: Probe>(&mut self, start: Instant, shared: &mut Shared<U, P>) {
        let Buffer::Served(served) = &mut self.buffer else {
            return;
        };
        let waiting = self.counts.waiting;
        served.backlog.fall(start, waiting);
        if waiting == 0 {
            return;
        }
        let hold = &mut served.hold;
        if hold.until == start {
            hold.vain += 1;
        } else {
            hold.vain = 0;
            // The idle time begins now; until now the line has been transmitting.
            self.counts.pauses += 1;
            self.pacer.rest();
        }
        let broken = match served.queue.ready_at(start) {
            None => Withheld::Silent,
            Some(at) if at <= start => Withheld::Past,
            Some(_) if hold.vain > IN_VAIN => Withheld::Vain,
            Some(at) => {
                served.ends = (self.varying.as_ref()).map_or(at, |varying| varying.following(at));
                hold.until = served.ends;
                return;
            }
        };
        hold.broken = Some(Box::new((start, broken)));
        (served.ends, hold.until) = (Instant::NEVER, Instant::NEVER);
        shared.broken = true;
    }

    /// Something was offered to a discipline that holds back what waits: it may be ready sooner than it said.
    #[cold]
    #[inline(never)]
    pub(super) fn ask_sooner<P: Probe>(&mut self, shared: &mut Shared<U, P>) {
        let now = shared.now;
        if let Buffer::Served(served) = &mut self.buffer
            && served.hold.broken.is_none()
        {
            served.ends = (self.varying.as_ref()).map_or(now, |varying| varying.following(now));
            (served.hold.until, served.hold.vain) = (served.ends, 0);
        }
        self.catch_up(shared);
        // A unit that departs now may arrive before the pending event, which then needs to be set again.
        if self.next_event() < self.due {
            self.due = Instant::NEVER;
        }
        if let Buffer::Served(served) = &mut self.buffer {
            served.backlog.set(now, self.counts.waiting);
        }
    }

    /// How its discipline broke the law of holding back, if it did: when, how, and what waits.
    pub fn withheld(&self) -> Option<(Instant, Withheld, u64)> {
        let Buffer::Served(served) = &self.buffer else {
            return None;
        };
        let (at, how) = **served.hold.broken.as_ref()?;
        Some((at, how, self.counts.waiting))
    }
}
