//! An external discipline: a discipline written elsewhere, in any language. It decides about numbers. The units stay here, and so
//! does the ledger's law: an external discipline that breaks it is told so once, and is not called again.

use super::{Discipline, Line, Make};
use crate::ledger::{Cause, Ledger};
use crate::measure::Bytes;
use crate::time::Instant;
use crate::unit::{Ecn, FlowId, HostPair, Unit};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

/// A unit's number at its queue; it is never used again.
pub type Number = u64;

/// A unit, as a discipline sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Whose it is.
    pub flow: FlowId,
    /// Between which hosts it travels.
    pub hosts: HostPair,
    /// Its length \[bytes\].
    pub bytes: u32,
    /// Whether it ends a packet.
    pub last: bool,
    /// Its class of service.
    pub priority: u8,
    /// Its ECN field; for a cell, that of its packet.
    pub ecn: Ecn,
}

impl Seen {
    fn of(unit: &impl Unit, ecn: Ecn) -> Self {
        Self {
            flow: unit.flow(),
            hosts: unit.hosts(),
            bytes: unit.bytes(),
            last: unit.last(),
            priority: unit.priority(),
            ecn,
        }
    }
}

/// Actions of an external discipline on units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    Drop(Number, Cause),
    Mark(Number),
    Trim(Number, Bytes),
    Mint {
        of: Number,
        keep: Bytes,
        copy: Number,
    },
}

/// The decisions of an external discipline, in order: a [`Ledger`] by numbers.
#[derive(Debug)]
pub struct Decisions {
    acts: Vec<Act>,
    next: Number,
}

impl Decisions {
    /// Drops the unit.
    pub fn drop(&mut self, unit: Number, why: Cause) {
        self.acts.push(Act::Drop(unit, why));
    }

    /// Marks the unit, whose ECN field on arrival was `ecn`. False if it cannot be marked: the discipline drops it instead.
    ///
    /// The answer uses the field on arrival. If a cell's packet has lost its end since then, no mark is set, and no receiver would
    /// read it.
    pub fn mark(&mut self, unit: Number, ecn: Ecn) -> bool {
        if ecn.is_capable() {
            self.acts.push(Act::Mark(unit));
        }
        ecn.is_capable()
    }

    /// The unit is cut down to its first `keep` bytes, and goes before data from now on.
    pub fn trim(&mut self, unit: Number, keep: Bytes) {
        self.acts.push(Act::Trim(unit, keep));
    }

    /// A new unit, of the first `keep` bytes of `of`.
    pub fn mint(&mut self, of: Number, keep: Bytes) -> Number {
        let copy = self.next;
        self.next += 1;
        self.acts.push(Act::Mint { of, keep, copy });
        copy
    }
}

/// A discipline by numbers. It must keep the law of all disciplines: each unit is sent once, dropped once, or waits; and while one
/// waits, [`ExternalDiscipline::pull`] gives one, or [`ExternalDiscipline::ready_at`] says when it will.
pub trait ExternalDiscipline: fmt::Debug + Send {
    /// A unit arrives.
    ///
    /// # Errors
    /// If the external discipline itself failed; it then knows why.
    fn offer(
        &mut self,
        now: Instant,
        unit: Number,
        seen: Seen,
        decisions: &mut Decisions,
    ) -> Result<(), Failed>;
    /// The next unit to send, if one waits.
    ///
    /// # Errors
    /// If the external discipline itself failed; it then knows why.
    fn pull(&mut self, now: Instant, decisions: &mut Decisions) -> Result<Option<Number>, Failed>;
    /// Pull has given nothing at `now` although units wait: when it will give one, later than `now`.
    ///
    /// # Errors
    /// If the external discipline itself failed; it then knows why.
    fn ready_at(&mut self, _now: Instant) -> Result<Option<Instant>, Failed> {
        Ok(None)
    }
    /// The discipline has broken a law.
    fn on_breach(&mut self, now: Instant, breach: Breach);
}

/// An external discipline failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed;

