//! The bindings: take in, call a plain Rust function, hand out.

use pyo3::prelude::*;

#[pymodule]
mod native {}
