//! Closed forms (`closed_forms`), and what must hold for any configuration (`any`), seen in a run's log (`watcher`).

mod any;
mod closed_forms;
mod refusals;
mod watcher;

use super::log::Line;
use super::simulation::Simulation;
use super::*;
use std::sync::Arc;

pub(super) const BLOCK: u64 = 1024;
pub(super) const SERVICE_NS: i64 = 30_000_000;

/// A row of a program; without a process it is for any free one.
pub(super) type ProgramRow = (Option<u32>, Record);

/// An access of a process to part of a file, in bytes.
pub(super) fn row(process: Option<u32>, operation: Operation, offset: u64, length: u64) -> ProgramRow {
    let record = Record { offset, length, compute_ns: 0, file: 0, operation };
    (process, record)
}

pub(super) fn program(processes: usize, rows: &[ProgramRow]) -> Program {
    let mut builder = ProgramBuilder::new(vec![0; processes]).unwrap();
    for (process, record) in rows {
        builder.add(0, *process, *record).unwrap();
    }
    builder.finish()
}

/// The base of section 4.1, without jitter.
pub(super) fn exact() -> Settings {
    Settings { overheads: Overheads::default(), ..Settings::base() }
}

pub(super) fn run(processes: usize, rows: &[ProgramRow], settings: &Settings) -> Measures {
    let simulator = Simulator::new(program(processes, rows));
    let outcomes = simulator.run(std::slice::from_ref(settings), 1, &Progress::default());
    outcomes.unwrap().remove(0).measures
}

/// Run it, check that nothing is in progress at the end, and return the counts and the log.
pub(super) fn run_to_rest(program: &Program, settings: &Settings) -> (Measures, Vec<Line>) {
    let mut simulation = Simulation::new(program, settings, None).unwrap();
    simulation.run(&Progress::default()).unwrap();
    for buffer in &simulation.buffers.all {
        assert!(buffer.is_free && buffer.users == 0 && !buffer.is_latched);
        assert!(!buffer.is_dirty && buffer.writes == 0);
        assert!(!buffer.is_reading && !buffer.is_ahead);
    }
    for cache in &simulation.buffers.caches {
        assert_eq!((cache.ahead, cache.writing, cache.claimants.len()), (0, 0, 0));
    }
    (simulation.measures, simulation.log.unwrap())
}

/// A drive with a different seek time for each distance.
pub(super) fn drive() -> Arc<crate::simulate::disk::Drive> {
    use crate::simulate::disk::*;
    let zone = Zone {
        first_cylinder: 0,
        last_cylinder: 99,
        sectors_per_track: 32,
        spares: 0,
        empty_sectors: 0,
        track_skew_thousandths: 0,
        cylinder_skew_thousandths: 0,
        first_sector_offset_thousandths: 0,
        slips: Vec::new(),
        remapped: Vec::new(),
    };
    let geometry = Geometry::new(4, Sparing::Track, false, vec![zone]).unwrap();
    let (a, b, c) = (1.0, 0.1, 0.01);
    let seek = SeekCurve::new(&SeekForm::SquareRoot { a, b, c }, geometry.cylinders()).unwrap();
    Arc::new(Drive::new("test", geometry, 3600, seek, Parameters::default()).unwrap())
}