/// Breaches of a law by an external discipline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breach {
    /// It sent, dropped, cut or marked a unit that does not wait here: it was sent or dropped before, or never arrived.
    Unknown,
    /// It sent nothing although units waited (their number), and did not say when it would.
    Idle(u64),
    /// The same, and it said that it was ready.
    Ready(u64),
    /// More units waited than its room.
    Overfull {
        /// Number of units that waited.
        waiting: u64,
        /// Its room.
        room: u64,
    },
    /// It cut a unit to more bytes than it had, or to none.
    Cut {
        /// Down to \[bytes\].
        keep: u64,
        /// Length of the unit \[bytes\].
        of: u32,
    },
    /// It cut a unit that cannot be cut.
    Whole,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => write!(
                f,
                "what it sent, dropped, cut or marked does not wait here: it was sent or dropped before, or never came"
            ),
            Self::Idle(waiting) => write!(
                f,
                "pull gave nothing, but {waiting} units wait, of what was offered and not dropped into the book"
            ),
            Self::Ready(waiting) => write!(
                f,
                "pull gave nothing, but {waiting} units wait, and ready_at gave a time that is not later than now"
            ),
            Self::Overfull { waiting, room } => {
                write!(
                    f,
                    "{waiting} units wait, but its room is {room}; what is not to wait must be dropped into the book"
                )
            }
            Self::Cut { keep, of } => write!(
                f,
                "a unit of {of} bytes was cut down to {keep}; write less, and at least 1"
            ),
            Self::Whole => write!(f, "cells cannot be cut: trim and mint are for packets"),
        }
    }
}

/// Makes an external discipline for every line that it is to feed.
pub trait ExternalSource: fmt::Debug + Send + Sync {
    /// A new one, before `line`.
    fn external(&self, line: Line) -> Box<dyn ExternalDiscipline>;
    /// The most units that may wait with it, if there is such a limit.
    fn room(&self) -> Option<u64>;
    /// Executes a whole run with its external disciplines on one thread, so that calls to them can be prepared once.
    fn during(&self, run: &mut (dyn FnMut() + Send)) {
        run();
    }
}

/// Whose external discipline it is.
#[derive(Clone, Debug)]
pub struct ExternalParams {
    /// Its name in plans.
    pub name: String,
    /// Its source; `None` before that is known, and then no queue can be made.
    pub from: Option<Arc<dyn ExternalSource>>,
}

impl ExternalParams {
    /// Its name in plans.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Does the whole of a run: see [`ExternalSource::during`].
    pub fn during(&self, run: &mut (dyn FnMut() + Send)) {
        match &self.from {
            Some(from) => from.during(run),
            None => run(),
        }
    }
}

impl PartialEq for ExternalParams {
    fn eq(&self, other: &Self) -> bool {
        let of = |it: &Self| it.from.as_ref().map(|from| Arc::as_ptr(from).cast::<()>());
        self.name == other.name && of(self) == of(other)
    }
}

/// The units of an external discipline.
#[derive(Debug)]
struct Held<U> {
    external: Box<dyn ExternalDiscipline>,
    room: Option<u64>,
    waiting: BTreeMap<Number, U>,
    decisions: Decisions,
    /// Time at which it returns the next unit, if it holds all units back.
    ready: Option<Instant>,
    /// Whether it has failed or broken a law: from then on this is a FIFO, so that the run keeps the law until it is halted.
    over: bool,
}

/// A queue whose discipline is an external discipline.
#[derive(Debug)]
pub struct External<U>(Box<Held<U>>);

impl<U: Unit> Make<ExternalParams> for External<U> {
    fn make(params: &ExternalParams, line: Line) -> Self {
        let Some(from) = &params.from else {
            unreachable!("a plan is right only if its externals are there")
        };
        Self(Box::new(Held {
            external: from.external(line),
            room: from.room(),
            waiting: BTreeMap::new(),
            decisions: Decisions {
                acts: Vec::new(),
                next: 0,
            },
            ready: None,
            over: false,
        }))
    }
}

