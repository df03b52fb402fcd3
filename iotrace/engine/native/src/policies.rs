//! Replacement policies at chosen sizes: `iotrace_core::cache::policies` for Python.

use crate::given::{refused, word};
use crate::stream::{Simulation, Stream};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{make_array, Array, BooleanArray, RecordBatch};
use arrow_data::ArrayData;
use arrow_pyarrow::PyArrowType;
use iotrace_core::cache::policies::{Choice, Kind, Simulator};
use iotrace_core::cache::stack_distance::{Options, Pricing, Tally};
use iotrace_core::error::Error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The policies and their variants; documented in native.pyi.
#[pyfunction]
pub fn policies() -> Vec<(&'static str, &'static str)> {
    Kind::ALL.iter().map(|kind| (kind.name(), kind.variant())).collect()
}

/// Hits of single block references; documented in native.pyi.
#[pyfunction]
#[pyo3(signature = (policy, size_blocks, blocks, *, protected_percent=75))]
pub fn policy_hits(
    py: Python<'_>,
    policy: &str,
    size_blocks: u32,
    blocks: PyArrowType<ArrayData>,
    protected_percent: u32,
) -> PyResult<PyArrowType<ArrayData>> {
    let choice = Choice { kind: word("a policy", policy)?, size_blocks, protected_percent };
    let blocks = make_array(blocks.0);
    let blocks = blocks
        .as_primitive_opt::<UInt32Type>()
        .filter(|blocks| blocks.null_count() == 0)
        .ok_or_else(|| PyValueError::new_err("blocks are uint32 numbers, none of them null"))?;
    let hits =
        py.detach(|| iotrace_core::cache::policies::hits(&choice, blocks.values())).map_err(refused)?;
    Ok(PyArrowType(BooleanArray::from(hits).into_data()))
}

impl Simulation for Simulator {
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        Simulator::push(self, batch)
    }

    fn tally(&self) -> Tally {
        Simulator::tally(self)
    }

    fn finish(self, pricing: Pricing) -> Result<RecordBatch, Error> {
        Simulator::finish(self, pricing)?.table()
    }
}

/// Caches over one stream; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct PolicySimulator {
    stream: Stream<Simulator>,
}

#[pymethods]
impl PolicySimulator {
    #[new]
    #[pyo3(signature = (choices, *, block_bytes, deletes="honour", warm_up_requests=0, warm_up_ns=None, inodes_per_block=None, protected_percent=75, threads=1))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        choices: Vec<(String, u32)>,
        block_bytes: u32,
        deletes: &str,
        warm_up_requests: u64,
        warm_up_ns: Option<i64>,
        inodes_per_block: Option<u32>,
        protected_percent: u32,
        threads: usize,
    ) -> PyResult<Self> {
        let choice = |(name, size_blocks): &(String, u32)| -> PyResult<Choice> {
            Ok(Choice { kind: word("a policy", name)?, size_blocks: *size_blocks, protected_percent })
        };
        let options = Options {
            block_bytes,
            deletes: word("deletes", deletes)?,
            warm_up_requests,
            warm_up_ns,
            inodes_per_block,
            ..Options::default()
        };
        let choices = choices.iter().map(choice).collect::<PyResult<Vec<_>>>()?;
        Ok(PolicySimulator {
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
