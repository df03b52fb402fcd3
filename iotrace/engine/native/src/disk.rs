//! Drives: `iotrace_core::disk` for Python.

use iotrace_core::disk::{self, Geometry, Parameters, SeekCurve, SeekForm, Sparing, Zone};
use pyo3::exceptions::PyValueError;
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
    track_skew: u32,
    cylinder_skew: u32,
    first_sector_offset: u32,
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

impl From<ZoneGiven> for Zone {
    fn from(given: ZoneGiven) -> Self {
        Zone {
            first_cylinder: given.first_cylinder,
            last_cylinder: given.last_cylinder,
            sectors_per_track: given.sectors_per_track,
            spares: given.spares,
            empty_sectors: given.empty_sectors,
            track_skew: given.track_skew,
            cylinder_skew: given.cylinder_skew,
            first_sector_offset: given.first_sector_offset,
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
            SeekGiven::TwoPiece((split, a, b, c, e, first)) => SeekForm::TwoPiece {
                split,
                a,
                b,
                c,
                e,
                first,
            },
        }
    }
}

fn sparing(name: &str) -> PyResult<Sparing> {
    match name {
        "zone" => Ok(Sparing::Zone),
        "track" => Ok(Sparing::Track),
        "cylinder" => Ok(Sparing::Cylinder),
        "cylinder-front" => Ok(Sparing::CylinderFront),
        "whole-tracks" => Ok(Sparing::WholeTracks),
        _ => Err(refused(format!(
            "sparing: is zone, track, cylinder, cylinder-front or whole-tracks, not {name:?}"
        ))),
    }
}

fn refused(why: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}

#[pymethods]
impl Drive {
    #[new]
    #[pyo3(signature = (name, *, surfaces, sparing, serpentine, zones, rpm, seek, head_switch_ns, write_settle_ns, read_overhead_ns, write_overhead_ns))]
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
        read_overhead_ns: i64,
        write_overhead_ns: i64,
    ) -> PyResult<Self> {
        let sparing = self::sparing(sparing)?;
        let zones = zones.into_iter().map(Zone::from).collect();
        let geometry = Geometry::new(surfaces, sparing, serpentine, zones).map_err(refused)?;
        let seek = SeekCurve::new(&seek.into(), geometry.cylinders())
            .map_err(|why| refused(format!("seek: {why}")))?;
        let parameters = Parameters {
            head_switch_ns,
            write_settle_ns,
            read_overhead_ns,
            write_overhead_ns,
        };
        let drive = disk::Drive::new(name, geometry, rpm, seek, parameters).map_err(refused)?;
        Ok(Drive {
            inner: Arc::new(drive),
        })
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
}

impl Drive {
    fn check(&self, lbn: u64) -> PyResult<()> {
        let blocks = self.blocks();
        match lbn < blocks {
            true => Ok(()),
            false => Err(refused(format!(
                "the drive has {blocks} blocks, 0 to {}",
                blocks - 1
            ))),
        }
    }
}
