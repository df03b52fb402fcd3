//! Caches over a sample of the blocks: `iotrace_core::cache::sampling` for Python.

use crate::given::{refused, settings, to_python};
use crate::policies::choice;
use crate::stack::{StackCurve, StackState};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{make_array, Array, RecordBatch};
use arrow_data::ArrayData;
use arrow_pyarrow::PyArrowType;
use iotrace_core::cache::sampling::{
    Demand, Finished, MiniatureCaches, Sampled, SampledSlice as Slice, Sampling, SlicedSample,
};
use iotrace_core::cache::stack_distance::Pricing;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Caches over a sample, until the end of their stream; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct SampledCaches(Option<Sampled>);

/// What is left of a stream: rate, blocks sampled, curves, tables of policies, and the exact curve of small caches.
type Results = (f64, u64, Vec<StackCurve>, Vec<PyArrowType<RecordBatch>>, Option<StackCurve>);

#[pymethods]
impl SampledCaches {
    #[new]
    #[pyo3(signature = (options, sampling, *, policies, protected_percent=75, threads=1))]
    fn new(
        options: &str,
        sampling: &str,
        policies: Vec<(String, u32)>,
        protected_percent: u32,
        threads: usize,
    ) -> PyResult<Self> {
        let sampling: Sampling = settings(sampling)?;
        let choices =
            policies.iter().map(|(policy, size_blocks)| choice(policy, *size_blocks, protected_percent));
        let choices = choices.collect::<PyResult<_>>()?;
        let caches = Sampled::new(settings(options)?, sampling, MiniatureCaches { choices }, threads);
        Ok(SampledCaches(Some(caches.map_err(refused)?)))
    }

    fn push(&mut self, py: Python<'_>, references: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = references.0;
        let caches = self.0.as_mut().ok_or_else(ended)?;
        py.detach(|| caches.push(&batch)).map_err(refused)
    }

    fn push_keys(&mut self, py: Python<'_>, keys: PyArrowType<ArrayData>) -> PyResult<()> {
        let keys = make_array(keys.0);
        let keys = AsArray::as_primitive_opt::<UInt64Type>(&keys).filter(|keys| keys.null_count() == 0);
        let keys = keys.ok_or_else(|| PyValueError::new_err("keys must be uint64 numbers without nulls"))?;
        let caches = self.0.as_mut().ok_or_else(ended)?;
        py.detach(|| caches.push_keys(keys.values())).map_err(refused)
    }

    fn tally<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.0.as_ref().ok_or_else(ended)?.tally())
    }

    #[getter]
    fn demands(&self) -> PyResult<Vec<[u64; 4]>> {
        Ok(in_order(self.0.as_ref().ok_or_else(ended)?.demands()))
    }

    #[getter]
    fn has_requests_of_several_blocks(&self) -> PyResult<bool> {
        Ok(self.0.as_ref().ok_or_else(ended)?.has_requests_of_several_blocks())
    }

    #[pyo3(signature = (*, overhead_ns, transfer_ns_per_kb))]
    fn finish(&mut self, py: Python<'_>, overhead_ns: i64, transfer_ns_per_kb: i64) -> PyResult<Results> {
        let caches = self.0.take().ok_or_else(ended)?;
        let pricing = Pricing { overhead_ns, transfer_ns_per_kb };
        let (finished, head) = py.detach(|| caches.finish(pricing)).map_err(refused)?;
        let Finished { rate, sampled_blocks, curves, policies } = finished;
        let curves = curves.into_iter().map(|curve| StackCurve { curve: Arc::new(curve) }).collect();
        let policies = policies.into_iter().map(PyArrowType).collect();
        Ok((rate, sampled_blocks, curves, policies, head.map(|curve| StackCurve { curve: Arc::new(curve) })))
    }
}

/// Caches over a sample of a slice of a stream; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct SampledSlice(Option<Slice>);

#[pymethods]
impl SampledSlice {
    #[new]
    fn new(options: &str, sampling: &str) -> PyResult<Self> {
        let sampling: Sampling = settings(sampling)?;
        Ok(SampledSlice(Some(Slice::new(settings(options)?, &sampling).map_err(refused)?)))
    }

    fn push(&mut self, py: Python<'_>, references: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = references.0;
        let caches = self.0.as_mut().ok_or_else(ended)?;
        py.detach(|| caches.push(&batch)).map_err(refused)
    }

    fn tally<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.0.as_ref().ok_or_else(ended)?.tally())
    }

    #[getter]
    fn demands(&self) -> PyResult<Vec<[u64; 4]>> {
        Ok(in_order(self.0.as_ref().ok_or_else(ended)?.demands()))
    }

    #[getter]
    fn has_requests_of_several_blocks(&self) -> PyResult<bool> {
        Ok(self.0.as_ref().ok_or_else(ended)?.has_requests_of_several_blocks())
    }

    #[getter]
    fn looks_back(&self) -> PyResult<bool> {
        Ok(self.0.as_ref().ok_or_else(ended)?.looks_back())
    }

    fn finish(
        &mut self,
        py: Python<'_>,
    ) -> PyResult<(f64, Vec<PyArrowType<RecordBatch>>, Option<StackState>)> {
        let caches = self.0.take().ok_or_else(ended)?;
        let SlicedSample { rate, sample, head } = py.detach(|| caches.finish()).map_err(refused)?;
        let sample = sample.into_iter().map(PyArrowType).collect();
        Ok((rate, sample, head.map(|state| StackState { state })))
    }
}

fn in_order(demands: &[[Demand; 2]]) -> Vec<[u64; 4]> {
    let counts = |[read, write]: &[Demand; 2]| [read.requests, read.blocks, write.requests, write.blocks];
    demands.iter().map(counts).collect()
}

fn ended() -> PyErr {
    PyValueError::new_err("the stream has ended")
}
