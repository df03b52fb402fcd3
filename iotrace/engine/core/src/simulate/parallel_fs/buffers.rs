//! The buffers of the caches, and which of them are free.

use super::blocks::{FileBlock, NONE};
use super::process_state::Waiting;
use super::settings::Replacement;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A buffer for one block.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    /// The block that it holds, with its number, or `NONE`.
    pub block: u32,
    pub place: FileBlock,
    /// The cache of which it is a part.
    pub cache: u32,
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
    fn new(cache: u32, rank: u64) -> Self {
        Buffer { block: NONE, cache, is_free: true, rank, ..Buffer::default() }
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

/// The rank of buffers that have held no block.
const UNUSED: u64 = 0;

/// Free buffers by rank. Entries may be stale: the buffer's state is checked before use.
type Ranked = BinaryHeap<Reverse<(u64, u32)>>;

/// The cache of a file, or of all files. The free list is kept in two heaps, of clean buffers and of those that must be
/// written first, so that a search skips no buffers.
#[derive(Debug, Default)]
pub struct Cache {
    /// Buffers that have held no block yet: the head of the free list.
    unused: u32,
    ready: Ranked,
    dirty: Ranked,
    /// Free buffers that are being written.
    pub writing: u32,
    /// Buffers read ahead and not used.
    pub ahead: u32,
    /// Processes that wait for a buffer.
    pub claimants: Vec<u32>,
}

/// The buffers of all caches that have held a block, in the order in which they first did.
#[derive(Debug)]
pub struct Buffers {
    pub all: Vec<Buffer>,
    pub caches: Vec<Cache>,
    replacement: Replacement,
    next_rank: u64,
}

impl Buffers {
    /// `caches` caches of `each` buffers.
    pub fn new(caches: usize, each: u32, replacement: Replacement) -> Self {
        let caches = (0..caches).map(|_| Cache { unused: each, ..Cache::default() });
        Buffers { all: Vec::new(), caches: caches.collect(), replacement, next_rank: UNUSED + 1 }
    }

    pub fn cache_of(&mut self, number: u32) -> &mut Cache {
        &mut self.caches[self.all[number as usize].cache as usize]
    }

    /// Its last user has left it: it goes to the tail of the free list, or to its position by age.
    pub fn free(&mut self, number: u32) {
        let buffer = &mut self.all[number as usize];
        buffer.is_free = true;
        if self.replacement != Replacement::Fifo {
            buffer.rank = self.next_rank;
            self.next_rank += 1;
        }
        let is_writing = buffer.writes > 0;
        self.cache_of(number).writing += u32::from(is_writing);
        self.list(number);
    }

    /// It is used again: it leaves the free list.
    pub fn keep(&mut self, number: u32) {
        let buffer = &mut self.all[number as usize];
        let was_writing = std::mem::take(&mut buffer.is_free) && buffer.writes > 0;
        self.cache_of(number).writing -= u32::from(was_writing);
    }

    /// A disk write of it has been queued.
    pub fn write_queued(&mut self, number: u32) {
        let buffer = &mut self.all[number as usize];
        let is_new = buffer.is_free && buffer.writes == 0;
        buffer.writes += 1;
        buffer.is_dirty = false;
        buffer.was_written = true;
        buffer.filled_bytes = 0;
        self.cache_of(number).writing += u32::from(is_new);
    }

    pub fn write_ended(&mut self, number: u32) {
        let buffer = &mut self.all[number as usize];
        buffer.writes -= 1;
        if buffer.is_free && buffer.writes == 0 {
            self.cache_of(number).writing -= 1;
            self.list(number);
        }
    }

    fn list(&mut self, number: u32) {
        let buffer = &self.all[number as usize];
        let entry = Reverse((buffer.rank, number));
        let cache = &mut self.caches[buffer.cache as usize];
        if buffer.is_ready() {
            tidy(&mut cache.ready, &self.all, Buffer::is_ready);
            cache.ready.push(entry);
        } else if buffer.is_waiting() {
            tidy(&mut cache.dirty, &self.all, Buffer::is_waiting);
            cache.dirty.push(entry);
        }
    }

    /// A cache's first free buffer that another block can have immediately, and its rank.
    pub fn first_ready(&mut self, cache: u32) -> Option<(u64, u32)> {
        let own = &mut self.caches[cache as usize];
        if own.unused > 0 {
            own.unused -= 1;
            own.ready.push(Reverse((UNUSED, self.all.len() as u32)));
            self.all.push(Buffer::new(cache, UNUSED));
        }
        first(&mut own.ready, &self.all, Buffer::is_ready)
    }

    /// A cache's first free buffer that must be written first and is not being written, and its rank.
    pub fn first_dirty(&mut self, cache: u32) -> Option<(u64, u32)> {
        first(&mut self.caches[cache as usize].dirty, &self.all, Buffer::is_waiting)
    }

    /// Take a free buffer for another block: it becomes empty, without users.
    pub fn take(&mut self, number: u32, block: u32, place: FileBlock) {
        let rank = self.next_rank;
        let buffer = &mut self.all[number as usize];
        *buffer = Buffer::new(buffer.cache, buffer.rank);
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
