//! Read-ahead, which the paper leaves to other papers (4.3): the simplest one that uses portions.
//!
//! It is triggered when a reading process has its block's buffer: found, or with its read just queued. In the order of
//! the portion, each block that no process has reached and that has no buffer gets the first clean free buffer, and
//! its read is queued, without cost to any process. It stops if there is no such buffer, if a process waits for a
//! buffer of the file's cache, or if those read ahead and not used leave only one buffer per process there. A buffer
//! that was read ahead is not free until it has been used, which it will be, since all records of a portion are read.

use super::blocks::{FileBlock, NONE};
use super::log::LogEvent;
use super::settings::Prefetch;
use super::simulation::Simulation;

impl Simulation<'_> {
    /// A process has reached a block: read ahead as the settings allow.
    pub fn read_ahead(&mut self, number: u32) {
        let process = &self.processes[number as usize];
        let (record, place, writes) = (process.number, process.place(), process.writes());
        let Some(portions) = &mut self.portions else {
            return;
        };
        if writes {
            return;
        }
        portions.come_to(record, place.block);
        while let Some(block) = self.next_ahead(record, place.block) {
            let next = FileBlock { block, ..place };
            if !self.read_block_ahead(number, next) {
                return;
            }
            if let Some(portions) = &mut self.portions {
                portions.come_to(record, block);
            }
        }
    }

    fn next_ahead(&self, record: usize, block: u64) -> Option<u64> {
        let next = self.portions.as_ref()?.next(record)?;
        match self.settings.prefetch {
            Prefetch::None => None,
            Prefetch::OneBlock => (next == block + 1).then_some(next),
            Prefetch::Portion => Some(next),
        }
    }

    /// Make sure that a block has a buffer; false if none is available now.
    fn read_block_ahead(&mut self, number: u32, place: FileBlock) -> bool {
        let block = self.blocks.number(place);
        if self.blocks.get(block).buffer != NONE {
            return true;
        }
        let cache = self.cache_of(place.file);
        let own = &self.buffers.caches[cache as usize];
        if own.ahead >= self.most_ahead || !own.claimants.is_empty() {
            return false;
        }
        let Some((_, buffer)) = self.buffers.first_ready(cache) else {
            return false;
        };
        self.note(LogEvent::Prefetch, Some(number), Some(place));
        self.put(block, place, buffer);
        let ahead = &mut self.buffers.all[buffer as usize];
        (ahead.is_reading, ahead.is_ahead) = (true, true);
        self.buffers.cache_of(buffer).ahead += 1;
        self.measures.prefetches += 1;
        self.read(buffer);
        true
    }
}
