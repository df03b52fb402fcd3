//! Stack distances: `iotrace_core::cache::stack_distance` for Python.

use crate::given::{refused, settings};
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::cache::stack_distance::{Curve, Engine, Pricing, Tally};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A stream's counts by name.
pub fn tally(py: Python<'_>, tally: Tally) -> PyResult<Bound<'_, PyDict>> {
    let Tally {
        rows,
        requests,
        truncates,
        deletes,
        syncs,
        empty_requests,
        unknown_lengths,
        unknown_offsets,
        unplaced,
        distinct_blocks,
    } = tally;
    let counts = PyDict::new(py);
    for (name, count) in [
        ("rows", rows),
        ("requests", requests),
        ("truncates", truncates),
        ("deletes", deletes),
        ("syncs", syncs),
        ("empty_requests", empty_requests),
        ("unknown_lengths", unknown_lengths),
        ("unknown_offsets", unknown_offsets),
        ("unplaced", unplaced),
        ("distinct_blocks", distinct_blocks),
    ] {
        counts.set_item(name, count)?;
    }
    Ok(counts)
}

/// The engine; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct StackEngine {
    engine: Engine,
}

#[pymethods]
impl StackEngine {
    #[new]
    fn new(options: &str) -> PyResult<Self> {
        Ok(StackEngine { engine: Engine::new(settings(options)?).map_err(refused)? })
    }

    fn push(&mut self, py: Python<'_>, references: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = references.0;
        py.detach(|| self.engine.push(&batch)).map_err(refused)
    }

    fn tally<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        tally(py, self.engine.tally())
    }

    #[pyo3(signature = (*, overhead_ns, transfer_ns_per_kb))]
    fn finish(&mut self, py: Python<'_>, overhead_ns: i64, transfer_ns_per_kb: i64) -> StackCurve {
        let engine = std::mem::take(&mut self.engine);
        StackCurve { curve: py.detach(|| engine.finish(Pricing { overhead_ns, transfer_ns_per_kb })) }
    }
}

/// The engine's counts; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native", frozen)]
pub struct StackCurve {
    curve: Curve,
}

#[pymethods]
impl StackCurve {
    #[getter]
    fn components(&self) -> usize {
        self.curve.components()
    }

    #[pyo3(signature = (component, sizes_blocks=None))]
    fn table(
        &self,
        py: Python<'_>,
        component: usize,
        sizes_blocks: Option<Vec<u32>>,
    ) -> PyResult<PyArrowType<RecordBatch>> {
        let batch = py.detach(|| self.curve.table(component, sizes_blocks.as_deref())).map_err(refused)?;
        Ok(PyArrowType(batch))
    }
}
