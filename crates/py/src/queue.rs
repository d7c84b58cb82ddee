//! A discipline alone, without a network: offers units to it, and returns their fates.

use crate::errors::PlanError;
use crate::values::table;
use dupack_core::measure::Rate;
use dupack_core::queue::laws::{Fates, Named};
use dupack_core::queue::{self, Discipline, Line};
use dupack_core::rng::Stream;
use dupack_core::time::Instant;
use dupack_lab::plan;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Fates of units, in order: their names, and ``"overflow"``, ``"early"``, ``"pushed-out"``, ...
type Befell = Vec<(String, &'static str)>;

/// A discipline's empty queue, from a table as in a plan, before a line of 10 Mb/s. Nothing in it takes time. Units have names, whose first
/// letter, a to z, is their flow.
#[pyclass(module = "dupack._native", unsendable)]
#[derive(Debug)]
pub struct Queue(queue::Queue<Named>);

#[pymethods]
impl Queue {
    #[new]
    fn new(found: &Bound<'_, PyDict>) -> PyResult<Self> {
        let params = plan::queue("queue", &table("queue", found)?)
            .map_err(|errors| PlanError::new_err(errors.to_string()))?;
        let line = Line {
            rate: Rate(10_000_000),
            guaranteed: Vec::new(),
            longest: 3,
            stream: Stream::new(1, "queue"),
        };
        Ok(Self(queue::Queue::new(&params, line)))
    }

    /// A packet of this length [bytes] arrives. Returns its fate and those of others; empty if it waits now and all others still do.
    fn offer(&mut self, name: String, length: u32) -> PyResult<Befell> {
        if !name.starts_with(|it: char| it.is_ascii_lowercase()) {
            let text = format!("{name:?} does not begin with its flow, a letter from a to z");
            return Err(PyValueError::new_err(text));
        }
        let mut book = Fates::default();
        let unit = Named::packet(name, length);
        self.0.offer(Instant::ZERO, unit, &mut book);
        Ok(book.0)
    }

    /// The next packet to send, if one waits, and the fates of others.
    fn pull(&mut self) -> (Option<String>, Befell) {
        let mut book = Fates::default();
        let sent = self.0.pull(Instant::ZERO, &mut book);
        (sent.map(|unit| unit.name), book.0)
    }

    /// Number of waiting packets.
    fn __len__(&self) -> usize {
        self.0.backlog() as usize
    }
}
