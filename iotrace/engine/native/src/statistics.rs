//! Statistics of requests in order: `iotrace_core::statistics` for Python.

use crate::given::{refused, settings};
use arrow_array::ffi_stream::ArrowArrayStreamReader;
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::error::Error;
use iotrace_core::statistics::{self, DiskStreams, KeyAccesses, Pass, WallTime, WallTimes};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::HashMap;

/// A pass over references; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct StatisticsPass(Option<Pass>);

#[pymethods]
impl StatisticsPass {
    #[new]
    fn new(settings_json: &str) -> PyResult<Self> {
        Ok(StatisticsPass(Some(Pass::new(settings(settings_json)?))))
    }

    fn push(&mut self, py: Python<'_>, references: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = references.0;
        let pass = self.0.as_mut().ok_or_else(ended)?;
        py.detach(|| pass.push(&batch)).map_err(refused)
    }

    fn finish(&mut self, py: Python<'_>) -> PyResult<ByName> {
        let pass = self.0.take().ok_or_else(ended)?;
        by_name(py.detach(|| pass.finish()))
    }
}

/// A pass over requests to disks; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct DiskStreamsPass(Option<DiskStreams>);

#[pymethods]
impl DiskStreamsPass {
    #[new]
    fn new(settings_json: &str) -> PyResult<Self> {
        Ok(DiskStreamsPass(Some(DiskStreams::new(settings(settings_json)?))))
    }

    fn push(&mut self, py: Python<'_>, requests: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = requests.0;
        let pass = self.0.as_mut().ok_or_else(ended)?;
        py.detach(|| pass.push(&batch)).map_err(refused)
    }

    fn finish(&mut self, py: Python<'_>) -> PyResult<ByName> {
        let pass = self.0.take().ok_or_else(ended)?;
        by_name(py.detach(|| pass.finish()))
    }
}

/// A pass over requests for keys; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct KeyAccessesPass(Option<KeyAccesses>);

#[pymethods]
impl KeyAccessesPass {
    #[new]
    fn new(distances: bool) -> Self {
        KeyAccessesPass(Some(KeyAccesses::new(distances)))
    }

    fn push(&mut self, py: Python<'_>, requests: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = requests.0;
        let pass = self.0.as_mut().ok_or_else(ended)?;
        py.detach(|| pass.push(&batch)).map_err(refused)
    }

    fn finish(&mut self, py: Python<'_>) -> PyResult<ByName> {
        let pass = self.0.take().ok_or_else(ended)?;
        by_name(py.detach(|| pass.finish()))
    }
}

/// The classes of intervals; documented in native.pyi.
#[pyfunction]
pub fn interval_classes() -> Vec<&'static str> {
    statistics::interval_classes()
}

/// How wall time divides; documented in native.pyi.
#[pyfunction]
pub fn wall_time(
    py: Python<'_>,
    intervals: PyArrowType<ArrowArrayStreamReader>,
    all_waits_recorded: bool,
) -> PyResult<Vec<(Option<i32>, &'static str, i64)>> {
    let in_no_call = if all_waits_recorded { "computing" } else { "not_recorded" };
    let rows = py.detach(|| {
        let mut times = WallTimes::default();
        for batch in intervals.0 {
            let batch = batch.map_err(|error| error.to_string())?;
            times.push(&batch).map_err(|error| error.to_string())?;
        }
        Ok(times.finish(in_no_call))
    });
    let rows = rows.map_err(|reason: String| PyValueError::new_err(reason))?;
    Ok(rows.into_iter().map(|WallTime { process, state, wall_ns }| (process, state, wall_ns)).collect())
}

type ByName = HashMap<&'static str, PyArrowType<RecordBatch>>;

fn by_name(tables: Result<Vec<(&'static str, RecordBatch)>, Error>) -> PyResult<ByName> {
    Ok(tables.map_err(refused)?.into_iter().map(|(name, table)| (name, PyArrowType(table))).collect())
}

fn ended() -> PyErr {
    PyValueError::new_err("the stream has ended")
}
