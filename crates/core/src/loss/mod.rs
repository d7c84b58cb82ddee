//! Losses of a line, other than by a full buffer. One file each.

pub mod script;

use crate::declare::{Declared, Parameter, Value};
use crate::ledger::Cause;

/// What a line asks of its loss model: one call per packet that begins to be carried (for cells: at its first cell).
pub trait Loss {
    /// Why the line loses this transmission of `segment` of the flow it watches, if it does. `again` says that the segment
    /// was sent before.
    fn on_segment(&mut self, segment: u64, again: bool) -> Option<Cause>;
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

/// Every loss model, in the order of the pages.
pub const ROSTER: &[Entry] = &[Entry {
    name: script::Params::NAME,
    summary: script::Params::SUMMARY,
    source: script::Params::SOURCE,
    parameters: script::Params::PARAMETERS,
}];

/// The parameters of any loss model.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Params {
    Script(script::Params),
}

impl Params {
    /// The loss model called `name`, from values in the order of its declaration.
    pub fn from_values(name: &str, values: &[Value]) -> Option<Self> {
        (name == script::Params::NAME).then(|| Self::Script(script::Params::from_values(values)))
    }

    /// Whether the values go together.
    pub fn check(&self) -> Result<(), crate::declare::Fault> {
        match self {
            Self::Script(it) => it.check(),
        }
    }
}
