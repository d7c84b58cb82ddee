//! `dupack._native.record` and `dupack._native.Recording`: a run with its traces.

use crate::away::away_halting;
use crate::errors::RunError;
use crate::plan::Plan;
use crate::reference::json;
use dupack_core::time::{Duration, Instant};
use dupack_lab::explain::{Asked, Unexplained};
use dupack_lab::trace::{self, End, Options};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A finished run with all that was to be seen of it.
#[pyclass(frozen, module = "dupack._native")]
pub struct Recording {
    inner: trace::Recording,
    ends: Vec<End>,
}

/// A file in memory, which fails when its flag is set: it may take minutes to write.
struct Halting<'h>(Vec<u8>, &'h AtomicBool);

impl Write for Halting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.1.load(Ordering::Relaxed) {
            return Err(io::Error::other("halted"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a point of a plan with a seed, keeping its tape, and listens at these ends of links: each a link's name, and the node at
/// which it ends there (None for where it begins). A ``ValueError`` says which end there is not.
#[pyfunction]
pub fn record(
    py: Python<'_>,
    plan: &Bound<'_, Plan>,
    point: usize,
    seed: u64,
    ends: Vec<(String, Option<String>)>,
) -> PyResult<Recording> {
    let title = plan.get().title_of();
    let network = Arc::clone(&plan.get().point(point)?.network);
    let ends = ends
        .iter()
        .map(|(link, node)| End::find(&network, link, node.as_deref()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(PyValueError::new_err)?;
    let plan = plan.get();
    let inner = plan.away(py, |halt| {
        trace::record(&network, &title, seed, &ends, halt)
    })?;
    let inner = inner.map_err(|failure| RunError::new_err(failure.to_string()))?;
    Ok(Recording { inner, ends })
}

/// What happened to ``flow`` at a time in a run of a point of a plan with a seed: the chain of events, as JSON. A ``ValueError`` says
/// why there is none.
#[pyfunction]
pub fn explain(
    py: Python<'_>,
    plan: &Bound<'_, Plan>,
    point: usize,
    seed: u64,
    flow: Option<&str>,
    at_ps: u64,
) -> PyResult<String> {
    let plan = plan.get();
    let network = Arc::clone(&plan.point(point)?.network);
    let at = Instant::ZERO + Duration(at_ps);
    let told = plan.away(py, |halt| {
        dupack_lab::explain::explain(&network, seed, &Asked { flow, at }, halt)
    })?;
    match told {
        Ok(told) => json(&told),
        Err(Unexplained::Wrong(why)) => Err(PyValueError::new_err(why)),
        Err(late @ Unexplained::Late(..)) => Err(PyIndexError::new_err(late.to_string())),
        Err(Unexplained::Failed(failure)) => Err(RunError::new_err(failure.to_string())),
    }
}

#[pymethods]
impl Recording {
    /// The run's document, as JSON.
    fn document(&self) -> PyResult<String> {
        json(&self.inner.document)
    }

    /// Names of flows and connections with a log each, such as ``web.17`` for a connection.
    fn logs(&self) -> Vec<String> {
        self.inner.logs()
    }

    /// The tape as CSV.
    fn csv(&self) -> String {
        self.inner.csv()
    }

    /// The tape by columns, each the bytes of an array in the machine's order: ``time_ps`` (u64), ``flow`` (u32, into
    /// ``names``), ``event`` (u8, into ``events()``), ``segment`` (u64), ``cwnd`` and ``ssthresh`` (f64).
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = self.inner.columns();
        let told = PyDict::new(py);
        told.set_item("names", columns.names)?;
        let words = |column: &[u64]| {
            column
                .iter()
                .flat_map(|n| n.to_ne_bytes())
                .collect::<Vec<_>>()
        };
        let floats = |column: &[f64]| {
            column
                .iter()
                .flat_map(|x| x.to_ne_bytes())
                .collect::<Vec<_>>()
        };
        let flows: Vec<u8> = columns.flow.iter().flat_map(|n| n.to_ne_bytes()).collect();
        told.set_item("time_ps", PyBytes::new(py, &words(&columns.time_ps)))?;
        told.set_item("flow", PyBytes::new(py, &flows))?;
        told.set_item("event", PyBytes::new(py, &columns.event))?;
        told.set_item("segment", PyBytes::new(py, &words(&columns.segment)))?;
        told.set_item("cwnd", PyBytes::new(py, &floats(&columns.cwnd)))?;
        told.set_item("ssthresh", PyBytes::new(py, &floats(&columns.ssthresh)))?;
        Ok(told)
    }

    /// The words of the column ``event``.
    #[staticmethod]
    fn events() -> Vec<&'static str> {
        trace::EVENTS.iter().map(|event| event.name()).collect()
    }

    /// Packets captured at one of the given ends, by its index, as pcapng; at most ``snaplen`` bytes of each packet.
    fn capture<'py>(
        &self,
        py: Python<'py>,
        end: usize,
        snaplen: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let end = *self
            .ends
            .get(end)
            .ok_or_else(|| PyValueError::new_err("no such end"))?;
        let done = away_halting(py, |halt| {
            let mut file = Halting(Vec::new(), halt);
            let done = self.inner.capture(end, Options { snaplen }, &mut file);
            done.map(|_| file.0)
        })?;
        let file = done.map_err(|error| RunError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &file))
    }

    /// The log of a flow or connection, by its place in ``logs()``, as qlog (JSON-SEQ).
    fn qlog(&self, py: Python<'_>, log: usize) -> PyResult<String> {
        py.detach(|| self.inner.qlog(log))
            .ok_or_else(|| PyValueError::new_err("no such log"))
    }
}
