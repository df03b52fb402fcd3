//! The event loop.

use super::blocks::{Blocks, FileBlock};
use super::buffers::{Buffer, Buffers};
use super::disks::Disks;
use super::log::{Line, LogEvent};
use super::measures::{Lifetime, Measures};
use super::portions::Portions;
use super::process_state::{Process, ProcessState};
use super::program::Program;
use super::progress::Progress;
use super::rng::Rng;
use super::settings::{Prefetch, Replacement, Service, Settings};
use super::windows::{Gauge, Windows};
use crate::error::Error;
use crate::simulate::events::Events;
use std::collections::VecDeque;
use std::ops::Range;

/// Timed events.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// A process's delay has passed.
    Passed(u32),
    /// A disk has completed an operation.
    Ended(u32),
}

/// One run.
#[derive(Debug)]
pub(super) struct Simulation<'a> {
    pub program: &'a Program,
    pub settings: &'a Settings,
    pub events: Events<Event>,
    pub processes: Vec<Process>,
    /// The remaining shared records of each application.
    pub shared: Vec<Range<usize>>,
    /// Processes that have been woken.
    pub woken: VecDeque<u32>,
    pub claim_rng: Rng,
    pub buffers: Buffers,
    pub blocks: Blocks,
    pub disks: Disks,
    pub portions: Option<Portions>,
    /// The limit of buffers read ahead and not used in each cache: each process needs one buffer.
    pub most_ahead: u32,
    pub running: usize,
    pub measures: Measures,
    pub windows: Option<Windows>,
    pub log: Option<Vec<Line>>,
}

/// Number of events between checks whether the run should stop.
const PATIENCE: u32 = 1 << 14;

impl<'a> Simulation<'a> {
    pub fn new(
        program: &'a Program,
        settings: &'a Settings,
        windows: Option<Windows>,
    ) -> Result<Self, Error> {
        settings.check(program)?;
        let caches = match settings.shared_cache {
            true => 1,
            false => program.file_bytes.len(),
        };
        let applications = program.application_of.iter().zip(0u32..);
        let processes = applications.zip(&program.own).map(|((&application, number), own)| {
            Process::new(settings.seed, number, application, own.clone())
        });
        Ok(Simulation {
            program,
            settings,
            events: Events::default(),
            processes: processes.collect(),
            shared: program.shared.clone(),
            woken: (0..program.processes()).collect(),
            claim_rng: Rng::of_claims(settings.seed),
            buffers: Buffers::new(caches, settings.buffers, settings.replacement),
            blocks: Blocks::new(program, settings.block_bytes)?,
            disks: Disks::new(settings, program)?,
            portions: (settings.prefetch != Prefetch::None)
                .then(|| Portions::new(program, settings.block_bytes)),
            most_ahead: settings.buffers.saturating_sub(program.processes()),
            running: program.own.len(),
            measures: Measures::default(),
            windows,
            log: settings.log.then(Vec::new),
        })
    }

    /// Run to the end; an error if the run was stopped, or if processes wait for each other.
    pub fn run(&mut self, progress: &Progress) -> Result<(), Error> {
        let buffers = i64::from(self.settings.buffers) * self.buffers.caches.len() as i64;
        self.watch(Gauge::BuffersFree, buffers);
        self.watch(Gauge::ProcessesOverhead, self.processes.len() as i64);
        self.go_on();
        let mut patience = PATIENCE;
        while let Some(event) = self.events.advance() {
            match event {
                Event::Passed(process) => self.run_process(process),
                Event::Ended(disk) => self.disk_ended(disk),
            }
            self.go_on();
            patience -= 1;
            if patience == 0 {
                patience = PATIENCE;
                if progress.should_stop() {
                    return Err(Error::stopped());
                }
            }
        }
        if self.running > 0 {
            let running = self.running;
            return Err(Error::of(format!("internal error: {running} processes wait forever")));
        }
        self.close();
        Ok(())
    }

    /// Run all woken processes.
    fn go_on(&mut self) {
        while let Some(process) = self.woken.pop_front() {
            self.measures.events += 1;
            self.run_process(process);
        }
    }

