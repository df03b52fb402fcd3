//! Recordings of requests to disks: `iotrace_core::block_trace` for Python.

use crate::given::refused;
use crate::locks::locked;
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::block_trace::BlockRecording;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

/// A recording being read; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct BlockRecordingRun {
    path: PathBuf,
    recording: Mutex<BlockRecording>,
}

impl BlockRecordingRun {
    fn recording(&self) -> MutexGuard<'_, BlockRecording> {
        locked(&self.recording)
    }
}

#[pymethods]
impl BlockRecordingRun {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, most_unpacked_bytes: u64) -> PyResult<Self> {
        let recording = py
            .detach(|| BlockRecording::open(&path, most_unpacked_bytes))
            .map_err(|error| refused(format!("{}: {error}", path.display())))?;
        Ok(BlockRecordingRun { path, recording: Mutex::new(recording) })
    }

    fn next(&self, py: Python<'_>) -> PyResult<Option<PyArrowType<RecordBatch>>> {
        let batch = py.detach(|| self.recording().next_batch());
        let batch = batch.map_err(|error| refused(format!("{}: {error}", self.path.display())))?;
        Ok(batch.map(PyArrowType))
    }

    fn progress(&self) -> (u64, u64) {
        self.recording().progress()
    }

    #[getter]
    fn epoch_ns(&self) -> i64 {
        self.recording().epoch_ns()
    }

    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let recording = self.recording();
        let (cut, (records, others)) = (recording.cut(), recording.counts());
        let described = PyDict::new(py);
        described.set_item("records", records)?;
        described.set_item("others", others)?;
        described.set_item("lost", cut.lost)?;
        described.set_item("begun_before", cut.begun_before)?;
        described.set_item("unfinished", cut.unfinished)?;
        described.set_item("damage", cut.damage)?;
        Ok(described)
    }
}
