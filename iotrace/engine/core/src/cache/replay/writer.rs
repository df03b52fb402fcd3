//! Writes references onto the tape.

use super::tape::{Request, Step, Tape};
use crate::cache::stack_distance::{
    file_key, Block, Blocks, Columns, Deletes, DirtyFiles, Operation, Options, Place, Reference, Spans,
    Tally, MOST_BLOCKS,
};
use crate::error::Error;
use crate::lists::prefetch;

/// Distance in references at which a block's state is prefetched.
const FAR: usize = 32;

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
    /// The number of processes that run, if known.
    pub processes: bool,
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
    distinct: u32,
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
        Tally { distinct_blocks: u64::from(self.distinct), ..self.tally.clone() }
    }

    /// The number of distinct blocks so far; all on the tape are smaller.
    pub fn distinct_blocks(&self) -> usize {
        self.distinct as usize
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
        let mut ahead = [0; FAR];
        for index in first..rows {
            if tape.touches.len() >= full {
                return Ok(index);
            }
            let number = std::mem::take(&mut ahead[index % FAR]);
            if index + FAR < rows {
                ahead[index % FAR] = self.look_far(columns.hint(index + FAR));
            }
            self.write_row(columns, index, number, tape)?;
        }
        Ok(rows)
    }

    /// Prefetch the state of the first block of a coming request; return its number, or 0 if it has none.
    #[inline(always)]
    fn look_far(&self, (file, offset): (i32, i64)) -> usize {
        let block = self.spans.block_of(offset as u64);
        let number = self.blocks.find(file_key(file), block).unwrap_or(0);
        if let Some(state) = self.blocks.states.get(number) {
            prefetch(state);
        }
        number
    }

    /// Write one row alone, if it is a read, a write or a removal.
    pub fn write_one(&mut self, columns: &Columns<'_>, index: usize, tape: &mut Tape) -> Result<(), Error> {
        self.write_row(columns, index, 0, tape)
    }

    /// Write one row; `number` is that of the block at its offset, if already known, or 0.
    #[inline(always)]
    fn write_row(
        &mut self,
        columns: &Columns<'_>,
        index: usize,
        number: usize,
        tape: &mut Tape,
    ) -> Result<(), Error> {
        let reference = if columns.are_plain() { columns.plain(index) } else { columns.checked(index)? };
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
            Operation::Expel => Err("this simulation cannot expel a file's blocks".to_owned()),
            Operation::Sync => {
                self.tally.syncs += 1;
                if self.notes.syncs {
                    self.sync(reference, tape);
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
        let before = self.distinct;
        let write = reference.operation == Operation::Write;
        let known = reference.offset.is_some() && !self.spans.is_placed(reference);
        let mut first = if known { number } else { 0 };
        for block in span.first..span.first + u64::from(span.blocks) {
            let number = match std::mem::take(&mut first) {
                0 => self.blocks.number(span.file, block),
                number => Some(number),
            };
            let number = number.ok_or_else(|| format!("more than {MOST_BLOCKS} distinct blocks"))?;
            if write && self.notes.syncs {
                self.note_write(span.file, block, number);
            }
            tape.touches.push(self.dense(number));
        }
        if self.notes.syncs {
            tape.steps.push(Step::File(span.file));
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
            let demand = if write { &mut self.writes } else { &mut self.reads };
            demand.requests += 1;
            demand.blocks += u64::from(span.blocks);
            demand.cold_requests += u64::from(self.distinct != before);
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
        match state.place() {
            Place::Slot(rank) => rank - 1,
            Place::Never | Place::Dropped => {
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
        let dropped = self.list(&removed, tape);
        if dropped > 0 {
            tape.steps.push(Step::Drop(dropped));
        }
    }

    /// Write those of the given blocks that were ever referenced; return their number.
    fn list(&self, numbers: &[usize], tape: &mut Tape) -> u32 {
        let before = tape.touches.len();
        for &number in numbers {
            if let Place::Slot(rank) = self.blocks.states[number].place() {
                tape.touches.push(rank - 1);
            }
        }
        (tape.touches.len() - before) as u32
    }

    /// Write a sync: of a range by its blocks, else of a file or of everything. Blocks not written since their last
    /// sync are left out.
    fn sync(&mut self, reference: Reference, tape: &mut Tape) {
        let Some(file) = reference.file.map(file_key) else {
            let synced = self.unsynced.take_all();
            self.note_synced(&synced);
            tape.steps.push(Step::Sync(None));
            return;
        };
        let range = self.spans.of_sync(reference);
        let is_whole = range == (0..u64::MAX);
        let synced = self.unsynced.take(file, range);
        self.note_synced(&synced);
        if is_whole {
            tape.steps.push(Step::Sync(Some(file)));
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Notes, Writer};
    use crate::cache::replay::{Step, Tape};
    use crate::cache::stack_distance::{file_key, Columns, Options};
    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch};
    use std::sync::Arc;

    /// operation, offset and length in blocks
    type Row = (&'static str, Option<i64>, Option<i64>);

    const BLOCK: i64 = 4096;

    fn tape(rows: &[Row]) -> Tape {
        let operation: DictionaryArray<Int32Type> = rows.iter().map(|row| row.0).collect();
        let bytes = |blocks: Option<i64>| blocks.map(|blocks| blocks * BLOCK);
        let offset: Int64Array = rows.iter().map(|row| bytes(row.1)).collect();
        let length: Int64Array = rows.iter().map(|row| bytes(row.2)).collect();
        let batch = RecordBatch::try_from_iter([
            ("operation", Arc::new(operation) as ArrayRef),
            ("file", Arc::new(Int32Array::from(vec![7; rows.len()]))),
            ("offset", Arc::new(offset)),
            ("length", Arc::new(length)),
        ])
        .unwrap();
        let notes = Notes { syncs: true, ..Notes::default() };
        let mut writer = Writer::new(Options::default(), notes).unwrap();
        let mut tape = Tape::default();
        let columns = Columns::new(&batch, 0).unwrap();
        let written = writer.write(&columns, 0, &mut tape, usize::MAX).unwrap();
        assert_eq!(written, rows.len());
        tape
    }

    /// The blocks of each sync of a range, in their order in the file.
    fn synced(tape: &Tape) -> Vec<Vec<u32>> {
        let mut rest = tape.touches.as_slice();
        let mut synced = Vec::new();
        for step in &tape.steps {
            let (blocks, after) = rest.split_at(step.blocks() as usize);
            rest = after;
            if let Step::SyncBlocks(_) = step {
                synced.push(blocks.to_vec());
                synced.last_mut().unwrap().sort_unstable();
            }
        }
        synced
    }

    #[test]
    fn the_sync_of_a_range_lists_what_was_written_since_it_was_synced() {
        let rows = [
            ("write", Some(0), Some(8)),
            ("read", Some(8), Some(8)),
            ("sync", Some(2), Some(4)),
            ("sync", Some(1), None),
            ("write", Some(3), Some(1)),
            ("sync", Some(1), Some(100)),
            ("sync", Some(1), Some(100)),
            ("write", Some(9), Some(1)),
            ("delete", None, None),
            ("write", Some(9), Some(1)),
            ("sync", Some(9), Some(1)),
            ("sync", Some(9), Some(1)),
        ];
        let expected: [&[u32]; 4] = [&[2, 3, 4, 5], &[1, 6, 7], &[3], &[9]];
        assert_eq!(synced(&tape(&rows)), expected);
    }

    #[test]
    fn syncs_of_whole_files_list_no_blocks_and_leave_none() {
        for whole in [("sync", None, None), ("sync", Some(0), None), ("sync", Some(0), Some(0))] {
            let rows = [("write", Some(0), Some(8)), whole, ("sync", Some(1), Some(4))];
            let tape = tape(&rows);
            assert_eq!(tape.touches.len(), 8);
            assert_eq!(tape.steps.last(), Some(&Step::Sync(Some(file_key(7)))));
        }
    }
}
