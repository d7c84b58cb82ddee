//! `dupack._native.run_all`, and statistics of its results.

use crate::away::{away, last_panic};
use crate::errors::RunError;
use crate::memory;
use crate::plan::Plan;
use crate::series::{Columns, columns};
use dupack_lab::run::{self, Fault, Host, Job, News, Outcome};
use dupack_lab::{statistics, stream};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

/// Runs the jobs that ``give()`` returns, each a plan, the index of a point of its sweep and a seed, on ``threads`` threads. If it
/// returns None, there is no job until a running one has ended; if none is running, the work is complete.
///
/// ``done(index, document, tape)`` is called in the calling thread as runs finish, in any order: with the
/// run's document as JSON, with a record of each connection if ``connections``, and its tape as CSV if ``tape``. A run that fails raises, or ``failed(index, why)`` is called
/// if it is given. With ``brief`` documents have no flows and no links. Any exception, also from a signal, ends the work at once: ``done`` has been called for runs that had
/// finished by then, the others are lost. A run may itself have ``each`` threads, if that makes it faster.
#[pyfunction]
#[pyo3(signature = (give, threads, tape, done, failed = None, connections = false, brief = false, each = 1))]
#[allow(
    clippy::too_many_arguments,
    reason = "they are options, which Python names"
)]
pub fn run_all(
    py: Python<'_>,
    give: Py<PyAny>,
    threads: usize,
    tape: bool,
    done: Py<PyAny>,
    failed: Option<Py<PyAny>>,
    connections: bool,
    brief: bool,
    each: usize,
) -> PyResult<()> {
    let mut caller = Caller {
        give,
        tape,
        connections,
        brief,
        each,
        done,
        failed,
        watched: Vec::new(),
        heard: Ok(()),
    };
    away(py, || run::run_all(&mut caller, threads))?;
    if caller.heard.is_err() {
        // What is raised after a signal is not left for the next run.
        for plan in &caller.watched {
            plan.get().watch(py).ok();
        }
    }
    caller.heard
}

/// Python, as the host of runs.
struct Caller {
    give: Py<PyAny>,
    tape: bool,
    connections: bool,
    brief: bool,
    /// Threads for each run.
    each: usize,
    done: Py<PyAny>,
    failed: Option<Py<PyAny>>,
    /// Plans with external disciplines.
    watched: Vec<Py<Plan>>,
    /// The exception that a callback has raised, if any.
    heard: PyResult<()>,
}

impl Caller {
    fn job(&mut self, py: Python<'_>) -> PyResult<Option<Job>> {
        let given: Option<(Py<Plan>, usize, u64)> = self.give.call0(py)?.extract(py)?;
        let Some((plan, point, seed)) = given else {
            return Ok(None);
        };
        if plan.get().has_guests() && !self.watched.iter().any(|it| it.is(&plan)) {
            self.watched.push(plan.clone_ref(py));
        }
        Ok(Some(Job {
            network: Arc::clone(&plan.get().point(point)?.network),
            seed,
            threads: self.each,
            tape: self.tape,
            connections: self.connections,
        }))
    }

    /// Delivers finished runs, and checks for Ctrl-C.
    fn told(&self, py: Python<'_>, news: News) -> PyResult<()> {
        self.watched
            .iter()
            .try_for_each(|plan| plan.get().watch(py))?;
        memory::watch()?;
        let failed = |error: String| RunError::new_err(error);
        if let News::Done(index, outcome) = news {
            match (*outcome, &self.failed) {
                (Ok(Outcome { document, tape }), _) => {
                    let document = serde_json::to_string(&document);
                    let document = document.map_err(|error| failed(error.to_string()))?;
                    self.done.call1(py, (index, document, tape))?;
                }
                (Err(fault), Some(tell)) => drop(tell.call1(py, (index, why(&fault)))?),
                (Err(fault), None) => return Err(failed(why(&fault))),
            }
        }
        py.check_signals()
    }
}

/// Message of a fault; for a broken law also the place.
fn why(fault: &Fault) -> String {
    match (fault, last_panic()) {
        (Fault::Broken(_), Some(said)) => Fault::Broken(said).to_string(),
        _ => fault.to_string(),
    }
}

impl Host for Caller {
    fn brief(&self) -> bool {
        self.brief
    }

    fn next(&mut self) -> Option<Job> {
        if self.heard.is_err() {
            return None;
        }
        Python::attach(|py| self.job(py)).unwrap_or_else(|error| {
            self.heard = Err(error);
            None
        })
    }

    fn hear(&mut self, news: News) -> bool {
        if self.heard.is_ok() {
            self.heard = Python::attach(|py| self.told(py, news));
        } else if !self.watched.is_empty() {
            Python::attach(|py| self.watched.iter().for_each(|it| it.get().interrupt(py)));
        }
        self.heard.is_ok()
    }
}

