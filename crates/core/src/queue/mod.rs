//! Discard disciplines: who may wait, who is dropped. One file each; the roster is the line at the end. One that no more than
//! decides about arrivals to a FIFO is an [`Admission`](admission::Admission), and decorators can wrap it.

mod admission;
mod episodes;
mod frames;
pub mod guest;
pub mod laws;
mod policy;
mod thresholds;

pub use admission::{INNER, Inner};

use crate::declare::{Declared, Parameter, Value};
use crate::ledger::Ledger;
use crate::measure::Rate;
use crate::rng::Stream;
use crate::time::Instant;
use crate::unit::{FlowId, Unit};
use alloc::vec::Vec;

/// What a link carries, and so what its buffer counts.
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

/// A buffer with a policy.
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
    /// When [`Discipline::pull`] gives a unit, if it has given none at `now` although units wait: a shaper idles with a backlog. It is asked
    /// again then, and after each unit that is offered before. Later than `now`; `None` for a discipline that holds nothing back.
    fn ready_at(&self, _now: Instant) -> Option<Instant> {
        None
    }
}

/// What a discipline is told of the line that it feeds.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its rate.
    pub rate: Rate,
    /// What passes it, and what each is guaranteed of its rate; 0 for nothing.
    pub guaranteed: Vec<(FlowId, Rate)>,
    /// The longest packet that passes it \[units\].
    pub longest: u64,
    /// The discipline's own random numbers.
    pub stream: Stream,
}

/// A discipline's empty queue, from its parameters.
pub trait Make<P> {
    /// Before `line`.
    fn make(params: &P, line: Line) -> Self;
}

/// Most need not know the line.
impl<P, Q: for<'p> From<&'p P>> Make<P> for Q {
    fn make(params: &P, _: Line) -> Self {
        Self::from(params)
    }
}

/// What plans, pages and errors say of a discipline.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The word in plans.
    pub name: &'static str,
    /// What it does to a unit, in one line.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// The links that it runs on.
    pub grains: &'static [Grain],
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

/// Makes the roster: per word a module with `Params` (declared), `GRAINS` and `Queue`.
macro_rules! roster {
    ($($word:ident),+ $(,)?) => {
        $(pub mod $word;)+

        /// The parameters of any discipline; a guest is not on the roster.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum Params { $($word($word::Params)),+, guest(guest::Params) }

        /// Any discipline.
        #[derive(Debug)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum Queue<U> { $($word($word::Queue<U>)),+, guest(guest::Queue<U>) }

        /// Every discipline, in the order of the pages.
        pub const ROSTER: &[Entry] = &[$(Entry {
            name: $word::Params::NAME,
            summary: $word::Params::SUMMARY,
            source: $word::Params::SOURCE,
            grains: $word::GRAINS,
            parameters: $word::Params::PARAMETERS,
        }),+];

        impl Params {
            /// The parameters of the discipline called `name`, from values in the order of its declaration.
            pub fn from_values(name: &str, values: &[Value]) -> Option<Self> {
                $(if name == $word::Params::NAME { return Some(Self::$word($word::Params::from_values(values))); })+
                None
            }

            /// Whether the values go together.
            pub fn check(&self) -> Result<(), crate::declare::Fault> {
                match self { $(Self::$word(it) => it.check()),+, Self::guest(_) => Ok(()) }
            }

            /// The discipline's name.
            pub fn name(&self) -> &str {
                match self { $(Self::$word(_) => $word::Params::NAME),+, Self::guest(it) => &it.name }
            }
        }

        impl<U: Unit> Queue<U> {
            /// An empty queue before `line`.
            pub fn new(params: &Params, line: Line) -> Self {
                match params {
                    $(Params::$word(it) => Self::$word($word::Queue::make(it, line))),+,
                    Params::guest(it) => Self::guest(guest::Queue::make(it, line)),
                }
            }
        }

        impl<U: Unit> Discipline<U> for Queue<U> {
            #[inline(always)]
            fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
                match self { $(Self::$word(it) => it.offer(now, unit, book)),+, Self::guest(it) => it.offer(now, unit, book) }
            }
            fn offer_control(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
                match self { $(Self::$word(it) => it.offer_control(now, unit, book)),+, Self::guest(it) => it.offer_control(now, unit, book) }
            }
            #[inline(always)]
            fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
                match self { $(Self::$word(it) => Discipline::pull(it, now, book)),+, Self::guest(it) => it.pull(now, book) }
            }
            #[inline(always)]
            fn backlog(&self) -> u64 {
                match self { $(Self::$word(it) => it.backlog()),+, Self::guest(it) => it.backlog() }
            }
            fn ready_at(&self, now: Instant) -> Option<Instant> {
                match self { $(Self::$word(it) => Discipline::<U>::ready_at(it, now)),+, Self::guest(it) => it.ready_at(now) }
            }
        }
    };
}

roster!(
    plain,
    ppd,
    epd,
    bpd,
    drop_tail,
    fair_queueing,
    red,
    triple_buffering,
    triple_truncated,
    trim,
    epd_push_out,
    abs_push_out,
    abs_push_out_stacks,
    longest_queue_drop,
    dynamic_thresholds,
    weighted_round_robin,
);

/// Disciplines that push whole packets out of a buffer, and do not know an RM cell among their cells: they were written for VCs that are
/// guaranteed a rate, not told one.
pub const WITHOUT_CONTROL: [&str; 3] = [
    epd_push_out::Params::NAME,
    abs_push_out::Params::NAME,
    abs_push_out_stacks::Params::NAME,
];

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod fairness;
#[cfg(test)]
mod plain_programs;
#[cfg(test)]
mod push_out;
#[cfg(test)]
pub(crate) mod script;
