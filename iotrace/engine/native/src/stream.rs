//! Simulators of caches over a stream of references: `iotrace_core::cache` for Python.

use crate::given::{refused, settings, to_python, words};
use crate::policies::choice_of_files;
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::cache::disk_accesses;
use iotrace_core::cache::nonvolatile::{self, Settings, WritePolicy};
use iotrace_core::cache::partition::AdaptivePartition;
use iotrace_core::cache::policies;
use iotrace_core::cache::stack_distance::Pricing;
use iotrace_core::cache::write_backs;
use iotrace_core::cache::StreamSimulator as Simulator;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Caches, until the end of their stream; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct StreamSimulator(Option<Box<dyn Simulator>>);

impl StreamSimulator {
    fn of(simulator: impl Simulator + 'static) -> Self {
        StreamSimulator(Some(Box::new(simulator)))
    }
}

/// Caches of chosen policies and sizes; documented in native.pyi.
#[pyfunction]
#[pyo3(signature = (options, choices, *, protected_percent=75, threads=1))]
pub fn policy_simulator(
    options: &str,
    choices: Vec<(String, u32)>,
    protected_percent: u32,
    threads: usize,
) -> PyResult<StreamSimulator> {
    let choices =
        choices.iter().map(|(policy, size_blocks)| choice_of_files(policy, *size_blocks, protected_percent));
    let choices = choices.collect::<PyResult<Vec<_>>>()?;
    let simulator = policies::Simulator::new(settings(options)?, &choices, threads).map_err(refused)?;
    Ok(StreamSimulator::of(simulator))
}

/// Caches that fetch ahead and coalesce writes; documented in native.pyi.
#[pyfunction]
#[pyo3(signature = (options, caches, sizes_blocks, *, threads=1))]
pub fn disk_access_simulator(
    options: &str,
    caches: &str,
    sizes_blocks: Vec<u32>,
    threads: usize,
) -> PyResult<StreamSimulator> {
    let (options, caches) = (settings(options)?, settings(caches)?);
    let simulator =
        disk_accesses::Simulator::new(options, caches, &sizes_blocks, threads).map_err(refused)?;
    Ok(StreamSimulator::of(simulator))
}

/// What caches write to the disk; documented in native.pyi.
#[pyfunction]
#[pyo3(signature = (options, sizes_blocks, *, threads=1))]
pub fn write_back_simulator(
    options: &str,
    sizes_blocks: Vec<u32>,
    threads: usize,
) -> PyResult<StreamSimulator> {
    let simulator =
        write_backs::Simulator::new(settings(options)?, &sizes_blocks, threads).map_err(refused)?;
    Ok(StreamSimulator::of(simulator))
}

/// The names of write policies; documented in native.pyi.
#[pyfunction]
pub fn nonvolatile_write_policies() -> Vec<&'static str> {
    words::<WritePolicy>()
}

/// Caches with a non-volatile part; documented in native.pyi.
#[pyfunction]
#[pyo3(signature = (options, choices, *, threads=1))]
pub fn nonvolatile_simulator(options: &str, choices: &str, threads: usize) -> PyResult<StreamSimulator> {
    let choices: Vec<Settings> = settings(choices)?;
    let simulator = nonvolatile::Simulator::new(settings(options)?, &choices, threads).map_err(refused)?;
    Ok(StreamSimulator::of(simulator))
}

/// Caches whose parts grow and shrink; documented in native.pyi.
#[pyfunction]
pub fn adaptive_partitions(options: &str, partitions: &str) -> PyResult<StreamSimulator> {
    let partitions = AdaptivePartition::new(&settings(options)?, settings(partitions)?).map_err(refused)?;
    Ok(StreamSimulator::of(partitions))
}

#[pymethods]
impl StreamSimulator {
    fn push(&mut self, py: Python<'_>, references: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = references.0;
        let simulator = self.0.as_mut().ok_or_else(ended)?;
        py.detach(|| simulator.push(&batch)).map_err(refused)
    }

    fn tally<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let simulator = self.0.as_ref().ok_or_else(ended)?;
        let counts = to_python(py, &simulator.tally())?;
        for (name, count) in simulator.counts() {
            counts.set_item(name, count)?;
        }
        Ok(counts)
    }

    #[pyo3(signature = (*, overhead_ns, transfer_ns_per_kb))]
    fn finish(
        &mut self,
        py: Python<'_>,
        overhead_ns: i64,
        transfer_ns_per_kb: i64,
    ) -> PyResult<PyArrowType<RecordBatch>> {
        let simulator = self.0.take().ok_or_else(ended)?;
        let pricing = Pricing { overhead_ns, transfer_ns_per_kb };
        let batch = py.detach(|| simulator.finish(pricing)).map_err(refused)?;
        Ok(PyArrowType(batch))
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("the stream has ended")
}
