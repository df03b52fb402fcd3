//! Keys of caches as dense numbers: `iotrace_core::keys` for Python.

use crate::given::{refused, to_python, word};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{make_array, Array, Int64Array, RecordBatch};
use arrow_data::ArrayData;
use arrow_pyarrow::PyArrowType;
use iotrace_core::keys::{self, Keys, RecordKind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// Numbers of keys; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
#[derive(Default)]
pub struct KeyNumbers {
    keys: Keys,
}

#[pymethods]
impl KeyNumbers {
    #[new]
    fn new() -> Self {
        KeyNumbers::default()
    }

    fn __len__(&self) -> usize {
        self.keys.len()
    }

    fn numbers(&mut self, py: Python<'_>, keys: PyArrowType<ArrayData>) -> PyResult<PyArrowType<ArrayData>> {
        let keys = make_array(keys.0);
        let made = py.detach(|| {
            if let Some(keys) = keys.as_primitive_opt::<UInt64Type>().filter(|keys| keys.null_count() == 0) {
                return Some(self.keys.of_integers(keys.values()));
            }
            let names = keys.as_string_opt::<i64>().filter(|names| names.null_count() == 0)?;
            Some(self.keys.of_names(names))
        });
        let made =
            made.ok_or_else(|| PyValueError::new_err("keys must be uint64 or large_string without nulls"))?;
        Ok(PyArrowType(Int64Array::from(made.map_err(refused)?).into_data()))
    }

    fn see_sizes(
        &mut self,
        py: Python<'_>,
        numbers: PyArrowType<ArrayData>,
        sizes: PyArrowType<ArrayData>,
    ) -> PyResult<()> {
        let (numbers, sizes) = (make_array(numbers.0), make_array(sizes.0));
        let columns = (numbers.as_primitive_opt::<Int64Type>(), sizes.as_primitive_opt::<Int64Type>());
        let (Some(numbers), Some(sizes)) = columns else {
            return Err(PyValueError::new_err("numbers and sizes must be int64"));
        };
        let known = self.keys.len() as i64;
        if numbers.len() != sizes.len() || numbers.values().iter().any(|number| !(0..known).contains(number))
        {
            return Err(PyValueError::new_err("sizes are of numbers that keys have"));
        }
        py.detach(|| self.keys.see_sizes(numbers.values(), sizes.iter()));
        Ok(())
    }

    fn next_rows(&mut self, py: Python<'_>, most: usize) -> PyResult<Option<PyArrowType<RecordBatch>>> {
        let rows = py.detach(|| self.keys.next_rows(most)).map_err(refused)?;
        Ok(rows.map(PyArrowType))
    }
}

/// Requests of a key trace; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct KeyRows {
    rows: keys::KeyRows,
}

/// Read the records of a key trace; documented in native.pyi.
#[pyfunction]
pub fn key_records(py: Python<'_>, block: &[u8], kind: &str) -> PyResult<KeyRows> {
    let kind: RecordKind = word("a kind of records", kind)?;
    Ok(KeyRows { rows: py.detach(|| keys::KeyRows::read(block, kind)) })
}

#[pymethods]
impl KeyRows {
    fn __len__(&self) -> usize {
        self.rows.summary().times.rows as usize
    }

    #[getter]
    fn is_cut(&self) -> bool {
        self.rows.is_cut
    }

    #[getter]
    fn operations(&self) -> Vec<u16> {
        self.rows.operations()
    }

    #[getter]
    fn tenants(&self) -> Vec<u16> {
        self.rows.tenants()
    }

    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.rows.summary())
    }

    fn unsorted(&self, reached_ns: i64) -> u64 {
        self.rows.unsorted(reached_ns)
    }

    fn requests(&self, py: Python<'_>, first: i64) -> PyResult<PyArrowType<RecordBatch>> {
        py.detach(|| self.rows.requests(first)).map(PyArrowType).map_err(refused)
    }

    fn table(
        &mut self,
        py: Python<'_>,
        mut keys: PyRefMut<'_, KeyNumbers>,
        first_seq: i64,
        zero_ns: i64,
        operations: BTreeMap<u16, i32>,
        tenants: BTreeMap<u16, i32>,
    ) -> PyResult<PyArrowType<RecordBatch>> {
        let (rows, keys) = (&mut self.rows, &mut keys.keys);
        let batch = py.detach(|| rows.table(keys, first_seq, zero_ns, &operations, &tenants));
        batch.map(PyArrowType).map_err(refused)
    }
}
