//! A simulation for the bindings: batches in, tables out, with or without a clock.

use super::bits::Bits;
use super::clock::Clock;
use super::costs::Components;
use super::counting::Counting;
use super::machine::Machine;
use super::program::{Process, Rows};
use super::resources::Network;
use super::settings::Settings;
use super::tables::{self, Outcome};
use crate::error::{At, Error};
use arrow_array::RecordBatch;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

#[derive(Debug)]
enum Run {
    Counting(Box<Counting>),
    Clock(Box<Clock>),
}

/// One machine and the program that runs on it.
#[derive(Debug)]
pub struct Simulator {
    run: Run,
    processes: Vec<Process>,
    rows: u64,
    stops: Arc<AtomicBool>,
}

impl Simulator {
    /// Caches that the rows of `warm` have been through, which take no time and are not counted; with a clock if
    /// `costs` are given. The run ends soon, without results, once `stops` is set, possibly by another thread.
    pub fn new(
        settings: Settings,
        bits: Bits,
        processes: Vec<Process>,
        costs: Option<(Components, Network)>,
        warm: &[RecordBatch],
        stops: Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        if let Some(fault) = settings.fault() {
            return Err(Error::of(fault));
        }
        if let Some(far) = processes.iter().find(|one| one.node >= settings.nodes) {
            return Err(Error::of(format!("node {} is not below {}", far.node, settings.nodes)));
        }
        let used_nodes = processes.iter().map(|one| one.node + 1).max().unwrap_or(0);
        let machine = Machine::new(settings, bits, used_nodes);
        let run = Run::Counting(Box::new(Counting::new(machine, processes.clone())));
        let mut simulator = Simulator { run, processes, rows: 0, stops };
        for batch in warm {
            simulator.push(batch)?;
        }
        simulator.rows = 0;
        Ok(simulator.counting_from_next(costs))
    }

    fn counting_from_next(self, costs: Option<(Components, Network)>) -> Self {
        let Run::Counting(mut counting) = self.run else {
            return self;
        };
        counting.count_from_next();
        let run = match costs {
            None => Run::Counting(counting),
            Some((components, network)) => {
                let processes = self.processes.clone();
                Run::Clock(Box::new(Clock::new(counting.machine, processes, components, network)))
            }
        };
        Simulator { run, ..self }
    }

    /// Take the next rows (see `Rows`): executed immediately, or kept for the clock.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let rows = Rows::of(batch)?;
        for at in 0..batch.num_rows() {
            if self.stops.load(Ordering::Relaxed) {
                return Err(Error::stopped());
            }
            let row = rows.row(at, self.rows, &self.processes)?;
            let is_taken = match &mut self.run {
                Run::Counting(counting) => counting.take(&row),
                Run::Clock(clock) => clock.take(row),
            };
            if !is_taken {
                let reason = format!("application {} has no process", row.application);
                return Err(Error::at(At::ProgramRow(self.rows), reason));
            }
            self.rows += 1;
        }
        Ok(())
    }

    /// Run to the end, and return the counts.
    pub fn finish(self) -> Result<Outcome, Error> {
        let outcome = match self.run {
            Run::Counting(mut counting) => {
                counting.finish();
                tables::outcome(&counting.machine, &counting.log, None)
            }
            Run::Clock(mut clock) => {
                clock.run(&self.stops)?;
                tables::outcome(&clock.machine, &clock.log, Some(clock.times()))
            }
        };
        Ok(outcome?)
    }
}
