//! State variables that queue disciplines and rate markers report, each with its unit.

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

/// Is told the state variables, one after the other, with their values.
pub type Tell<'a> = dyn FnMut(Gauge, f64) + 'a;
