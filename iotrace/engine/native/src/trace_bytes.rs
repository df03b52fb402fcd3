//! The bytes of a trace, decompressed, for the formats that Python reads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use crate::locks::locked;
use iotrace_core::fields::{LATEST_NS, LONGEST_TRACE_NS};
use iotrace_core::input::{self, read_up_to, Blocks, InputError, LONGEST_LINE};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The largest values in traces of any format; documented in native.pyi.
#[pyfunction]
pub fn trace_limits() -> BTreeMap<&'static str, i64> {
    BTreeMap::from([
        ("time_ns", LATEST_NS),
        ("duration_ns", LONGEST_TRACE_NS),
        ("line_bytes", LONGEST_LINE as i64),
    ])
}

/// A trace being read; see `native.pyi`.
#[pyclass]
pub struct TraceBytes {
    blocks: Mutex<Blocks>,
    /// What was read last, whose memory is used again.
    bytes: Mutex<Vec<u8>>,
}

impl TraceBytes {
    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        locked(&self.blocks)
    }
}

#[pymethods]
impl TraceBytes {
    #[new]
    #[pyo3(signature = (path, part = None))]
    fn new(py: Python<'_>, path: PathBuf, part: Option<(u64, u64)>) -> PyResult<TraceBytes> {
        let open = || match part {
            None => input::open(Path::new(&path)),
            Some((start, end)) => input::open_part(Path::new(&path), start..end),
        };
        let blocks = py.detach(open).map_err(python_error)?;
        Ok(TraceBytes { blocks: Mutex::new(blocks), bytes: Mutex::default() })
    }

    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        py.detach(|| self.blocks().next_block().map(|_| ())).map_err(python_error)?;
        Ok(PyBytes::new(py, self.blocks().block()))
    }

    fn read<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = std::mem::take(&mut *locked(&self.bytes));
        let read = py.detach(|| read_up_to(&mut self.blocks(), count, &mut bytes));
        let copied = PyBytes::new(py, &bytes);
        *locked(&self.bytes) = bytes;
        read.map(|()| copied).map_err(python_error)
    }

    fn long_lines(&self) -> u64 {
        self.blocks().long_lines()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let blocks = self.blocks();
        let progress = blocks.progress();
        (progress.read_bytes(), progress.total_bytes())
    }
}

fn python_error(error: InputError) -> PyErr {
    PyOSError::new_err(error.to_string())
}
