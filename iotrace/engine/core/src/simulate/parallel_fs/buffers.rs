//! The buffers of the cache, and which of them are free.

use super::blocks::{Place, NONE};
use super::process_state::Waiting;
use super::settings::Replacement;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A buffer: room for one block.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    /// The block that it holds, with its number, or `NONE`.
    pub block: u32,
    pub place: Place,
    /// How many processes keep it.
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
    /// Its place in the free list: lower is nearer to the head.
    pub rank: u64,
    /// Whether a process copies from it or to it.
    pub is_latched: bool,
    /// Who waits for what a disk does with it.
    pub readers: Waiting,
    /// Who waits to copy.
    pub copiers: Waiting,
}

impl Buffer {
    fn new(rank: u64) -> Self {
        Buffer { block: NONE, is_free: true, rank, ..Buffer::default() }
    }

    /// Whether another block may have it at once.
    fn is_ready(&self) -> bool {
        self.is_free && !self.is_dirty && self.writes == 0
    }

    /// Whether it is free, but must be written first, and is not being written.
    fn is_waiting(&self) -> bool {
        self.is_free && self.is_dirty && self.writes == 0
    }
}

/// Free buffers by rank. What is in it may be out of date: a buffer is looked at before it is believed.
type Ranked = BinaryHeap<Reverse<(u64, u32)>>;

/// All buffers. The free list is kept in two heaps, of those that another block may have at once and of those that
/// must be written first, so that a walk along it costs no more than what it finds.
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

    /// The last of its users has left it: it goes to the tail of the free list, or back to its place by age.
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

    /// The first free buffer that another block may have at once, and its rank.
    pub fn first_ready(&mut self) -> Option<(u64, u32)> {
        first(&mut self.ready, &self.all, Buffer::is_ready)
    }

    /// The first free buffer that must be written first and is not being written, and its rank.
    pub fn first_dirty(&mut self) -> Option<(u64, u32)> {
        first(&mut self.dirty, &self.all, Buffer::is_waiting)
    }

    /// Take a free buffer for another block: it is empty, and nobody keeps it.
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

/// Drop what is out of date before it outweighs the rest.
fn tidy(ranked: &mut Ranked, all: &[Buffer], holds: fn(&Buffer) -> bool) {
    if ranked.len() > 2 * all.len() + 16 {
        ranked.retain(|entry| is_current(entry, all, holds));
        let mut entries = std::mem::take(ranked).into_sorted_vec();
        entries.dedup();
        *ranked = entries.into();
    }
}
