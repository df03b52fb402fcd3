//! The page cache of Linux: `iotrace_core::cache::linux` for Python.

use crate::given::{refused, settings};
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::cache::linux::{Limit, Settings, Simulator};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// Page caches of several limits, until the end of their stream; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct PageCaches(Option<Simulator>);

#[pymethods]
impl PageCaches {
    #[new]
    #[pyo3(signature = (kernel, limits, *, threads=1))]
    fn new(kernel: &str, limits: &str, threads: usize) -> PyResult<Self> {
        let (kernel, limits): (Settings, Vec<Limit>) = (settings(kernel)?, settings(limits)?);
        Ok(PageCaches(Some(Simulator::new(&kernel, &limits, threads).map_err(refused)?)))
    }

    fn push(&mut self, py: Python<'_>, events: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = events.0;
        let simulator = self.0.as_mut().ok_or_else(ended)?;
        py.detach(|| simulator.push(&batch)).map_err(refused)
    }

    fn tally(&self) -> PyResult<BTreeMap<&'static str, u64>> {
        let tally = self.0.as_ref().ok_or_else(ended)?.tally();
        Ok(BTreeMap::from([
            ("requests", tally.requests),
            ("unplaced", tally.unplaced),
            ("pages", tally.pages),
            ("direct_pages", tally.direct_pages),
            ("mapped_pages", tally.mapped_pages),
        ]))
    }

    fn finish(&mut self, py: Python<'_>) -> PyResult<PyArrowType<RecordBatch>> {
        let simulator = self.0.take().ok_or_else(ended)?;
        let batch = py.detach(|| simulator.finish()).map_err(refused)?;
        Ok(PyArrowType(batch))
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("the stream has ended")
}
