//! `dupack._native.Plan`.

use crate::{PlanError, away};
use dupack_lab::plan;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// A right plan: ``Plan(text: bytes, origin: str, sets: list[str] = [])``; a wrong one raises ``PlanError``.
#[pyclass(frozen, module = "dupack._native")]
pub struct Plan {
    inner: plan::Plan,
}

impl Plan {
    /// A point of its sweep.
    pub fn point(&self, index: usize) -> PyResult<&plan::Point> {
        let n = self.inner.points.len();
        let none = || PyIndexError::new_err(format!("point {index} of a plan that has {n}"));
        self.inner.points.get(index).ok_or_else(none)
    }
}

#[pymethods]
impl Plan {
    #[new]
    #[pyo3(signature = (text, origin, sets = Vec::new()))]
    fn new(py: Python<'_>, text: &[u8], origin: &str, sets: Vec<String>) -> PyResult<Self> {
        let inner = away(py, || plan::Plan::parse(text, origin, &sets))?;
        inner
            .map(|inner| Self { inner })
            .map_err(|errors| PlanError::new_err(errors.to_string()))
    }

    /// Its title; the file's name if it has none.
    #[getter]
    fn title(&self) -> &str {
        &self.inner.title
    }

    /// The file it came from.
    #[getter]
    fn origin(&self) -> &str {
        &self.inner.origin
    }

    /// Every point is run once with each.
    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.inner.seeds.clone()
    }

    /// The paths that the sweep varies.
    #[getter]
    fn axes(&self) -> Vec<String> {
        self.inner.axes.clone()
    }

    /// What the sweep sets at each point, by path: one empty dict without a sweep.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.inner
            .points
            .iter()
            .map(|point| dict(py, &point.settings))
            .collect()
    }

    /// The whole of what is simulated at a point, as canonical text: equal keys are equal experiments.
    fn key(&self, point: usize) -> PyResult<&str> {
        Ok(&self.point(point)?.key)
    }
}

/// Seeds as the command line writes them: ``"3"``, ``"1..5"``, ``"1,2,7"``; a ``ValueError`` says what is allowed.
#[pyfunction]
pub fn parse_seeds(text: &str) -> PyResult<Vec<u64>> {
    plan::parse_seeds(text).map_err(PyValueError::new_err)
}

fn dict<'py, 'a>(
    py: Python<'py>,
    entries: impl IntoIterator<Item = &'a (String, toml::Value)>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in entries {
        dict.set_item(key, object(py, value)?)?;
    }
    Ok(dict)
}

fn object<'py>(py: Python<'py>, value: &toml::Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        toml::Value::String(text) => text.into_bound_py_any(py),
        toml::Value::Integer(number) => number.into_bound_py_any(py),
        toml::Value::Float(number) => number.into_bound_py_any(py),
        toml::Value::Boolean(truth) => truth.into_bound_py_any(py),
        toml::Value::Datetime(time) => time.to_string().into_bound_py_any(py),
        toml::Value::Array(items) => {
            let items: PyResult<Vec<_>> = items.iter().map(|item| object(py, item)).collect();
            PyList::new(py, items?)?.into_bound_py_any(py)
        }
        toml::Value::Table(table) => {
            let inner = PyDict::new(py);
            for (key, value) in table {
                inner.set_item(key, object(py, value)?)?;
            }
            inner.into_bound_py_any(py)
        }
    }
}
