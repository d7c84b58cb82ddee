//! The catalogue of algorithms, their pictures, and the schema of plans.

use crate::away::away;
use crate::errors::{Error, PlanError};
use dupack_lab::family::Family;
use dupack_lab::{catalogue, picture, schema};
use pyo3::prelude::*;
use serde::Serialize;

/// A document as text.
pub fn json(document: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(document).map_err(|error| Error::new_err(error.to_string()))
}

/// Every word that a plan can name, the parameters of each, and the sections of a plan, as JSON.
#[pyfunction(name = "catalogue")]
pub fn all(py: Python<'_>) -> PyResult<String> {
    json(&away(py, catalogue::catalogue)?)
}

/// Picture of a word, drawn by the algorithm itself, as JSON: ``written``, the part of a plan that was run, and ``lines``. ``sets`` are
/// ``KEY=VALUE`` instead of the picture's own values; wrong ones raise ``PlanError``.
#[pyfunction(name = "picture")]
pub fn draw(py: Python<'_>, family: &str, name: &str, sets: Vec<String>) -> PyResult<String> {
    let family = Family::ALL.into_iter().find(|it| it.name() == family);
    let Some(family) = family else {
        return Err(Error::new_err(format!("no family {name:?}")));
    };
    let drawn = away(py, || picture::draw(family, name, &sets))?;
    json(&drawn.map_err(|errors| PlanError::new_err(errors.to_string()))?)
}

/// The nearest word here to a word that other systems have; None if it is no such word.
#[pyfunction]
pub fn elsewhere(word: &str) -> Option<&'static str> {
    dupack_lab::plan::elsewhere(word)
}

/// The JSON Schema of plans.
#[pyfunction(name = "schema")]
pub fn of_plans(py: Python<'_>) -> PyResult<String> {
    json(&away(py, schema::schema)?)
}
