//! `dupack._native.run_all`, and what is computed from its results.

use crate::plan::Plan;
use crate::{RunError, away};
use dupack_lab::run::{self, Job, News, Outcome};
use dupack_lab::statistics;
use pyo3::prelude::*;
use std::sync::Arc;

/// Runs ``jobs``, each a plan, the index of a point of its sweep and a seed, on so many threads.
///
/// ``done(index, document, tape)`` is called in the calling thread as runs finish, in whatever order that is: with the
/// run's document as JSON, and its tape as CSV if ``tape``. Whatever ``done`` or a signal raises ends the work at once:
/// runs that had finished have been told by then, the others are lost.
#[pyfunction]
#[pyo3(signature = (jobs, threads, tape, done))]
pub fn run_all(
    py: Python<'_>,
    jobs: Vec<(Py<Plan>, usize, u64)>,
    threads: usize,
    tape: bool,
    done: Py<PyAny>,
) -> PyResult<()> {
    let job = |(plan, point, seed): (Py<Plan>, usize, u64)| {
        let network = Arc::clone(&plan.get().point(point)?.network);
        Ok(Job {
            network,
            seed,
            tape,
        })
    };
    let jobs = jobs.into_iter().map(job).collect::<PyResult<Vec<_>>>()?;
    let mut heard = Ok(());
    away(py, || {
        run::run_all(&jobs, threads, |news| {
            if heard.is_ok() {
                heard = Python::attach(|py| hear(py, news, &done));
            }
            heard.is_ok()
        });
    })?;
    heard
}

/// Hands on what has finished, and looks whether somebody has pressed Ctrl-C.
fn hear(py: Python<'_>, news: News, done: &Py<PyAny>) -> PyResult<()> {
    if let News::Done(index, outcome) = news {
        let failed = |error: String| RunError::new_err(error);
        let Outcome { document, tape } = outcome.map_err(|error| failed(error.to_string()))?;
        let document =
            serde_json::to_string(&document).map_err(|error| failed(error.to_string()))?;
        done.call1(py, (index, document, tape))?;
    }
    py.check_signals()
}

/// The mean, and the half-width of its 95 % interval by Student's t; None for fewer than two values.
#[pyfunction]
pub fn mean_ci95(values: Vec<f64>) -> (f64, Option<f64>) {
    statistics::mean_ci95(&values)
}

/// The mean of the measures of a run's successive intervals, and 1.96 times its standard deviation; None for fewer than two.
#[pyfunction]
pub fn batch_means(values: Vec<f64>) -> (f64, Option<f64>) {
    statistics::batch_means(&values)
}
