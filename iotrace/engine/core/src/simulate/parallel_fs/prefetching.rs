//! Reading ahead, which the paper leaves to its companions (4.3): the simplest that knows portions.
//!
//! It happens when a process that reads has its block's buffer: found, or with its read just queued. In the order of the
//! portion, each block that no process has come to, and that has no buffer, gets the first free one that is clean, and
//! its read is queued, at nobody's cost. It ends where there is none, where a process waits for a buffer, and where so
//! many were read ahead and not used that only one buffer a process is left. A buffer that was read ahead is not free
//! until it has been used; since all records of a portion are read, it will be.

use super::blocks::{Place, NONE};
use super::log::Happening;
use super::settings::Prefetch;
use super::simulation::Simulation;

impl Simulation<'_> {
    /// A process has come to a block: have read ahead what settings allow.
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
            let next = Place { block, ..place };
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

    /// See to it that a block has a buffer; false where none can be had for it now.
    fn read_block_ahead(&mut self, number: u32, place: Place) -> bool {
        let block = self.blocks.number(place);
        if self.blocks.get(block).buffer != NONE {
            return true;
        }
        if self.ahead >= self.most_ahead || !self.claimants.is_empty() {
            return false;
        }
        let Some((_, buffer)) = self.buffers.first_ready() else {
            return false;
        };
        self.note(Happening::Prefetch, Some(number), Some(place));
        self.put(block, place, buffer);
        let ahead = &mut self.buffers.all[buffer as usize];
        (ahead.is_reading, ahead.is_ahead) = (true, true);
        self.ahead += 1;
        self.measures.prefetches += 1;
        self.read(buffer);
        true
    }
}
