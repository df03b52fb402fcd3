//! Events of the block layer as text, paired into requests: `iotrace_core::block_trace` for Python.

use crate::given::refused;
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::block_trace::EventText;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// Lines of events being read; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct BlockEventText(EventText);

#[pymethods]
impl BlockEventText {
    #[new]
    #[pyo3(signature = (nvme_block_bytes=None))]
    fn new(nvme_block_bytes: Option<u64>) -> Self {
        BlockEventText(EventText::new(nvme_block_bytes))
    }

    fn take(&mut self, py: Python<'_>, block: &[u8], first: u64) {
        py.detach(|| self.0.take(block, first));
    }

    fn requests(&mut self, py: Python<'_>, is_last: bool) -> PyResult<Option<PyArrowType<RecordBatch>>> {
        let batch = py.detach(|| self.0.requests(is_last)).map_err(refused)?;
        Ok(batch.map(PyArrowType))
    }

    fn stacks(&self) -> Vec<(String, String, u64, u64)> {
        self.0.stacks()
    }

    fn found<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = self.0.found();
        let skipped = found.skipped.iter().map(|(number, line, why)| (*number, PyBytes::new(py, line), *why));
        let described = PyDict::new(py);
        described.set_item("lines", found.lines)?;
        described.set_item("remarks", found.remarks)?;
        described.set_item("skipped", skipped.collect::<Vec<_>>())?;
        described.set_item("lost_events", found.lost_events)?;
        described.set_item("losses", found.losses)?;
        Ok(described)
    }
}
