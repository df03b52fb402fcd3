//! The bytes of a trace, decompressed, for the formats that Python reads.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use iotrace_core::input::{self, Blocks, InputError};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A trace being read; see `native.pyi`.
#[pyclass]
pub struct TraceBytes {
    blocks: Mutex<Blocks>,
}

impl TraceBytes {
    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl TraceBytes {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<TraceBytes> {
        let blocks = py.detach(|| input::open(Path::new(&path))).map_err(python_error)?;
        Ok(TraceBytes { blocks: Mutex::new(blocks) })
    }

    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        py.detach(|| self.blocks().next_block().map(|_| ())).map_err(python_error)?;
        Ok(PyBytes::new(py, self.blocks().block()))
    }

    fn read<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| read_up_to(&mut self.blocks(), count)).map_err(python_error)?;
        Ok(PyBytes::new(py, &bytes))
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

/// Bytes requested from a decompressor at a time: if it finds damage, the output of that step is lost.
const STEP: usize = 1 << 15;

/// Read `count` bytes, or fewer if the stream ends or is damaged; the next call reports the damage.
fn read_up_to(blocks: &mut Blocks, count: usize) -> Result<Vec<u8>, InputError> {
    let mut bytes = vec![0; count];
    let mut filled = 0;
    while filled < count {
        let until = count.min(filled + STEP);
        match blocks.read(&mut bytes[filled..until]) {
            Ok(0) => break,
            Ok(some) => filled += some,
            Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
            Err(_) if filled > 0 => break,
            Err(cause) => {
                return Err(InputError::Damaged {
                    path: blocks.path().to_path_buf(),
                    after_bytes: blocks.delivered_bytes(),
                    compression: blocks.compression(),
                    cause,
                })
            }
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

fn python_error(error: InputError) -> PyErr {
    PyOSError::new_err(error.to_string())
}
