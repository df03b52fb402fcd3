//! Caches on a cluster: `iotrace_core::simulate::cluster` for Python.

use crate::given::{self, refused, word};
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::simulate::cluster::{
    Bits, Components, Network, Outcome, Process, Rule, Settings, Simulator, Subject, HIGHEST_THRESHOLD,
    LARGEST_OFFSET, LONGEST_BYTES, UNBOUNDED,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// The largest values of requests and settings; documented in native.pyi.
#[pyfunction]
pub fn cluster_limits() -> BTreeMap<&'static str, u64> {
    BTreeMap::from([
        ("length", LONGEST_BYTES),
        ("offset", LARGEST_OFFSET),
        ("threshold", HIGHEST_THRESHOLD.into()),
        ("frames", u64::from(UNBOUNDED) - 1),
    ])
}

/// One rule of the bits: phase, is write, is global, file, first segment, end, goes through.
type GivenRule = (Option<u32>, bool, bool, u32, u64, u64, bool);

fn bits_of(rules: Vec<GivenRule>, through_global: bool) -> PyResult<Bits> {
    let rules = rules.into_iter().map(|(phase, is_write, is_global, file, from, to, through)| {
        let subject = Subject { phase, is_write, is_global, file };
        (subject, Rule { from, to, through })
    });
    Bits::new(rules.collect(), through_global).map_err(|subject| {
        let operation = if subject.is_write { "writes" } else { "reads" };
        let level = if subject.is_global { "global" } else { "local" };
        let phase = match subject.phase {
            Some(phase) => format!(" in phase {phase}"),
            None => String::new(),
        };
        PyValueError::new_err(format!(
            "two rows for {operation} of file {} at the {level} level{phase} overlap",
            subject.file
        ))
    })
}

/// Stops simulations from another thread.
#[pyclass(frozen, module = "iotrace.engine.native")]
#[derive(Default)]
pub struct ClusterStop {
    stops: Arc<AtomicBool>,
}

#[pymethods]
impl ClusterStop {
    #[new]
    fn new() -> Self {
        ClusterStop::default()
    }

    fn stop(&self) {
        self.stops.store(true, Ordering::Relaxed);
    }
}

/// A program on a cluster; documented in native.pyi.
#[pyclass(module = "iotrace.engine.native")]
pub struct ClusterSimulator {
    simulator: Option<Simulator>,
    outcome: Option<Outcome>,
}

#[pymethods]
impl ClusterSimulator {
    #[new]
    #[pyo3(signature = (settings, processes, *, bits, clock=None, warm=Vec::new(), stop=None))]
    fn new(
        py: Python<'_>,
        settings: &str,
        processes: Vec<(u32, u32)>,
        bits: (Vec<GivenRule>, bool),
        clock: Option<(String, String)>,
        warm: Vec<PyArrowType<RecordBatch>>,
        stop: Option<PyRef<'_, ClusterStop>>,
    ) -> PyResult<Self> {
        let of = |(application, node)| Process { application, node };
        let processes = processes.into_iter().map(of).collect();
        let costs = match clock {
            Some((costs, network)) => {
                let network: Network = word("network", &network)?;
                Some((given::settings::<Components>(&costs)?, network))
            }
            None => None,
        };
        let settings: Settings = given::settings(settings)?;
        let bits = bits_of(bits.0, bits.1)?;
        let stops = stop.map(|stop| Arc::clone(&stop.stops)).unwrap_or_default();
        let warm: Vec<RecordBatch> = warm.into_iter().map(|batch| batch.0).collect();
        let simulator = py.detach(|| Simulator::new(settings, bits, processes, costs, &warm, stops));
        Ok(ClusterSimulator { simulator: Some(simulator.map_err(refused)?), outcome: None })
    }

    fn push(&mut self, py: Python<'_>, rows: PyArrowType<RecordBatch>) -> PyResult<()> {
        let batch = rows.0;
        let simulator = self.simulator.as_mut().ok_or_else(ended)?;
        py.detach(|| simulator.push(&batch)).map_err(refused)
    }

    fn finish(&mut self, py: Python<'_>) -> PyResult<()> {
        let simulator = self.simulator.take().ok_or_else(ended)?;
        let outcome = py.detach(|| simulator.finish()).map_err(refused)?;
        self.outcome = Some(outcome);
        Ok(())
    }

    fn table(&self, name: &str) -> PyResult<PyArrowType<RecordBatch>> {
        let outcome = self.done()?;
        let batch = match name {
            "counts" => &outcome.counts,
            "requests" => &outcome.requests,
            "resources" => &outcome.resources,
            "processes" => &outcome.processes,
            _ => return Err(PyValueError::new_err(format!("unknown table {name:?}"))),
        };
        Ok(PyArrowType(batch.clone()))
    }

    #[getter]
    fn execution_ns(&self) -> PyResult<Option<i64>> {
        Ok(self.done()?.execution_ns)
    }

    #[getter]
    fn drained_ns(&self) -> PyResult<Option<i64>> {
        Ok(self.done()?.drained_ns)
    }

    #[getter]
    fn distinct_blocks(&self) -> PyResult<u64> {
        Ok(self.done()?.distinct_blocks)
    }

    #[getter]
    fn thresholds(&self) -> PyResult<Option<(u32, u32)>> {
        Ok(self.done()?.thresholds)
    }
}

impl ClusterSimulator {
    fn done(&self) -> PyResult<&Outcome> {
        self.outcome.as_ref().ok_or_else(|| PyValueError::new_err("the simulation has not ended"))
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("the program has ended")
}
