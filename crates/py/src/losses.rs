//! `dupack._native.check_losses`.

use crate::away::away_halting;
use crate::errors::RunError;
use crate::plan::Plan;
use dupack_papers::losses::{Range, check};
use pyo3::prelude::*;

/// A case: window, lost segments, whether the analysis calls a timeout inevitable, whether the machine timed out.
type Case = (u64, Vec<u64>, bool, bool);

/// Tries, on the network of ``plan`` (one flow), every set of up to ``losses`` lost segments of every window up to
/// ``every``, and ``samples`` sets of each size of every window beyond, up to ``sampled``.
///
/// Gives (window, lost, inevitable, timed_out) per case, in order of window, number and places of the losses.
#[pyfunction]
pub fn check_losses(
    py: Python<'_>,
    plan: &Plan,
    losses: u64,
    every: u64,
    sampled: u64,
    samples: u64,
    threads: usize,
) -> PyResult<Vec<Case>> {
    let network = &plan.point(0)?.network;
    let range = Range {
        losses,
        every,
        sampled,
        samples,
    };
    let cases = away_halting(py, |halt| check(network, &range, threads, halt))?;
    let cases = cases.map_err(RunError::new_err)?;
    Ok(cases
        .into_iter()
        .map(|c| (c.window, c.lost, c.inevitable, c.timed_out))
        .collect())
}
