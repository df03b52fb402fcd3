//! Writes references onto the tape.
//!
//! - `events` writes what the page cache of Linux sees;
//! - `surroundings` writes the blocks around requests, and notes which blocks are neighbours.

mod events;
mod surroundings;

use super::neighbours::Neighbours;
use super::tape::{Request, Step, Stretch, Tape};
use crate::cache::file_events::Intake;
use crate::cache::stack_distance::{
    file_key, Block, Blocks, Columns, Deletes, DirtyFiles, Opened, Operation, Options, Reference, Spans,
    StackPosition, Tally, MOST_BLOCKS,
};
use crate::error::Error;
use crate::lists::prefetch;
use rustc_hash::FxHashSet;

/// Distance in references at which a block's state is prefetched.
const AHEAD: usize = 32;

/// Counts of one direction, read or write, that are the same in every cache.
#[derive(Debug, Clone, Copy, Default)]
pub struct Demand {
    /// Requests.
    pub requests: u64,
    /// Blocks that they touch.
    pub blocks: u64,
    /// Requests with a block that was never referenced before.
    pub cold_requests: u64,
}

/// What goes onto the tape in addition to requests and drops.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Notes {
    /// The time of references, if known.
    pub times: bool,
    /// Whether every request must have a time.
    pub times_needed: bool,
    /// Syncs, and the files that requests go to.
    pub syncs: bool,
    /// Each sync by the blocks written since their last sync, whether it is of a range or not.
    pub synced_blocks: bool,
    /// The other blocks of the fetch blocks that reads touch, if there are fetch blocks.
    pub fetch: Option<FetchBlocks>,
    /// Which blocks are neighbours in a file (not on the tape, but in the writer).
    pub neighbours: bool,
    /// The number of processes that run, if known.
    pub processes: bool,
    /// What the page cache of Linux sees.
    pub events: bool,
}

/// Blocks of a file that are fetched together, at a multiple of their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchBlocks {
    /// How many blocks a fetch block has, at least 1.
    pub blocks: u32,
    /// The most blocks of fetch blocks that no request has touched.
    pub budget_blocks: u64,
}

/// Writes references onto the tape: the stack engine's blocks, numbered from 0 in the order of their first touch.
#[derive(Debug)]
pub struct Writer {
    options: Options,
    notes: Notes,
    now_ns: Option<i64>,
    processes: Option<i32>,
    spans: Spans,
    /// Their states' dirty levels are 1 where `unsynced` has the block, and else 0.
    blocks: Blocks,
    /// The blocks written since their last sync, if syncs are written onto the tape.
    unsynced: DirtyFiles,
    tally: Tally,
    counting: bool,
    /// How many blocks have a dense number.
    distinct: u32,
    /// Those of them that were only written onto the tape as surroundings of a read so far.
    unreferenced: FxHashSet<u32>,
    neighbours: Neighbours,
    intake: Intake,
    /// Of the row that is written, for the page cache of Linux.
    opened: Opened,
    /// Reads that are counted.
    pub reads: Demand,
    /// Writes that are counted.
    pub writes: Demand,
}

impl Writer {
    /// A new writer; fails if the settings are invalid.
    pub fn new(options: Options, notes: Notes) -> Result<Self, Error> {
        options.check()?;
        Ok(Writer {
            spans: Spans::new(options.block_bytes, options.inodes_per_block),
            blocks: Blocks::default(),
            unsynced: DirtyFiles::default(),
            tally: Tally::default(),
            counting: options.has_no_warm_up(),
            distinct: 0,
            unreferenced: FxHashSet::default(),
            neighbours: Neighbours::default(),
            intake: Intake::default(),
            opened: Opened::default(),
            notes,
            now_ns: None,
            processes: None,
            reads: Demand::default(),
            writes: Demand::default(),
            options,
        })
    }

    /// The settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// What the stream contained so far.
    pub fn tally(&self) -> Tally {
        Tally { distinct_blocks: u64::from(self.referenced()), ..self.tally.clone() }
    }

    /// The number of distinct blocks so far, surroundings included; all on the tape are smaller.
    pub fn distinct_blocks(&self) -> usize {
        self.distinct as usize
    }

    /// A stretch of the stream, which this has written onto the tape.
    pub fn stretch<'a>(&'a self, tape: &'a Tape) -> Stretch<'a> {
        Stretch { tape, blocks: self.distinct_blocks(), neighbours: &self.neighbours }
    }

