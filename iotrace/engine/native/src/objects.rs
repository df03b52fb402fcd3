//! Caches of objects: `iotrace_core::cache::objects` for Python.

use crate::given::{refused, settings, word};
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::cache::objects::{FlashLog, ObjectCurve, PolicyCaches, PrefixCurve, MOST_BYTES};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// The largest size of an object; documented in native.pyi.
#[pyfunction]
pub fn object_limits() -> BTreeMap<&'static str, u64> {
    BTreeMap::from([("size", MOST_BYTES)])
}

/// The policies of caches of objects, and their variants; documented in native.pyi.
#[pyfunction]
pub fn object_policies(unit: &str) -> PyResult<Vec<(&'static str, &'static str)>> {
    Ok(iotrace_core::cache::objects::policies(word("a unit", unit)?))
}

/// LRU caches of many sizes over requests for objects; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct ObjectCaches {
    curve: ObjectCurve,
}

#[pymethods]
impl ObjectCaches {
    #[new]
    fn new(options: &str) -> PyResult<Self> {
        Ok(ObjectCaches { curve: ObjectCurve::new(settings(options)?).map_err(refused)? })
    }

    fn push(&mut self, py: Python<'_>, requests: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = requests.0;
        py.detach(|| self.curve.push(&batch)).map_err(refused)
    }

    #[getter]
    fn without_size(&self) -> u64 {
        self.curve.without_size()
    }

    fn table(&self) -> PyResult<PyArrowType<RecordBatch>> {
        Ok(PyArrowType(self.curve.table().map_err(refused)?))
    }

    fn write_table(&self) -> PyResult<PyArrowType<RecordBatch>> {
        Ok(PyArrowType(self.curve.write_table().map_err(refused)?))
    }
}

/// Caches of objects under several policies; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct ObjectPolicyCaches {
    caches: PolicyCaches,
}

#[pymethods]
impl ObjectPolicyCaches {
    #[new]
    fn new(options: &str) -> PyResult<Self> {
        Ok(ObjectPolicyCaches { caches: PolicyCaches::new(settings(options)?).map_err(refused)? })
    }

    fn push(&mut self, py: Python<'_>, requests: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = requests.0;
        py.detach(|| self.caches.push(&batch)).map_err(refused)
    }

    fn table(&self) -> PyResult<PyArrowType<RecordBatch>> {
        Ok(PyArrowType(self.caches.table().map_err(refused)?))
    }
}

/// A cache in flash; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct FlashLogCache {
    log: FlashLog,
}

#[pymethods]
impl FlashLogCache {
    #[new]
    fn new(options: &str) -> PyResult<Self> {
        Ok(FlashLogCache { log: FlashLog::new(settings(options)?).map_err(refused)? })
    }

    fn push(&mut self, py: Python<'_>, requests: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = requests.0;
        py.detach(|| self.log.push(&batch)).map_err(refused)
    }

    fn table(&self) -> PyResult<PyArrowType<RecordBatch>> {
        Ok(PyArrowType(self.log.table().map_err(refused)?))
    }
}

/// LRU caches of all sizes over the blocks of prompts; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct PrefixCaches {
    curve: PrefixCurve,
}

#[pymethods]
impl PrefixCaches {
    #[new]
    #[pyo3(signature = (sizes_blocks=None))]
    fn new(sizes_blocks: Option<Vec<u64>>) -> PyResult<Self> {
        Ok(PrefixCaches { curve: PrefixCurve::new(sizes_blocks).map_err(refused)? })
    }

    fn push(&mut self, py: Python<'_>, blocks: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = blocks.0;
        py.detach(|| self.curve.push(&batch)).map_err(refused)
    }

    fn finish(&mut self) -> PyResult<PyArrowType<RecordBatch>> {
        Ok(PyArrowType(self.curve.finish().map_err(refused)?))
    }
}
