//! What a process knows of itself.

use super::blocks::{Place, NONE};
use super::program::{Operation, Record};
use super::rng::Rng;
use crate::columns::{named, Named};

named! {
    /// How a process spends its time.
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

/// What a process does when it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Take its next record.
    Take,
    /// Begin the access to a block of its record.
    Access,
    /// Look for the block's buffer.
    LookUp,
    /// It was given a buffer whose block must be read.
    Miss,
    QueueRead,
    /// It has the block's buffer, with contents where it needs them.
    HasBuffer,
    /// Begin to copy a piece.
    Copy,
    /// It may copy: nobody else does.
    CopyPiece,
    PieceCopied,
    /// Without a cache: queue a read, or one before a write, or a write.
    ReadUncached,
    ReadForWrite,
    RequestWrite,
    WriteUncached,
    CopyUncached,
    /// It is done with the block.
    Done,
    Finished,
}

#[derive(Clone, Debug)]
pub struct Process {
    pub step: Step,
    pub application: u32,
    /// Its own records that are left.
    pub next: usize,
    pub end: usize,
    /// The record it is at.
    pub record: Record,
    /// Which of all records that is.
    pub number: usize,
    /// The block it is at, and the last one of its record.
    pub block: u64,
    pub last_block: u64,
    /// The number of the block it is at.
    pub block_number: u32,
    /// The buffer that it keeps, or `NONE`.
    pub buffer: u32,
    /// What it has still to copy of its record in the block, and the piece of that it copies now.
    pub left_bytes: u64,
    pub piece_bytes: u64,
    /// Who waits for the same after it.
    pub next_waiting: u32,
    pub rng: Rng,
    pub state: ProcessState,
    pub since_ns: i64,
    pub spent_ns: [i64; ProcessState::COUNT],
    pub records: u64,
    /// Those of them that are accesses.
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
            buffer: NONE,
            left_bytes: 0,
            piece_bytes: 0,
            next_waiting: NONE,
            rng: Rng::new(seed, number),
            state: ProcessState::Overhead,
            since_ns: 0,
            spent_ns: [0; ProcessState::COUNT],
            records: 0,
            requests: 0,
            finished_ns: 0,
        }
    }

    pub fn place(&self) -> Place {
        Place { file: self.record.file, block: self.block }
    }

    /// How many bytes of its block the record covers.
    pub fn covered_bytes(&self, block_bytes: u64) -> u64 {
        let start = self.block * block_bytes;
        let end = self.record.offset + self.record.length;
        // a block's end may lie beyond the largest offset
        let covered = (end - start).min(block_bytes);
        covered - self.record.offset.saturating_sub(start)
    }

    pub fn writes(&self) -> bool {
        self.record.operation == Operation::Write
    }

    /// Do something else from now on; what it did until now is accounted for.
    pub fn enter_state(&mut self, state: ProcessState, now_ns: i64) {
        self.spent_ns[self.state as usize] += now_ns - self.since_ns;
        (self.state, self.since_ns) = (state, now_ns);
    }
}

/// Processes that wait for the same, in the order in which they came: first and last, or `NONE`.
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
    /// A process waits behind all others.
    pub fn push(&mut self, process: u32, processes: &mut [Process]) {
        processes[process as usize].next_waiting = NONE;
        match self.last {
            NONE => self.first = process,
            last => processes[last as usize].next_waiting = process,
        }
        self.last = process;
    }

    /// The one that came first waits no longer.
    pub fn pop(&mut self, processes: &[Process]) -> Option<u32> {
        let first = (self.first != NONE).then_some(self.first)?;
        self.first = processes[first as usize].next_waiting;
        if self.first == NONE {
            self.last = NONE;
        }
        Some(first)
    }
}
