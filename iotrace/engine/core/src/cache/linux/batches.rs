//! Folios that are on no list yet.
//!
//! A folio of one page that comes in waits in a batch of its processor. The batch goes to the lists once it is full, with
//! the next larger folio, and as its processor reclaims pages. Of another processor's batch nothing is evicted.

use super::folios::BATCHED;
use super::page_cache::{grown, PageCache};

/// A batch that has as many folios is full.
const MOST_FOLIOS: usize = 31;

impl PageCache {
    /// What follows happens on this processor.
    pub(super) fn run_on(&mut self, processor: u32) {
        self.processor = Some(processor);
        grown(&mut self.batches, processor);
    }

    /// Whether a folio of this many pages that comes in waits in a batch.
    pub(super) fn waits(&mut self, pages: u64) -> bool {
        pages == 1 && self.processor.is_some() && self.decide(|_, limit| limit.batches)
    }

    /// A folio waits in the batch of this processor.
    pub(super) fn add_to_batch(&mut self, id: u32) {
        let Some(batch) = self.batch_here() else { return };
        batch.push(id);
        if batch.len() == MOST_FOLIOS {
            self.list_batch();
        }
    }

    fn batch_here(&mut self) -> Option<&mut Vec<u32>> {
        self.batches.get_mut(self.processor? as usize)
    }

    /// The batch of this processor goes to the lists.
    pub(super) fn list_batch(&mut self) {
        let Some(processor) = self.processor else { return };
        for id in self.batches[processor as usize].drain(..) {
            self.folios.list(id);
        }
    }

    /// All batches go to the lists.
    pub(super) fn list_all_batches(&mut self) {
        for id in self.batches.iter_mut().flat_map(|batch| batch.drain(..)) {
            self.folios.list(id);
        }
    }

    /// Whether a folio waits in the batch of another processor.
    pub(super) fn waits_elsewhere(&mut self, id: u32) -> bool {
        self.folios.get(id).is(BATCHED) && !self.batch_here().is_some_and(|batch| batch.contains(&id))
    }

    /// A folio leaves the cache, and its batch.
    pub(super) fn leave_batch(&mut self, id: u32) {
        if self.folios.get(id).is(BATCHED) {
            self.batches.iter_mut().for_each(|batch| batch.retain(|&waiting| waiting != id));
        }
    }
}
