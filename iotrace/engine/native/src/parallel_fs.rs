//! A parallel file system: `iotrace_core::simulate::parallel_fs` for Python.

use crate::disk::Drive;
use crate::given::{self, refused, words};
use arrow_array::ffi_stream::ArrowArrayStreamReader;
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::simulate::parallel_fs::{
    ClaimOrder, FirstDisk, Prefetch, ProgramBuilder, Progress, Replacement, Service, Settings, Simulator,
    Tables, WritePolicy, MOST_BUFFERS, MOST_DISKS, MOST_FILES, MOST_PROCESSES,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::Arc;
use std::time::Duration;

/// The names of the values of each enum setting; documented in native.pyi.
#[pyfunction]
pub fn parallel_words() -> BTreeMap<&'static str, Vec<&'static str>> {
    BTreeMap::from([
        ("policy", words::<WritePolicy>()),
        ("replacement", words::<Replacement>()),
        ("prefetch", words::<Prefetch>()),
        ("first_disk", words::<FirstDisk>()),
        ("claim_order", words::<ClaimOrder>()),
    ])
}

/// The most processes and files, and the largest values of settings; documented in native.pyi.
#[pyfunction]
pub fn parallel_limits() -> BTreeMap<&'static str, u64> {
    BTreeMap::from([
        ("processes", MOST_PROCESSES.into()),
        ("files", MOST_FILES as u64),
        ("disks", MOST_DISKS.into()),
        ("buffers", MOST_BUFFERS.into()),
    ])
}

/// A program, to be run on any parallel file system; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native", frozen)]
pub struct ParallelProgram {
    simulator: Simulator,
}

/// Totals, processes, windows and log.
type Handed =
    (PyArrowType<RecordBatch>, PyArrowType<RecordBatch>, PyArrowType<RecordBatch>, PyArrowType<RecordBatch>);

/// The interval at which Python is asked whether to continue, and receives the progress.
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

    #[pyo3(signature = (settings, *, drives=None, threads=1, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        settings: &str,
        drives: Option<Vec<Option<PyRef<'_, Drive>>>>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Handed> {
        let mut settings: Vec<Settings> = given::settings(settings)?;
        for (one, drive) in settings.iter_mut().zip(drives.into_iter().flatten()) {
            if let Some(drive) = drive {
                one.service = Service::Drive(Arc::clone(&drive.inner));
            }
        }
        let counter = Progress::default();
        let mut interrupted: PyResult<()> = Ok(());
        let outcomes = py.detach(|| {
            let (sender, receiver) = channel();
            std::thread::scope(|scope| {
                let (simulator, counter) = (&self.simulator, &counter);
                let settings = &settings;
                scope.spawn(move || {
                    // no receiver is left if this thread was abandoned
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
