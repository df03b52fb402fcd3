//! Limited non-volatile memory: `iotrace_core::cache::nonvolatile` for Python.

use crate::given::{refused, settings, word, words};
use crate::stream::{Simulation, Stream};
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::cache::nonvolatile::{Memory, Simulator, WritePolicy};
use iotrace_core::cache::stack_distance::{Options, Pricing, Tally};
use iotrace_core::error::Error;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The write policies' words; documented in native.pyi.
#[pyfunction]
pub fn nonvolatile_write_policies() -> Vec<&'static str> {
    words::<WritePolicy>()
}

impl Simulation for Simulator {
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        Simulator::push(self, batch)
    }

    fn tally(&self) -> Tally {
        Simulator::tally(self)
    }

    fn finish(self, pricing: Pricing) -> Result<RecordBatch, Error> {
        Simulator::finish(self, pricing)
    }
}

/// Caches over one stream; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct NonvolatileSimulator {
    stream: Stream<Simulator>,
}

#[pymethods]
impl NonvolatileSimulator {
    #[new]
    #[pyo3(signature = (choices, *, block_bytes, deletes="honour", warm_up_requests=0, warm_up_ns=None, inodes_per_block=None, threads=1))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        choices: &str,
        block_bytes: u32,
        deletes: &str,
        warm_up_requests: u64,
        warm_up_ns: Option<i64>,
        inodes_per_block: Option<u32>,
        threads: usize,
    ) -> PyResult<Self> {
        let choices: Vec<(Memory, WritePolicy)> = settings(choices)?;
        let options = Options {
            block_bytes,
            deletes: word("deletes", deletes)?,
            warm_up_requests,
            warm_up_ns,
            inodes_per_block,
            ..Options::default()
        };
        Ok(NonvolatileSimulator {
            stream: Stream::new(Simulator::new(options, &choices, threads).map_err(refused)?),
        })
    }

    fn push(&mut self, py: Python<'_>, references: PyArrowType<RecordBatch>) -> PyResult<()> {
        self.stream.push(py, references)
    }

    fn tally<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.stream.tally(py)
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
