//! The bindings: take in, call a plain Rust function, hand out.

use pyo3::prelude::*;

<<<<<<< HEAD
mod stack;
=======
mod intake;
>>>>>>> 3088767 (Take traces in: events to tables to a store, with a manifest)

#[pymodule]
mod native {
    #[pymodule_export]
<<<<<<< HEAD
    use super::stack::{StackCurve, StackEngine};
=======
    use super::intake::{check_model, first_bytes, SyscallRun};
>>>>>>> 3088767 (Take traces in: events to tables to a store, with a manifest)
}
