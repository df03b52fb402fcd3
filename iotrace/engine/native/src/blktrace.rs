//! Events of the block layer, paired into requests: `iotrace_core::block_trace` for Python.

use crate::given::refused;
use crate::locks::locked;
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::block_trace::{Action, Blktrace, Event, EventNames, Failure, Pairing, WAITING_ROWS};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

/// blktrace's files being read; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct BlktraceRun(Mutex<Blktrace>);

impl BlktraceRun {
    fn run(&self) -> MutexGuard<'_, Blktrace> {
        locked(&self.0)
    }
}

#[pymethods]
impl BlktraceRun {
    #[new]
    fn new(py: Python<'_>, paths: Vec<PathBuf>, read_bytes: usize) -> PyResult<Self> {
        let run = py.detach(|| Blktrace::open(paths, read_bytes)).map_err(failed)?;
        Ok(BlktraceRun(Mutex::new(run)))
    }

    fn progress(&self) -> (u64, u64) {
        self.run().progress()
    }

    fn next(&self, py: Python<'_>, records: u64) -> PyResult<bool> {
        py.detach(|| self.run().next(records)).map_err(failed)
    }

    fn requests(&self, py: Python<'_>) -> PyResult<Option<PyArrowType<RecordBatch>>> {
        let batch = py.detach(|| self.run().requests()).map_err(refused)?;
        Ok(batch.map(PyArrowType))
    }

    fn stacks(&self) -> Vec<(String, String, u64, u64)> {
        self.run().stacks()
    }

    fn counts_by_file(&self) -> Vec<(String, u64, u64)> {
        self.run().counts_by_file()
    }

    fn news<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let news = self.run().news();
        let skipped =
            news.skipped.iter().map(|(record, shown, why)| (*record, PyBytes::new(py, shown), *why));
        let described = PyDict::new(py);
        described.set_item("records", news.records)?;
        described.set_item("remarks", news.remarks)?;
        described.set_item("skipped", skipped.collect::<Vec<_>>())?;
        described.set_item("damage", news.damage)?;
        described.set_item("lost_bytes", news.lost_bytes)?;
        described.set_item("zero_ns", news.zero_ns)?;
        Ok(described)
    }
}

fn failed(failure: Failure) -> PyErr {
    match failure {
        Failure::Input(error) => PyOSError::new_err(error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// Events being paired; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct BlockPairing {
    pairing: Pairing,
    devices: Numbered,
    operations: Numbered,
    flags: Numbered,
    programs: Numbered,
}

/// Names in the order of first sight.
#[derive(Default)]
struct Numbered {
    numbers: HashMap<String, i32>,
    names: Vec<String>,
}

impl Numbered {
    fn number(&mut self, name: &str) -> i32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as i32;
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }
}

/// Time, record, device, action, operation, flags, sector, blocks, process, program, and of a split or remap its second
/// sector, and of a remap its second device.
type Given<'e> =
    (u128, u64, &'e str, &'e str, &'e str, &'e str, u128, u128, u128, Option<&'e str>, u128, Option<&'e str>);

#[pymethods]
impl BlockPairing {
    #[new]
    #[pyo3(signature = (waiting_rows=WAITING_ROWS))]
    fn new(waiting_rows: usize) -> Self {
        BlockPairing {
            pairing: Pairing::new(waiting_rows),
            devices: Numbered::default(),
            operations: Numbered::default(),
            flags: Numbered::default(),
            programs: Numbered::default(),
        }
    }

    fn take(&mut self, events: &Bound<'_, PyAny>) -> PyResult<()> {
        for event in events.try_iter()? {
            let event = event?;
            let (
                time_ns,
                record,
                device,
                action,
                operation,
                flags,
                sector,
                blocks,
                pid,
                program,
                new_sector,
                source,
            ): Given<'_> = event.extract()?;
            let action = action_of(action)?;
            let event = Event {
                time_ns: fitting(time_ns),
                record,
                action,
                device: self.devices.number(device),
                operation: self.operations.number(operation),
                flags: self.flags.number(flags),
                sector: fitting(sector),
                blocks: fitting(blocks),
                pid: i64::try_from(pid).unwrap_or(i64::MAX),
                program: program.map(|name| self.programs.number(name)),
                new_sector: fitting(new_sector),
                source: source.map_or(0, |name| self.devices.number(name)),
            };
            self.pairing.take(&event);
        }
        Ok(())
    }

    fn requests(&mut self, is_last: bool) -> PyResult<Option<PyArrowType<RecordBatch>>> {
        if !self.pairing.advance(is_last) {
            return Ok(None);
        }
        let names = EventNames {
            devices: &self.devices.names,
            operations: &self.operations.names,
            flags: &self.flags.names,
            programs: &self.programs.names,
        };
        Ok(Some(PyArrowType(self.pairing.requests(names).map_err(refused)?)))
    }

    fn stacks(&self) -> Vec<(String, String, u64, u64)> {
        self.pairing.stacks.named(&self.devices.names)
    }

    fn remarks(&mut self) -> Vec<(&'static str, u64)> {
        self.pairing.remarks.take()
    }
}

fn fitting(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn action_of(letter: &str) -> PyResult<Action> {
    match letter {
        "Q" => Ok(Action::Queue),
        "M" | "F" => Ok(Action::Merge),
        "G" => Ok(Action::Allocate),
        "I" => Ok(Action::Insert),
        "D" => Ok(Action::Issue),
        "R" => Ok(Action::Requeue),
        "C" => Ok(Action::Complete),
        "X" => Ok(Action::Split),
        "A" => Ok(Action::Remap),
        other => Err(PyValueError::new_err(format!("there is no action {other:?}"))),
    }
}
