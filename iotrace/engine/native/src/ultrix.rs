//! ULTRIX call traces: `iotrace_core::syscalls::ultrix` for Python.

use iotrace_core::syscalls::ultrix;
use pyo3::prelude::*;

/// The calls of the format: name, arguments, whether classic; see `native.pyi`.
#[pyfunction]
pub fn ultrix_calls() -> Vec<(&'static str, String, bool)> {
    let listed = ultrix::list().into_iter();
    listed.map(|call| (call.name, call.arguments, call.classic)).collect()
}
