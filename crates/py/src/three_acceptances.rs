//! How long a flow waits until three of its packets are accepted (Viswanathan & Kamal, §III.2): computed, and simulated.

use crate::away::{away, away_halting};
use dupack_papers::slots::{self, Estimate};
use dupack_theory::three_acceptances::{self as theory, Printed, System};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use std::collections::HashMap;

/// Reads a whole number; raises ``ValueError`` with the name of the argument for others.
fn whole(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    value.extract::<usize>().map_err(|error| {
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            PyValueError::new_err(format!("{name} = {value}: must be 0 to {}", usize::MAX))
        } else {
            error
        }
    })
}

fn system(n: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>, p: f64) -> PyResult<System> {
    System::new(whole("n", n)?, whole("b", b)?, p).map_err(PyValueError::new_err)
}

/// q (eq. 10): the probability that the flow's next packet after a drop is accepted. ``n`` other flows, a buffer of ``b``
/// packets, a packet per flow and slot with the probability ``p``. ``printed`` names equations that are taken as printed:
/// "eq-8", "eq-9-share", "eq-9-limit"; the others are mended.
#[pyfunction]
#[pyo3(signature = (n, b, p, printed = Vec::new()))]
pub fn acceptance_probability(
    py: Python<'_>,
    n: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    p: f64,
    printed: Vec<String>,
) -> PyResult<f64> {
    let system = system(n, b, p)?;
    let printed = Printed::of(&printed).map_err(PyValueError::new_err)?;
    away(py, || system.q(printed))
}

/// T = 3/(pq) (eq. 12), in slots: the mean time to three acceptances as if each left the buffer full. Arguments as of
/// ``acceptance_probability``. Infinite where q is 0: as printed, for p = 1.
#[pyfunction]
#[pyo3(signature = (n, b, p, printed = Vec::new()))]
pub fn time_to_three(
    py: Python<'_>,
    n: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    p: f64,
    printed: Vec<String>,
) -> PyResult<f64> {
    let system = system(n, b, p)?;
    let printed = Printed::of(&printed).map_err(PyValueError::new_err)?;
    away(py, || system.t(printed))
}

/// The exact mean time to three acceptances, in slots: the buffer is left as it is.
#[pyfunction]
pub fn time_to_three_exact(
    py: Python<'_>,
    n: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    p: f64,
) -> PyResult<f64> {
    let system = system(n, b, p)?;
    away(py, || system.t_exact())
}

/// The probability that the third acceptance comes within 1, 2, ..., ``slots`` slots of the drop; exact, too.
#[pyfunction]
pub fn time_to_three_distribution(
    py: Python<'_>,
    n: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    p: f64,
    slots: &Bound<'_, PyAny>,
) -> PyResult<Vec<f64>> {
    let system = system(n, b, p)?;
    let slots = whole("slots", slots)?;
    away(py, || system.t_distribution(slots))?.map_err(PyValueError::new_err)
}

/// 3/p, in slots: scheme 1, which lets the next three packets in (Fig. 4). Scheme 2 takes one slot.
#[pyfunction]
pub fn time_to_three_scheme_1(p: f64) -> PyResult<f64> {
    // The result does not depend on other senders; the system is made only to check p.
    System::new(0, 1, p).map_err(PyValueError::new_err)?;
    Ok(theory::scheme_1(p))
}

/// Plays the slots through a drop-tail queue: means over ``episodes``, each with the half-width of its 95 % interval (None for
/// one episode), by name: "q" (eq. 10), "t_1" (eq. 11), "t" (the exact time to three acceptances), "t_conservative" (the
/// buffer filled up after each: eq. 12).
#[pyfunction]
pub fn simulate_three_acceptances(
    py: Python<'_>,
    n: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    p: f64,
    episodes: &Bound<'_, PyAny>,
    seed: &Bound<'_, PyAny>,
) -> PyResult<HashMap<&'static str, Estimate>> {
    let (n, b) = (whole("n", n)?, whole("b", b)?);
    let (episodes, seed) = (whole("episodes", episodes)?, whole("seed", seed)? as u64);
    let found = away_halting(py, |halt| slots::simulate(n, b, p, episodes, seed, halt))?
        .map_err(PyValueError::new_err)?;
    Ok(HashMap::from([
        ("q", found.q),
        ("t_1", found.t_1),
        ("t", found.t),
        ("t_conservative", found.t_conservative),
    ]))
}
