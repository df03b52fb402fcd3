//! A parallel file system: `iotrace_core::simulate::parallel_fs` for Python.

use crate::disk::Drive;
use crate::given::{chosen, refused};
use arrow_array::ffi_stream::ArrowArrayStreamReader;
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::simulate::parallel_fs::{
    ClaimOrder, FirstDisk, Prefetch, ProgramBuilder, Progress, Replacement, Service, Settings, Simulator,
    Tables, WritePolicy,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::Arc;
use std::time::Duration;

const POLICIES: [(&str, WritePolicy); 4] = [
    ("WriteThru", WritePolicy::WriteThru),
    ("WriteBack", WritePolicy::WriteBack),
    ("WriteFree", WritePolicy::WriteFree),
    ("WriteFull", WritePolicy::WriteFull),
];
const REPLACEMENTS: [(&str, Replacement); 3] = [
    ("toss-immediately", Replacement::TossImmediately),
    ("lru", Replacement::Lru),
    ("fifo", Replacement::Fifo),
];
const PREFETCHES: [(&str, Prefetch); 3] =
    [("none", Prefetch::None), ("one-block", Prefetch::OneBlock), ("portion", Prefetch::Portion)];
const CLAIM_ORDERS: [(&str, ClaimOrder); 2] = [("random", ClaimOrder::Random), ("fifo", ClaimOrder::Fifo)];
const FIRST_DISKS: [(&str, FirstDisk); 2] = [("zero", FirstDisk::Zero), ("file", FirstDisk::File)];

/// A setting's value; the error names the setting.
fn taken<'a, 'py, T: FromPyObject<'a, 'py>>(what: &str, given: &'a Bound<'py, PyAny>) -> PyResult<T> {
    given.extract().map_err(|_| {
        let shown = given.repr().map(|text| text.to_string());
        PyValueError::new_err(format!("{what} cannot be {}", shown.unwrap_or_default()))
    })
}

/// The value of a name that was given as text.
fn named<T: Copy>(what: &str, given: &Bound<'_, PyAny>, values: &[(&str, T)]) -> PyResult<T> {
    chosen(what, &taken::<String>(what, given)?, values)
}

/// The settings that a dictionary names; what it does not name is as in the paper's base.
fn settings(given: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let mut settings = Settings::base();
    let mut drive = None;
    for (name, value) in given {
        let name: String = name.extract()?;
        let overheads = &mut settings.overheads;
        match name.as_str() {
            "block_bytes" => settings.block_bytes = taken(&name, &value)?,
            "disks" => settings.disks = taken(&name, &value)?,
            "stripe_blocks" => settings.stripe_blocks = taken(&name, &value)?,
            "first_disk" => settings.first_disk = named(&name, &value, &FIRST_DISKS)?,
            "service_ns" => {
                let service_ns = taken(&name, &value)?;
                settings.service = Service::Constant { service_ns };
            }
            "drive" => {
                let given: Option<PyRef<'_, Drive>> = value.extract()?;
                drive = given.map(|drive| Arc::clone(&drive.inner));
            }
            "buffers" => settings.buffers = taken(&name, &value)?,
            "write_policy" => settings.write_policy = named(&name, &value, &POLICIES)?,
            "replacement" => settings.replacement = named(&name, &value, &REPLACEMENTS)?,
            "claim_order" => settings.claim_order = named(&name, &value, &CLAIM_ORDERS)?,
            "prefetch" => settings.prefetch = named(&name, &value, &PREFETCHES)?,
            "writes_while_writing" => settings.writes_while_writing = taken(&name, &value)?,
            "files_exist" => settings.files_exist = taken(&name, &value)?,
            "seed" => settings.seed = taken(&name, &value)?,
            "windows" => settings.windows = taken(&name, &value)?,
            "log" => settings.log = taken(&name, &value)?,
            "jitter_ns" => overheads.jitter_ns = taken(&name, &value)?,
            "read_management_ns" => overheads.read_management_ns = taken(&name, &value)?,
            "write_management_ns" => overheads.write_management_ns = taken(&name, &value)?,
            "disk_request_ns" => overheads.disk_request_ns = taken(&name, &value)?,
            "copy_ns_per_kbyte" => overheads.copy_ns_per_kbyte = taken(&name, &value)?,
            "copy_piece_bytes" => overheads.copy_piece_bytes = taken(&name, &value)?,
            "spread_permille" => overheads.spread_permille = taken(&name, &value)?,
            _ => return Err(PyValueError::new_err(format!("there is no setting {name:?}"))),
        }
    }
    if let Some(drive) = drive {
        settings.service = Service::Drive(drive);
    }
    Ok(settings)
}

/// A program, to be run on any parallel file system; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native", frozen)]
pub struct ParallelProgram {
    simulator: Simulator,
}

/// Totals, processes, windows and log.
type Handed =
    (PyArrowType<RecordBatch>, PyArrowType<RecordBatch>, PyArrowType<RecordBatch>, PyArrowType<RecordBatch>);

/// How often Python is asked whether to go on, and told how far it is.
const BREATH: Duration = Duration::from_millis(50);

#[pymethods]
impl ParallelProgram {
    #[new]
    fn new(
        py: Python<'_>,
        records: PyArrowType<ArrowArrayStreamReader>,
        application_of: Vec<u32>,
    ) -> PyResult<Self> {
        let mut builder = ProgramBuilder::new(application_of).map_err(refused)?;
        for batch in records.0 {
            let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
            py.detach(|| builder.push(&batch)).map_err(refused)?;
        }
        let program = py.detach(|| builder.finish());
        Ok(ParallelProgram { simulator: Simulator::new(program) })
    }

    #[getter]
    fn processes(&self) -> u32 {
        self.simulator.program().processes()
    }

    #[getter]
    fn records(&self) -> usize {
        self.simulator.program().records()
    }

    #[pyo3(signature = (settings, *, threads=1, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        settings: Vec<Bound<'_, PyDict>>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Handed> {
        let settings: PyResult<Vec<_>> = settings.iter().map(self::settings).collect();
        let settings = settings?;
        let counter = Progress::default();
        let mut interrupted: PyResult<()> = Ok(());
        let outcomes = py.detach(|| {
            let (sender, receiver) = channel();
            std::thread::scope(|scope| {
                let (simulator, counter) = (&self.simulator, &counter);
                let settings = &settings;
                scope.spawn(move || {
                    // nobody hears it where this thread has been given up
                    let _ = sender.send(simulator.run(settings, threads, counter));
                });
                loop {
                    match receiver.recv_timeout(BREATH) {
                        Ok(outcomes) => return outcomes,
                        Err(RecvTimeoutError::Disconnected) => return simulator.run(&[], 1, counter),
                        Err(RecvTimeoutError::Timeout) if interrupted.is_ok() => {
                            interrupted = Python::attach(|py| {
                                py.check_signals()?;
                                if let Some(progress) = &progress {
                                    progress.call1(py, (counter.done(),))?;
                                }
                                Ok(())
                            });
                            if interrupted.is_err() {
                                counter.stop();
                            }
                        }
                        Err(RecvTimeoutError::Timeout) => {}
                    }
                }
            })
        });
        interrupted?;
        let outcomes = outcomes.map_err(refused)?;
        if let Some(progress) = &progress {
            progress.call1(py, (counter.done(),))?;
        }
        let tables = py.detach(|| Tables::of(&outcomes));
        let tables = tables.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((
            PyArrowType(tables.totals),
            PyArrowType(tables.processes),
            PyArrowType(tables.windows),
            PyArrowType(tables.log),
        ))
    }
}
