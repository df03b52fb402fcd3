//! W-TinyLFU.

use super::frequency_sketch::FrequencySketch;
use super::policy::Policy;
use crate::lists::{Lists, NOWHERE};

const WINDOW: u32 = 1;
const PROBATIONARY: u32 = 2;
const PROTECTED: u32 = 3;
/// A sketch for more blocks is created when half of them are cached, so that it takes no more memory than they do.
const SKETCHED_FROM_THE_START: u32 = 1 << 22;

/// W-TinyLFU (Einziger, Friedman and Manes, TinyLFU: A Highly Efficient Cache Admission Policy, ACM Transactions on
/// Storage 13(4), 2017, section 4): an LRU window of 1 % of the cache, and a main part of 99 %, which is a segmented LRU
/// cache of 80 % protected and 20 % probationary. A block enters the window. The block that the window evicts enters the
/// main part; if that is full, the block stays only if the estimate of its frequency is greater than that of the block
/// that would be evicted for it, the least recently used probationary one.
///
/// The paper leaves the sketch open, and whether there is a doorkeeper; here they are as in Caffeine 3.1 (see
/// `frequency_sketch`): no doorkeeper. Every reference is counted, hit or miss. The parts are rounded as in Caffeine's
/// simulator, whose WindowTinyLfu this is with Caffeine's sketch: main is 99 % and protected 80 % of main, rounded down;
/// the window has at least one block. The window does not adapt its size, as it does in Caffeine itself (and in
/// Einziger, Eytan, Friedman and Manes, Middleware 2018).
///
/// libCacheSim (0.3.5) counts in a Bloom filter with minimal increments, which it halves after 32 references for each
/// block, does not count hits in the window, counts the blocks that leave it, and has its own segmented LRU.
#[derive(Debug)]
pub struct WindowTinyLfu {
    size: u32,
    window: u32,
    protected: u32,
    lists: Lists,
    sketch: Option<FrequencySketch>,
}

impl WindowTinyLfu {
    /// An empty cache with a capacity of `size` blocks.
    pub fn new(size: u32) -> Self {
        let main = u64::from(size) * 99 / 100;
        let sketch = (size <= SKETCHED_FROM_THE_START).then(|| FrequencySketch::new(size));
        WindowTinyLfu {
            size,
            window: size - main as u32,
            protected: (main * 80 / 100) as u32,
            lists: Lists::default(),
            sketch,
        }
    }

    fn cached(&self) -> u32 {
        [WINDOW, PROBATIONARY, PROTECTED].into_iter().map(|list| self.lists.len(list)).sum()
    }

    #[inline(always)]
    fn count(&mut self, block: u32) {
        if self.sketch.is_none() && self.cached() >= self.size / 2 {
            self.sketch = Some(FrequencySketch::new(self.size));
        }
        if let Some(sketch) = &mut self.sketch {
            sketch.add(block);
        }
    }

    fn is_more_frequent(&self, block: u32, than: u32) -> bool {
        self.sketch.as_ref().is_some_and(|sketch| sketch.estimate(block) > sketch.estimate(than))
    }
}

impl Policy for WindowTinyLfu {
    super::policy::as_lists_do!(prepare, look_around, remove);

    #[inline(always)]
    fn look_ahead(&self, block: u32) {
        self.lists.look_ahead(block);
        if let Some(sketch) = &self.sketch {
            sketch.look_ahead(block);
        }
    }

    #[inline(always)]
    fn hit(&mut self, block: u32) -> bool {
        match self.lists.list_of(block) {
            NOWHERE => return false,
            PROBATIONARY => {
                self.lists.move_to(PROTECTED, block);
                if self.lists.len(PROTECTED) > self.protected {
                    if let Some(demoted) = self.lists.take_oldest(PROTECTED) {
                        self.lists.put_in(PROBATIONARY, demoted);
                    }
                }
            }
            _ => self.lists.renew(block),
        }
        self.count(block);
        true
    }

    #[inline(always)]
    fn miss(&mut self, block: u32, expel: &mut impl FnMut(u32)) {
        self.count(block);
        self.lists.put_in(WINDOW, block);
        if self.lists.len(WINDOW) <= self.window {
            return;
        }
        let Some(candidate) = self.lists.take_oldest(WINDOW) else { return };
        let is_full = self.cached() == self.size;
        match self.lists.oldest(PROBATIONARY) {
            Some(victim) if is_full && self.is_more_frequent(candidate, victim) => {
                self.lists.take_out(victim);
                expel(victim);
            }
            _ if is_full => return expel(candidate),
            _ => {}
        }
        self.lists.put_in(PROBATIONARY, candidate);
    }
}
