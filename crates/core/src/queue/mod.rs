//! Queue disciplines: which units join, and which are dropped or marked. One file each. A discipline that only decides which units are
//! dropped or marked is an [`Aqm`](aqm::Aqm), and a FIFO asks it.

pub mod aqm;
mod buckets;
mod classes;
pub mod drop_law;
mod episodes;
mod frames;
mod inner;
mod max_packet;
mod nested;
mod policed;
mod rounds;
mod thresholds;
mod tokens;

pub mod abs_push_out;
pub mod abs_push_out_stacks;
pub mod ack_filter;
pub mod afd;
pub mod bpd;
pub mod cake;
pub mod choke;
pub mod cobalt;
pub mod codel;
pub mod drop_tail;
pub mod drr;
pub mod dualpi2;
pub mod dynamic_thresholds;
pub mod epd;
pub mod epd_push_out;
pub mod external;
pub mod fair_queueing;
pub mod flow_queueing;
pub mod fq_codel;
pub mod fq_pie;
pub mod fred;
pub mod laws;
pub mod longest_queue_drop;
pub mod pie;
pub mod plain;
pub mod policer;
pub mod ppd;
pub mod queue_protection;
pub mod red;
pub mod sfq;
pub mod strict_priority;
pub mod token_bucket;
pub mod trim;
pub mod triple_buffering;
pub mod triple_truncated;
pub mod weighted_round_robin;
pub mod wfq;

pub use inner::{INNER, Inner};
pub use nested::{NESTED, Nested, SHAPED, Shaped};

use crate::gauge::Tell;
use crate::ledger::Ledger;
use crate::measure::Rate;
use crate::rng::Stream;
use crate::time::Instant;
use crate::unit::{Cell, FlowId, Unit};
use alloc::vec::Vec;
use drop_law::DropLaw;

/// Units that a link carries and its buffer counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grain {
    /// ATM cells.
    Cells,
    /// Whole packets.
    Packets,
}

impl Grain {
    /// The word in plans.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cells => "cells",
            Self::Packets => "packets",
        }
    }
}

/// Part of an entry that only disciplines have.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The links that it runs on.
    pub grains: &'static [Grain],
    /// Whether it knows RM cells among the cells that it holds. Disciplines that push out whole packets do not: they were written for VCs
    /// that are guaranteed a rate, not for ABR.
    pub control_cells: bool,
    /// Whether it marks for all values of its parameters. (A discipline with a parameter `ecn` marks if that is true, and has false here.)
    pub marks: bool,
    /// Whether packets of different ECN fields have queues of their own, so that they overtake each other.
    pub sorted_by_ecn: bool,
    /// Whether packets of one flow may overtake each other in other cases, too.
    pub reorders: bool,
    /// The parameter with room in addition to its buffer, if it has one.
    pub beside: Option<&'static str>,
    /// Whether it treats all packets alike, of whatever flow: it would decide the same if flows had other numbers, or one number for all.
    pub blind_to_flows: bool,
}

impl About {
    /// For a discipline on these links.
    pub const fn on(grains: &'static [Grain]) -> Self {
        Self {
            grains,
            control_cells: true,
            marks: false,
            sorted_by_ecn: false,
            reorders: false,
            beside: None,
            blind_to_flows: false,
        }
    }

    /// The same, for a discipline that does not tell flows apart.
    pub const fn blind_to_flows(self) -> Self {
        Self {
            blind_to_flows: true,
            ..self
        }
    }

    /// The same, for a discipline that always marks.
    pub const fn marking(self) -> Self {
        Self {
            marks: true,
            ..self
        }
    }

    /// The same, for a discipline with queues for packets of different ECN fields.
    pub const fn sorted_by_ecn(self) -> Self {
        Self {
            sorted_by_ecn: true,
            ..self
        }
    }

    /// The same, for a discipline in which packets of one flow may overtake each other.
    pub const fn reordering(self) -> Self {
        Self {
            reorders: true,
            ..self
        }
    }

    /// The same, for a discipline whose `parameter` is room beside its buffer.
    pub const fn with_room(self, parameter: &'static str) -> Self {
        Self {
            beside: Some(parameter),
            ..self
        }
    }

    /// The same, for a discipline that does not know RM cells.
    pub const fn without_control_cells(self) -> Self {
        Self {
            control_cells: false,
            ..self
        }
    }
}

