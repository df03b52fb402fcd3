//! Requests of block traces: `iotrace_core::block_trace` for Python.

use crate::given::{refused, settings, to_python, word};
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::block_trace::{self, Form, Kind, Lines, Record, Rows, LONGEST_BLOCKS, MOST_BLOCKS};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::collections::BTreeMap;

/// The blocks of the largest disk and of the longest request; documented in native.pyi.
#[pyfunction]
pub fn block_limits() -> BTreeMap<&'static str, i64> {
    BTreeMap::from([("disk_blocks", MOST_BLOCKS), ("request_blocks", LONGEST_BLOCKS)])
}

/// Requests that make sense, and which records of a block are none; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct BlockRows {
    rows: Rows,
    #[pyo3(get)]
    records: u64,
    #[pyo3(get)]
    blank: u64,
}

impl From<Lines> for BlockRows {
    fn from(found: Lines) -> Self {
        BlockRows { rows: found.rows, records: found.lines, blank: found.blank }
    }
}

/// Read the lines of parts of a trace; documented in native.pyi.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // what Python gives is converted
pub fn block_lines(py: Python<'_>, parts: Vec<PyBackedBytes>, form: &str) -> PyResult<BlockRows> {
    let form: Form = settings(form)?;
    let parts: Vec<&[u8]> = parts.iter().map(|part| &**part).collect();
    Ok(py.detach(|| block_trace::read_lines(&parts, &form)).into())
}

/// A record as Python gives it.
#[derive(FromPyObject)]
pub enum GivenRecord {
    Line(String),
    Fields(Vec<String>),
}

/// Read records with fields in quotes; documented in native.pyi.
#[pyfunction]
pub fn block_fields(py: Python<'_>, records: Vec<(u32, GivenRecord)>, form: &str) -> PyResult<BlockRows> {
    let form: Form = settings(form)?;
    let given = records.into_iter().map(|(place, record)| match record {
        GivenRecord::Line(line) => (place, Record::Line(line)),
        GivenRecord::Fields(fields) => (place, Record::Fields(fields)),
    });
    let records: Vec<(u32, Record)> = given.collect();
    Ok(py.detach(|| block_trace::read_fields(&records, &form)).into())
}

/// Read the records of a block; documented in native.pyi.
#[pyfunction]
pub fn block_records(py: Python<'_>, block: &[u8], kind: &str) -> PyResult<BlockRows> {
    let kind: Kind = word("a kind of records", kind)?;
    let rows = py.detach(|| block_trace::read_records(block, kind));
    Ok(BlockRows { records: rows.records(), rows, blank: 0 })
}

/// Compare the objects of records of a cache; documented in native.pyi.
#[pyfunction]
pub fn neighbours(py: Python<'_>, block: &[u8], width: usize) -> (u64, u64, Option<u32>) {
    let found = py.detach(|| block_trace::neighbours(block, width));
    (found.longer, found.followed, found.first)
}

#[pymethods]
impl BlockRows {
    #[getter]
    fn devices(&self) -> Vec<String> {
        self.rows.devices.clone()
    }

    #[getter]
    fn hosts(&self) -> Vec<String> {
        self.rows.hosts.clone()
    }

    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.rows.summary())
    }

    fn unsorted(&self, reached_ns: i64) -> u64 {
        self.rows.unsorted(reached_ns)
    }

    fn requests(&self, py: Python<'_>, first: i64) -> PyResult<PyArrowType<RecordBatch>> {
        py.detach(|| self.rows.requests(first)).map(PyArrowType).map_err(refused)
    }

    fn skipped(&self, py: Python<'_>, first: i64) -> PyResult<PyArrowType<RecordBatch>> {
        py.detach(|| self.rows.skipped(first)).map(PyArrowType).map_err(refused)
    }

    fn table(
        &mut self,
        py: Python<'_>,
        first_seq: i64,
        zero_ns: i64,
        devices: Vec<i32>,
        host_numbers: Vec<i32>,
        hosts: Vec<String>,
    ) -> PyResult<PyArrowType<RecordBatch>> {
        let rows = &mut self.rows;
        let batch = py.detach(|| rows.table(first_seq, zero_ns, &devices, &host_numbers, hosts));
        batch.map(PyArrowType).map_err(refused)
    }
}
