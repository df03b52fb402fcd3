//! Stack distances: `iotrace_core::cache::stack_distance` for Python.

use crate::given::{refused, settings, to_python};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::ArrowArrayStreamReader;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{make_array, Array, RecordBatch, RecordBatchReader, UInt32Array, UInt64Array};
use arrow_data::ArrayData;
use arrow_pyarrow::PyArrowType;
use iotrace_core::cache::stack_distance::{Curve, Engine, KeyReads, Pricing, State};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// The engine; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct StackEngine {
    engine: Engine,
}

#[pymethods]
impl StackEngine {
    #[new]
    #[pyo3(signature = (options, *, is_slice=false, is_sparse=false))]
    fn new(options: &str, is_slice: bool, is_sparse: bool) -> PyResult<Self> {
        let options = settings(options)?;
        let engine = match (is_slice, is_sparse) {
            (true, true) => Engine::of_sparse_slice(options),
            (true, false) => Engine::of_slice(options),
            (false, true) => Engine::of_few_blocks(options),
            (false, false) => Engine::new(options),
        };
        Ok(StackEngine { engine: engine.map_err(refused)? })
    }

    fn push(&mut self, py: Python<'_>, references: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = references.0;
        py.detach(|| self.engine.push(&batch)).map_err(refused)
    }

    fn tally<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.engine.tally())
    }

    fn finish_slice(&mut self, py: Python<'_>) -> StackState {
        let engine = std::mem::take(&mut self.engine);
        StackState { state: py.detach(|| engine.finish_slice()) }
    }

    #[pyo3(signature = (*, overhead_ns, transfer_ns_per_kb))]
    fn finish(&mut self, py: Python<'_>, overhead_ns: i64, transfer_ns_per_kb: i64) -> StackCurve {
        let engine = std::mem::take(&mut self.engine);
        let curve = py.detach(|| engine.finish(Pricing { overhead_ns, transfer_ns_per_kb }));
        StackCurve { curve: Arc::new(curve) }
    }
}

/// The state of a slice; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct StackState {
    pub state: State,
}

#[pymethods]
impl StackState {
    #[staticmethod]
    #[pyo3(signature = (rows, *, is_short, looks_back))]
    fn read(
        py: Python<'_>,
        rows: PyArrowType<ArrowArrayStreamReader>,
        is_short: bool,
        looks_back: bool,
    ) -> PyResult<Self> {
        let state = py.detach(|| State::read(rows.0, is_short, looks_back)).map_err(refused)?;
        Ok(StackState { state })
    }

    fn rows(&mut self, py: Python<'_>) -> PyResult<PyArrowType<Box<dyn RecordBatchReader + Send>>> {
        let state = std::mem::take(&mut self.state);
        let batches = py.detach(|| state.into_batches()).map_err(refused)?;
        Ok(PyArrowType(Box::new(batches)))
    }

    fn cut(&mut self, py: Python<'_>, largest_blocks: u32) {
        py.detach(|| self.state.cut(largest_blocks));
    }

    fn end(&mut self, py: Python<'_>) {
        py.detach(|| self.state.end());
    }

    #[pyo3(signature = (right, *, largest_blocks=None))]
    fn merge(
        &mut self,
        py: Python<'_>,
        mut right: PyRefMut<'_, StackState>,
        largest_blocks: Option<u32>,
    ) -> PyResult<()> {
        let (left, right) = (std::mem::take(&mut self.state), std::mem::take(&mut right.state));
        self.state = py.detach(|| left.merge(right, largest_blocks)).map_err(refused)?;
        Ok(())
    }

    #[getter]
    fn distinct_blocks(&self) -> u64 {
        self.state.distinct_blocks()
    }

    #[getter]
    fn is_short(&self) -> bool {
        self.state.is_short()
    }

    #[getter]
    fn looks_back(&self) -> bool {
        self.state.looks_back()
    }

    #[pyo3(signature = (*, block_bytes, overhead_ns, transfer_ns_per_kb))]
    fn finish(
        &mut self,
        py: Python<'_>,
        block_bytes: u32,
        overhead_ns: i64,
        transfer_ns_per_kb: i64,
    ) -> StackCurve {
        let state = std::mem::take(&mut self.state);
        let pricing = Pricing { overhead_ns, transfer_ns_per_kb };
        StackCurve { curve: Arc::new(py.detach(|| state.finish(block_bytes, pricing))) }
    }
}

