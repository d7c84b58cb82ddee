//! Active queue management: which units are dropped or marked, at their arrival or at their departure. It decides, and does nothing to a
//! unit itself, so the same AQM serves a FIFO ([`Fifo`]) or a decorator of one (triple buffering, triple truncation).
//!
//! A queue asks its [`Aqm`] in this order. Of each unit that arrives: [`Aqm::on_overflow`] if the buffer is full, [`Aqm::on_arrival`] if
//! not, and [`Aqm::on_joined`] if it is admitted, marked or not. When the line is free: [`Aqm::on_departure`] of each head of the queue
//! until one is sent, or [`Aqm::on_empty`] if none is. The queue, not the [`Aqm`], knows how many units may wait, so that several can
//! share a buffer.

use super::Discipline;
use super::drop_law::DropLaw;
use crate::gauge::Tell;
use crate::ledger::{Cause, Ledger};
use crate::measure::Room;
use crate::time::Instant;
use crate::unit::Unit;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Decision about a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Lets the unit join the queue, or be sent.
    Pass,
    /// The same, and congestion is marked in it. One that cannot be marked is dropped, for this cause.
    //= rfc3168 §5
    Mark(Cause),
    /// The same, but one that cannot be marked passes.
    MarkIfAble,
    /// Drops the unit.
    Drop(Cause),
}

/// A unit arrives.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Its length \[bytes\].
    pub bytes: u32,
    /// Units that wait, without it.
    pub backlog: u64,
}

/// A unit has left the buffer, and would be sent now.
#[derive(Clone, Copy, Debug)]
pub struct Departure<S> {
    /// Its length \[bytes\].
    pub bytes: u32,
    /// Stamp that it got when it joined.
    pub stamp: S,
}

/// Decides which units are dropped or marked.
pub trait Aqm {
    /// Stamp of each waiting unit: its time of arrival for an AQM that needs queueing delays, `()` for one that does not.
    type Stamp: Copy + Default;
    /// It decides only at arrivals: the first unit that waits is sent as it is.
    const AT_ARRIVAL: bool = false;
    /// A unit arrives, and there is room for it. Asked once per arrival: it may keep count.
    fn on_arrival(&mut self, now: Instant, arrival: &Arrival) -> Verdict;
    /// A unit arrives, and is dropped because the buffer is full.
    fn on_overflow(&mut self, _now: Instant, _arrival: &Arrival) {}
    /// A unit of `bytes` joins the queue, whatever the verdict was: returns its stamp.
    fn on_joined(&mut self, now: Instant, bytes: u32) -> Self::Stamp;
    /// A unit is the next to be sent, and has left the buffer for it. If it is dropped, the same is asked of the next one.
    fn on_departure(&mut self, now: Instant, departure: &Departure<Self::Stamp>) -> Verdict;
    /// The unit that [`Aqm::on_departure`] wanted marked has been, and not dropped.
    fn on_marked(&mut self) {}
    /// The line asked for a unit, and there is none to send, or none any more. Called repeatedly while that lasts.
    fn on_empty(&mut self, _now: Instant) {}
    /// Reports its state; see [`Discipline::gauges`].
    fn gauges(&self, _tell: &mut Tell) {}
    /// Its drop laws; see [`Discipline::drop_laws`].
    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        Vec::new()
    }
}

impl<A: Aqm> Aqm for Box<A> {
    type Stamp = A::Stamp;
    const AT_ARRIVAL: bool = A::AT_ARRIVAL;
    fn on_arrival(&mut self, now: Instant, arrival: &Arrival) -> Verdict {
        (**self).on_arrival(now, arrival)
    }
    fn on_overflow(&mut self, now: Instant, arrival: &Arrival) {
        (**self).on_overflow(now, arrival);
    }
    fn on_joined(&mut self, now: Instant, bytes: u32) -> Self::Stamp {
        (**self).on_joined(now, bytes)
    }
    fn on_departure(&mut self, now: Instant, departure: &Departure<Self::Stamp>) -> Verdict {
        (**self).on_departure(now, departure)
    }
    fn on_marked(&mut self) {
        (**self).on_marked();
    }
    fn on_empty(&mut self, now: Instant) {
        (**self).on_empty(now);
    }
    fn gauges(&self, tell: &mut Tell) {
        (**self).gauges(tell);
    }
    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        (**self).drop_laws()
    }
}

