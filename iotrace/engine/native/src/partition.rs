//! Adaptive partitions: `iotrace_core::partition` for Python.

use crate::nonvolatile::finished;
use crate::stack::{deletes, refused, tally};
use iotrace_core::partition::{AdaptivePartition as Partition, Part, Settings};
use iotrace_core::stack::{Options, Pricing};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyRecordBatch;

/// A cache whose parts grow and shrink; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct AdaptivePartition {
    partition: Option<Partition>,
}

#[pymethods]
impl AdaptivePartition {
    #[new]
    #[pyo3(signature = (parts, *, quantum_bytes, period_requests, counts_writes=false, deletes="honour", warm_up_ns=None))]
    fn new(
        parts: Vec<(u32, u64, f64)>,
        quantum_bytes: u64,
        period_requests: u64,
        counts_writes: bool,
        deletes: &str,
        warm_up_ns: Option<i64>,
    ) -> PyResult<Self> {
        let parts: Vec<Part> = parts
            .into_iter()
            .map(|(block_bytes, quanta, weight)| Part {
                block_bytes,
                quanta,
                weight,
            })
            .collect();
        let options = Options {
            deletes: self::deletes(deletes)?,
            warm_up_ns,
            ..Options::default()
        };
        let settings = Settings {
            quantum_bytes,
            period_requests,
            counts_writes,
        };
        Ok(AdaptivePartition {
            partition: Some(Partition::new(&options, &parts, settings).map_err(refused)?),
        })
    }

    fn push(&mut self, py: Python<'_>, references: PyRecordBatch) -> PyResult<()> {
        let batch = references.into_inner();
        let partition = self.partition.as_mut().ok_or_else(finished)?;
        py.detach(|| partition.push(&batch)).map_err(refused)
    }

    fn tally<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let partition = self.partition.as_ref().ok_or_else(finished)?;
        let counts = tally(py, partition.tally())?;
        counts.set_item("moves", partition.moves())?;
        Ok(counts)
    }

    #[pyo3(signature = (*, overhead_ns, transfer_ns_per_kb))]
    fn finish(
        &mut self,
        py: Python<'_>,
        overhead_ns: i64,
        transfer_ns_per_kb: i64,
    ) -> PyResult<PyRecordBatch> {
        let partition = self.partition.take().ok_or_else(finished)?;
        let pricing = Pricing {
            overhead_ns,
            transfer_ns_per_kb,
        };
        let batch = py.detach(|| partition.finish(pricing)).map_err(refused)?;
        Ok(PyRecordBatch::new(batch))
    }
}
