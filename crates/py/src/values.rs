//! Conversion of Python's values into a plan's.

use crate::away::away_looking;
use crate::errors::PlanError;
use dupack_lab::plan;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::path::PathBuf;
use toml::{Table, Value};

/// The tables of a plan as the text of a plan file, after values have been set by their paths. A topology is expanded if there are
/// values of generated links or nodes, or if ``whole``.
#[pyfunction]
#[pyo3(signature = (tables, origin, sets = Vec::new(), whole = false))]
pub fn plan_text(
    py: Python<'_>,
    tables: &Bound<'_, PyDict>,
    origin: PathBuf,
    sets: Vec<(String, Bound<'_, PyAny>)>,
    whole: bool,
) -> PyResult<String> {
    let mut tables = table("", tables)?;
    let mut values = Vec::with_capacity(sets.len());
    for (path, found) in &sets {
        values.push((path.clone(), value(path, found)?));
    }
    away_looking(py, || plan::put(&mut tables, &origin, values, whole))?
        .map_err(|errors| PlanError::new_err(errors.to_string()))?;
    Ok(plan::text(&tables))
}

/// Raises a ``PlanError`` that names every mistake in the table of a ``"queue"``, ``"transport"``, ``"traffic"``,
/// ``"arrivals"``, ``"loss"`` or ``"jitter"``.
#[pyfunction]
pub fn check_part(family: &str, path: &str, found: &Bound<'_, PyDict>) -> PyResult<()> {
    let part = match family {
        "queue" => plan::Part::Queue,
        "transport" => plan::Part::Transport,
        "traffic" => plan::Part::Traffic,
        "arrivals" => plan::Part::Arrivals,
        "loss" => plan::Part::Loss,
        "jitter" => plan::Part::Jitter,
        _ => return Err(PyValueError::new_err(format!("no family {family:?}"))),
    };
    plan::check(part, path, &table(path, found)?).map_err(|errors| {
        let lines: Vec<_> = errors.errors.iter().map(ToString::to_string).collect();
        PlanError::new_err(lines.join("\n"))
    })
}

/// Reads a time as plans write it, such as ``"0.3 ms"`` [ps]; None for other texts.
#[pyfunction]
pub fn picoseconds(text: &str) -> Option<u64> {
    plan::picoseconds(text)
}

/// Python's dict as a plan's table, which errors call `path`.
pub fn table(path: &str, found: &Bound<'_, PyDict>) -> PyResult<Table> {
    let mut table = Table::new();
    for (key, item) in found {
        let key: String = key.extract().map_err(|_| {
            PlanError::new_err(format!("{path}: a key that is no text: {}", shown(&key)))
        })?;
        let inner = if path.is_empty() {
            key.clone()
        } else {
            format!("{path}.{key}")
        };
        let item = value(&inner, &item)?;
        table.insert(key, item);
    }
    Ok(table)
}

fn value(path: &str, found: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(text) = found.cast::<PyString>() {
        return Ok(Value::String(text.extract()?));
    }
    if let Ok(inner) = found.cast::<PyDict>() {
        return Ok(Value::Table(table(path, inner)?));
    }
    if found.is_instance_of::<PyList>() || found.is_instance_of::<PyTuple>() {
        let items = found.try_iter()?.enumerate();
        let items = items.map(|(i, item)| value(&format!("{path}[{i}]"), &item?));
        return Ok(Value::Array(items.collect::<PyResult<_>>()?));
    }
    // In Python, `bool` is a kind of `int`, so it is tried first.
    if found.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(found.extract()?));
    }
    if found.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(found.extract()?));
    }
    if found.is_instance_of::<PyInt>() {
        return found.extract().map(Value::Integer).map_err(|_| {
            PlanError::new_err(format!("{path}: {} is too large for a plan", shown(found)))
        });
    }
    let kind = found.get_type().name()?.to_string();
    Err(PlanError::new_err(format!(
        "{path}: {} is a {kind}; write a text, a number, True or False, a list or a dict of such",
        shown(found)
    )))
}

fn shown(found: &Bound<'_, PyAny>) -> String {
    const LENGTH: usize = 60;
    let text = found
        .repr()
        .map_or_else(|_| "it".into(), |it| it.to_string());
    match text.char_indices().nth(LENGTH) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}
