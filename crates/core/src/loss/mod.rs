//! Losses of a line, other than by a full buffer. One file each; the roster is the line at the end.

use crate::declare::{Declared, Parameter, Value};
use crate::ledger::Cause;
use crate::rng::Stream;

/// A data segment of a flow that a loss model watches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Its number, from 0.
    pub number: u64,
    /// It had been sent before.
    pub again: bool,
}

/// What a line asks of its loss model: one call per packet that begins to be carried (for cells: at its first cell). A model
/// that watches flows exists once for each, and is asked about their data only; any other is asked about all packets.
pub trait Loss {
    /// Why the line loses this packet, if it does. `segment` is what it carries, if the model watches the flow.
    fn on_packet(&mut self, segment: Option<Segment>) -> Option<Cause>;
}

/// What plans, pages and errors say of a loss model.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The word in plans.
    pub name: &'static str,
    /// What it loses, in one line.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

/// A name in a plan: which parameter holds it, and what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Named<'p> {
    /// The parameter.
    pub key: &'static str,
    /// The name.
    pub name: &'p str,
}

/// Makes the roster: per word a module with `Params` (declared, with `watches`) and `Losses`.
macro_rules! roster {
    ($($word:ident),+ $(,)?) => {
        $(pub mod $word;)+

        /// The parameters of any loss model.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum Params { $($word($word::Params)),+ }

        /// Any loss model.
        #[derive(Clone, Debug)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum Losses { $($word($word::Losses)),+ }

        /// Every loss model, in the order of the pages.
        pub const ROSTER: &[Entry] = &[$(Entry {
            name: $word::Params::NAME,
            summary: $word::Params::SUMMARY,
            source: $word::Params::SOURCE,
            parameters: $word::Params::PARAMETERS,
        }),+];

        impl Params {
            /// The loss model called `name`, from values in the order of its declaration.
            pub fn from_values(name: &str, values: &[Value]) -> Option<Self> {
                $(if name == $word::Params::NAME { return Some(Self::$word($word::Params::from_values(values))); })+
                None
            }

            /// Whether the values go together.
            pub fn check(&self) -> Result<(), crate::declare::Fault> {
                match self { $(Self::$word(it) => it.check()),+ }
            }

            /// The flow whose data it watches; `None` for a model that is asked about all packets.
            pub fn watches(&self) -> Option<Named<'_>> {
                match self { $(Self::$word(it) => it.watches()),+ }
            }
        }

        impl Losses {
            /// A model at the start of a run.
            pub fn new(params: &Params, rng: Stream) -> Self {
                match params { $(Params::$word(it) => Self::$word($word::Losses::new(it, rng))),+ }
            }
        }

        impl Loss for Losses {
            #[inline]
            fn on_packet(&mut self, segment: Option<Segment>) -> Option<Cause> {
                match self { $(Self::$word(it) => it.on_packet(segment)),+ }
            }
        }
    };
}

roster!(script, bernoulli, burst);