    fn close(&mut self) {
        let execution_ns = self.now_ns();
        if let Some(windows) = &mut self.windows {
            windows.close();
        }
        let measures = &mut self.measures;
        measures.execution_ns = execution_ns;
        measures.clock_events = self.events.scheduled();
        measures.events += measures.clock_events;
        let disks = &self.disks.all;
        measures.disk_reads = disks.iter().map(|disk| disk.reads).sum();
        measures.disk_writes = disks.iter().map(|disk| disk.writes).sum();
        measures.busy_ns = disks.iter().map(|disk| i128::from(disk.busy_ns)).sum();
        measures.busiest_ns = disks.iter().map(|disk| disk.busy_ns).max().unwrap_or(0);
        let longest = disks.iter().map(|disk| disk.longest_queue).max();
        measures.longest_queue = longest.unwrap_or(0) as u64;
        let operations = measures.disk_reads + measures.disk_writes;
        let required = disks.iter().map(|disk| match self.settings.buffers {
            0 => disk.reads + disk.writes,
            _ => disk.required,
        });
        let blocks = i128::from(required.max().unwrap_or(0));
        let io_ns = match self.settings.service {
            Service::Constant { service_ns } => blocks * i128::from(service_ns),
            Service::Drive(_) => blocks * measures.busy_ns / i128::from(operations.max(1)),
        };
        measures.ideal_io_ns = io_ns as i64;
        measures.ideal_compute_ns = self.program.ideal_compute_ns;
        measures.ideal_ns = measures.ideal_io_ns.max(measures.ideal_compute_ns);
        let lifetime = |process: &Process| Lifetime {
            application: process.application,
            records: process.records,
            requests: process.requests,
            finished_ns: process.finished_ns,
            spent_ns: process.spent_ns,
        };
        measures.processes = self.processes.iter().map(lifetime).collect();
        measures.records = measures.processes.iter().map(|one| one.records).sum();
    }

    pub fn now_ns(&self) -> i64 {
        self.events.now_ns()
    }

    /// Wake a process: it continues after those woken before it.
    pub fn wake(&mut self, process: u32) {
        self.woken.push_back(process);
    }

    /// A process switches to another activity.
    pub fn enter_state(&mut self, process: u32, state: ProcessState) {
        let now_ns = self.now_ns();
        let before = self.processes[process as usize].state;
        self.processes[process as usize].enter_state(state, now_ns);
        if self.windows.is_some() && before != state {
            self.watch(gauge_of(before), -1);
            self.watch(gauge_of(state), 1);
        }
    }

    pub fn watch(&mut self, gauge: Gauge, change: i64) {
        let now_ns = self.now_ns();
        if let Some(windows) = &mut self.windows {
            windows.add(gauge, change, now_ns);
        }
    }

    /// Change a buffer's state.
    pub fn change(&mut self, buffer: u32, change: impl FnOnce(&mut Buffers)) {
        if self.windows.is_none() {
            change(&mut self.buffers);
            return;
        }
        let before = self.buffers.all[buffer as usize].gauge();
        change(&mut self.buffers);
        let after = self.buffers.all[buffer as usize].gauge();
        if before != after {
            self.watch(before, -1);
            self.watch(after, 1);
        }
    }

    pub fn note(&mut self, what: LogEvent, process: Option<u32>, place: Option<FileBlock>) {
        self.note_at(what, process, place, None);
    }

    pub fn note_at(
        &mut self,
        what: LogEvent,
        process: Option<u32>,
        place: Option<FileBlock>,
        disk: Option<u32>,
    ) {
        let time_ns = self.events.now_ns();
        if let Some(log) = &mut self.log {
            log.push(Line { time_ns, what, process, place, disk });
        }
    }

    /// The cache of a file.
    pub fn cache_of(&self, file: u32) -> u32 {
        match self.settings.shared_cache {
            true => 0,
            false => file,
        }
    }

    /// Whether processes keep their most recently used blocks.
    pub fn keeps_blocks(&self) -> bool {
        self.settings.replacement == Replacement::TossImmediately
    }
}

impl Buffer {
    fn gauge(&self) -> Gauge {
        if self.is_dirty || self.writes > 0 {
            Gauge::BuffersDirty
        } else if self.is_free {
            Gauge::BuffersFree
        } else {
            Gauge::BuffersClean
        }
    }
}

pub(super) fn gauge_of(state: ProcessState) -> Gauge {
    match state {
        ProcessState::Computing => Gauge::ProcessesComputing,
        ProcessState::Overhead => Gauge::ProcessesOverhead,
        ProcessState::WaitingForRead => Gauge::ProcessesWaitingForReads,
        ProcessState::WaitingForBuffer => Gauge::ProcessesWaitingForBuffers,
        ProcessState::WaitingForWrite => Gauge::ProcessesWaitingForWrites,
    }
}
