//! Calls of parallel traces: `iotrace_core::parallel_trace` for Python.

use crate::given::{refused, to_python};
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::columns::Word;
use iotrace_core::parallel_trace::{
    self, Calls, Dftracer, Dxt, NamedCall, Numbers, RecorderArguments, Umd, LARGEST_PLACE, LARGEST_PROCESS,
    LONGEST_BYTES,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;

/// The largest values of calls; documented in native.pyi.
#[pyfunction]
pub fn call_limits() -> BTreeMap<&'static str, i64> {
    BTreeMap::from([("process", LARGEST_PROCESS), ("place", LARGEST_PLACE), ("length", LONGEST_BYTES)])
}

/// Calls that make sense, and which lines of a block are none; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct CallRows(pub Calls);

/// Read lines of Recorder's text; documented in native.pyi.
#[pyfunction]
pub fn recorder_lines(py: Python<'_>, block: &[u8], rank: i64) -> CallRows {
    CallRows(py.detach(|| parallel_trace::read_recorder(block, rank)))
}

/// What the arguments of a call of Recorder say; documented in native.pyi.
#[pyfunction]
pub fn recorder_arguments<'py>(
    py: Python<'py>,
    name: &str,
    arguments: Vec<String>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some(named) = NamedCall::of(name.as_bytes()) else {
        return Ok(None);
    };
    let fields = PyDict::new(py);
    match RecorderArguments::of(named, &words) {
        Err(reason) => fields.set_item("reason", reason.word())?,
        Ok(given) => {
            fields.set_item("layer", given.layer.map(|layer| layer.word()))?;
            fields.set_item("file", given.file)?;
            fields.set_item("offset", given.offset)?;
            fields.set_item("whence", given.whence.map(|whence| whence.word()))?;
            fields.set_item("length", given.length)?;
            fields.set_item("requested", given.length)?;
            fields.set_item("flags", (given.flags.0 != 0).then(|| given.flags.word()))?;
        }
    }
    Ok(Some(fields))
}

/// A trace of DFTracer; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct DftracerEvents(Dftracer);

#[pymethods]
impl DftracerEvents {
    #[new]
    fn new() -> Self {
        DftracerEvents(Dftracer::default())
    }

    fn read(&mut self, py: Python<'_>, block: &[u8]) -> CallRows {
        CallRows(py.detach(|| self.0.read(block)))
    }

    fn fork(&self) -> Self {
        DftracerEvents(self.0.fork())
    }

    fn merge(&mut self, next: &mut DftracerEvents) -> bool {
        self.0.merge(&mut next.0)
    }

    fn name(&self, hash: &str) -> Option<&str> {
        self.0.name(hash)
    }

    #[getter]
    fn is_since_epoch(&self) -> Option<bool> {
        self.0.is_since_epoch()
    }
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
    fn processes(&self) -> Vec<(i64, i32)> {
        self.0.processes().to_vec()
    }

    #[getter]
    fn files(&self) -> Vec<String> {
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
    fn remarks(&self) -> Vec<(String, u64)> {
        self.0.remarks()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings.clone()
    }

    #[getter]
    fn is_in_range(&self, py: Python<'_>) -> bool {
        py.detach(|| self.0.is_in_range())
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
