//! The transports by name: each a pair of controller and repair.

use super::control::{Controller, InUse, reno::Reno, tahoe::Tahoe};
use super::repair::cumulative::{Cumulative, Style};
use super::repair::scoreboard::{Own, Scoreboard};
use super::repair::{Reading, Repair, Span};
use super::sender::Sender;
use super::{Ack, Common};
use crate::declare::{Declared, Fault, Parameter, Value};

/// What plans, pages and errors say of a transport.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The word in plans.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// The parameters that only it has; all have [`Common`]'s as well.
    pub own: &'static [Parameter],
    make: fn(&Common, &[Value]) -> (AnyController, AnyRepair),
}

impl Entry {
    /// All its parameters: the common ones, then its own.
    pub fn parameters(&self) -> impl Iterator<Item = &'static Parameter> {
        Common::PARAMETERS.iter().chain(self.own)
    }
}

/// Every transport, in the order of the pages.
pub const ROSTER: &[Entry] = &[
    Entry {
        name: "tahoe",
        summary: "Three duplicates, or a timeout, send it back to the missing segment and into slow start.",
        source: "fall-floyd-1996 §2",
        own: &[],
        make: |common, _| {
            (
                Tahoe::new(common).into(),
                Cumulative::new(Style::Restart, common).into(),
            )
        },
    },
    Entry {
        name: "reno",
        summary: "Fast retransmit and fast recovery; the first ack of new data ends the recovery.",
        source: "cohen-hamo-2001 §2.1",
        own: &[],
        make: |common, _| {
            (
                Reno::new(common).into(),
                Cumulative::new(Style::Recover, common).into(),
            )
        },
    },
    Entry {
        name: "newreno",
        summary: "As Reno, but a partial ack sends the next missing segment again and the recovery goes on.",
        source: "rfc6582 §3.2",
        own: &[],
        make: |common, _| {
            (
                Reno::new(common).into(),
                Cumulative::new(Style::Partial, common).into(),
            )
        },
    },
    Entry {
        name: "sack",
        summary: Own::SUMMARY,
        source: Own::SOURCE,
        own: Own::PARAMETERS,
        make: |common, own| {
            (
                Reno::new(common).into(),
                Scoreboard::new(&Own::from_values(own), common).into(),
            )
        },
    },
];

/// The transport called `name`.
pub fn entry(name: &str) -> Option<&'static Entry> {
    ROSTER.iter().find(|entry| entry.name == name)
}

/// The parameters of any transport.
#[derive(Clone, Debug)]
pub struct Params {
    /// Which it is.
    pub entry: &'static Entry,
    /// What every TCP has.
    pub common: Common,
    /// The values of `entry.own`.
    pub own: alloc::vec::Vec<Value>,
}

impl Params {
    /// From values in the order of [`Entry::parameters`].
    pub fn from_values(entry: &'static Entry, values: &[Value]) -> Result<Self, Fault> {
        let (common, own) = values.split_at(Common::PARAMETERS.len());
        let common = Common::from_values(common);
        common.check()?;
        Ok(Self {
            entry,
            common,
            own: own.to_vec(),
        })
    }

    /// A sender at the start of its connection.
    pub fn sender(&self) -> AnySender {
        let (controller, repair) = (self.entry.make)(&self.common, &self.own);
        Sender::new(&self.common, controller, repair)
    }
}

/// A sender of any transport.
pub type AnySender = Sender<AnyController, AnyRepair>;

/// Calls the same method on whichever part is inside.
macro_rules! each {
    ($self:ident { $($part:ident),+ } $method:ident $args:tt) => {
        match $self { $(Self::$part(it) => it.$method $args),+ }
    };
}

/// Any controller.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum AnyController {
    Tahoe(Tahoe),
    Reno(Reno),
}

impl Controller for AnyController {
    fn window(&self) -> f64 {
        each!(self { Tahoe, Reno } window())
    }
    fn ssthresh(&self) -> f64 {
        each!(self { Tahoe, Reno } ssthresh())
    }
    fn on_ack(&mut self) {
        each!(self { Tahoe, Reno } on_ack())
    }
    fn on_loss(&mut self, in_use: InUse) {
        each!(self { Tahoe, Reno } on_loss(in_use))
    }
    fn on_recovered(&mut self, in_use: InUse) {
        each!(self { Tahoe, Reno } on_recovered(in_use))
    }
    fn on_timeout(&mut self, in_use: InUse, again: bool) {
        each!(self { Tahoe, Reno } on_timeout(in_use, again))
    }
}

/// Any repair.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum AnyRepair {
    Cumulative(Cumulative),
    Scoreboard(Scoreboard),
}

impl Repair for AnyRepair {
    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading {
        each!(self { Cumulative, Scoreboard } on_ack(ack, span))
    }
    fn on_timeout(&mut self, span: &Span) {
        each!(self { Cumulative, Scoreboard } on_timeout(span))
    }
    fn credit(&self) -> i64 {
        each!(self { Cumulative, Scoreboard } credit())
    }
    fn poll(&mut self, span: &Span, window: f64) -> Option<u64> {
        each!(self { Cumulative, Scoreboard } poll(span, window))
    }
    fn on_sent(&mut self, segment: u64) {
        each!(self { Cumulative, Scoreboard } on_sent(segment))
    }
}

macro_rules! part {
    ($any:ident: $($part:ident),+) => {$(
        impl From<$part> for $any {
            fn from(part: $part) -> Self { Self::$part(part) }
        }
    )+};
}
part!(AnyController: Tahoe, Reno);
part!(AnyRepair: Cumulative, Scoreboard);
