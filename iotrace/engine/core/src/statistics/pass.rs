//! The pass: batches of references in, tables out.

use super::disks::Disks;
use super::intervals::Intervals;
use super::loads::{Loads, WindowSettings};
use super::requests::{Reader, Request};
use super::runs::Runs;
use super::tables::{self, Named};
use super::windows::Windows;
use super::written_blocks::WrittenBlocks;
use crate::error::Error;
use arrow_array::RecordBatch;
use serde::Deserialize;
use std::thread;

/// What a pass follows.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Runs: whether reads and writes may mix in one. Gives `run_length`, `run_start` and `use_pattern`.
    #[serde(default)]
    pub runs_may_mix: Option<bool>,
    /// Gives `window_footprint`.
    #[serde(default)]
    pub windows: Option<WindowSettings>,
    /// Gives `window_load`.
    #[serde(default)]
    pub loads: Option<WindowSettings>,
    /// Gives `request_interval`.
    #[serde(default)]
    pub intervals: bool,
    /// The size of written blocks. Gives `block_read` and `block_fate`.
    #[serde(default)]
    pub block_bytes: Option<i64>,
    /// Gives `disk_footprint`.
    #[serde(default)]
    pub disks: bool,
    /// Whether its parts may run side by side.
    #[serde(default)]
    pub on_threads: bool,
}

/// A pass over references, in their order.
#[derive(Debug)]
pub struct Pass {
    reader: Reader,
    on_threads: bool,
    runs: Option<Runs>,
    windows: Option<Windows>,
    loads: Option<Loads>,
    intervals: Option<Intervals>,
    written_blocks: Option<WrittenBlocks>,
    disks: Option<Disks>,
}

impl Pass {
    pub fn new(settings: Settings) -> Self {
        Pass {
            reader: Reader::default(),
            on_threads: settings.on_threads,
            runs: settings.runs_may_mix.map(Runs::new),
            windows: settings.windows.map(|windows| Windows::new(windows.width_ns, windows.windows)),
            loads: settings.loads.map(Loads::new),
            intervals: settings.intervals.then(Intervals::default),
            written_blocks: settings.block_bytes.map(WrittenBlocks::new),
            disks: settings.disks.then(Disks::default),
        }
    }

    /// Take rows of the query `ordered_reference` that follow those before.
    ///
    /// # Errors
    /// If a column is missing or of another type, or a row is not in the order of `seq`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let requests: &[Request] = &self.reader.read(batch)?;
        let Pass { runs, windows, loads, intervals, written_blocks, disks, .. } = self;
        let mut footprints = || {
            if let Some(windows) = windows {
                requests.iter().for_each(|request| windows.push(request));
            }
            if let Some(loads) = loads {
                requests.iter().for_each(|request| loads.push(request));
            }
            if let Some(intervals) = intervals {
                requests.iter().for_each(|request| intervals.push(request));
            }
        };
        let mut others = || {
            if let Some(runs) = runs {
                requests.iter().for_each(|request| runs.push(request));
            }
            if let Some(blocks) = written_blocks {
                requests.iter().for_each(|request| blocks.push(request));
            }
            if let Some(disks) = disks {
                requests.iter().for_each(|request| disks.push(request));
            }
        };
        if self.on_threads {
            thread::scope(|scope| {
                scope.spawn(&mut footprints);
                others();
            });
        } else {
            footprints();
            others();
        }
        Ok(())
    }

    /// The tables by their queries' names. Those of footprints and of intervals are left out where requests are far from
    /// the order of time.
    ///
    /// # Errors
    /// If Arrow rejects a table.
    pub fn finish(self) -> Result<Vec<Named>, Error> {
        let mut made = Vec::new();
        if let Some(mut runs) = self.runs {
            runs.finish();
            made.extend(tables::of_runs(&runs)?);
        }
        if let Some(footprints) = self.windows.and_then(Windows::finish) {
            made.push(tables::of_windows(&footprints)?);
        }
        if let Some(loads) = self.loads {
            made.push(tables::of_loads(&loads.finish())?);
        }
        if let Some(counts) = self.intervals.and_then(Intervals::finish) {
            made.push(tables::of_intervals(&counts)?);
        }
        if let Some(mut blocks) = self.written_blocks {
            blocks.finish();
            made.extend(tables::of_written_blocks(&blocks)?);
        }
        if let Some(disks) = self.disks {
            made.push(tables::of_disks(&disks.finish())?);
        }
        Ok(made)
    }
}
