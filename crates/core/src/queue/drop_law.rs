//! Drop laws: with which probability a discipline drops or marks, or after which time, as a function of a state variable.
//!
//! A discipline gives the functions with which it decides about arrivals and departures, so a picture of them shows what it does.
//= floyd-jacobson-1993 §4
//= rfc8289 §5.6

use crate::gauge::Gauge;
use crate::time::Duration;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// A drop law of a discipline, with its parameters.
pub struct DropLaw<'a> {
    /// What is a function of what, in a sentence or two.
    pub says: &'static str,
    /// The state variable.
    pub over: Gauge,
    /// The least and the largest value of the variable that a picture shows.
    pub range: (f64, f64),
    /// Parameters that are values of the variable.
    pub parameters: Vec<(&'static str, f64)>,
    /// What is decided at each value.
    pub curves: Vec<Curve<'a>>,
}

/// A function of a state variable.
pub struct Curve<'a> {
    /// What its values are: `marked`, `dropped`.
    pub name: &'static str,
    /// Unit of its values.
    pub unit: &'static str,
    /// The function.
    pub value: Box<dyn Fn(f64) -> f64 + 'a>,
}

impl<'a> Curve<'a> {
    /// Of values in this unit.
    pub fn new(name: &'static str, unit: &'static str, value: impl Fn(f64) -> f64 + 'a) -> Self {
        Self {
            name,
            unit,
            value: Box::new(value),
        }
    }

    /// Of probabilities.
    pub fn probability(name: &'static str, value: impl Fn(f64) -> f64 + 'a) -> Self {
        Self::new(name, "probability", value)
    }
}

/// A time from its milliseconds.
pub(super) fn of_ms(milliseconds: f64) -> Duration {
    Duration((milliseconds * 1e9) as u64)
}
