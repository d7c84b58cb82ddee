//! `dupack._native.live`: runs on real traffic of the kernel.

use crate::away::away_halting;
use crate::errors::RunError;
use crate::plan::Plan;
use pyo3::prelude::*;

/// A live run that is done: its document as JSON, its tape as CSV, and a capture of each host by its name, as far as asked for.
type Done = (String, Option<String>);

/// Runs a point of a plan on kernel traffic, with ``seed``. ``bound`` is the bound of lateness [ps].
///
/// Returns the document as JSON, and the tape as CSV if ``tape``. Raises ``RunError`` if the plan or the machine cannot do it.
#[cfg(target_os = "linux")]
#[pyfunction]
#[pyo3(signature = (plan, point, seed, *, tape = false, bound = None, ipv6 = false))]
pub fn live(
    py: Python<'_>,
    plan: &Bound<'_, Plan>,
    point: usize,
    seed: u64,
    tape: bool,
    bound: Option<u64>,
    ipv6: bool,
) -> PyResult<Done> {
    use dupack_live::run::{BOUND, Options, run};
    let network = plan.get().point(point)?.network.clone();
    let options = Options {
        seed,
        tape,
        snaplen: None,
        bound: bound.map_or(BOUND, dupack_core::time::Duration),
        ipv6,
    };
    let done = away_halting(py, |halt| run(&network, &options, halt))?;
    let done = done.map_err(|failure| RunError::new_err(failure.to_string()))?;
    let document = serde_json::to_string(&done.document);
    let document = document.map_err(|error| RunError::new_err(error.to_string()))?;
    Ok((document, done.tape))
}

/// The same where there are no network namespaces.
#[cfg(not(target_os = "linux"))]
#[pyfunction]
#[pyo3(signature = (plan, point, seed, *, tape = false, bound = None, ipv6 = false))]
pub fn live(
    plan: &Bound<'_, Plan>,
    point: usize,
    seed: u64,
    tape: bool,
    bound: Option<u64>,
    ipv6: bool,
) -> PyResult<Done> {
    let _ = (plan, point, seed, tape, bound, ipv6);
    Err(RunError::new_err(
        "dupack live needs Linux: network namespaces and TUN devices",
    ))
}
