//! Many settings over one program, on several cores.

use super::log::Line;
use super::measures::Measures;
use super::program::Program;
use super::progress::Progress;
use super::settings::Settings;
use super::simulation::Simulation;
use super::windows::Windows;
use crate::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// The results of a run.
#[derive(Debug)]
pub struct Outcome {
    pub measures: Measures,
    pub(super) windows: Option<Windows>,
    pub(super) log: Vec<Line>,
}

/// A program, to be run with any settings.
#[derive(Debug)]
pub struct Simulator {
    program: Program,
}

impl Simulator {
    pub fn new(program: Program) -> Self {
        Simulator { program }
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Run the program with each of the settings, on `threads` threads; the first error ends all runs.
    pub fn run(
        &self,
        settings: &[Settings],
        threads: usize,
        progress: &Progress,
    ) -> Result<Vec<Outcome>, Error> {
        let next = AtomicUsize::new(0);
        let outcomes: Vec<_> = settings.iter().map(|_| Mutex::new(None)).collect();
        let work = || {
            while let Some(one) = next_of(settings, &next) {
                let outcome = self.run_one(&settings[one], progress);
                if outcome.is_err() {
                    progress.stop();
                }
                if let Ok(mut place) = outcomes[one].lock() {
                    *place = Some(outcome);
                }
                progress.count();
            }
        };
        let others = threads.min(settings.len()).saturating_sub(1);
        std::thread::scope(|scope| {
            for _ in 0..others {
                scope.spawn(work);
            }
            work();
        });
        let outcomes = outcomes.into_iter().map(|outcome| {
            let outcome = outcome.into_inner().ok().flatten();
            outcome.unwrap_or_else(|| Err(Error::of("a thread of the simulator ended early")))
        });
        let mut outcomes: Vec<_> = outcomes.collect();
        // an error says more than that other runs were stopped because of it
        let refused = outcomes.iter().position(|one| matches!(one, Err(refusal) if !refusal.is_stopped()));
        if let Some(refused) = refused {
            return outcomes.swap_remove(refused).map(|one| vec![one]);
        }
        outcomes.into_iter().collect()
    }

    /// Run it once, or twice if windows are requested: their length is known at the end of the first run.
    fn run_one(&self, settings: &Settings, progress: &Progress) -> Result<Outcome, Error> {
        if progress.should_stop() {
            return Err(Error::stopped());
        }
        let mut windows = None;
        if settings.windows > 0 {
            let mut first = Simulation::new(&self.program, settings, None)?;
            first.log = None;
            first.run(progress)?;
            windows = Some(Windows::new(settings.windows, first.measures.execution_ns));
        }
        let mut simulation = Simulation::new(&self.program, settings, windows)?;
        simulation.run(progress)?;
        Ok(Outcome {
            measures: simulation.measures,
            windows: simulation.windows,
            log: simulation.log.unwrap_or_default(),
        })
    }
}

fn next_of(settings: &[Settings], next: &AtomicUsize) -> Option<usize> {
    let one = next.fetch_add(1, Ordering::Relaxed);
    (one < settings.len()).then_some(one)
}
