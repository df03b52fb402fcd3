//! Replacement policies by name: `iotrace_core::cache::policies` for Python.

use crate::given::{refused, word};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{make_array, Array, BooleanArray};
use arrow_data::ArrayData;
use arrow_pyarrow::PyArrowType;
use iotrace_core::cache::policies::{Choice, Kind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

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
        .ok_or_else(|| PyValueError::new_err("blocks must be uint32 numbers without nulls"))?;
    let hits =
        py.detach(|| iotrace_core::cache::policies::hits(&choice, blocks.values())).map_err(refused)?;
    Ok(PyArrowType(BooleanArray::from(hits).into_data()))
}
