//! Replacement policies by name: `iotrace_core::cache::policies` for Python.

use crate::given::refused;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{make_array, Array, BooleanArray};
use arrow_data::ArrayData;
use arrow_pyarrow::PyArrowType;
use iotrace_core::cache::policies::hits;
use iotrace_core::cache::replacement::{Choice, Policy, PAGE_CACHE, POLICIES};
use iotrace_core::cache::{LARGEST_BLOCK_BYTES, MOST_CACHE_BLOCKS};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// The largest caches and blocks; documented in native.pyi.
#[pyfunction]
pub fn cache_limits() -> BTreeMap<&'static str, u32> {
    BTreeMap::from([("blocks", MOST_CACHE_BLOCKS), ("block_bytes", LARGEST_BLOCK_BYTES)])
}

/// The policies and their variants; documented in native.pyi.
#[pyfunction]
pub fn policies() -> Vec<(&'static str, &'static str)> {
    POLICIES.iter().filter_map(|policy| Some((policy.name, policy.blocks?))).collect()
}

/// The policies of blocks of files, and their variants; documented in native.pyi.
#[pyfunction]
pub fn policies_of_files() -> Vec<(&'static str, &'static str)> {
    PAGE_CACHE.blocks.iter().map(|variant| (PAGE_CACHE.name, *variant)).collect()
}

/// A cache of blocks of files, by the name of its policy.
pub fn choice_of_files(policy: &str, size_blocks: u32, protected_percent: u32) -> PyResult<Choice> {
    let policy = Policy::of_files(policy).map_err(refused)?;
    Ok(Choice { policy, size: u64::from(size_blocks), protected_percent })
}

/// A cache of blocks, by the name of its policy.
pub fn choice(policy: &str, size_blocks: u32, protected_percent: u32) -> PyResult<Choice> {
    let policy = Policy::of_blocks(policy).map_err(refused)?;
    Ok(Choice { policy, size: u64::from(size_blocks), protected_percent })
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
    let choice = choice(policy, size_blocks, protected_percent)?;
    let blocks = make_array(blocks.0);
    let blocks = blocks
        .as_primitive_opt::<UInt32Type>()
        .filter(|blocks| blocks.null_count() == 0)
        .ok_or_else(|| PyValueError::new_err("blocks must be uint32 numbers without nulls"))?;
    let hits = py.detach(|| hits(&choice, blocks.values())).map_err(refused)?;
    Ok(PyArrowType(BooleanArray::from(hits).into_data()))
}
