//! The transports by name: each a pair of controller and repair, and any other pair that goes together.

use super::control::{self, AnyController, Needs};
use super::receiver::Receiver;
use super::repair::{self, AnyRepair, Hears};
use super::sender::Sender;
use super::{Common, OutOfOrder};
use crate::declare::{Declared, Fault, Parameter, Value};
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

/// A pair that has a name of its own.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The word in plans.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// Its controller's word.
    pub control: &'static str,
    /// Its repair's word.
    pub repair: &'static str,
}

macro_rules! kinds {
    ($($name:literal = $control:literal + $repair:literal: $summary:literal from $source:literal;)+) => {
        /// Every pair with a name, in the order of the pages.
        pub const ROSTER: &[Entry] = &[$(Entry {
            name: $name,
            summary: $summary,
            source: $source,
            control: $control,
            repair: $repair,
        }),+];
    };
}

kinds! {
    "tahoe" = "tahoe" + "tahoe":
        "Three duplicates, or a timeout, send it back to the missing segment and into slow start." from "fall-floyd-1996 §2";
    "reno" = "reno" + "reno":
        "Fast retransmit and fast recovery; the first ack of new data ends the recovery." from "cohen-hamo-2001 §2.1";
    "newreno" = "reno" + "newreno":
        "As Reno, but a partial ack sends the next missing segment again and the recovery goes on." from "rfc6582 §3.2";
    "sack" = "reno" + "sack":
        "Selective acks tell the sender what is missing; it fills the holes while `pipe` allows." from "cohen-hamo-2001 §6.1";
    "go-back-n" = "static-window" + "go-back-n":
        "A window that never changes; a timeout sends all of it again." from "keshav-morgan-1997 §2";
    "smart" = "static-window" + "smart":
        "A window that never changes; acks that name their cause tell what to send again." from "keshav-morgan-1997 §4";
    "packet-pair" = "packet-pair" + "smart":
        "Pairs measure the service rate, which the sender follows; acks that name their cause tell what to send again."
        from "keshav-morgan-1997 §5";
    "nack" = "reno" + "nack":
        "Switches trim what they have no room for, and the receiver names each loss, which is sent again as soon as the window allows." from "ndp-2017 §3";
    "udp" = "static-window" + "none":
        "Datagrams: each goes once, as it comes, and nothing is acknowledged." from "rfc768";
    "cubic" = "cubic" + "sack":
        "CUBIC's window, and selective acks that tell the sender what is missing." from "rfc9438";
    "static-window" = "static-window" + "go-back-n":
        "The same as go-back-n, by the name of its controller." from "keshav-morgan-1997 §2";
}

/// The pair called `name`.
pub fn entry(name: &str) -> Option<&'static Entry> {
    ROSTER.iter().find(|entry| entry.name == name)
}

/// A controller and a repair.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// How much, how fast.
    pub control: &'static control::Entry,
    /// What to send again.
    pub repair: &'static repair::Entry,
}

impl Pair {
    /// The pair of these words, if both are on their rosters.
    pub fn new(control: &str, repair: &str) -> Option<Self> {
        Some(Self {
            control: control::ROSTER.iter().find(|it| it.name == control)?,
            repair: repair::ROSTER.iter().find(|it| it.name == repair)?,
        })
    }

    /// Why the two do not go together, if they do not.
    pub fn refusal(&self) -> Option<&'static str> {
        if !self.acknowledged() && self.control.needs != Needs::Nothing {
            return Some("it is acks that open its window or teach it a rate, and there are none");
        }
        (self.repair.refuses)(self.control.answer)
    }

    /// Whether the receiver answers at all.
    pub fn acknowledged(&self) -> bool {
        self.repair.habits.hears != Hears::Nothing
    }

    /// Its name, or `control+repair` if it has none.
    pub fn name(&self) -> Cow<'static, str> {
        let is_it = |it: &&Entry| it.control == self.control.name && it.repair == self.repair.name;
        match ROSTER.iter().find(is_it) {
            Some(entry) => entry.name.into(),
            None => format!("{}+{}", self.control.name, self.repair.name).into(),
        }
    }

    /// All its parameters: the common ones, its controller's, its repair's.
    pub fn parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        Common::PARAMETERS
            .iter()
            .chain(self.control.own)
            .chain(self.repair.own)
    }
}

/// The parameters of any transport.
#[derive(Clone, Debug)]
pub struct Params {
    /// Which it is.
    pub pair: Pair,
    /// What every transport has.
    pub common: Common,
    /// The values of the controller's and of the repair's own parameters.
    own: (Vec<Value>, Vec<Value>),
}

impl Params {
    /// From values in the order of [`Pair::parameters`].
    ///
    /// # Errors
    /// If the values do not go together.
    pub fn from_values(pair: Pair, values: &[Value]) -> Result<Self, Fault> {
        let (common, own) = values.split_at(Common::PARAMETERS.len());
        let (control, repair) = own.split_at(pair.control.own.len());
        let common = Common::from_values(common);
        common.check()?;
        if common.delayed_ack && pair.control.needs == Needs::EveryAck {
            return Err(Fault {
                name: "delayed_ack",
                found: "true".into(),
                allowed: format!(
                    "false: {} measures the time between the acks of neighbouring segments",
                    pair.control.name
                ),
            });
        }
        if common.out_of_order == OutOfOrder::Discard && pair.repair.habits.knows_what_arrived {
            return Err(Fault {
                name: "out_of_order",
                found: "discard".into(),
                allowed: format!(
                    "\"keep\": {} relies on the receiver to keep what it has acknowledged",
                    pair.repair.name
                ),
            });
        }
        (pair.control.check)(control)?;
        for (parameter, value) in pair.parameters().zip(values) {
            if let Value::Window(window) = value
                && window.whole_segments(common.mss) == 0
            {
                return Err(Fault {
                    name: parameter.name,
                    found: format!("{window:?}"),
                    allowed: "at least one segment of `mss`".into(),
                });
            }
        }
        Ok(Self {
            pair,
            common,
            own: (control.to_vec(), repair.to_vec()),
        })
    }

    /// A sender at the start of its connection.
    pub fn sender(&self) -> AnySender {
        let (control, repair) = &self.own;
        Sender::new(
            &self.common,
            self.pair.repair.habits,
            (self.pair.control.make)(control, &self.common),
            (self.pair.repair.make)(repair, &self.common),
        )
    }

    /// A receiver at the start of its connection.
    pub fn receiver(&self) -> Receiver {
        Receiver::new(&self.common, self.pair.repair.habits.hears)
    }
}

/// A sender of any transport.
pub type AnySender = Sender<AnyController, AnyRepair>;
