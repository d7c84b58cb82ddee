//! The Python face of dupack: plans, runs, statistics and theory as Python objects. Nothing is decided here.

mod losses;
mod plan;
mod run;
mod theory;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

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

/// Does `work` without holding the interpreter; a panic becomes a [`RunError`]: a law was broken, which no input should
/// bring about.
fn away<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work)))
        .map_err(|_| {
            let said = PANIC.lock().map(|mut said| std::mem::take(&mut *said));
            let said = said.unwrap_or_default();
            RunError::new_err(format!(
                "internal error: {said}; please report it with the plan"
            ))
        })
}

/// dupack, compiled.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{Error, PlanError, RunError};
    #[pymodule_export]
    use crate::losses::check_losses;
    #[pymodule_export]
    use crate::plan::{Plan, parse_seeds};
    #[pymodule_export]
    use crate::run::{batch_means, mean_ci95, run_all};
    #[pymodule_export]
    use crate::theory::{
        least_error_control_window, mean_good_run, nominal_load, off_time,
        packets_lost_per_loss_event, potential_goodput, tcp_goodput, tcp_goodput_loss,
    };

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

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
