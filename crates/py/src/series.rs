//! `dupack._native.Columns`: columns that other libraries read without a copy, by Arrow's stream in a PyCapsule.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, RecordBatch, RecordBatchIterator, UInt64Array,
};
use dupack_lab::run::Series;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Columns of equal length with names. polars, pyarrow, DuckDB and pandas read it as it is: ``polars.DataFrame(columns)``.
#[pyclass(frozen, module = "dupack._native")]
pub struct Columns {
    batch: RecordBatch,
    units: BTreeMap<String, &'static str>,
}

#[pymethods]
impl Columns {
    /// The names.
    #[getter]
    fn names(&self) -> Vec<String> {
        let schema = self.batch.schema();
        schema.fields().iter().map(|it| it.name().clone()).collect()
    }

    /// Units of the columns that have one of their own, by name.
    #[getter]
    fn units(&self) -> BTreeMap<String, &'static str> {
        self.units.clone()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// Arrow's C stream of these columns, in one batch; the schema is fixed, whatever schema is requested.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        // This clones references to the buffers, not their contents.
        let batches = [Ok(self.batch.clone())];
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

/// The time series of a run, moved out of it: per measure a table with the time and a column per flow or link, in the order of
/// the plan; gauges are in the order of their names.
pub fn columns(series: Series, flows: &[&str], links: &[&str]) -> Vec<(&'static str, Columns)> {
    let time: ArrayRef = Arc::new(Float64Array::from(series.time_s));
    let table = |columns: Vec<(&str, ArrayRef)>| {
        let time = [("time_s", Arc::clone(&time))];
        // This cannot fail: all columns of a run have the same length.
        RecordBatch::try_from_iter(time.into_iter().chain(columns))
            .ok()
            .map(|batch| Columns {
                batch,
                units: BTreeMap::new(),
            })
    };
    let gauges: Vec<String> = series.gauges.keys().cloned().collect();
    let gauges: Vec<&str> = gauges.iter().map(String::as_str).collect();
    let tables = [
        ("cwnd", table(of(series.cwnd, flows, floats))),
        ("state", table(of(series.state, flows, words))),
        ("pacing_bps", table(of(series.pacing_bps, flows, gaps))),
        ("delivered", table(of(series.delivered, flows, counts))),
        ("delay_s", table(of(series.delay_s, flows, gaps))),
        ("backlog", table(of(series.backlog, links, counts))),
        (
            "throughput_bps",
            table(of(series.throughput_bps, links, gaps)),
        ),
        ("gauges", table(of(series.gauges, &gauges, floats))),
    ];
    let tables = tables.into_iter();
    let mut tables: Vec<_> = tables
        .filter_map(|(name, table)| Some((name, table?)))
        .collect();
    if let Some((_, gauges)) = tables.iter_mut().find(|(name, _)| *name == "gauges") {
        gauges.units = series.gauge_units;
    }
    tables
}

fn of<'n, T>(
    mut measured: BTreeMap<String, Vec<T>>,
    names: &[&'n str],
    array: fn(Vec<T>) -> ArrayRef,
) -> Vec<(&'n str, ArrayRef)> {
    let column = |name: &&'n str| Some((*name, array(measured.remove(*name)?)));
    names.iter().filter_map(column).collect()
}

/// The vector becomes the buffer.
fn floats(values: Vec<f64>) -> ArrayRef {
    Arc::new(Float64Array::from(values))
}

/// Words are few: Arrow's dictionaries keep each once.
fn words(values: Vec<&'static str>) -> ArrayRef {
    let values: DictionaryArray<Int8Type> = values.into_iter().collect();
    Arc::new(values)
}

fn counts(values: Vec<u64>) -> ArrayRef {
    Arc::new(UInt64Array::from(values))
}

/// Arrow keeps missing values in a separate mask; only here values are copied.
fn gaps(values: Vec<Option<f64>>) -> ArrayRef {
    Arc::new(Float64Array::from(values))
}
