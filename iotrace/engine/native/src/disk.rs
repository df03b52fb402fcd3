//! Drives: `iotrace_core::simulate::disk` for Python.

use crate::given::{self, refused};
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int64Type, UInt64Type};
use arrow_array::RecordBatch;
use arrow_array::{make_array, Array, PrimitiveArray};
use arrow_data::ArrayData;
use arrow_pyarrow::PyArrowType;
use iotrace_core::columns::Table;
use iotrace_core::simulate::disk::{self, Request, LONGEST_PAUSE_NS, MOST_BLOCKS};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The largest values of requests in a closed loop; documented in native.pyi.
#[pyfunction]
pub fn closed_loop_limits() -> BTreeMap<&'static str, u64> {
    BTreeMap::from([("blocks", MOST_BLOCKS), ("after_ns", LONGEST_PAUSE_NS.unsigned_abs())])
}

/// A drive, immutable; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native", frozen)]
pub struct Drive {
    pub inner: Arc<disk::Drive>,
}

#[pymethods]
impl Drive {
    #[new]
    fn new(description: &str) -> PyResult<Self> {
        let drive = disk::Drive::described(given::settings(description)?).map_err(refused)?;
        Ok(Drive { inner: Arc::new(drive) })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    #[getter]
    fn blocks(&self) -> u64 {
        self.inner.geometry.blocks()
    }

    #[getter]
    fn cylinders(&self) -> u32 {
        self.inner.geometry.cylinders()
    }

    #[getter]
    fn surfaces(&self) -> u32 {
        self.inner.geometry.surfaces()
    }

    #[getter]
    fn revolution_ns(&self) -> i64 {
        self.inner.rotation.revolution_ns()
    }

    fn place(&self, lbn: u64) -> PyResult<(u32, u32, u32)> {
        self.check(lbn)?;
        let place = self.inner.geometry.place(lbn);
        Ok((place.cylinder, place.surface, place.sector))
    }

    fn blocks_of_track(&self, track: u32) -> PyResult<(u64, u64)> {
        let tracks = self.cylinders() * self.surfaces();
        if track >= tracks {
            return Err(refused(format!("the drive has {tracks} tracks")));
        }
        let range = self.inner.geometry.blocks_of_track(track);
        Ok((range.start, range.end))
    }

    fn sector_starts_ns(&self, lbn: u64, from_ns: i64) -> PyResult<i64> {
        self.check(lbn)?;
        let place = self.inner.geometry.place(lbn);
        Ok(self.inner.sector_starts_ns(place, from_ns))
    }

    fn seek_ns(&self) -> Vec<i64> {
        self.inner.seek.times_ns().to_vec()
    }

    fn closed_loop(
        &self,
        py: Python<'_>,
        lbn: PyArrowType<ArrayData>,
        blocks: PyArrowType<ArrayData>,
        write: PyArrowType<ArrayData>,
        after_ns: PyArrowType<ArrayData>,
    ) -> PyResult<PyArrowType<RecordBatch>> {
        let (lbn, blocks) = (column::<UInt64Type>(lbn, "lbn")?, column::<UInt64Type>(blocks, "blocks")?);
        let after_ns = column::<Int64Type>(after_ns, "after_ns")?;
        let write = make_array(write.0);
        let write = write
            .as_boolean_opt()
            .filter(|write| write.null_count() == 0)
            .ok_or_else(|| refused("write: must be bool without nulls"))?
            .clone();
        let rows = lbn.len();
        if blocks.len() != rows || write.len() != rows || after_ns.len() != rows {
            return Err(refused("the columns must have the same length"));
        }
        let requests = (0..rows).map(|row| Request {
            lbn: lbn.value(row),
            blocks: blocks.value(row),
            write: write.value(row),
            after_ns: after_ns.value(row),
        });
        let drive = Arc::clone(&self.inner);
        let served = py.detach(|| disk::closed_loop(drive, requests)).map_err(|row| {
            refused(format!(
                "row {row}: a request has 1 to {MOST_BLOCKS} blocks, all on the drive, 0 to {LONGEST_PAUSE_NS} ns after the last"
            ))
        })?;
        type Part = fn(&(i64, disk::Service)) -> i64;
        let parts: [(&str, Part); 6] = [
            ("time_ns", |(arrival_ns, _)| *arrival_ns),
            ("service_ns", |(arrival_ns, one)| one.end_ns - arrival_ns),
            ("overhead_ns", |(_, one)| one.overhead_ns),
            ("seek_ns", |(_, one)| one.seek_ns),
            ("rotation_ns", |(_, one)| one.rotation_ns),
            ("transfer_ns", |(_, one)| one.transfer_ns),
        ];
        let mut table = Table::default();
        for (name, part) in parts {
            table.column(name, served.iter().map(part)).map_err(refused)?;
        }
        Ok(PyArrowType(table.batch().map_err(refused)?))
    }
}

impl Drive {
    fn check(&self, lbn: u64) -> PyResult<()> {
        let blocks = self.blocks();
        match lbn < blocks {
            true => Ok(()),
            false => Err(refused(format!("the drive has {blocks} blocks, 0 to {}", blocks - 1))),
        }
    }
}

/// A column of numbers, none of them null.
fn column<T: ArrowPrimitiveType>(array: PyArrowType<ArrayData>, name: &str) -> PyResult<PrimitiveArray<T>> {
    let array = make_array(array.0);
    array
        .as_primitive_opt::<T>()
        .filter(|array| array.null_count() == 0)
        .cloned()
        .ok_or_else(|| refused(format!("{name}: must be {} without nulls", T::DATA_TYPE)))
}
