//! What the simulators of a stream of references share: batches in, a tally on the way, one table at the end.

use crate::given::refused;
use crate::stack::tally;
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::cache::stack_distance::{Pricing, Tally};
use iotrace_core::error::Error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A simulator that follows a stream and ends with a table.
pub trait Simulation: Send + Sync {
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error>;
    fn tally(&self) -> Tally;
    fn finish(self, pricing: Pricing) -> Result<RecordBatch, Error>;
}

/// A simulator until its stream has ended.
pub struct Stream<S>(Option<S>);

impl<S: Simulation> Stream<S> {
    pub fn new(simulation: S) -> Self {
        Stream(Some(simulation))
    }

    pub fn simulation(&self) -> PyResult<&S> {
        self.0.as_ref().ok_or_else(ended)
    }

    pub fn push(&mut self, py: Python<'_>, references: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = references.0;
        let simulation = self.0.as_mut().ok_or_else(ended)?;
        py.detach(|| simulation.push(&batch)).map_err(refused)
    }

    pub fn tally<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        tally(py, self.simulation()?.tally())
    }

    pub fn finish(
        &mut self,
        py: Python<'_>,
        overhead_ns: i64,
        transfer_ns_per_kb: i64,
    ) -> PyResult<PyArrowType<RecordBatch>> {
        let simulation = self.0.take().ok_or_else(ended)?;
        let pricing = Pricing { overhead_ns, transfer_ns_per_kb };
        let batch = py.detach(|| simulation.finish(pricing)).map_err(refused)?;
        Ok(PyArrowType(batch))
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("the stream has ended")
}
