//! Logs without contents, and names replaced: `iotrace_core::syscalls` for Python.

use crate::locks::locked;
use iotrace_core::syscalls::{redaction, strace};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex};

/// Names that are replaced; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct Redaction(Arc<Mutex<redaction::Redaction>>);

#[pymethods]
impl Redaction {
    #[new]
    fn new(globs: Vec<Vec<u8>>) -> Self {
        Redaction(Arc::new(Mutex::new(redaction::Redaction::new(globs))))
    }

    fn path<'py>(&self, py: Python<'py>, path: &[u8]) -> Bound<'py, PyBytes> {
        PyBytes::new(py, locked(&self.0).path(path).as_deref().unwrap_or(path))
    }

    fn argument<'py>(&self, py: Python<'py>, argument: &[u8]) -> Bound<'py, PyBytes> {
        PyBytes::new(py, locked(&self.0).argument(argument).as_deref().unwrap_or(argument))
    }

    fn original<'py>(&self, py: Python<'py>, path: &[u8]) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &locked(&self.0).original(path))
    }
}

/// A log's filter; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct ContentsFilter {
    filter: Mutex<strace::ContentsFilter>,
    names: Option<Arc<Mutex<redaction::Redaction>>>,
}

#[pymethods]
impl ContentsFilter {
    #[new]
    #[pyo3(signature = (keeps_arguments=true, redaction=None))]
    fn new(keeps_arguments: bool, redaction: Option<PyRef<'_, Redaction>>) -> Self {
        ContentsFilter {
            filter: Mutex::new(strace::ContentsFilter::new(keeps_arguments)),
            names: redaction.map(|names| names.0.clone()),
        }
    }

    fn feed<'py>(&self, py: Python<'py>, block: &[u8]) -> Bound<'py, PyBytes> {
        PyBytes::new(
            py,
            &py.detach(|| self.kept(block.len(), |filter, names, kept| filter.feed(block, names, kept))),
        )
    }

    fn finish<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.kept(0, strace::ContentsFilter::finish)))
    }
}

impl ContentsFilter {
    fn kept(
        &self,
        bytes: usize,
        step: impl FnOnce(&mut strace::ContentsFilter, &mut Option<&mut redaction::Redaction>, &mut Vec<u8>),
    ) -> Vec<u8> {
        let mut kept = Vec::with_capacity(bytes);
        let mut names = self.names.as_deref().map(locked);
        step(&mut locked(&self.filter), &mut names.as_deref_mut(), &mut kept);
        kept
    }
}
