//! Traffic: when an application hands how much to its transport. One file each.

pub mod file;
pub mod greedy;

use crate::declare::{Declared, Parameter, Value};
use crate::measure::Bytes;

/// What plans, pages and errors say of a kind of traffic.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The word in plans.
    pub name: &'static str,
    /// What it offers, in one line.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

macro_rules! roster {
    ($($word:ident),+ $(,)?) => {
        /// Any traffic.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum Params { $($word($word::Params)),+ }

        /// Every kind of traffic, in the order of the pages.
        pub const ROSTER: &[Entry] = &[$(Entry {
            name: $word::Params::NAME,
            summary: $word::Params::SUMMARY,
            source: $word::Params::SOURCE,
            parameters: $word::Params::PARAMETERS,
        }),+];

        impl Params {
            /// The traffic called `name`, from values in the order of its declaration.
            pub fn from_values(name: &str, values: &[Value]) -> Option<Self> {
                $(if name == $word::Params::NAME { return Some(Self::$word($word::Params::from_values(values))); })+
                None
            }

            /// Whether the values go together.
            pub fn check(&self) -> Result<(), crate::declare::Fault> {
                match self { $(Self::$word(it) => it.check()),+ }
            }

            /// All that is ever handed over \[bytes\], at the start of the flow; `None` for no end.
            pub fn size(&self, mss: Bytes) -> Option<Bytes> {
                match self { $(Self::$word(it) => it.size(mss)),+ }
            }
        }
    };
}

roster!(greedy, file);
