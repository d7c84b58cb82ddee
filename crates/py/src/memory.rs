//! A limit of the memory that this process may use while it simulates.

use crate::errors::RunError;
use pyo3::prelude::*;
use std::fs::read_to_string;
use std::sync::atomic::{AtomicU64, Ordering};

/// The limit \[bytes\].
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// From now on, runs end with a ``RunError`` if this process uses more than ``most`` bytes of memory, as far as the system says how much it uses;
/// None for no limit.
#[pyfunction]
#[pyo3(signature = (most = None))]
pub fn limit_memory(most: Option<u64>) {
    LIMIT.store(most.unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// Raises a [`RunError`] if the limit is exceeded. Call it every few milliseconds.
pub fn watch() -> PyResult<()> {
    let limit = LIMIT.load(Ordering::Relaxed);
    if limit == u64::MAX {
        return Ok(());
    }
    match resident() {
        Some(bytes) if bytes > limit => Err(RunError::new_err(format!(
            "memory: the runs use {}, more than the limit of {}; write a shorter `duration`, smaller buffers, a longer `sample` or a lower \
             load, give fewer threads or a larger limit (--memory, or dupack.limit_memory in Python)",
            told(bytes),
            told(limit)
        ))),
        _ => Ok(()),
    }
}

fn told(bytes: u64) -> String {
    if bytes < 1_000_000_000 {
        format!("{:.0} MB", bytes as f64 / 1e6)
    } else {
        format!("{:.1} GB", bytes as f64 / 1e9)
    }
}

/// Memory that this process has in RAM \[bytes\]; only Linux says it in a file.
fn resident() -> Option<u64> {
    let status = read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}
