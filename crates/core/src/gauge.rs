//! State variables that queue disciplines and rate markers report, each with its unit.

use alloc::vec::Vec;
use core::fmt;

/// A state variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gauge {
    /// Its name, as its source writes it: `drop_prob`.
    pub name: &'static str,
    /// Unit of its values, as a figure writes it: `packets`, `cells/s`, `probability`.
    pub unit: &'static str,
    /// The class of packets whose discipline has it, if there is a discipline for each class.
    pub class: Option<&'static str>,
}

impl Gauge {
    /// The variable `name`, in this unit.
    pub const fn new(name: &'static str, unit: &'static str) -> Self {
        Self {
            name,
            unit,
            class: None,
        }
    }

    /// A probability.
    pub const fn probability(name: &'static str) -> Self {
        Self::new(name, "probability")
    }

    /// The same of the discipline of a class.
    pub const fn of(self, class: &'static str) -> Self {
        Self {
            class: Some(class),
            ..self
        }
    }
}

impl fmt::Display for Gauge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(class) = self.class {
            write!(f, "{class}.")?;
        }
        f.write_str(self.name)
    }
}

/// Queues that have packets, or have lost their last one in this round.
pub(crate) const QUEUES: Gauge = Gauge::new("queues", "queues");

/// The longest queue of a flow.
pub(crate) const LONGEST: Gauge = Gauge::new("longest", "packets");

/// Packets of a class that wait.
pub(crate) const BACKLOG: Gauge = Gauge::new("backlog", "packets");

/// Tokens of a bucket, as they were when it was filled last.
pub(crate) const TOKENS: Gauge = Gauge::new("tokens", "bytes");

/// Tells the largest value of each variable that any of `parts` tells.
pub(crate) fn largest<T>(
    parts: impl Iterator<Item = T>,
    gauges: impl Fn(T, &mut Tell),
    tell: &mut Tell,
) {
    let mut found: Vec<(Gauge, f64)> = Vec::new();
    for part in parts {
        gauges(
            part,
            &mut |gauge, value| match found.iter_mut().find(|it| it.0 == gauge) {
                Some((_, most)) => *most = most.max(value),
                None => found.push((gauge, value)),
            },
        );
    }
    for (gauge, value) in found {
        tell(gauge, value);
    }
}

/// Is told the state variables, one after the other, with their values.
pub type Tell<'a> = dyn FnMut(Gauge, f64) + 'a;
