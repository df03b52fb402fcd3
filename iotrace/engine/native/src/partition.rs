//! Adaptive partitions: `iotrace_core::cache::partition` for Python.

use crate::given::{refused, word};
use crate::stream::{Simulation, Stream};
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::cache::partition::{AdaptivePartition as Partition, Part, Settings};
use iotrace_core::cache::stack_distance::{Options, Pricing, Tally};
use iotrace_core::error::Error;
use pyo3::prelude::*;
use pyo3::types::PyDict;

impl Simulation for Partition {
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        Partition::push(self, batch)
    }

    fn tally(&self) -> Tally {
        Partition::tally(self)
    }

    fn finish(self, pricing: Pricing) -> Result<RecordBatch, Error> {
        Partition::finish(self, pricing)
    }
}

/// A cache whose parts grow and shrink; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct AdaptivePartition {
    stream: Stream<Partition>,
}

#[pymethods]
impl AdaptivePartition {
    #[new]
    #[pyo3(signature = (parts, *, quantum_bytes, period_requests, fade=0.5, counts_writes=false, deletes="honour", warm_up_ns=None))]
    fn new(
        parts: Vec<(u32, u64, f64)>,
        quantum_bytes: u64,
        period_requests: u64,
        fade: f64,
        counts_writes: bool,
        deletes: &str,
        warm_up_ns: Option<i64>,
    ) -> PyResult<Self> {
        let parts: Vec<Part> = parts
            .into_iter()
            .map(|(block_bytes, quanta, weight)| Part { block_bytes, quanta, weight })
            .collect();
        let options = Options { deletes: word("deletes", deletes)?, warm_up_ns, ..Options::default() };
        let settings = Settings { quantum_bytes, period_requests, fade, counts_writes };
        Ok(AdaptivePartition {
            stream: Stream::new(Partition::new(&options, &parts, settings).map_err(refused)?),
        })
    }

    fn push(&mut self, py: Python<'_>, references: PyArrowType<RecordBatch>) -> PyResult<()> {
        self.stream.push(py, references)
    }

    fn tally<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = self.stream.tally(py)?;
        counts.set_item("moves", self.stream.simulation()?.moves())?;
        Ok(counts)
    }

    #[pyo3(signature = (*, overhead_ns, transfer_ns_per_kb))]
    fn finish(
        &mut self,
        py: Python<'_>,
        overhead_ns: i64,
        transfer_ns_per_kb: i64,
    ) -> PyResult<PyArrowType<RecordBatch>> {
        self.stream.finish(py, overhead_ns, transfer_ns_per_kb)
    }
}