    /// The number of distinct blocks that were referenced.
    fn referenced(&self) -> u32 {
        self.distinct - self.unreferenced.len() as u32
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.tally.rows
    }

    /// Write the rows of a batch from `first` on, as long as the tape has fewer blocks than `full`; return the first
    /// row that is left.
    pub fn write(
        &mut self,
        columns: &Columns<'_>,
        first: usize,
        tape: &mut Tape,
        full: usize,
    ) -> Result<usize, Error> {
        let rows = columns.len();
        let mut ahead = [0; AHEAD];
        for index in first..rows {
            if tape.touches.len() >= full {
                return Ok(index);
            }
            let number = std::mem::take(&mut ahead[index % AHEAD]);
            if index + AHEAD < rows {
                ahead[index % AHEAD] = self.prefetch_first(columns.hint(index + AHEAD));
            }
            self.write_row(columns, index, columns.reference(index)?, number, tape)?;
        }
        Ok(rows)
    }

    /// Prefetch the state of the first block of a coming request; return its number, or 0 if it has none.
    #[inline(always)]
    fn prefetch_first(&self, (file, offset): (i32, i64)) -> usize {
        let block = self.spans.block_of(offset as u64);
        let number = self.blocks.find(file_key(file), block).unwrap_or(0);
        if let Some(state) = self.blocks.states.get(number) {
            prefetch(state);
        }
        number
    }

    /// Write one row alone, if it is a read, a write or a removal.
    pub fn write_one(
        &mut self,
        columns: &Columns<'_>,
        index: usize,
        reference: Reference,
        tape: &mut Tape,
    ) -> Result<(), Error> {
        self.write_row(columns, index, reference, 0, tape)
    }

    /// Write one row; `number` is that of the block at its offset, if already known, or 0.
    #[inline(always)]
    fn write_row(
        &mut self,
        columns: &Columns<'_>,
        index: usize,
        reference: Reference,
        number: usize,
        tape: &mut Tape,
    ) -> Result<(), Error> {
        if !self.counting && matches!(reference.operation, Operation::Read | Operation::Write) {
            let warm = self.options.is_warm(self.tally.requests, columns.time_ns(index));
            self.counting = warm.map_err(|reason| columns.error(index, reason))?;
        }
        if self.notes.times {
            self.note_time(columns.time_ns(index), tape).map_err(|reason| columns.error(index, reason))?;
        }
        if self.notes.processes {
            self.note_processes(columns.processes(index), tape)
                .map_err(|reason| columns.error(index, reason))?;
        }
        if self.notes.events {
            self.opened = columns.opened(index);
            self.intake.time(columns.time_ns(index), &mut tape.events);
        }
        self.take(reference, number, tape).map_err(|reason| columns.error(index, reason))?;
        self.tally.rows += 1;
        Ok(())
    }