/// Runs point ``point`` of ``plan`` with ``seed``, and hands the text that ``dupack run --json`` prints to ``write``, in pieces of bytes. Returns
/// the document as JSON, without flows and links. An exception of ``write`` ends the run, which has up to ``threads`` threads.
#[pyfunction]
#[pyo3(signature = (plan, point, seed, write, threads = 1))]
pub fn write_run(
    py: Python<'_>,
    plan: &Plan,
    point: usize,
    seed: u64,
    write: Py<PyAny>,
    threads: usize,
) -> PyResult<String> {
    let job = Job {
        network: Arc::clone(&plan.point(point)?.network),
        seed,
        threads,
        tape: false,
        connections: false,
    };
    let title = plan.title_of();
    let (document, raised) = plan.away(py, move |halt| {
        let mut out = BufWriter::with_capacity(
            PIECE,
            Pieces {
                write,
                raised: None,
            },
        );
        let document = stream::write(&title, &job, halt, &mut out);
        // What is left in the buffer of a writer that has failed is lost.
        let (pieces, _) = out.into_parts();
        (document, pieces.raised)
    })?;
    if let Some(raised) = raised {
        return Err(raised);
    }
    let failed = |error: String| RunError::new_err(error);
    let document = document.map_err(|error| failed(error.to_string()))?;
    serde_json::to_string(&document).map_err(|error| failed(error.to_string()))
}

/// Bytes of a document that are handed to Python at once.
const PIECE: usize = 1 << 20;

/// A function of Python that takes bytes.
struct Pieces {
    write: Py<PyAny>,
    /// The exception that it has raised.
    raised: Option<PyErr>,
}

impl Write for Pieces {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let told = Python::attach(|py| self.write.call1(py, (PyBytes::new(py, piece),)).map(drop));
        match told {
            Ok(()) => Ok(piece.len()),
            Err(raised) => {
                self.raised = Some(raised);
                Err(io::Error::other("the writer has raised an exception"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The JSON Schema of a run's document: every key with its type and description.
#[pyfunction]
pub fn document_schema() -> PyResult<String> {
    let schema = schemars::schema_for!(run::Document);
    serde_json::to_string(&schema).map_err(|error| RunError::new_err(error.to_string()))
}

/// Every cause for which a unit may be dropped, as documents call them.
#[pyfunction]
pub fn drop_causes() -> Vec<&'static str> {
    run::drop_causes().collect()
}

/// A document, a tape, time series by measure.
type Told = (String, Option<String>, Vec<(&'static str, Columns)>);

/// Runs point ``point`` of ``plan`` with ``seed``: its document as JSON, with a record of each connection and without the time series,
/// its tape as CSV if ``tape``, and the time series as columns, by measure, if the plan asks for samples. It has up to ``threads`` threads.
#[pyfunction]
#[pyo3(signature = (plan, point, seed, tape, threads = 1))]
pub fn run_one(
    py: Python<'_>,
    plan: &Plan,
    point: usize,
    seed: u64,
    tape: bool,
    threads: usize,
) -> PyResult<Told> {
    let network = Arc::clone(&plan.point(point)?.network);
    let job = Job {
        network,
        seed,
        threads,
        tape,
        connections: true,
    };
    let failed = |error: String| RunError::new_err(error);
    let outcome = plan.away(py, |halt| run::run(&job, halt))?;
    let Outcome { mut document, tape } = outcome.map_err(|error| failed(error.to_string()))?;
    let flows: Vec<_> = job
        .network
        .flows
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    let links: Vec<_> = job
        .network
        .links
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    let series = document.report.series.take();
    let series = series.map_or_else(Vec::new, |series| columns(series, &flows, &links));
    let text = serde_json::to_string(&document).map_err(|error| failed(error.to_string()))?;
    Ok((text, tape, series))
}

/// The mean, and the half-width of its 95 % interval by Student's t; None for fewer than two values.
#[pyfunction]
pub fn mean_ci95(values: Vec<f64>) -> (f64, Option<f64>) {
    statistics::mean_ci95(&values)
}

/// The same with another confidence than 0.95.
#[pyfunction]
pub fn mean_ci(values: Vec<f64>, confidence: f64) -> (f64, Option<f64>) {
    statistics::mean_ci(&values, confidence)
}

/// The two groups that the values fall into, as number and mean of the lower and of the upper one; None if there is one group.
#[pyfunction]
pub fn regimes(values: Vec<f64>) -> Option<(usize, f64, usize, f64)> {
    let found = dupack_lab::regimes::regimes(&values)?;
    Some((found.low, found.low_mean, found.high, found.high_mean))
}

/// Number of runs after which to check again whether the half-width of the 95 % interval of their mean is at most
/// ``relative`` times the mean; None if it is, or if there are ``most`` already.
#[pyfunction]
pub fn runs_wanted(values: Vec<f64>, relative: f64, most: usize) -> Option<usize> {
    statistics::runs_wanted(&values, relative, most)
}

/// The mean of the measures of a run's successive intervals, and 1.96 times its standard deviation; None for fewer than two.
#[pyfunction]
pub fn batch_means(values: Vec<f64>) -> (f64, Option<f64>) {
    statistics::batch_means(&values)
}
