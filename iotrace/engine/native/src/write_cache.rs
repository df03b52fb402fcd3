//! Write caches on a disk: `iotrace_core::simulate::write_cache` for Python.

use crate::disk::Drive;
use crate::given::{self, refused, words};
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::simulate::write_cache::{
    Admission, Forced, Piggyback, Purge, Replay, Scheduler, Settings, Sharing, Simulator, Unit, Victim,
    WriteEffect,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The names of the values of each enum setting; documented in native.pyi.
#[pyfunction]
pub fn write_cache_words() -> BTreeMap<&'static str, Vec<&'static str>> {
    BTreeMap::from([
        ("sharing", words::<Sharing>()),
        ("purge", words::<Purge>()),
        ("unit", words::<Unit>()),
        ("piggyback", words::<Piggyback>()),
        ("victim", words::<Victim>()),
        ("write_effect", words::<WriteEffect>()),
        ("admission", words::<Admission>()),
        ("forced", words::<Forced>()),
        ("queue", words::<Scheduler>()),
        ("replay", words::<Replay>()),
    ])
}

/// Controllers over one stream; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct WriteCacheSimulator {
    simulator: Option<Simulator>,
}

#[pymethods]
impl WriteCacheSimulator {
    #[new]
    #[pyo3(signature = (drive, settings, *, threads=1))]
    fn new(drive: &Drive, settings: &str, threads: usize) -> PyResult<Self> {
        let settings: Vec<Settings> = given::settings(settings)?;
        let simulator = Simulator::new(Arc::clone(&drive.inner), &settings, threads);
        Ok(WriteCacheSimulator { simulator: Some(simulator.map_err(refused)?) })
    }

    fn push(&mut self, py: Python<'_>, requests: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = requests.0;
        let simulator = self.simulator.as_mut().ok_or_else(ended)?;
        py.detach(|| simulator.push(&batch)).map_err(refused)
    }

    fn count_from_next(&mut self) -> PyResult<()> {
        self.simulator.as_mut().ok_or_else(ended)?.count_from_next();
        Ok(())
    }

    fn finish(&mut self, py: Python<'_>) -> PyResult<PyArrowType<RecordBatch>> {
        let simulator = self.simulator.take().ok_or_else(ended)?;
        let batch = py.detach(|| simulator.finish()).map_err(refused)?;
        Ok(PyArrowType(batch))
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("the stream has ended")
}
