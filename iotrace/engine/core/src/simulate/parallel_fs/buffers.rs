//! The buffers of the cache, and which of them are free.

use super::blocks::{Place, NONE};
use super::process_state::Waiting;
use super::settings::Replacement;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A buffer for one block.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    /// The block that it holds, with its number, or `NONE`.
    pub block: u32,
    pub place: Place,
    /// The number of processes that keep it.
    pub users: u32,
    /// Disk writes of it that have not ended.
    pub writes: u32,
    pub is_dirty: bool,
    pub is_reading: bool,
    /// It was read ahead and has not been used.
    pub is_ahead: bool,
    pub is_free: bool,
    /// Whether a write was queued since the block was brought in.
    pub was_written: bool,
    /// Bytes written since the block was brought in or its last write was queued.
    pub filled_bytes: u64,
    /// Its position in the free list: lower is nearer to the head.
    pub rank: u64,
    /// Whether a process is copying from or to it.
    pub is_latched: bool,
    /// The processes that wait for a disk operation on it.
    pub readers: Waiting,
    /// The processes that wait to copy.
    pub copiers: Waiting,
}

impl Buffer {
    fn new(rank: u64) -> Self {
        Buffer { block: NONE, is_free: true, rank, ..Buffer::default() }
    }

    /// Whether it can be given to another block immediately.
    fn is_ready(&self) -> bool {
        self.is_free && !self.is_dirty && self.writes == 0
    }

    /// Whether it is free, but must be written first, and is not being written.
    fn is_waiting(&self) -> bool {
        self.is_free && self.is_dirty && self.writes == 0
    }
}

/// Free buffers by rank. Entries may be stale: the buffer's state is checked before use.
type Ranked = BinaryHeap<Reverse<(u64, u32)>>;

/// All buffers. The free list is kept in two heaps, of clean buffers and of those that must be written first, so that
/// a search skips no buffers.
#[derive(Debug)]
pub struct Buffers {
    pub all: Vec<Buffer>,
    replacement: Replacement,
    ready: Ranked,
    dirty: Ranked,
    next_rank: u64,
    /// Free buffers that are being written.
    pub writing: u32,
}

impl Buffers {
    pub fn new(count: u32, replacement: Replacement) -> Self {
        let all: Vec<Buffer> = (0..u64::from(count)).map(Buffer::new).collect();
        Buffers {
            ready: (0..count).map(|one| Reverse((u64::from(one), one))).collect(),
            all,
            replacement,
            dirty: BinaryHeap::new(),
            next_rank: u64::from(count),
            writing: 0,
        }
    }

    /// Its last user has left it: it goes to the tail of the free list, or to its position by age.
    pub fn free(&mut self, number: u32) {
        let buffer = &mut self.all[number as usize];
        buffer.is_free = true;
        if self.replacement != Replacement::Fifo {
            buffer.rank = self.next_rank;
            self.next_rank += 1;
        }
        self.writing += u32::from(buffer.writes > 0);
        self.list(number);
    }

    /// It is used again: it leaves the free list.
    pub fn keep(&mut self, number: u32) {
        let buffer = &mut self.all[number as usize];
        self.writing -= u32::from(buffer.is_free && buffer.writes > 0);
        buffer.is_free = false;
    }

    /// A disk write of it has been queued.
    pub fn write_queued(&mut self, number: u32) {
        let buffer = &mut self.all[number as usize];
        self.writing += u32::from(buffer.is_free && buffer.writes == 0);
        buffer.writes += 1;
        buffer.is_dirty = false;
        buffer.was_written = true;
        buffer.filled_bytes = 0;
    }

    pub fn write_ended(&mut self, number: u32) {
        let buffer = &mut self.all[number as usize];
        buffer.writes -= 1;
        if buffer.is_free && buffer.writes == 0 {
            self.writing -= 1;
            self.list(number);
        }
    }

    fn list(&mut self, number: u32) {
        let buffer = &self.all[number as usize];
        let entry = Reverse((buffer.rank, number));
        if buffer.is_ready() {
            tidy(&mut self.ready, &self.all, Buffer::is_ready);
            self.ready.push(entry);
        } else if buffer.is_waiting() {
            tidy(&mut self.dirty, &self.all, Buffer::is_waiting);
            self.dirty.push(entry);
        }
    }

    /// The first free buffer that another block can have immediately, and its rank.
    pub fn first_ready(&mut self) -> Option<(u64, u32)> {
        first(&mut self.ready, &self.all, Buffer::is_ready)
    }

    /// The first free buffer that must be written first and is not being written, and its rank.
    pub fn first_dirty(&mut self) -> Option<(u64, u32)> {
        first(&mut self.dirty, &self.all, Buffer::is_waiting)
    }

    /// Take a free buffer for another block: it becomes empty, without users.
    pub fn take(&mut self, number: u32, block: u32, place: Place) {
        let rank = self.next_rank;
        let buffer = &mut self.all[number as usize];
        *buffer = Buffer::new(buffer.rank);
        (buffer.is_free, buffer.block, buffer.place) = (false, block, place);
        if self.replacement == Replacement::Fifo {
            buffer.rank = rank;
            self.next_rank += 1;
        }
    }
}

fn is_current(entry: &Reverse<(u64, u32)>, all: &[Buffer], holds: fn(&Buffer) -> bool) -> bool {
    let Reverse((rank, number)) = *entry;
    let buffer = &all[number as usize];
    buffer.rank == rank && holds(buffer)
}

fn first(ranked: &mut Ranked, all: &[Buffer], holds: fn(&Buffer) -> bool) -> Option<(u64, u32)> {
    while let Some(entry) = ranked.peek() {
        if is_current(entry, all, holds) {
            return Some(entry.0);
        }
        ranked.pop();
    }
    None
}

/// Remove stale entries before they outnumber the others.
fn tidy(ranked: &mut Ranked, all: &[Buffer], holds: fn(&Buffer) -> bool) {
    if ranked.len() > 2 * all.len() + 16 {
        ranked.retain(|entry| is_current(entry, all, holds));
        let mut entries = std::mem::take(ranked).into_sorted_vec();
        entries.dedup();
        *ranked = entries.into();
    }
}
