//! Drives: `iotrace_core::simulate::disk` for Python.

use crate::given::refused;
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int64Type, UInt64Type};
use arrow_array::RecordBatch;
use arrow_array::{make_array, Array, PrimitiveArray};
use arrow_data::ArrayData;
use arrow_pyarrow::PyArrowType;
use iotrace_core::columns::Table;
use iotrace_core::simulate::disk::{
    self, Geometry, OnBoardBuffer, Overheads, Parameters, ReadAhead, Reporting, Request, SeekCurve, SeekForm,
    Sparing, WriteDisconnect, Zone,
};
use pyo3::prelude::*;
use std::sync::Arc;

/// A drive, immutable; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native", frozen)]
pub struct Drive {
    pub inner: Arc<disk::Drive>,
}

/// One zone as Python describes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ZoneGiven {
    first_cylinder: u32,
    last_cylinder: u32,
    sectors_per_track: u32,
    spares: u32,
    empty_sectors: u64,
    track_skew_thousandths: u32,
    cylinder_skew_thousandths: u32,
    first_sector_offset_thousandths: u32,
    slips: Vec<u64>,
    remapped: Vec<(u64, u64)>,
}

/// A seek curve as Python describes it.
#[derive(FromPyObject)]
enum SeekGiven {
    Table(Vec<(u32, f64)>),
    #[pyo3(transparent)]
    SquareRoot((f64, f64, f64)),
    #[pyo3(transparent)]
    TwoPiece((u32, f64, f64, f64, f64, Vec<f64>)),
}

/// Overheads as Python describes them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct OverheadsGiven {
    read_after_read_ns: i64,
    read_after_write_ns: i64,
    read_hit_after_read_ns: i64,
    read_hit_after_write_ns: i64,
    write_after_read_ns: i64,
    write_after_write_ns: i64,
    read_reconnection_ns: i64,
    read_completion_ns: i64,
    write_completion_ns: i64,
}

/// A buffer as Python describes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct BufferGiven {
    segments: u32,
    segment_blocks: u32,
    read_ahead: String,
    most_read_ahead_blocks: u32,
    least_read_ahead_blocks: u32,
    hits_next_block: bool,
    reconnect_percent: u32,
    holds_bus: bool,
    read_ahead_on_hit: bool,
    stops_in_sector: bool,
    zero_latency_reads: bool,
    separate_write_segment: bool,
    reads_hit_writes: bool,
    reporting: String,
}

impl From<OverheadsGiven> for Overheads {
    fn from(given: OverheadsGiven) -> Self {
        Overheads {
            read_after_read_ns: given.read_after_read_ns,
            read_after_write_ns: given.read_after_write_ns,
            read_hit_after_read_ns: given.read_hit_after_read_ns,
            read_hit_after_write_ns: given.read_hit_after_write_ns,
            write_after_read_ns: given.write_after_read_ns,
            write_after_write_ns: given.write_after_write_ns,
            read_reconnection_ns: given.read_reconnection_ns,
            read_completion_ns: given.read_completion_ns,
            write_completion_ns: given.write_completion_ns,
        }
    }
}

impl TryFrom<BufferGiven> for OnBoardBuffer {
    type Error = PyErr;

    fn try_from(given: BufferGiven) -> PyResult<Self> {
        let read_ahead = match given.read_ahead.as_str() {
            "none" => ReadAhead::No,
            "track" => ReadAhead::Track,
            "next-track" => ReadAhead::NextTrack,
            "cylinder" => ReadAhead::Cylinder,
            "segment" => ReadAhead::Segment,
            other => {
                return Err(refused(format!(
                    "buffer.read_ahead: is none, track, next-track, cylinder or segment, not {other:?}"
                )))
            }
        };
        let reporting = match given.reporting.as_str() {
            "medium" => Reporting::Medium,
            "sequential" => Reporting::Sequential,
            "buffer" => Reporting::Buffer,
            other => {
                return Err(refused(format!(
                    "buffer.reporting: is medium, sequential or buffer, not {other:?}"
                )))
            }
        };
        Ok(OnBoardBuffer {
            segments: given.segments,
            segment_blocks: given.segment_blocks,
            read_ahead,
            most_read_ahead_blocks: given.most_read_ahead_blocks,
            least_read_ahead_blocks: given.least_read_ahead_blocks,
            hits_next_block: given.hits_next_block,
            reconnect_percent: given.reconnect_percent,
            holds_bus: given.holds_bus,
            read_ahead_on_hit: given.read_ahead_on_hit,
            stops_in_sector: given.stops_in_sector,
            zero_latency_reads: given.zero_latency_reads,
            separate_write_segment: given.separate_write_segment,
            reads_hit_writes: given.reads_hit_writes,
            reporting,
        })
    }
}