impl<U: Unit> Held<U> {
    /// Applies the decisions of the external discipline to the units.
    fn settle(&mut self, book: &mut impl Ledger<U>) -> Result<(), Breach> {
        // The empty list is put back below, so that its memory is reused.
        let mut acts = core::mem::take(&mut self.decisions.acts);
        let done = acts.drain(..).try_for_each(|act| match act {
            Act::Drop(number, why) => {
                let unit = self.waiting.remove(&number).ok_or(Breach::Unknown)?;
                book.drop(unit, why);
                Ok(())
            }
            Act::Mark(number) => {
                let unit = self.waiting.get_mut(&number).ok_or(Breach::Unknown)?;
                book.mark(unit);
                Ok(())
            }
            Act::Trim(number, keep) => {
                let unit = self.waiting.get_mut(&number).ok_or(Breach::Unknown)?;
                cuttable(unit, keep)?;
                book.trim(unit, keep);
                Ok(())
            }
            Act::Mint { of, keep, copy } => {
                let unit = self.waiting.get(&of).ok_or(Breach::Unknown)?;
                cuttable(unit, keep)?;
                let minted = book.mint(unit, keep);
                self.waiting.insert(copy, minted);
                Ok(())
            }
        });
        self.decisions.acts = acts;
        done
    }

    /// The external has given nothing at `now` although units wait: it says when it will.
    fn hold(&mut self, now: Instant) -> Option<Breach> {
        let waiting = self.waiting.len() as u64;
        let Ok(ready) = self.external.ready_at(now) else {
            self.over = true;
            return None;
        };
        self.ready = ready;
        match ready {
            None => Some(Breach::Idle(waiting)),
            Some(at) if at <= now => Some(Breach::Ready(waiting)),
            Some(_) => None,
        }
    }

    fn within_room(&self) -> Result<(), Breach> {
        let waiting = self.waiting.len() as u64;
        match self.room {
            Some(room) if waiting > room => Err(Breach::Overfull { waiting, room }),
            _ => Ok(()),
        }
    }

    fn end(&mut self, now: Instant, breach: Breach) {
        self.over = true;
        self.external.on_breach(now, breach);
    }
}

fn cuttable(unit: &impl Unit, keep: Bytes) -> Result<(), Breach> {
    let of = unit.bytes();
    if !unit.can_be_cut() {
        return Err(Breach::Whole);
    }
    if keep.0 == 0 || keep.0 >= u64::from(of) {
        return Err(Breach::Cut { keep: keep.0, of });
    }
    Ok(())
}

impl<U: Unit> Discipline<U> for External<U> {
    fn holds_back(&self) -> bool {
        true
    }
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        let held = &mut *self.0;
        let (number, seen) = (held.decisions.next, Seen::of(&unit, book.ecn(&unit)));
        held.decisions.next += 1;
        held.waiting.insert(number, unit);
        if held.over {
            return;
        }
        if held
            .external
            .offer(now, number, seen, &mut held.decisions)
            .is_err()
        {
            held.over = true;
            return;
        }
        if let Err(breach) = held.settle(book).and_then(|()| held.within_room()) {
            held.end(now, breach);
        }
    }

    #[inline(never)]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        let held = &mut *self.0;
        if !held.over {
            let Ok(number) = held.external.pull(now, &mut held.decisions) else {
                held.over = true;
                return held.waiting.pop_first().map(|(_, unit)| unit);
            };
            let settled = held.settle(book);
            let sent = number.map(|number| held.waiting.remove(&number));
            let breach = match (settled, &sent) {
                (Err(breach), _) => Some(breach),
                (Ok(()), Some(None)) => Some(Breach::Unknown),
                (Ok(()), None) if !held.waiting.is_empty() => {
                    held.within_room().err().or_else(|| held.hold(now))
                }
                _ => held.within_room().err(),
            };
            if let Some(breach) = breach {
                held.end(now, breach);
            }
            if let Some(Some(unit)) = sent {
                return Some(unit);
            }
        }
        if held.over {
            return held.waiting.pop_first().map(|(_, unit)| unit);
        }
        None
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.0.waiting.len() as u64
    }

    fn ready_at(&self, _: Instant) -> Option<Instant> {
        self.0.ready
    }
}

#[cfg(test)]
mod tests;
