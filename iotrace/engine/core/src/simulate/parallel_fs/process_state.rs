//! The state of a process.

use super::blocks::{FileBlock, NONE};
use super::program::{Operation, Record};
use super::rng::Rng;
use crate::columns::{named, Named};
use std::collections::BTreeMap;

named! {
    /// The categories of a process's time.
    pub enum ProcessState {
        Computing = "computing_ns",
        Overhead = "overhead_ns",
        WaitingForRead = "waiting_for_reads_ns",
        WaitingForBuffer = "waiting_for_buffers_ns",
        WaitingForWrite = "waiting_for_writes_ns",
    }
}

impl ProcessState {
    pub const COUNT: usize = Self::ALL.len();
}

/// The next action of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Take its next record.
    Take,
    /// Begin the access to a block of its record.
    Access,
    /// It has left its last buffer, if that is another block's.
    Manage,
    /// Look for the block's buffer.
    LookUp,
    /// It was given a buffer whose block must be read.
    Miss,
    QueueRead,
    /// It has the block's buffer, with contents if it needs them.
    HasBuffer,
    /// Begin to copy a piece.
    Copy,
    /// It has the copy lock.
    CopyPiece,
    PieceCopied,
    /// Without a cache: queue a read, or one before a write, or a write.
    ReadUncached,
    ReadForWrite,
    RequestWrite,
    WriteUncached,
    CopyUncached,
    /// It has finished with the block.
    Done,
    /// It has no more records, and keeps no buffer.
    Close,
    Finish,
    Finished,
}

#[derive(Clone, Debug)]
pub struct Process {
    pub step: Step,
    pub application: u32,
    /// The remaining records of its list.
    pub next: usize,
    pub end: usize,
    /// The current record.
    pub record: Record,
    /// The number of the current record.
    pub number: usize,
    /// The current block, and the last one of the record.
    pub block: u64,
    pub last_block: u64,
    /// The number of the current block.
    pub block_number: u32,
    /// The cache of the current block's file, and the buffer that it keeps there, or `NONE`.
    pub cache: u32,
    pub buffer: u32,
    /// The buffers that it keeps in other caches, by cache.
    pub kept: BTreeMap<u32, u32>,
    /// The bytes of its record still to be copied in the block, and those of the current piece.
    pub left_bytes: u64,
    pub piece_bytes: u64,
    /// The next process that waits for the same event.
    pub next_waiting: u32,
    /// When it has started all disk writes that it began to start.
    pub occupied_until_ns: i64,
    pub rng: Rng,
    pub state: ProcessState,
    pub since_ns: i64,
    pub spent_ns: [i64; ProcessState::COUNT],
    pub records: u64,
    /// Records with an access.
    pub requests: u64,
    pub finished_ns: i64,
}

impl Process {
    pub fn new(seed: u64, number: u32, application: u32, own: std::ops::Range<usize>) -> Self {
        Process {
            step: Step::Take,
            application,
            next: own.start,
            end: own.end,
            record: Record { offset: 0, length: 0, compute_ns: 0, file: 0, operation: Operation::Compute },
            number: 0,
            block: 0,
            last_block: 0,
            block_number: NONE,
            cache: 0,
            buffer: NONE,
            kept: BTreeMap::new(),
            left_bytes: 0,
            piece_bytes: 0,
            next_waiting: NONE,
            occupied_until_ns: 0,
            rng: Rng::new(seed, number),
            state: ProcessState::Overhead,
            since_ns: 0,
            spent_ns: [0; ProcessState::COUNT],
            records: 0,
            requests: 0,
            finished_ns: 0,
        }
    }

    pub fn place(&self) -> FileBlock {
        FileBlock { file: self.record.file, block: self.block }
    }

    /// The number of bytes of its block that the record covers.
    pub fn covered_bytes(&self, block_bytes: u64) -> u64 {
        let start = self.block * block_bytes;
        let end = self.record.offset + self.record.length;
        // a block's end may exceed the largest offset
        let covered = (end - start).min(block_bytes);
        covered - self.record.offset.saturating_sub(start)
    }

    pub fn writes(&self) -> bool {
        self.record.operation == Operation::Write
    }

    /// It turns to a file with another cache; what it keeps in the former one it keeps on.
    pub fn turn_to(&mut self, cache: u32) {
        if cache != self.cache {
            if self.buffer != NONE {
                self.kept.insert(self.cache, self.buffer);
            }
            self.cache = cache;
            self.buffer = self.kept.remove(&cache).unwrap_or(NONE);
        }
    }

    /// Switch to another activity; the time until now is added to the previous one.
    pub fn enter_state(&mut self, state: ProcessState, now_ns: i64) {
        self.spent_ns[self.state as usize] += now_ns - self.since_ns;
        (self.state, self.since_ns) = (state, now_ns);
    }
}

/// Processes that wait for the same event, in FIFO order: first and last, or `NONE`.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    first: u32,
    last: u32,
}

impl Default for Waiting {
    fn default() -> Self {
        Waiting { first: NONE, last: NONE }
    }
}

impl Waiting {
    /// Add a process at the tail.
    pub fn push(&mut self, process: u32, processes: &mut [Process]) {
        processes[process as usize].next_waiting = NONE;
        match self.last {
            NONE => self.first = process,
            last => processes[last as usize].next_waiting = process,
        }
        self.last = process;
    }

    /// Remove the process at the head.
    pub fn pop(&mut self, processes: &[Process]) -> Option<u32> {
        let first = (self.first != NONE).then_some(self.first)?;
        self.first = processes[first as usize].next_waiting;
        if self.first == NONE {
            self.last = NONE;
        }
        Some(first)
    }
}
