//! Caches on a cluster: `iotrace_core::simulate::cluster` for Python.

use crate::given::{chosen, refused};
use arrow_array::RecordBatch;
use arrow_pyarrow::PyArrowType;
use iotrace_core::simulate::cluster::{
    Bits, Climbing, Components, Counters, FirstAccess, Network, Outcome, Placing, Process, Rule, Scope,
    Settings, Simulator, Subject, UNBOUNDED,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// What a cluster is, as Python describes it: an object with these attributes.
#[derive(FromPyObject)]
struct Given {
    nodes: u32,
    iods: u32,
    local_blocks: Option<u64>,
    global_blocks: Option<u64>,
    global_per_file: bool,
    global_servers: u32,
    block_bytes: u32,
    stripe_bytes: u64,
    segment_blocks: u32,
    low_mark: u32,
    high_mark: u32,
    flusher_period: u64,
    placing: String,
    threshold: u32,
    first_access: String,
    scope: String,
    ages: bool,
    epoch_blocks: u64,
    hit_saves_ns: u64,
    miss_costs_ns: u64,
    has_sync_writes: bool,
    keeps_log: bool,
    network: String,
}

/// The numbers of the cost model, likewise.
#[derive(FromPyObject)]
struct GivenCosts {
    call_ns: u64,
    local_look_up_ns: u64,
    read_hit_ns: u64,
    write_buffer_ns: u64,
    copy_ns_per_kb: u64,
    scatter_ns_per_kb: u64,
    stripe_ns: u64,
    message_ns: u64,
    network_ns_per_kb: u64,
    global_look_up_ns: u64,
    amass_ns_per_kb: u64,
    daemon_ns: u64,
    daemon_ns_per_kb: u64,
    disk_ns_per_kb: u64,
    metadata_ns: u64,
}

/// One rule of the bits: phase, whether for writes, whether global, file, first segment, end, whether through.
type GivenRule = (Option<u32>, bool, bool, u32, u64, u64, bool);

impl Given {
    fn settings(&self) -> PyResult<Settings> {
        let frames = |blocks: u64| u32::try_from(blocks).unwrap_or(UNBOUNDED);
        let first_accesses = [("block", FirstAccess::Block), ("segment", FirstAccess::Segment)];
        let scopes = [("cluster", Scope::Cluster), ("node", Scope::Node)];
        let counters = Counters {
            threshold: self.threshold,
            first_access: chosen("first_access", &self.first_access, &first_accesses)?,
            scope: chosen("scope", &self.scope, &scopes)?,
            ages: self.ages,
            climbing: None,
        };
        let climbing = Counters {
            climbing: Some(Climbing {
                epoch_blocks: self.epoch_blocks,
                hit_saves_ns: self.hit_saves_ns,
                miss_costs_ns: self.miss_costs_ns,
            }),
            ..counters
        };
        let placings = [
            ("all", Placing::All),
            ("counters", Placing::Counters(counters)),
            ("climbing", Placing::Counters(climbing)),
            ("more-frequent", Placing::MoreFrequent),
            ("demoted", Placing::Demoted),
        ];
        Ok(Settings {
            nodes: self.nodes,
            daemons: self.iods,
            local_frames: self.local_blocks.map(frames),
            global_frames: self.global_blocks.map(frames),
            global_per_file: self.global_per_file,
            global_servers: self.global_servers,
            block_bytes: self.block_bytes,
            stripe_bytes: self.stripe_bytes,
            segment_blocks: self.segment_blocks,
            low_mark: self.low_mark,
            high_mark: self.high_mark,
            flusher_period: self.flusher_period,
            placing: chosen("placing", &self.placing, &placings)?,
            has_sync_writes: self.has_sync_writes,
            keeps_log: self.keeps_log,
        })
    }

    fn network(&self) -> PyResult<Network> {
        let networks = [("hub", Network::Hub), ("switch", Network::Switch)];
        chosen("network", &self.network, &networks)
    }
}

impl From<GivenCosts> for Components {
    fn from(given: GivenCosts) -> Self {
        Components {
            call_ns: given.call_ns,
            local_look_up_ns: given.local_look_up_ns,
            read_hit_ns: given.read_hit_ns,
            write_buffer_ns: given.write_buffer_ns,
            copy_ns_per_kb: given.copy_ns_per_kb,
            scatter_ns_per_kb: given.scatter_ns_per_kb,
            stripe_ns: given.stripe_ns,
            message_ns: given.message_ns,
            network_ns_per_kb: given.network_ns_per_kb,
            global_look_up_ns: given.global_look_up_ns,
            amass_ns_per_kb: given.amass_ns_per_kb,
            daemon_ns: given.daemon_ns,
            daemon_ns_per_kb: given.daemon_ns_per_kb,
            disk_ns_per_kb: given.disk_ns_per_kb,
            metadata_ns: given.metadata_ns,
        }
    }
}

fn bits(rules: Vec<GivenRule>, through_global: bool) -> PyResult<Bits> {
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

/// A program on a cluster; documented in native.pyi.
/// Has simulations end soon, from another thread.
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

#[pyclass(module = "iotrace.engine.native")]
pub struct ClusterSimulator {
    simulator: Option<Simulator>,
    outcome: Option<Outcome>,
}

#[pymethods]
impl ClusterSimulator {
    #[new]
    #[pyo3(signature = (settings, processes, *, rules, through_global, costs=None, stop=None))]
    fn new(
        settings: Given,
        processes: Vec<(u32, u32)>,
        rules: Vec<GivenRule>,
        through_global: bool,
        costs: Option<GivenCosts>,
        stop: Option<PyRef<'_, ClusterStop>>,
    ) -> PyResult<Self> {
        let of = |(application, node)| Process { application, node };
        let processes = processes.into_iter().map(of).collect();
        let network = settings.network()?;
        let costs = costs.map(|given| (Components::from(given), network));
        let simulator = Simulator::new(settings.settings()?, bits(rules, through_global)?, processes, costs);
        let stops = stop.map(|stop| Arc::clone(&stop.stops)).unwrap_or_default();
        Ok(ClusterSimulator { simulator: Some(simulator.map_err(refused)?.stopped_by(stops)), outcome: None })
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
            _ => return Err(PyValueError::new_err(format!("there is no table {name:?}"))),
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
