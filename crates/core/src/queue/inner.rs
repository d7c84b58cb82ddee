//! The roster of disciplines that a decorator (triple buffering, triple truncation) can wrap: each is an [`Aqm`] that decides at
//! arrivals, and by drops. The decorator has the FIFO, and stands between the decision and the unit.
//= viswanathan-kamal §III.3

use super::aqm::{Aqm, Arrival, Departure, Verdict};
use super::drop_law::DropLaw;
use super::{Line, Make, drop_tail, red};
use crate::declare::{Declared, Fault, Field, Kind, Value};
use crate::gauge::Tell;
use crate::ledger::Cause;
use crate::measure::Room;
use crate::time::Instant;
use alloc::vec::Vec;

/// Makes the roster: per word a discipline's module, its parameters, which say whether it `marks`, and its [`Aqm`].
macro_rules! inner {
    ($($word:ident $Word:ident $WordParams:ident $WordAqm:ident),+) => {
        /// The parameters of a discipline that a decorator wraps.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)] // each variant is the word of its name
        pub enum Inner { $($Word($word::$WordParams)),+ }

        /// The disciplines that a decorator can wrap.
        pub const INNER: &[&str] = &[$($word::$WordParams::NAME),+];

        impl Inner {
            /// From values in the order of the declaration of the discipline called `name`.
            pub fn from_values(name: &str, values: &[Value]) -> Option<Self> {
                $(if name == $word::$WordParams::NAME { return Some(Self::$Word($word::$WordParams::from_values(values))); })+
                None
            }

            /// Checks whether the values are consistent, and allowed in a decorator.
            pub fn check(&self) -> Result<(), Fault> {
                let (checked, marks) = match self { $(Self::$Word(it) => (it.check(), it.marks())),+ };
                match checked {
                    Ok(()) if marks => Err(Fault {
                        name: "ecn",
                        found: "true".into(),
                        allowed: "false: the scheme responds to drops, and a mark is not a drop".into(),
                    }),
                    checked => checked,
                }
            }
        }

        impl Inner {
            /// The FIFO's room.
            fn room(&self) -> Room {
                match self { $(Self::$Word(it) => it.buffer),+ }
            }
        }

        /// Any of their AQMs.
        #[derive(Debug)]
        #[allow(missing_docs)] // each variant is the word of its name
        pub enum AnyAqm { $($Word($word::$WordAqm)),+ }

        impl Make<Inner> for AnyAqm {
            fn make(params: &Inner, line: Line) -> Self {
                match params { $(Inner::$Word(it) => Self::$Word($word::$WordAqm::make(it, line))),+ }
            }
        }

        impl Aqm for AnyAqm {
            type Stamp = ();
            fn on_arrival(&mut self, now: Instant, arrival: &Arrival) -> Verdict {
                match self { $(Self::$Word(it) => it.on_arrival(now, arrival)),+ }
            }
            fn on_overflow(&mut self, now: Instant, arrival: &Arrival) {
                match self { $(Self::$Word(it) => it.on_overflow(now, arrival)),+ }
            }
            fn on_joined(&mut self, now: Instant, bytes: u32) {
                match self { $(Self::$Word(it) => it.on_joined(now, bytes)),+ }
            }
            fn on_departure(&mut self, now: Instant, departure: &Departure<()>) -> Verdict {
                match self { $(Self::$Word(it) => it.on_departure(now, departure)),+ }
            }
            fn on_empty(&mut self, now: Instant) {
                match self { $(Self::$Word(it) => it.on_empty(now)),+ }
            }
            fn gauges(&self, tell: &mut Tell) {
                match self { $(Self::$Word(it) => it.gauges(tell)),+ }
            }
            fn drop_laws(&self) -> Vec<DropLaw<'_>> {
                match self { $(Self::$Word(it) => it.drop_laws()),+ }
            }
        }
    };
}

inner!(drop_tail DropTail DropTailParams TailDrop, red Red RedParams EarlyDetection);

/// The part that decides inside a decorator, and the number of units that the decorator's FIFO may hold.
#[derive(Debug)]
pub struct AnyInner {
    room: u64,
    aqm: AnyAqm,
}

impl Make<Inner> for AnyInner {
    fn make(params: &Inner, line: Line) -> Self {
        Self {
            room: params.room().count(),
            aqm: AnyAqm::make(params, line),
        }
    }
}

impl AnyInner {
    /// Why a unit of `bytes` that arrives may not join the `backlog` units that wait, if it may not.
    pub fn refuse(&mut self, now: Instant, bytes: u32, backlog: u64) -> Option<Cause> {
        let arrival = Arrival { bytes, backlog };
        if backlog >= self.room {
            self.aqm.on_overflow(now, &arrival);
            return Some(Cause::Overflow);
        }
        match self.aqm.on_arrival(now, &arrival) {
            Verdict::Pass => None,
            Verdict::Drop(why) => Some(why),
            Verdict::Mark(_) | Verdict::MarkIfAble => {
                unreachable!("an inner discipline that marks is refused")
            }
        }
    }
    /// A unit of `bytes` has joined the FIFO, refused or not.
    pub fn on_joined(&mut self, now: Instant, bytes: u32) {
        self.aqm.on_joined(now, bytes);
    }
    /// A unit of `bytes` has left it to be sent.
    pub fn on_pulled(&mut self, now: Instant, bytes: u32) {
        let departure = Departure { bytes, stamp: () };
        let verdict = self.aqm.on_departure(now, &departure);
        debug_assert_eq!(
            verdict,
            Verdict::Pass,
            "an inner discipline decides at arrivals"
        );
    }
    /// The line is free, and there is nothing to send.
    pub fn on_empty(&mut self, now: Instant) {
        self.aqm.on_empty(now);
    }
    /// Its state variables.
    pub fn gauges(&self, tell: &mut Tell) {
        self.aqm.gauges(tell);
    }
    /// Its drop laws.
    pub fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        self.aqm.drop_laws()
    }
    /// Units that may wait.
    pub fn room(&self) -> u64 {
        self.room
    }
}

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
