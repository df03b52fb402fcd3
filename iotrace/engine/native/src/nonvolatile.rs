//! Limited non-volatile memory: `iotrace_core::nonvolatile` for Python.

use crate::stack::{deletes, refused};
use crate::stream::{Simulation, Stream};
use arrow_array::RecordBatch;
use iotrace_core::nonvolatile::{Memory, Simulator, WriteBack};
use iotrace_core::stack::{Options, Pricing, StackError, Tally};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyRecordBatch;

fn write_back(name: &str, interval_ns: i64) -> PyResult<WriteBack> {
    Ok(match name {
        "copy-back" => WriteBack::AtExpulsion,
        "write-through" => WriteBack::AtOnce,
        "periodic" => WriteBack::Periodically(interval_ns),
        "deadline" => WriteBack::ByDeadline(interval_ns),
        _ => {
            return Err(PyValueError::new_err(format!(
                "a write policy is copy-back, write-through, periodic or deadline, not {name:?}"
            )))
        }
    })
}

impl Simulation for Simulator {
    fn push(&mut self, batch: &RecordBatch) -> Result<(), StackError> {
        Simulator::push(self, batch)
    }

    fn tally(&self) -> Tally {
        Simulator::tally(self)
    }

    fn finish(self, pricing: Pricing) -> Result<RecordBatch, StackError> {
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
    #[pyo3(signature = (choices, *, block_bytes, interval_ns, deletes="honour", warm_up_requests=0, warm_up_ns=None, inodes_per_block=None, threads=1))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        choices: Vec<(String, u32, u32)>,
        block_bytes: u32,
        interval_ns: i64,
        deletes: &str,
        warm_up_requests: u64,
        warm_up_ns: Option<i64>,
        inodes_per_block: Option<u32>,
        threads: usize,
    ) -> PyResult<Self> {
        let choice = |(name, volatile_blocks, nonvolatile_blocks): &(String, u32, u32)| {
            let memory = Memory {
                volatile_blocks: *volatile_blocks,
                nonvolatile_blocks: *nonvolatile_blocks,
            };
            Ok((memory, write_back(name, interval_ns)?))
        };
        let choices = choices.iter().map(choice).collect::<PyResult<Vec<_>>>()?;
        let options = Options {
            block_bytes,
            deletes: self::deletes(deletes)?,
            warm_up_requests,
            warm_up_ns,
            inodes_per_block,
            ..Options::default()
        };
        Ok(NonvolatileSimulator {
            stream: Stream::new(Simulator::new(options, &choices, threads).map_err(refused)?),
        })
    }

    fn push(&mut self, py: Python<'_>, references: PyRecordBatch) -> PyResult<()> {
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
    ) -> PyResult<PyRecordBatch> {
        self.stream.finish(py, overhead_ns, transfer_ns_per_kb)
    }
}
