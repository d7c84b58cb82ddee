//! `dupack._native.Plan`.

use crate::away::{away_looking, away_watching};
use crate::controller::PythonControllers;
use crate::errors::{PlanError, RunError};
use crate::external::PythonSource;
use crate::guests::Guest;
use crate::memory;
use crate::reference::json;
use dupack_lab::plan::measures;
use dupack_lab::{forecast, plan};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A valid plan: ``Plan(text: bytes, origin: str, sets: list[str] = [], externals: dict[str, Discipline | Controller] = {})``; an invalid one raises ``PlanError``.
#[pyclass(frozen, module = "dupack._native")]
pub struct Plan {
    inner: plan::Plan,
    text: Vec<u8>,
    sets: Vec<String>,
    guests: Vec<Arc<Guest>>,
}

impl Plan {
    /// Whether there are parts in Python to watch.
    pub fn has_guests(&self) -> bool {
        !self.guests.is_empty()
    }

    /// Raises the exception of a part in Python in a run, or its breach of a law.
    pub fn watch(&self, py: Python<'_>) -> PyResult<()> {
        self.guests.iter().try_for_each(|guest| guest.watch(py))
    }

    /// Ends calls of parts in Python that do not return.
    pub fn interrupt(&self, py: Python<'_>) {
        for guest in &self.guests {
            // If this cannot be done, the run ends when they return.
            guest.interrupt(py).ok();
        }
    }

