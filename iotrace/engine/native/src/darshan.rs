//! Logs of Darshan: `iotrace_core::parallel_trace::darshan` for Python.

use crate::call_rows::CallRows;
use crate::given::{refused, to_python};
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::columns::Word;
use iotrace_core::parallel_trace::darshan::{self, Catalogue, CounterTables, Log, Module};
use pyo3::prelude::*;

/// A log; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct DarshanLog(Log);

#[pymethods]
impl DarshanLog {
    #[new]
    fn new(py: Python<'_>, file: &[u8], with_accesses: bool) -> PyResult<Self> {
        let read = if with_accesses { darshan::read } else { darshan::read_counters };
        py.detach(|| read(file)).map(DarshanLog).map_err(refused)
    }

    fn __len__(&self) -> usize {
        self.0.records.len()
    }

    #[getter]
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.about())
    }

    #[getter]
    fn files(&self) -> Vec<String> {
        self.0.files().to_vec()
    }

    fn calls(&mut self) -> CallRows {
        CallRows(self.0.take_calls())
    }
}

/// Rows of logs; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
#[derive(Default)]
pub struct DarshanTables(CounterTables);

#[pymethods]
impl DarshanTables {
    #[new]
    fn new() -> Self {
        DarshanTables::default()
    }

    fn __len__(&self) -> usize {
        self.0.rows()
    }

    fn add(
        &mut self,
        py: Python<'_>,
        log: &DarshanLog,
        job: i32,
        files: Vec<i32>,
        start: usize,
    ) -> PyResult<usize> {
        let log = &log.0;
        py.detach(|| self.0.add(log, job, &files, start)).map_err(refused)
    }

    fn take(&mut self, py: Python<'_>) -> PyResult<(PyArrowType<RecordBatch>, PyArrowType<RecordBatch>)> {
        let (records, counters) = py.detach(|| self.0.take()).map_err(refused)?;
        Ok((PyArrowType(records), PyArrowType(counters)))
    }
}

/// What a log says of its job; documented in native.pyi.
#[pyfunction]
pub fn darshan_job<'py>(py: Python<'py>, file: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let log = py.detach(|| darshan::read_job(file)).map_err(refused)?;
    to_python(py, &log.about())
}

/// The counters of each module; documented in native.pyi.
#[pyfunction]
pub fn darshan_counters() -> Vec<(&'static str, Vec<(&'static str, bool)>)> {
    let catalogue = Catalogue::get();
    Module::ALL.iter().map(|&module| (module.word(), catalogue.of(module).collect())).collect()
}
