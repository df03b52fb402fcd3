//! Write caches on a disk: `iotrace_core::write_cache` for Python.

use crate::disk::Drive;
use crate::given::{chosen, refused};
use iotrace_core::write_cache::{
    Admission, Discipline, Memories, Piggyback, Purging, Replay, Settings, Simulator, Unit, Victim,
    WriteEffect,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use std::sync::Arc;

/// What a controller does, as Python describes it: an object with these attributes; thresholds in thousandths of a
/// percent.
#[derive(FromPyObject)]
struct Given {
    read_blocks: u32,
    write_blocks: u32,
    is_single: bool,
    is_partitioned: bool,
    disks: u32,
    unit: String,
    piggyback: String,
    victim: String,
    purging: String,
    high: u32,
    low: u32,
    interval: u64,
    low_share: u32,
    write_effect: String,
    admission: String,
    forced_go_through: bool,
    discipline: String,
    replay: String,
}

impl Given {
    fn settings(&self) -> PyResult<Settings> {
        let (high, low) = (self.high, self.low);
        let dynamic = Purging::Dynamic {
            high,
            low,
            interval: self.interval.max(1),
            low_share: self.low_share,
        };
        let purging = [
            ("thresholds", Purging::Thresholds { high, low }),
            ("dynamic", dynamic),
            ("linear", Purging::Linear { high, low }),
        ];
        let units = [("track", Unit::Track), ("cylinder", Unit::Cylinder)];
        let piggybacks = [
            ("none", Piggyback::None),
            ("free", Piggyback::Free),
            ("full", Piggyback::Full),
        ];
        let victims = [
            ("most-dirty", Victim::MostDirty),
            ("nearest", Victim::Nearest),
            ("wow", Victim::Wow),
        ];
        let effects = [
            ("purge", WriteEffect::Purge),
            ("update", WriteEffect::Update),
            ("allocate", WriteEffect::Allocate),
        ];
        let admissions = [("blocks", Admission::Blocks), ("whole", Admission::Whole)];
        let disciplines = [
            ("fifo", Discipline::Fifo),
            ("sstf", Discipline::Sstf),
            ("look", Discipline::Look),
            ("c-look", Discipline::CLook),
            ("sptf", Discipline::Sptf),
        ];
        let replays = [("open", Replay::Open), ("closed", Replay::Closed)];
        let memories = match self.is_single {
            true => Memories::Single {
                blocks: self.write_blocks,
            },
            false => Memories::Separate {
                read: self.read_blocks,
                write: self.write_blocks,
            },
        };
        Ok(Settings {
            memories,
            partitioned: self.is_partitioned,
            disks: self.disks,
            unit: chosen("unit", &self.unit, &units)?,
            piggyback: chosen("piggyback", &self.piggyback, &piggybacks)?,
            victim: chosen("victim", &self.victim, &victims)?,
            purging: chosen("purging", &self.purging, &purging)?,
            forced_go_through: self.forced_go_through,
            write_effect: chosen("write_effect", &self.write_effect, &effects)?,
            admission: chosen("admission", &self.admission, &admissions)?,
            discipline: chosen("discipline", &self.discipline, &disciplines)?,
            replay: chosen("replay", &self.replay, &replays)?,
        })
    }
}

/// Controllers over one stream; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct WriteCacheSimulator {
    simulator: Option<Simulator>,
}

#[pymethods]
impl WriteCacheSimulator {
    #[new]
    #[pyo3(signature = (drive, settings, *, threads=1))]
    fn new(drive: &Drive, settings: Vec<Given>, threads: usize) -> PyResult<Self> {
        let settings: PyResult<Vec<_>> = settings.iter().map(Given::settings).collect();
        let simulator = Simulator::new(Arc::clone(&drive.inner), &settings?, threads);
        Ok(WriteCacheSimulator {
            simulator: Some(simulator.map_err(refused)?),
        })
    }

    fn push(&mut self, py: Python<'_>, requests: PyRecordBatch) -> PyResult<()> {
        let batch = requests.into_inner();
        let simulator = self.simulator.as_mut().ok_or_else(ended)?;
        py.detach(|| simulator.push(&batch)).map_err(refused)
    }

    fn finish(&mut self, py: Python<'_>) -> PyResult<PyRecordBatch> {
        let simulator = self.simulator.take().ok_or_else(ended)?;
        let batch = py.detach(|| simulator.finish()).map_err(refused)?;
        Ok(PyRecordBatch::new(batch))
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("the stream has ended")
}