/// A FIFO with its AQM.
#[derive(Debug)]
pub struct Fifo<U, A: Aqm> {
    ring: VecDeque<U>,
    /// The stamps of the units in `ring`, in the same order; empty if a stamp has no size. (A ring of pairs took 3 % more
    /// instructions for each cell, even where a stamp has no size.)
    stamps: VecDeque<A::Stamp>,
    /// Units that may wait.
    room: u64,
    aqm: A,
}

impl<U, A: Aqm> Fifo<U, A> {
    /// An empty one with this room, without the unit that is being sent.
    pub fn new(room: Room, aqm: A) -> Self {
        Self {
            ring: VecDeque::new(),
            stamps: VecDeque::new(),
            room: room.count(),
            aqm,
        }
    }

    /// Stamps are kept. The compiler knows.
    const STAMPED: bool = size_of::<A::Stamp>() > 0;
}

impl<U: Unit, A: Aqm> Discipline<U> for Fifo<U, A> {
    #[inline(always)]
    fn offer(&mut self, now: Instant, mut unit: U, book: &mut impl Ledger<U>) {
        let (bytes, backlog) = (unit.bytes(), self.ring.len() as u64);
        let arrival = Arrival { bytes, backlog };
        if backlog >= self.room {
            self.aqm.on_overflow(now, &arrival);
            return book.drop(unit, Cause::Overflow);
        }
        match self.aqm.on_arrival(now, &arrival) {
            Verdict::Pass => {}
            Verdict::Mark(_) if book.mark(&mut unit) => {}
            Verdict::MarkIfAble => {
                book.mark(&mut unit);
            }
            Verdict::Mark(why) | Verdict::Drop(why) => return book.drop(unit, why),
        }
        let stamp = self.aqm.on_joined(now, bytes);
        self.ring.push_back(unit);
        if Self::STAMPED {
            self.stamps.push_back(stamp);
        }
    }

    #[inline]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        while let Some(mut unit) = self.ring.pop_front() {
            let stamp = if Self::STAMPED {
                let stamp = self.stamps.pop_front();
                stamp.expect("every unit that waits has its stamp")
            } else {
                A::Stamp::default()
            };
            let bytes = unit.bytes();
            match self.aqm.on_departure(now, &Departure { bytes, stamp }) {
                Verdict::Pass => return Some(unit),
                Verdict::Mark(_) if book.mark(&mut unit) => {
                    self.aqm.on_marked();
                    return Some(unit);
                }
                Verdict::MarkIfAble => {
                    if book.mark(&mut unit) {
                        self.aqm.on_marked();
                    }
                    return Some(unit);
                }
                Verdict::Mark(why) | Verdict::Drop(why) => book.drop(unit, why),
            }
        }
        self.aqm.on_empty(now);
        None
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.ring.len() as u64
    }

    fn shows_first(&self) -> bool {
        A::AT_ARRIVAL
    }

    fn first(&self) -> Option<&U> {
        self.ring.front()
    }

    fn gauges(&self, tell: &mut Tell) {
        self.aqm.gauges(tell);
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        self.aqm.drop_laws()
    }
}

/// A discipline whose code is not inlined with the others: a simulator inlines them all in one loop, and a long one would slow
/// down all others.
#[derive(Debug)]
pub struct Apart<D>(pub D);

impl<U: Unit, D: Discipline<U>> Discipline<U> for Apart<D> {
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        self.0.offer(now, unit, book);
    }
    #[inline(never)]
    fn offer_control(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        self.0.offer_control(now, unit, book);
    }
    #[inline(never)]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        self.0.pull(now, book)
    }
    #[inline]
    fn backlog(&self) -> u64 {
        self.0.backlog()
    }
    #[inline]
    fn holds_back(&self) -> bool {
        self.0.holds_back()
    }
    fn ready_at(&self, now: Instant) -> Option<Instant> {
        self.0.ready_at(now)
    }
    fn shows_first(&self) -> bool {
        self.0.shows_first()
    }
    fn first(&self) -> Option<&U> {
        self.0.first()
    }
    fn gauges(&self, tell: &mut Tell) {
        self.0.gauges(tell);
    }
    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        self.0.drop_laws()
    }
}
