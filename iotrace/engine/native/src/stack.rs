//! Stack distances: `iotrace_core::cache::stack_distance` for Python.

use crate::given::{refused, settings, to_python};
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::cache::stack_distance::{Curve, Engine, Pricing};
use pyo3::prelude::*;

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

    fn tally<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.engine.tally())
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