    /// Write the time, which never goes back.
    fn note_time(&mut self, time_ns: Option<i64>, tape: &mut Tape) -> Result<(), String> {
        match time_ns {
            Some(time_ns) if self.now_ns.is_none_or(|now| now < time_ns) => {
                self.now_ns = Some(time_ns);
                tape.steps.push(Step::Time(time_ns));
            }
            None if self.notes.times_needed => {
                return Err("periodic writes need a time stamp at each reference".to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    /// Write the number of processes where it changes.
    fn note_processes(&mut self, processes: Option<i32>, tape: &mut Tape) -> Result<(), String> {
        if processes.is_none() || processes == self.processes {
            return Ok(());
        }
        self.processes = processes;
        let number = processes.and_then(|number| u32::try_from(number).ok());
        let number = number.ok_or_else(|| "a negative number of processes".to_owned())?;
        tape.steps.push(Step::Processes(number));
        Ok(())
    }

    #[inline(always)]
    fn take(&mut self, reference: Reference, number: usize, tape: &mut Tape) -> Result<(), String> {
        match reference.operation {
            Operation::Read | Operation::Write => self.request(reference, number, tape),
            Operation::Truncate | Operation::Delete => {
                self.remove(reference, tape);
                Ok(())
            }
            Operation::Evict => Err("this simulation cannot evict a file's blocks".to_owned()),
            Operation::Sync => {
                self.tally.syncs += 1;
                if self.notes.syncs || self.notes.synced_blocks {
                    self.sync(reference, tape);
                }
                if self.notes.events {
                    self.write_sync_event(reference, tape);
                }
                Ok(())
            }
        }
    }

    #[inline(always)]
    fn request(&mut self, reference: Reference, number: usize, tape: &mut Tape) -> Result<(), String> {
        let request = self.spans.of_request(reference, &mut self.blocks, &mut self.tally)?;
        let Some(span) = request else {
            return Ok(());
        };
        let before = self.referenced();
        let write = reference.operation == Operation::Write;
        if let Some(fetch) = self.notes.fetch.filter(|_| !write) {
            self.write_surroundings(span, fetch, tape)?;
        }
        let known = reference.offset.is_some() && !self.spans.is_placed(reference);
        let mut first = if known { number } else { 0 };
        for block in span.first..span.first + u64::from(span.blocks) {
            let number = match std::mem::take(&mut first) {
                0 => self.blocks.number(span.file, block),
                number => Some(number),
            };
            let number = number.ok_or_else(too_many_blocks)?;
            if write && (self.notes.syncs || self.notes.synced_blocks) {
                self.note_write(span.file, block, number);
            }
            let rank = self.dense(number);
            if self.notes.neighbours {
                self.join(span.file, block, rank);
            }
            if !self.unreferenced.is_empty() {
                self.unreferenced.remove(&rank);
            }
            tape.touches.push(rank);
        }
        if self.notes.syncs {
            tape.steps.push(Step::File(span.file));
        }
        if self.notes.events {
            self.write_events(span, reference, tape);
        }
        tape.steps.push(Step::Request(Request {
            blocks: span.blocks,
            last_shortfall: span.last_shortfall,
            synchronous: reference.synchronous,
            write,
            component: reference.component,
            counted: self.counting,
        }));
        if self.counting {
            let is_cold = self.referenced() != before;
            let demand = if write { &mut self.writes } else { &mut self.reads };
            demand.requests += 1;
            demand.blocks += u64::from(span.blocks);
            demand.cold_requests += u64::from(is_cold);
        }
        Ok(())
    }

    fn note_write(&mut self, file: u32, block: u64, number: usize) {
        let state: &mut Block = &mut self.blocks.states[number];
        if std::mem::replace(&mut state.dirty_level, 1) == 0 {
            self.unsynced.note(file, block, number);
        }
    }

    /// A block's rank in the order of first references, kept in its state, counted from 1.
    #[inline(always)]
    fn dense(&mut self, number: usize) -> u32 {
        let state: &mut Block = &mut self.blocks.states[number];
        match state.position() {
            StackPosition::Slot(rank) => rank - 1,
            StackPosition::Never | StackPosition::Dropped => {
                self.distinct += 1;
                state.move_to(self.distinct);
                self.distinct - 1
            }
        }
    }

    fn remove(&mut self, reference: Reference, tape: &mut Tape) {
        let removed = self.spans.of_removal(reference, &mut self.blocks, &mut self.tally);
        if self.options.deletes == Deletes::Ignore {
            return;
        }
        if self.notes.events {
            self.write_removal_event(reference, tape);
        }
        let dropped = self.list(&removed, tape);
        if dropped > 0 {
            tape.steps.push(Step::Drop(dropped));
        }
    }

    /// Write those of the given blocks that were ever referenced; return their number.
    fn list(&self, numbers: &[usize], tape: &mut Tape) -> u32 {
        let before = tape.touches.len();
        for &number in numbers {
            if let StackPosition::Slot(rank) = self.blocks.states[number].position() {
                tape.touches.push(rank - 1);
            }
        }
        (tape.touches.len() - before) as u32
    }

    /// Write a sync: of a range by its blocks, else of a file or of everything. Blocks not written since their last
    /// sync are left out.
    fn sync(&mut self, reference: Reference, tape: &mut Tape) {
        let file = reference.file.map(file_key);
        let (synced, is_whole) = match file {
            None => (self.unsynced.take_all(), true),
            Some(file) => {
                let range = self.spans.of_sync(reference);
                let is_whole = range == (0..u64::MAX);
                (self.unsynced.take(file, range), is_whole)
            }
        };
        self.note_synced(&synced);
        if is_whole && !self.notes.synced_blocks {
            tape.steps.push(Step::Sync(file));
            return;
        }
        let blocks = self.list(&synced, tape);
        if blocks > 0 {
            tape.steps.push(Step::SyncBlocks(blocks));
        }
    }

    fn note_synced(&mut self, numbers: &[usize]) {
        for &number in numbers {
            self.blocks.states[number].dirty_level = 0;
        }
    }
}

fn too_many_blocks() -> String {
    format!("more than {MOST_BLOCKS} distinct blocks")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
