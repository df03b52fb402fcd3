//! What simulators are given from Python: names for values, and the errors where they are refused.

use iotrace_core::refusal::Refusal;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The value of a name; the error lists the names that there are.
pub fn chosen<T: Copy>(what: &str, name: &str, values: &[(&str, T)]) -> PyResult<T> {
    let found = values.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = values.iter().map(|(known, _)| *known).collect();
        PyValueError::new_err(format!("{what} is {}, not {name:?}", names.join(", ")))
    })
}

/// What Python is told of a refusal.
pub fn refused(refusal: Refusal) -> PyErr {
    PyValueError::new_err(refusal.to_string())
}
