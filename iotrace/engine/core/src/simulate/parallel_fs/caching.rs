//! The cache's part in an access: find the block's buffer, or a free one for it (section 3.3).

use super::blocks::{FileBlock, NONE};
use super::log::LogEvent;
use super::process_state::{ProcessState, Step};
use super::settings::{ClaimOrder, WritePolicy};
use super::simulation::Simulation;

/// What a process got for its current block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BufferGrant {
    /// The buffer, with contents if it needs them.
    Ready,
    /// A buffer into which the block must be read.
    Empty,
    /// The buffer, into which another process is having the block read.
    Pending,
}

/// A buffer for a process: that of its block, or a free one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BufferMatch {
    OfBlock(u32),
    Free(u32),
}

impl Simulation<'_> {
    /// A process proceeds to its current block: it leaves the buffer of another block that it keeps in the file's
    /// cache.
    pub fn turn_to(&mut self, number: u32, file: u32) {
        let cache = self.cache_of(file);
        let process = &mut self.processes[number as usize];
        process.turn_to(cache);
        let (block, kept) = (process.block_number, process.buffer);
        if kept != NONE && self.buffers.all[kept as usize].block != block {
            self.leave(number);
        }
    }

    /// Find the buffer of a process's current block and set the process's next action; false if it waits.
    pub fn look_up(&mut self, number: u32) -> bool {
        let process = &self.processes[number as usize];
        let (place, cache) = (process.place(), process.cache);
        if process.buffer != NONE {
            self.measures.hits += 1;
            self.note(LogEvent::Hit, Some(number), Some(place));
            self.processes[number as usize].step = Step::HasBuffer;
            self.read_ahead(number);
            return true;
        }
        let is_there = self.blocks.get(process.block_number).buffer != NONE;
        let looks = self.settings.claim_order != ClaimOrder::Fifo || self.claimants(cache).is_empty();
        if is_there || looks {
            if let Some(got) = self.settle(number) {
                return got != BufferGrant::Pending;
            }
        }
        self.note(LogEvent::Wait, Some(number), Some(place));
        self.measures.buffer_waits += 1;
        self.enter_state(number, ProcessState::WaitingForBuffer);
        self.claimants(cache).push(number);
        self.make_room(number);
        false
    }

    fn claimants(&mut self, cache: u32) -> &mut Vec<u32> {
        &mut self.buffers.caches[cache as usize].claimants
    }

    /// Give a process its block's buffer, or a free one for it; None if there is none yet.
    fn settle(&mut self, number: u32) -> Option<BufferGrant> {
        let found = self.find(number)?;
        Some(self.give(number, found))
    }

    /// The buffer of a process's block, or a free one for it.
    fn find(&mut self, number: u32) -> Option<BufferMatch> {
        let block = self.processes[number as usize].block_number;
        match self.blocks.get(block).buffer {
            NONE => self.claim(number).map(BufferMatch::Free),
            buffer => Some(BufferMatch::OfBlock(buffer)),
        }
    }

    fn give(&mut self, number: u32, found: BufferMatch) -> BufferGrant {
        let (buffer, got) = match found {
            BufferMatch::Free(buffer) => (buffer, self.bring_in(number, buffer)),
            BufferMatch::OfBlock(buffer) => (buffer, self.join(buffer)),
        };
        self.buffers.all[buffer as usize].users += 1;
        let (what, state) = match (found, got) {
            (BufferMatch::Free(_), _) => (LogEvent::Claim, ProcessState::Overhead),
            (_, BufferGrant::Pending) => (LogEvent::Pending, ProcessState::WaitingForRead),
            _ => (LogEvent::Hit, ProcessState::Overhead),
        };
        self.measures.hits += u64::from(what != LogEvent::Claim);
        self.measures.pending_hits += u64::from(got == BufferGrant::Pending);
        let place = self.processes[number as usize].place();
        self.note(what, Some(number), Some(place));
        self.enter_state(number, state);
        let process = &mut self.processes[number as usize];
        process.buffer = buffer;
        process.step = match got {
            BufferGrant::Empty => Step::Miss,
            BufferGrant::Pending | BufferGrant::Ready => Step::HasBuffer,
        };
        if got == BufferGrant::Pending {
            self.wait_for_disk(number, buffer);
        }
        if got != BufferGrant::Empty {
            self.read_ahead(number);
        }
        got
    }

    /// The block of a process is cached, or being read.
    fn join(&mut self, buffer: u32) -> BufferGrant {
        self.change(buffer, |buffers| buffers.keep(buffer));
        let joined = &mut self.buffers.all[buffer as usize];
        let (was_ahead, is_reading) = (std::mem::take(&mut joined.is_ahead), joined.is_reading);
        self.buffers.cache_of(buffer).ahead -= u32::from(was_ahead);
        match is_reading {
            true => BufferGrant::Pending,
            false => BufferGrant::Ready,
        }
    }

    /// Assign a claimed buffer to a process's current block.
    fn bring_in(&mut self, number: u32, buffer: u32) -> BufferGrant {
        let block_bytes = self.settings.block_bytes;
        let process = &self.processes[number as usize];
        let (block, place, writes) = (process.block_number, process.place(), process.writes());
        let is_partial = process.covered_bytes(block_bytes) < block_bytes;
        self.put(block, place, buffer);
        let was_written = self.blocks.get(block).written;
        if writes && !(is_partial && self.is_on_disk(block)) {
            return BufferGrant::Ready;
        }
        self.measures.rereads += u64::from(writes && was_written);
        self.buffers.all[buffer as usize].is_reading = true;
        BufferGrant::Empty
    }

    /// Whether the disk is known to have contents of a block: it was written or read before.
    pub fn is_on_disk(&self, block: u32) -> bool {
        let known = self.blocks.get(block);
        known.written || known.was_read || self.settings.files_exist
    }

    /// A free and clean buffer is given to another block.
    pub fn put(&mut self, block: u32, place: FileBlock, buffer: u32) {
        let old = self.buffers.all[buffer as usize].block;
        if old != NONE {
            self.blocks.get_mut(old).buffer = NONE;
        }
        self.change(buffer, |buffers| buffers.take(buffer, block, place));
        self.blocks.get_mut(block).buffer = buffer;
    }

    /// Find a free buffer that is clean; WriteBack queues the write of every dirty one passed in the search.
    fn claim(&mut self, number: u32) -> Option<u32> {
        let cache = self.processes[number as usize].cache;
        let ready = self.buffers.first_ready(cache);
        if self.settings.write_policy == WritePolicy::WriteBack {
            let end = ready.map_or(u64::MAX, |(rank, _)| rank);
            while let Some((rank, buffer)) = self.buffers.first_dirty(cache) {
                if rank >= end {
                    break;
                }
                self.write(buffer, number);
            }
        }
        ready.map(|(_, buffer)| buffer)
    }

    /// Make sure that as many free buffers are being written as processes wait for one: no other rule writes a buffer
    /// that WriteFull never finds full, or that the cache's policy had no reason to write yet. The process that found
    /// no buffer starts the writes.
    fn make_room(&mut self, number: u32) {
        let cache = self.processes[number as usize].cache;
        loop {
            let own = &self.buffers.caches[cache as usize];
            if own.writing as usize >= own.claimants.len() {
                return;
            }
            let Some((_, buffer)) = self.buffers.first_dirty(cache) else {
                return;
            };
            self.write(buffer, number);
        }
    }

    /// A process leaves the buffers that it keeps, cache by cache in the order of their numbers.
    pub fn leave_all(&mut self, number: u32) {
        let process = &mut self.processes[number as usize];
        if process.buffer != NONE {
            process.kept.insert(process.cache, process.buffer);
        }
        while let Some((cache, buffer)) = self.processes[number as usize].kept.pop_first() {
            let process = &mut self.processes[number as usize];
            (process.cache, process.buffer) = (cache, buffer);
            self.leave(number);
        }
    }

    /// A process leaves the buffer that it keeps, if any.
    pub fn leave(&mut self, number: u32) {
        let buffer = std::mem::replace(&mut self.processes[number as usize].buffer, NONE);
        if buffer == NONE {
            return;
        }
        let left = &mut self.buffers.all[buffer as usize];
        left.users -= 1;
        if left.users > 0 {
            return;
        }
        let is_dirty = left.is_dirty;
        self.change(buffer, |buffers| buffers.free(buffer));
        if is_dirty && self.settings.write_policy == WritePolicy::WriteFree {
            self.write(buffer, number);
        }
        self.serve(buffer);
    }

    /// A buffer may have become free: let the processes that wait for one of its cache retry in turn, until one of
    /// them gets none.
    pub fn serve(&mut self, buffer: u32) {
        let cache = self.buffers.all[buffer as usize].cache;
        while let Some((chosen, number)) = self.next_claimant(cache) {
            let Some(found) = self.find(number) else {
                self.make_room(number);
                return;
            };
            self.claimants(cache).remove(chosen);
            if self.give(number, found) != BufferGrant::Pending {
                self.wake(number);
            }
        }
    }

    /// Which of a cache's waiting processes retries, and its number.
    fn next_claimant(&mut self, cache: u32) -> Option<(usize, u32)> {
        let claimants = &self.buffers.caches[cache as usize].claimants;
        let last = claimants.len().checked_sub(1)?;
        let chosen = match self.settings.claim_order {
            ClaimOrder::Random => self.claim_rng.below(last + 1),
            ClaimOrder::Fifo => 0,
            ClaimOrder::Lifo => last,
            ClaimOrder::Lowest => (0..=last).min_by_key(|&place| claimants[place])?,
        };
        Some((chosen, claimants[chosen]))
    }

    /// A process waits for a disk operation on a buffer.
    pub fn wait_for_disk(&mut self, number: u32, buffer: u32) {
        let readers = &mut self.buffers.all[buffer as usize].readers;
        readers.push(number, &mut self.processes);
    }

    /// A process has written into its block's buffer.
    pub fn written(&mut self, number: u32) {
        let block_bytes = self.settings.block_bytes;
        let process = &self.processes[number as usize];
        let (buffer, place) = (process.buffer, process.place());
        let covered_bytes = process.covered_bytes(block_bytes);
        self.note(LogEvent::Dirty, Some(number), Some(place));
        let written = &mut self.buffers.all[buffer as usize];
        self.measures.rewrites += u64::from(written.was_written && !written.is_dirty);
        written.filled_bytes += covered_bytes;
        let is_full = written.filled_bytes == block_bytes;
        self.change(buffer, |buffers| {
            buffers.all[buffer as usize].is_dirty = true;
        });
        match self.settings.write_policy {
            WritePolicy::WriteThru => self.write(buffer, number),
            WritePolicy::WriteFull if is_full => self.write(buffer, number),
            _ => {}
        }
    }

    /// A process starts the writes of all dirty buffers.
    pub fn flush(&mut self, number: u32) {
        for buffer in 0..self.buffers.all.len() as u32 {
            if self.buffers.all[buffer as usize].is_dirty {
                self.write(buffer, number);
            }
        }
    }
}
