//! Tables as Parquet files: `iotrace_core::parquet` for Python.

use crate::given::refused;
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use arrow_schema::Schema;
use iotrace_core::parquet::{Codec, Encoder, Encoding, Form, Layout};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Encodes a file; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct ParquetEncoder(Encoder);

/// Where a file's row groups are; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native", frozen)]
pub struct ParquetLayout(Layout);

#[pymethods]
impl ParquetLayout {
    #[new]
    fn new(footer: &[u8]) -> PyResult<Self> {
        Layout::read(footer).map(ParquetLayout).map_err(refused)
    }

    fn groups(&self) -> Vec<(u64, u64, usize)> {
        self.0.groups()
    }
}

#[pymethods]
impl ParquetEncoder {
    #[new]
    fn new(
        schema: PyArrowType<Schema>,
        forms: Vec<(String, String, bool)>,
        metadata: Vec<(Vec<u8>, Vec<u8>)>,
    ) -> PyResult<Self> {
        let forms: Vec<Form> = forms.into_iter().map(form).collect::<PyResult<_>>()?;
        Encoder::new(&schema.0, &forms, metadata).map(ParquetEncoder).map_err(refused)
    }

    fn row_group<'py>(
        &mut self,
        py: Python<'py>,
        batch: PyArrowType<RecordBatch>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let encoder = &mut self.0;
        let bytes = py.detach(|| encoder.row_group(&batch.0)).map_err(refused)?;
        Ok(PyBytes::new(py, bytes))
    }

    #[pyo3(signature = (layout, number, stored, newer=None))]
    fn amended_group<'py>(
        &mut self,
        py: Python<'py>,
        layout: &ParquetLayout,
        number: usize,
        stored: &[u8],
        newer: Option<PyArrowType<RecordBatch>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let newer = newer.as_ref().map(|batch| &batch.0);
        let encoder = &mut self.0;
        let bytes = py.detach(|| encoder.amended_group(&layout.0, number, stored, newer)).map_err(refused)?;
        Ok(PyBytes::new(py, bytes))
    }

    fn end<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.end())
    }
}

fn form((codec, encoding, has_statistics): (String, String, bool)) -> PyResult<Form> {
    let unknown = |word| PyValueError::new_err(format!("unknown form of a column: {word}"));
    let codec = match codec.as_str() {
        "lz4" => Codec::Lz4,
        "zstd" => Codec::Zstd,
        _ => return Err(unknown(codec)),
    };
    let encoding = match encoding.as_str() {
        "plain" => Encoding::Plain,
        "differences" => Encoding::Differences,
        "dictionary" => Encoding::Dictionary,
        _ => return Err(unknown(encoding)),
    };
    Ok(Form { codec, encoding, has_statistics })
}
