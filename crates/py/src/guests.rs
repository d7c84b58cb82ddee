//! Parts of a plan written in Python: prototypes, and what goes wrong in their calls.

use crate::errors::RunError;
use dupack_core::time::Instant;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A discipline or a controller in Python. Each queue or connection gets a copy of the prototype.
#[derive(Debug)]
pub struct Guest {
    name: String,
    prototype: Py<PyAny>,
    trouble: Mutex<Option<PyErr>>,
    /// Threads with a run, by Python's number.
    threads: Mutex<Vec<u64>>,
}

impl Guest {
    /// With this ``name`` in plans.
    pub fn new(name: &str, prototype: &Bound<'_, PyAny>) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_string(),
            prototype: prototype.clone().unbind(),
            trouble: Mutex::default(),
            threads: Mutex::default(),
        })
    }

    /// The object of which copies are made.
    pub fn prototype<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.prototype.bind(py)
    }

    /// Raises the first exception of its calls, or its first breach of a law.
    pub fn watch(&self, _: Python<'_>) -> PyResult<()> {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.take().map_or(Ok(()), Err)
    }

    /// Raises ``KeyboardInterrupt`` in calls that are running: one in an endless loop sees no halt. It has no
    /// effect on one that catches it, or that waits in a call into C.
    pub fn interrupt(&self, py: Python<'_>) -> PyResult<()> {
        let c = py.import("ctypes")?;
        let raise = c
            .getattr("pythonapi")?
            .getattr("PyThreadState_SetAsyncExc")?;
        let what = c
            .getattr("py_object")?
            .call1((py.get_type::<PyKeyboardInterrupt>(),))?;
        for thread in self.threads().iter() {
            raise.call1((c.getattr("c_ulong")?.call1((*thread,))?, &what))?;
        }
        Ok(())
    }

    fn threads(&self) -> MutexGuard<'_, Vec<u64>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call of its method `what` has raised `cause`.
    pub fn fail(&self, py: Python<'_>, what: &str, now: Instant, cause: PyErr) {
        if !cause.is_instance_of::<PyException>(py) {
            // Ctrl-C is no error of the guest.
            return self.tell(cause);
        }
        let kind = cause
            .get_type(py)
            .name()
            .map_or_else(|_| "an error".into(), |it| it.to_string());
        let text = format!(
            "{}.{what} at {} s: {kind}: {}",
            self.name,
            now.seconds(),
            cause.value(py)
        );
        let error = RunError::new_err(text);
        error.set_cause(py, Some(cause));
        self.tell(error);
    }

    /// It has broken a law.
    pub fn breach(&self, now: Instant, breach: &dyn fmt::Display) {
        let text = format!("{} at {} s: {breach}", self.name, now.seconds());
        self.tell(RunError::new_err(text));
    }

    /// Only the first exception is raised.
    fn tell(&self, error: PyErr) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.get_or_insert(error);
    }

    /// Does a run. A thread that Python does not know is registered at each call, which takes 60 us. So it is registered once, and its later
    /// calls only attach it again.
    pub fn during(&self, run: &mut (dyn FnMut() + Send)) {
        Python::attach(|py| {
            let _running = Running::here(self, py);
            py.detach(run);
        });
    }
}

/// A thread with a run, for as long as this lives.
struct Running<'a>(&'a Guest, Option<u64>);

impl<'a> Running<'a> {
    fn here(guest: &'a Guest, py: Python<'_>) -> Self {
        let number = py
            .import("threading")
            .and_then(|threads| threads.getattr("get_ident")?.call0()?.extract())
            .ok();
        guest.threads().extend(number);
        Self(guest, number)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.threads().retain(|&number| Some(number) != self.1);
    }
}