    /// Does `work`, which runs this plan, like [`away_watching`].
    pub fn away<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&AtomicBool) -> T + Send,
    ) -> PyResult<T> {
        let watch = |py: Python<'_>| {
            py.check_signals()?;
            memory::watch()?;
            self.watch(py)
        };
        let done = away_watching(py, watch, |py| self.interrupt(py), |halt| work(halt));
        // What is raised after a signal is not left for the next run.
        let raised = self.watch(py);
        done.and_then(|done| raised.map(|()| done))
    }

    /// Its title.
    pub fn title_of(&self) -> String {
        self.inner.title.clone()
    }

    /// All points of its sweep.
    pub fn all_points(&self) -> &[plan::Point] {
        &self.inner.points
    }

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
    #[pyo3(signature = (text, origin, sets = Vec::new(), externals = HashMap::new()))]
    fn new(
        py: Python<'_>,
        text: &[u8],
        origin: PathBuf,
        sets: Vec<String>,
        externals: HashMap<String, Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut guests = Vec::with_capacity(externals.len());
        let mut named = plan::Externals::new();
        for (name, prototype) in &externals {
            let guest = Guest::new(name, prototype);
            guests.push(Arc::clone(&guest));
            if is_controller(prototype)? {
                let source = Arc::new(PythonControllers::new(py, guest)?);
                named.controllers.insert(name.clone(), source);
            } else {
                let source = Arc::new(PythonSource::new(py, guest)?);
                named.disciplines.insert(name.clone(), source);
            }
        }
        let inner = away_looking(py, || plan::Plan::parse_with(text, &origin, &sets, &named))?;
        inner
            .map(|inner| Self {
                inner,
                text: text.to_vec(),
                sets,
                guests,
            })
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

    /// Its text, as it was read.
    #[getter]
    fn text(&self) -> &[u8] {
        &self.text
    }

    /// The overrides.
    #[getter]
    fn sets(&self) -> Vec<String> {
        self.sets.clone()
    }

    /// Every point is run once with each.
    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.inner.seeds.clone()
    }

    /// The stopping rule: (relative_ci, path of the measure, min, max); None if all seeds are run.
    #[getter]
    fn stop(&self) -> Option<(f64, &str, u64, u64)> {
        let stop = self.inner.stop.as_ref()?;
        Some((stop.relative_ci, &stop.of, stop.min, stop.max))
    }

    /// The paths that the sweep varies.
    #[getter]
    fn axes(&self) -> Vec<String> {
        self.inner.axes.clone()
    }

    /// Values that the sweep sets at each point, by path: one empty dict without a sweep.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.inner
            .points
            .iter()
            .map(|point| dict(py, &point.settings))
            .collect()
    }

    /// Numbers that runs measure at any of the points, each by its path in the documents.
    fn measures(&self) -> Vec<String> {
        let mut told = HashSet::new();
        let all = self.inner.points.iter();
        let names = all.flat_map(|point| measures::names(&point.network));
        names.filter(|name| told.insert(name.clone())).collect()
    }

    /// The measure ``name``: (its path; ``summary``, ``flows`` or ``links``; name of the flow or link; path in it; ``more`` or ``less``,
    /// whichever is better). Raises ``ValueError`` if it is not a measure of some point.
    fn measure(&self, name: &str) -> PyResult<(String, &str, String, String, Option<&str>)> {
        let found = self.inner.measure(name).map_err(PyValueError::new_err)?;
        let better = found.better.map(measures::Better::name);
        Ok((found.name, found.part, found.of, found.key, better))
    }

    /// Whether it contains a discipline or a controller written in Python.
    #[getter]
    fn externals(&self) -> bool {
        self.has_guests()
    }

    /// Names of the hosts of a point, in the plan's order.
    fn hosts(&self, point: usize) -> PyResult<Vec<String>> {
        let network = &self.point(point)?.network;
        let map = &network.map;
        let mut names: Vec<Option<String>> = vec![None; map.hosts.len()];
        for (at, (from, to)) in map.links.iter().enumerate() {
            // Both directions of a link are neighbours.
            let link = &network.links[2 * at];
            names[*from] = Some(link.from.to_string());
            names[*to] = Some(link.to.to_string());
        }
        let hosts = names.into_iter().zip(&map.hosts);
        Ok(hosts
            .filter(|(_, host)| **host)
            .filter_map(|it| it.0)
            .collect())
    }

    /// Number of rows of a run of this point in tables: one per flow, direction of a link, value of a time series, and (about) connection.
    fn rows(&self, point: usize) -> PyResult<u64> {
        let network = &self.point(point)?.network;
        let (links, flows) = (network.links.len() as u64, network.flows.len() as u64);
        let samples = network
            .sample
            .map_or(0, |every| network.duration.0 / every.0.max(1) + 1);
        let connections = forecast::connections(network).ceil() as u64;
        Ok(links + flows + samples * (2 * links + 3 * flows) + connections)
    }

    /// What a run of this point keeps until it ends, by number: ``links``, ``flows``, ``samples``, ``values``, ``histograms``, ``connections``,
    /// ``open``.
    fn kept(&self, py: Python<'_>, point: usize) -> PyResult<HashMap<&'static str, f64>> {
        let point = self.point(point)?;
        let told = away_looking(py, || forecast::kept(&point.network))?;
        Ok(HashMap::from([
            ("links", told.links as f64),
            ("flows", told.flows as f64),
            ("samples", told.samples as f64),
            ("values", told.values as f64),
            ("histograms", told.histograms as f64),
            ("connections", told.connections),
            ("open", told.open),
        ]))
    }

    /// The number of rows of the tape of a point, extrapolated from a first part that takes about `budget_s` seconds of processor time.
    fn tape_rows(&self, py: Python<'_>, point: usize, seed: u64, budget_s: f64) -> PyResult<f64> {
        let point = self.point(point)?;
        let told = away_looking(py, || forecast::tape_rows(&point.network, seed, budget_s))?;
        told.ok_or_else(unbalanced)
    }

    /// Forecast of a point before it is run, as JSON: flows with round trips and bandwidth-delay products, links. Ends and routes that
    /// are drawn are those of this seed.
    fn forecast(&self, py: Python<'_>, point: usize, seed: u64) -> PyResult<String> {
        let point = self.point(point)?;
        let told = away_looking(py, || {
            forecast::forecast(&point.network.routed(seed), &point.key)
        })?;
        json(&told)
    }

    /// Notes on values of all points that are right, but have no effect: each once, with the number of points that have it, and the first.
    fn notes(&self, py: Python<'_>) -> PyResult<Vec<(String, usize, usize)>> {
        away_looking(py, || forecast::notes(&self.inner.points))
    }

    /// Runs the first part of a point for about `budget_s` seconds of processor time. Returns the simulated time of that part, and the
    /// processor time of the whole point, both in seconds.
    fn rehearse(
        &self,
        py: Python<'_>,
        point: usize,
        seed: u64,
        budget_s: f64,
    ) -> PyResult<(f64, f64)> {
        let point = self.point(point)?;
        let told = away_looking(py, || forecast::rehearse(&point.network, seed, budget_s))?;
        told.map(|it| (it.simulated_s, it.cpu_s))
            .ok_or_else(unbalanced)
    }

    /// How a run of a point with this seed would be divided among up to ``threads`` threads: the number of parts, how many times faster that is by
    /// estimate, and, if it is not divided, why.
    fn divided(
        &self,
        py: Python<'_>,
        point: usize,
        seed: u64,
        threads: usize,
    ) -> PyResult<(usize, f64, Option<String>)> {
        let point = self.point(point)?;
        let told = away_looking(py, || forecast::divided(&point.network, seed, threads))?;
        Ok((told.parts, told.gain, told.undivided))
    }

    /// The experiment of a point, as canonical text: equal keys are equal experiments.
    fn key(&self, point: usize) -> PyResult<&str> {
        Ok(&self.point(point)?.key)
    }
}

/// Seeds as the command line writes them: ``"3"``, ``"1..5"``, ``"1,2,7"``; a ``ValueError`` says what is allowed.
#[pyfunction]
pub fn parse_seeds(text: &str) -> PyResult<Vec<u64>> {
    plan::parse_seeds(text).map_err(PyValueError::new_err)
}

/// Whether it is a controller, and not a discipline.
pub fn is_controller(prototype: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = prototype.py();
    let class = py.import("dupack.controller")?.getattr("Controller")?;
    prototype.is_instance(&class)
}

fn unbalanced() -> PyErr {
    RunError::new_err("a ledger does not balance; please report it with the plan")
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
