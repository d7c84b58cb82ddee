//! A discipline within another: a shaper holds back what an inner discipline chooses, and a scheduler has an inner discipline for
//! each class. Unlike [`Inner`](super::inner::Inner), of which a decorator uses the decisions alone, it has its own queue.
//= linux-tbf

use super::{Line, Queue, QueueParams};
use crate::declare::{Declared, Fault, Field, Kind, Value};
use crate::measure::Room;
use crate::queue::cake::CakeParams;
use crate::queue::drop_tail::DropTailParams;
use crate::rng::Stream;
use crate::roster::Roster;
use crate::unit::Unit;
use alloc::boxed::Box;
use alloc::format;

/// The disciplines that a scheduler can contain. They are for packets, hold nothing back, and contain none themselves; others that are
/// like this can be added once somebody needs them there.
pub const NESTED: &[&str] = &[
    "drop-tail",
    "red",
    "codel",
    "cobalt",
    "pie",
    "choke",
    "fred",
    "afd",
    "sfq",
    "fq-codel",
    "fq-pie",
    "fair-queueing",
    "cake",
    "dualpi2",
    "queue-protection",
    "drr",
    "dynamic-thresholds",
    "bpd",
    "ack-filter",
    "policer",
];

/// Schedulers that hold nothing back and contain others.
const SCHEDULERS: [&str; 3] = ["strict-priority", "wfq", "flow-queueing"];

/// The disciplines that a shaper can contain: all that a scheduler can, and the schedulers themselves.
pub const SHAPED: &[&str] = &{
    let mut all = [""; NESTED.len() + SCHEDULERS.len()];
    let (plain, schedulers) = all.split_at_mut(NESTED.len());
    plain.copy_from_slice(NESTED);
    schedulers.copy_from_slice(&SCHEDULERS);
    all
};

/// The parameters of a discipline that another contains.
#[derive(Clone, Debug, PartialEq)]
pub struct Nested(Box<QueueParams>);

impl Nested {
    /// The discipline and its parameters.
    pub fn params(&self) -> &QueueParams {
        &self.0
    }

    /// From values in the order of the declaration of the discipline called `name`.
    pub fn from_values(name: &str, values: &[Value]) -> Option<Self> {
        if !NESTED.contains(&name) {
            return None;
        }
        QueueParams::from_values(name, values).map(Self::of)
    }

    /// Of the discipline with these parameters.
    pub(super) fn of(params: QueueParams) -> Self {
        Self(Box::new(params))
    }

    /// Checks whether the values are consistent.
    ///
    /// # Errors
    /// The value at fault.
    pub fn check(&self) -> Result<(), Fault> {
        match &*self.0 {
            QueueParams::Cake(CakeParams {
                rate: Some(rate), ..
            }) => Err(Fault {
                name: "rate",
                found: format!("{} b/s", rate.0),
                allowed: "no rate: the discipline around it decides when packets are sent".into(),
            }),
            params => params.check(),
        }
    }

    /// An empty queue number `at` before `line`, with random numbers of its own.
    pub(super) fn queue<U: Unit>(&self, line: &Line, at: usize) -> Box<Queue<U>> {
        let seed = line.stream.clone().between(0, u64::MAX);
        let line = Line {
            stream: Stream::new(seed, &format!("queue.{at}")),
            ..line.clone()
        };
        Box::new(Queue::new(&self.0, line))
    }
}

/// The inner discipline, or a drop-tail FIFO of this room if none is given.
pub(super) fn or_drop_tail(inner: Option<&Nested>, room: Room) -> Nested {
    inner.cloned().unwrap_or_else(|| {
        let params = DropTailParams::from_values(&[Value::Room(room)]);
        Nested::of(QueueParams::DropTail(params))
    })
}

impl Field for Nested {
    const KIND: Kind = Kind::Discipline(NESTED);
    fn take(value: &Value) -> Option<Self> {
        if let Value::Discipline(name, values) = value {
            Self::from_values(name, values)
        } else {
            None
        }
    }
}

/// The parameters of a discipline that a shaper contains.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaped(pub(super) Nested);

impl Shaped {
    /// The discipline and its parameters.
    pub fn params(&self) -> &QueueParams {
        self.0.params()
    }

    /// From values in the order of the declaration of the discipline called `name`.
    pub fn from_values(name: &str, values: &[Value]) -> Option<Self> {
        if !SHAPED.contains(&name) {
            return None;
        }
        QueueParams::from_values(name, values).map(|it| Self(Nested::of(it)))
    }

    /// Checks whether the values are consistent.
    ///
    /// # Errors
    /// The value at fault.
    pub fn check(&self) -> Result<(), Fault> {
        self.0.check()
    }
}

impl Field for Shaped {
    const KIND: Kind = Kind::Discipline(SHAPED);
    fn take(value: &Value) -> Option<Self> {
        if let Value::Discipline(name, values) = value {
            Self::from_values(name, values)
        } else {
            None
        }
    }
}