impl From<ZoneGiven> for Zone {
    fn from(given: ZoneGiven) -> Self {
        Zone {
            first_cylinder: given.first_cylinder,
            last_cylinder: given.last_cylinder,
            sectors_per_track: given.sectors_per_track,
            spares: given.spares,
            empty_sectors: given.empty_sectors,
            track_skew_thousandths: given.track_skew_thousandths,
            cylinder_skew_thousandths: given.cylinder_skew_thousandths,
            first_sector_offset_thousandths: given.first_sector_offset_thousandths,
            slips: given.slips,
            remapped: given.remapped,
        }
    }
}

impl From<SeekGiven> for SeekForm {
    fn from(given: SeekGiven) -> Self {
        match given {
            SeekGiven::Table(points) => SeekForm::Table(points),
            SeekGiven::SquareRoot((a, b, c)) => SeekForm::SquareRoot { a, b, c },
            SeekGiven::TwoPiece((split, a, b, c, e, first)) => {
                SeekForm::TwoPiece { split, a, b, c, e, first }
            }
        }
    }
}

fn sparing(name: &str, range_cylinders: u32) -> PyResult<Sparing> {
    match name {
        "zone" => Ok(Sparing::Zone),
        "track" => Ok(Sparing::Track),
        "cylinder" => Ok(Sparing::Cylinder),
        "cylinder-front" => Ok(Sparing::CylinderFront),
        "cylinder-to-end" => Ok(Sparing::CylinderToEnd),
        "cylinder-range" => Ok(Sparing::CylinderRange(range_cylinders)),
        "whole-tracks" => Ok(Sparing::WholeTracks),
        _ => Err(refused(format!(
            "sparing: is zone, track, cylinder, cylinder-front, cylinder-to-end, cylinder-range or whole-tracks, not {name:?}"
        ))),
    }
}

#[pymethods]
impl Drive {
    #[new]
    #[pyo3(signature = (name, *, surfaces, sparing, serpentine, zones, rpm, seek, head_switch_ns, write_settle_ns, overheads, range_cylinders=1, least_write_seek_ns=0, write_disconnect_ns=None, bus_read_block_ns=0, bus_write_block_ns=0, buffer=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        name: &str,
        surfaces: u32,
        sparing: &str,
        serpentine: bool,
        zones: Vec<ZoneGiven>,
        rpm: u32,
        seek: SeekGiven,
        head_switch_ns: i64,
        write_settle_ns: i64,
        overheads: OverheadsGiven,
        range_cylinders: u32,
        least_write_seek_ns: i64,
        write_disconnect_ns: Option<(i64, i64, i64, i64)>,
        bus_read_block_ns: i64,
        bus_write_block_ns: i64,
        buffer: Option<BufferGiven>,
    ) -> PyResult<Self> {
        let sparing = self::sparing(sparing, range_cylinders)?;
        let zones = zones.into_iter().map(Zone::from).collect();
        let geometry = Geometry::new(surfaces, sparing, serpentine, zones).map_err(refused)?;
        let seek = SeekCurve::new(&seek.into(), geometry.cylinders())
            .map_err(|why| refused(format!("seek: {why}")))?;
        let parameters = Parameters {
            head_switch_ns,
            write_settle_ns,
            least_write_seek_ns,
            overheads: overheads.into(),
            write_disconnect: write_disconnect_ns.map(
                |(command_ns, seek_delay_ns, data_delay_ns, completion_ns)| WriteDisconnect {
                    command_ns,
                    seek_delay_ns,
                    data_delay_ns,
                    completion_ns,
                },
            ),
            bus_read_block_ns,
            bus_write_block_ns,
            buffer: buffer.map(OnBoardBuffer::try_from).transpose()?,
        };
        let drive = disk::Drive::new(name, geometry, rpm, seek, parameters).map_err(refused)?;
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
            .ok_or_else(|| refused("write: is bool, none of it null"))?
            .clone();
        let rows = lbn.len();
        if blocks.len() != rows || write.len() != rows || after_ns.len() != rows {
            return Err(refused("the columns are of the same length"));
        }
        let requests = (0..rows).map(|row| Request {
            lbn: lbn.value(row),
            blocks: blocks.value(row),
            write: write.value(row),
            after_ns: after_ns.value(row),
        });
        let drive = Arc::clone(&self.inner);
        let served = py
            .detach(|| disk::closed_loop(drive, requests))
            .map_err(|row| refused(format!("row {row}: is no request for this drive")))?;
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
        .ok_or_else(|| refused(format!("{name}: is {}, none of it null", T::DATA_TYPE)))
}