/// The engine's counts; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native", frozen)]
pub struct StackCurve {
    pub curve: Arc<Curve>,
}

#[pymethods]
impl StackCurve {
    #[getter]
    fn components(&self) -> usize {
        self.curve.components()
    }

    fn rows(
        &self,
        py: Python<'_>,
        component: usize,
    ) -> PyResult<PyArrowType<Box<dyn RecordBatchReader + Send>>> {
        let rows = py.detach(|| Arc::clone(&self.curve).rows(component)).map_err(refused)?;
        Ok(PyArrowType(Box::new(rows)))
    }

    fn change_points(&self, py: Python<'_>, component: usize) -> PyResult<PyArrowType<ArrayData>> {
        let sizes = py.detach(|| self.curve.change_points(component)).map_err(refused)?;
        Ok(PyArrowType(UInt32Array::from(sizes).into_data()))
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

/// Reads of single blocks by 64-bit key; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
#[derive(Default)]
pub struct StackKeys {
    reads: KeyReads,
    two_threads: bool,
}

#[pymethods]
impl StackKeys {
    #[new]
    #[pyo3(signature = (*, threads=1))]
    fn new(threads: usize) -> Self {
        StackKeys { two_threads: threads > 1, ..StackKeys::default() }
    }

    fn push(&mut self, py: Python<'_>, keys: Vec<PyArrowType<ArrayData>>) -> PyResult<()> {
        let arrays: Vec<_> = keys.into_iter().map(|keys| make_array(keys.0)).collect();
        let keys = |array| -> Option<&UInt64Array> {
            let keys = AsArray::as_primitive_opt::<UInt64Type>(array)?;
            (keys.null_count() == 0).then_some(keys)
        };
        let chunks: Option<Vec<&[u64]>> =
            arrays.iter().map(|array| Some(&keys(array)?.values()[..])).collect();
        let chunks =
            chunks.ok_or_else(|| PyValueError::new_err("keys must be uint64 numbers without nulls"))?;
        let taken = py.detach(|| match self.two_threads {
            true => self.reads.push_on_two_threads(chunks.into_iter()),
            false => chunks.into_iter().try_for_each(|keys| self.reads.push(keys)),
        });
        taken.map_err(refused)
    }

    fn distances(
        &mut self,
        py: Python<'_>,
        keys: PyArrowType<ArrayData>,
    ) -> PyResult<PyArrowType<ArrayData>> {
        let array = make_array(keys.0);
        let keys = array.as_primitive_opt::<UInt64Type>().filter(|keys| keys.null_count() == 0);
        let keys = keys.ok_or_else(|| PyValueError::new_err("keys must be uint64 numbers without nulls"))?;
        let mut distances = Vec::with_capacity(keys.len());
        py.detach(|| self.reads.push_each(keys.values(), &mut distances)).map_err(refused)?;
        let known = distances.into_iter().map(|distance| (distance != 0).then_some(distance));
        Ok(PyArrowType(known.collect::<UInt32Array>().into_data()))
    }

    #[getter]
    fn reads(&self) -> u64 {
        self.reads.reads()
    }

    #[getter]
    fn distinct_blocks(&self) -> u64 {
        self.reads.distinct_blocks()
    }

    fn change_points(&mut self, py: Python<'_>) -> PyArrowType<ArrayData> {
        let sizes = py.detach(|| self.reads.change_points());
        PyArrowType(UInt32Array::from(sizes).into_data())
    }

    fn hits(
        &mut self,
        py: Python<'_>,
        sizes_blocks: PyArrowType<ArrayData>,
    ) -> PyResult<PyArrowType<ArrayData>> {
        let sizes = make_array(sizes_blocks.0);
        let sizes = sizes
            .as_primitive_opt::<UInt32Type>()
            .filter(|sizes| sizes.null_count() == 0 && sizes.values().is_sorted())
            .ok_or_else(|| {
                PyValueError::new_err("sizes_blocks must be ascending uint32 numbers without nulls")
            })?;
        let hits = py.detach(|| self.reads.hits(sizes.values()));
        Ok(PyArrowType(UInt64Array::from(hits).into_data()))
    }
}
