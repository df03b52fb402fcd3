//! The bindings: take in, call a plain Rust function, hand out.

use pyo3::prelude::*;

mod intake;
mod stack;

#[pymodule]
mod native {
    #[pymodule_export]
    use super::intake::{check_model, first_bytes, write_ultrix, SyscallRun};
    #[pymodule_export]
    use super::stack::{StackCurve, StackEngine};
}
