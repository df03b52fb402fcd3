//! Batches of a store's tables as their readers take them: `iotrace_core::stored` for Python.

use crate::given::refused;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{make_array, RecordBatch};
use arrow_data::ArrayData;
use arrow_pyarrow::PyArrowType;
use iotrace_core::stored::{self, DiskUses, Touched};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Requests to disks as references; documented in native.pyi.
#[pyfunction]
#[pyo3(signature = (requests, file_of_device=None))]
pub fn references_of_disks(
    py: Python<'_>,
    requests: PyArrowType<RecordBatch>,
    file_of_device: Option<PyArrowType<ArrayData>>,
) -> PyResult<PyArrowType<RecordBatch>> {
    let files = file_of_device.map(|files| make_array(files.0));
    let numbers = files.as_ref().map(|files| {
        let numbers = files.as_primitive_opt::<Int32Type>();
        numbers.ok_or_else(|| PyValueError::new_err("files of devices must be int32"))
    });
    let numbers = numbers.transpose()?;
    let references = py.detach(|| stored::references_of_disks(&requests.0, numbers)).map_err(refused)?;
    Ok(PyArrowType(references))
}

/// What requests did with each disk; documented in native.pyi.
#[pyfunction]
pub fn disk_uses(py: Python<'_>, requests: PyArrowType<RecordBatch>) -> PyResult<(u64, Vec<u64>, Vec<u64>)> {
    let uses = py.detach(|| DiskUses::of(&requests.0)).map_err(refused)?;
    Ok((uses.references, uses.moved, uses.blocks))
}

/// Blocks that references touch; documented in native.pyi.
#[pyfunction]
pub fn touched_blocks(
    py: Python<'_>,
    references: PyArrowType<RecordBatch>,
    block_bytes: u64,
) -> PyResult<(u64, u128)> {
    if block_bytes == 0 {
        return Err(PyValueError::new_err("a block has at least one byte"));
    }
    let touched = py.detach(|| stored::touched(&references.0, block_bytes)).map_err(refused)?;
    let Touched { requests, blocks } = touched;
    Ok((requests, blocks))
}

/// The ends of a column's numbers; documented in native.pyi.
#[pyfunction]
pub fn extremes(py: Python<'_>, column: PyArrowType<ArrayData>) -> Option<(i128, i128)> {
    let column = make_array(column.0);
    py.detach(|| stored::extremes(&column))
}
