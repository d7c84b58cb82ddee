//! Work without Python's interpreter lock.

use crate::errors::RunError;
use dupack_lab::halt::halting;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

/// Message and place of the latest panic.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Returns them once.
pub fn last_panic() -> Option<String> {
    let said = PANIC.lock().map(|mut said| std::mem::take(&mut *said));
    said.ok().filter(|said| !said.is_empty())
}

/// Does `work` without holding the interpreter; a panic becomes a [`RunError`]: a law was broken, which no input should
/// bring about.
pub fn away<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work)))
        .map_err(|_| {
            let said = last_panic().unwrap_or_default();
            RunError::new_err(format!(
                "internal error: {said}; please report it with the plan"
            ))
        })
}

/// Like [`away`], for work of the laboratory that looks for a halt itself: a signal ends it soon, and its exception is raised.
pub fn away_looking<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let done = away_halting(py, |halt| halting(halt, work))?;
    // It is halted only by a signal, which has been raised.
    done.ok_or_else(|| PyKeyboardInterrupt::new_err(()))
}

/// Like [`away`], with a flag that is set when a signal has come: `work` should then end soon, and the signal's exception is raised.
pub fn away_halting<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<AtomicBool>) -> T + Send,
) -> PyResult<T> {
    away_watching(py, |py| py.check_signals(), |_| (), work)
}

/// The same for whatever `watch` raises. From then on `end` is called again and again until `work` has ended.
pub fn away_watching<T: Send>(
    py: Python<'_>,
    watch: impl Fn(Python<'_>) -> PyResult<()> + Sync,
    end: impl Fn(Python<'_>) + Sync,
    work: impl FnOnce(&Arc<AtomicBool>) -> T + Send,
) -> PyResult<T> {
    let halt = Arc::new(AtomicBool::new(false));
    let mut signal = Ok(());
    let done = away(py, || {
        std::thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            let flag = &halt;
            let work = scope.spawn(move || {
                let done = catch_unwind(AssertUnwindSafe(|| work(flag)));
                // Short work is over before the first look at signals.
                let _ = tell.send(());
                done.unwrap_or_else(|panic| resume_unwind(panic))
            });
            while told.recv_timeout(Duration::from_millis(20)) == Err(RecvTimeoutError::Timeout) {
                if signal.is_ok() {
                    signal = Python::attach(&watch);
                    halt.store(signal.is_err(), Ordering::Relaxed);
                } else {
                    Python::attach(&end);
                }
            }
            // A panic of the thread is passed on to `away`.
            work.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    })?;
    signal?;
    Ok(done)
}

/// Keeps messages of panics from now on, instead of printing them: each is raised once, as a Python exception.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut said) = PANIC.lock()
            && said.is_empty()
        {
            // Only the first message is kept: the others only say that a thread has panicked.
            *said = panic.to_string().replace('\n', " ");
        }
    }));
}
