//! The Python face of dupack: plans, runs, statistics and theory as Python objects. Nothing is decided here.

mod external;
mod laws;
mod losses;
mod plan;
mod queue;
mod reference;
mod run;
mod series;
mod theory;
mod three_acceptances;
mod trace;
mod values;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pyo3::create_exception!(
    dupack,
    Error,
    PyException,
    "Anything that dupack refuses or fails at."
);
pyo3::create_exception!(
    dupack,
    PlanError,
    Error,
    "A plan is wrong; nothing was run. The text names every mistake."
);
pyo3::create_exception!(
    dupack,
    RunError,
    Error,
    "A run failed; the text says where and why."
);

/// What the latest panic said, and where.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// That, once.
fn last_panic() -> Option<String> {
    let said = PANIC.lock().map(|mut said| std::mem::take(&mut *said));
    said.ok().filter(|said| !said.is_empty())
}

/// Does `work` without holding the interpreter; a panic becomes a [`RunError`]: a law was broken, which no input should
/// bring about.
fn away<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work)))
        .map_err(|_| {
            let said = last_panic().unwrap_or_default();
            RunError::new_err(format!(
                "internal error: {said}; please report it with the plan"
            ))
        })
}

/// As [`away`], with a flag that is set when a signal has come: `work` then ends soon, and what the signal raises is raised.
fn away_halting<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    away_watching(py, |py| py.check_signals(), work)
}

/// The same for whatever `watch` raises.
fn away_watching<T: Send>(
    py: Python<'_>,
    watch: impl Fn(Python<'_>) -> PyResult<()> + Sync,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let halt = AtomicBool::new(false);
    let mut signal = Ok(());
    let done = away(py, || {
        std::thread::scope(|scope| {
            let work = scope.spawn(|| work(&halt));
            while !work.is_finished() {
                if signal.is_ok() {
                    signal = Python::attach(&watch);
                    halt.store(signal.is_err(), Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            // A panic goes on to `away`.
            work.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    })?;
    signal?;
    Ok(done)
}

/// dupack, compiled.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{Error, PlanError, RunError};
    #[pymodule_export]
    use crate::external::{Book, Unit};
    #[pymodule_export]
    use crate::laws::check_laws;
    #[pymodule_export]
    use crate::losses::check_losses;
    #[pymodule_export]
    use crate::plan::{Plan, parse_seeds};
    #[pymodule_export]
    use crate::queue::Queue;
    #[pymodule_export]
    use crate::reference::{all, draw, of_plans};
    #[pymodule_export]
    use crate::run::{
        batch_means, document_schema, drop_causes, mean_ci, mean_ci95, run_all, run_one,
        runs_wanted,
    };
    #[pymodule_export]
    use crate::series::Columns;
    #[pymodule_export]
    use crate::theory::{
        abr_ceiling, abr_printed_ceiling, lakshman_madhow, least_error_control_window, mathis,
        max_min_rates, mean_good_run, mg1_wait, mm1k_loss, mm1k_wait, nominal_load, off_time,
        packets_lost_per_loss_event, pftk, pftk_short, potential_goodput, tcp_goodput,
        tcp_goodput_loss,
    };
    #[pymodule_export]
    use crate::three_acceptances::{
        acceptance_probability, simulate_three_acceptances, time_to_three,
        time_to_three_distribution, time_to_three_exact, time_to_three_scheme_1,
    };

    #[pymodule_export]
    use crate::trace::{Recording, record};
    #[pymodule_export]
    use crate::values::{check_part, picoseconds, plan_text};

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __build__: &str = dupack_lab::BUILD;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        // A panic is told once, as a Python exception.
        std::panic::set_hook(Box::new(|panic| {
            if let Ok(mut said) = super::PANIC.lock()
                && said.is_empty()
            {
                // The first one: the others only say that a thread has panicked.
                *said = panic.to_string().replace('\n', " ");
            }
        }));
        Ok(())
    }
}
