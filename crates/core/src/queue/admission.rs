//! What decides about arrivals to a FIFO, and no more: it drops nothing itself, so that others can stand between its decision and
//! the unit (triple buffering, triple truncation).
//= viswanathan-kamal §III.3

use super::{Discipline, Line, Make, drop_tail, red};
use crate::declare::{Declared, Fault, Field, Kind, Value};
use crate::ledger::{Cause, Ledger};
use crate::time::Instant;
use crate::unit::Unit;
use alloc::collections::VecDeque;

/// Decides about arrivals to a FIFO.
pub trait Admission {
    /// Why a unit of `bytes` that arrives may not join the `backlog` units that wait, if it may not. Asked once per arrival: it may
    /// keep count.
    fn refuse(&mut self, now: Instant, bytes: u32, backlog: u64) -> Option<Cause>;
    /// A unit of `bytes` has joined the FIFO, refused or not.
    fn on_joined(&mut self, _bytes: u32) {}
    /// A unit of `bytes` has left it to be sent.
    fn on_pulled(&mut self, _bytes: u32) {}
    /// The line is free, and there is nothing to send.
    fn on_idle(&mut self, _now: Instant) {}
    /// The FIFO's room \[units\].
    fn room(&self) -> u64;
}

/// A FIFO with its admission, which drops what that refuses.
#[derive(Debug)]
pub struct Fifo<U, A> {
    ring: VecDeque<U>,
    admission: A,
}

impl<U, A> Fifo<U, A> {
    /// An empty one.
    pub fn new(admission: A) -> Self {
        Self {
            ring: VecDeque::new(),
            admission,
        }
    }
}

impl<U: Unit, A: Admission> Discipline<U> for Fifo<U, A> {
    #[inline(always)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        let bytes = unit.bytes();
        match self.admission.refuse(now, bytes, self.ring.len() as u64) {
            Some(why) => book.drop(unit, why),
            None => {
                self.admission.on_joined(bytes);
                self.ring.push_back(unit);
            }
        }
    }

    #[inline]
    fn pull(&mut self, now: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        match self.ring.pop_front() {
            Some(unit) => {
                self.admission.on_pulled(unit.bytes());
                Some(unit)
            }
            None => {
                self.admission.on_idle(now);
                None
            }
        }
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.ring.len() as u64
    }
}

/// Makes the roster of what a decorator can wrap: per word a discipline's module with `Params` and `Admission`.
macro_rules! admissions {
    ($($word:ident $Word:ident $WordParams:ident),+) => {
        /// The parameters of a discipline that a decorator wraps.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum Inner { $($Word($word::$WordParams)),+ }

        /// The disciplines that a decorator can wrap.
        pub const INNER: &[&str] = &[$($word::$WordParams::NAME),+];

        impl Inner {
            /// From values in the order of the declaration of the discipline called `name`.
            pub fn from_values(name: &str, values: &[Value]) -> Option<Self> {
                $(if name == $word::$WordParams::NAME { return Some(Self::$Word($word::$WordParams::from_values(values))); })+
                None
            }

            /// Whether the values go together.
            pub fn check(&self) -> Result<(), Fault> {
                match self { $(Self::$Word(it) => it.check()),+ }
            }
        }

        /// What decides inside a decorator.
        #[derive(Debug)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum AnyAdmission { $($Word($word::Admission)),+ }

        impl Make<Inner> for AnyAdmission {
            fn make(params: &Inner, line: Line) -> Self {
                match params { $(Inner::$Word(it) => Self::$Word($word::Admission::make(it, line))),+ }
            }
        }

        impl Admission for AnyAdmission {
            fn refuse(&mut self, now: Instant, bytes: u32, backlog: u64) -> Option<Cause> {
                match self { $(Self::$Word(it) => it.refuse(now, bytes, backlog)),+ }
            }
            fn on_joined(&mut self, bytes: u32) {
                match self { $(Self::$Word(it) => it.on_joined(bytes)),+ }
            }
            fn on_pulled(&mut self, bytes: u32) {
                match self { $(Self::$Word(it) => it.on_pulled(bytes)),+ }
            }
            fn on_idle(&mut self, now: Instant) {
                match self { $(Self::$Word(it) => it.on_idle(now)),+ }
            }
            fn room(&self) -> u64 {
                match self { $(Self::$Word(it) => it.room()),+ }
            }
        }
    };
}

admissions!(drop_tail DropTail DropTailParams, red Red RedParams);

impl Field for Inner {
    const KIND: Kind = Kind::Discipline(INNER);
    fn take(value: &Value) -> Option<Self> {
        if let Value::Discipline(name, values) = value {
            Self::from_values(name, values)
        } else {
            None
        }
    }
}
