//! Calls of parallel traces: `iotrace_core::parallel_trace` for Python.

use crate::given::{refused, to_python, word};
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::parallel_trace::{self, Calls, Dxt, Format, Numbers, Umd};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Calls that make sense, and which lines of a block are none; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct CallRows(Calls);

/// Read the lines of a block; documented in native.pyi.
#[pyfunction]
#[pyo3(signature = (block, format, process=0))]
pub fn call_lines(py: Python<'_>, block: &[u8], format: &str, process: i64) -> PyResult<CallRows> {
    let format: Format = word("a format of calls", format)?;
    Ok(CallRows(py.detach(|| parallel_trace::read_calls(block, format, process))))
}

/// A log of Darshan's extended tracing; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct DxtLog(Dxt);

#[pymethods]
impl DxtLog {
    #[new]
    fn new() -> Self {
        DxtLog(Dxt::default())
    }

    fn read(&mut self, py: Python<'_>, block: &[u8]) -> CallRows {
        CallRows(py.detach(|| self.0.read(block)))
    }
}

/// A UMD trace as text; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct UmdText(Umd);

#[pymethods]
impl UmdText {
    #[new]
    fn new() -> Self {
        UmdText(Umd::default())
    }

    fn read(&mut self, py: Python<'_>, block: &[u8]) -> CallRows {
        CallRows(py.detach(|| self.0.read(block)))
    }

    fn end<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.end())
    }
}

#[pymethods]
impl CallRows {
    fn __len__(&self) -> usize {
        self.0.rows()
    }

    #[getter]
    fn lines(&self) -> u64 {
        self.0.lines
    }

    #[getter]
    fn others(&self) -> Vec<u32> {
        self.0.others.clone()
    }

    #[getter]
    fn other_text<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.other_text)
    }

    #[getter]
    fn sections(&self) -> Vec<(u32, usize)> {
        self.0.sections()
    }

    #[getter]
    fn processes(&self) -> Vec<(i64, i32)> {
        self.0.processes().to_vec()
    }

    #[getter]
    fn files(&self) -> Vec<(String, u64)> {
        self.0.files()
    }

    #[getter]
    fn skipped(&self) -> usize {
        self.0.skipped().len()
    }

    #[getter]
    fn wrong_durations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.wrong_durations())
    }

    fn skips(&self, py: Python<'_>, first: i64) -> PyResult<PyArrowType<RecordBatch>> {
        py.detach(|| self.0.skips(first)).map(PyArrowType).map_err(refused)
    }

    #[getter]
    fn hosts(&self) -> Vec<String> {
        self.0.hosts()
    }

    #[getter]
    fn remarks(&self) -> Vec<(String, u64, u32)> {
        self.0.remarks()
    }

    fn place(&mut self, py: Python<'_>, starts: Vec<(i64, i64)>) -> bool {
        py.detach(|| self.0.place(&starts))
    }

    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let summary = py.detach(|| self.0.summary());
        to_python(py, &summary)
    }

    fn unsorted(&self, reached_ns: i64) -> u64 {
        self.0.unsorted(reached_ns)
    }

    fn calls(&self, py: Python<'_>, first: i64) -> PyResult<PyArrowType<RecordBatch>> {
        py.detach(|| self.0.calls(first)).map(PyArrowType).map_err(refused)
    }

    fn table(
        &mut self,
        py: Python<'_>,
        first_seq: i64,
        zero_ns: i64,
        processes: Vec<i32>,
        files: Vec<i32>,
        nodes: Vec<i32>,
    ) -> PyResult<PyArrowType<RecordBatch>> {
        let numbers = Numbers { processes, files, nodes };
        py.detach(|| self.0.table(first_seq, zero_ns, &numbers)).map(PyArrowType).map_err(refused)
    }
}

/// Whether calls come in order; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct CallOrder(parallel_trace::CallOrder);

#[pymethods]
impl CallOrder {
    #[new]
    fn new(by_access: bool) -> Self {
        CallOrder(parallel_trace::CallOrder::new(by_access))
    }

    #[getter]
    fn broken(&self) -> u64 {
        self.0.broken()
    }

    fn see(&mut self, py: Python<'_>, calls: PyArrowType<RecordBatch>) -> PyResult<()> {
        py.detach(|| self.0.see(&calls.0)).map_err(refused)
    }
}

/// References of calls; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct CallReferences(parallel_trace::CallReferences);

#[pymethods]
impl CallReferences {
    #[new]
    fn new(higher_files: Vec<i32>) -> Self {
        CallReferences(parallel_trace::CallReferences::new(higher_files))
    }

    #[getter]
    fn seen<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.seen)
    }

    fn references(
        &mut self,
        py: Python<'_>,
        calls: PyArrowType<RecordBatch>,
    ) -> PyResult<PyArrowType<RecordBatch>> {
        py.detach(|| self.0.references(&calls.0)).map(PyArrowType).map_err(refused)
    }

    fn offsets(
        &mut self,
        py: Python<'_>,
        calls: PyArrowType<RecordBatch>,
    ) -> PyResult<PyArrowType<RecordBatch>> {
        py.detach(|| self.0.offsets(&calls.0)).map(PyArrowType).map_err(refused)
    }

    fn uses(&self, py: Python<'_>) -> PyResult<PyArrowType<RecordBatch>> {
        py.detach(|| self.0.uses()).map(PyArrowType).map_err(refused)
    }
}