/// A buffer with a policy.
///
/// It has no timer. If its state follows a clock, it catches up inside [`offer`](Discipline::offer) and [`pull`](Discipline::pull), from
/// `now`: an update due every 15 ms is then done as often as it was due since. A host polls an empty queue when its line is free, perhaps
/// repeatedly; fates depend on times and arrivals, never on the number of polls. The [`laws`] test disciplines for this.
pub trait Discipline<U: Unit> {
    /// `unit` arrives: it is kept, or it (or another) is dropped into the `book`.
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>);
    /// A unit arrives that is no part of a frame, though it passes between the cells of one: an RM cell. It is kept or dropped as such.
    #[inline]
    fn offer_control(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        self.offer(now, unit, book);
    }
    /// The next unit to send, if one waits.
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U>;
    /// Units that wait.
    fn backlog(&self) -> u64;
    /// Whether it may hold units back while the line is idle, as a shaper does. If not, [`Discipline::ready_at`] is never called.
    #[inline(always)]
    fn holds_back(&self) -> bool {
        false
    }
    /// Time at which [`Discipline::pull`] will return a unit, if it returned none at `now` although units wait: a shaper idles with a backlog.
    /// It is polled again then, and after each earlier arrival. Later than `now`; `None` for a discipline that holds nothing back.
    fn ready_at(&self, _now: Instant) -> Option<Instant> {
        None
    }
    /// Whether it decides nothing when units leave, so that [`Discipline::first`] tells which one is next. If not, that is never called.
    #[inline(always)]
    fn shows_first(&self) -> bool {
        false
    }
    /// The unit that [`Discipline::pull`] would return, if one waits.
    fn first(&self) -> Option<&U> {
        None
    }
    /// Reports state variables, such as an average or a probability, as the last arrival or departure has left them.
    fn gauges(&self, _tell: &mut Tell) {}
    /// Its drop laws, for pictures; none if it has none that is a function of a state variable.
    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        Vec::new()
    }
}

/// Information for a discipline about the line that it feeds.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its rate.
    pub rate: Rate,
    /// Flows or VCs that use it, and the rate guaranteed to each; 0 for none.
    pub guaranteed: Vec<(FlowId, Rate)>,
    /// The longest packet that passes it \[units\].
    pub longest: u64,
    /// The discipline's own random numbers.
    pub stream: Stream,
}

/// Constructor of a discipline. (A trait, because two words can share a queue: `plain` is drop-tail on cells.)
pub trait Make<P> {
    /// An empty queue before `line`.
    fn make(params: &P, line: Line) -> Self;
}

include!(concat!(env!("OUT_DIR"), "/queue.rs"));

words! {
    ($)
    /// The parameters of any discipline.
    params QueueParams,
    /// Any discipline.
    // An explicit tag. A tag in an unused value of a field (a niche) takes more instructions to read, for every cell.
    #[repr(u8)]
    #[derive(Debug)]
    any Queue (<U>),
    about (About),
    beside (external External ExternalParams),
}

impl<U: Unit> Queue<U> {
    /// An empty queue before `line`.
    pub fn new(params: &QueueParams, line: Line) -> Self {
        made!(params, make, line)
    }
}

/// How many gauges a discipline of these parameters has.
pub fn gauges(params: &QueueParams) -> u64 {
    let QueueParams::External(_) = params else {
        let line = Line {
            rate: Rate(1_000_000),
            guaranteed: Vec::new(),
            longest: 1,
            stream: Stream::new(0, "gauges"),
        };
        let mut count = 0;
        Queue::<Cell>::new(params, line).gauges(&mut |_, _| count += 1);
        return count;
    };
    0
}

impl<U: Unit> Discipline<U> for Queue<U> {
    #[inline(always)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        each!(self, it => it.offer(now, unit, book));
    }
    fn offer_control(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        each!(self, it => it.offer_control(now, unit, book));
    }
    #[inline(always)]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        each!(self, it => Discipline::pull(it, now, book))
    }
    #[inline(always)]
    fn backlog(&self) -> u64 {
        each!(self, it => it.backlog())
    }
    #[inline(always)]
    fn holds_back(&self) -> bool {
        each!(self, it => Discipline::<U>::holds_back(it))
    }
    fn ready_at(&self, now: Instant) -> Option<Instant> {
        each!(self, it => Discipline::<U>::ready_at(it, now))
    }
    fn shows_first(&self) -> bool {
        each!(self, it => Discipline::<U>::shows_first(it))
    }
    fn first(&self) -> Option<&U> {
        each!(self, it => it.first())
    }
    fn gauges(&self, tell: &mut Tell) {
        each!(self, it => Discipline::<U>::gauges(it, tell));
    }
    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        each!(self, it => Discipline::<U>::drop_laws(it))
    }
}

#[cfg(test)]
pub(crate) mod tests;
