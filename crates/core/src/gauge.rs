//! State variables that queue disciplines and rate markers report, each with its unit.

/// A state variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gauge {
    /// Its name, as its source writes it: `drop_prob`.
    pub name: &'static str,
    /// Unit of its values, as a figure writes it: `packets`, `cells/s`, `probability`.
    pub unit: &'static str,
}

impl Gauge {
    /// The variable `name`, in this unit.
    pub const fn new(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit }
    }

    /// A probability.
    pub const fn probability(name: &'static str) -> Self {
        Self::new(name, "probability")
    }
}

/// Is told the state variables, one after the other, with their values.
pub type Tell<'a> = dyn FnMut(Gauge, f64) + 'a;
