//! W-TinyLFU.

use super::frequency_sketch::FrequencySketch;
use super::policy::{as_lists_do, Access, Replacement};
use crate::lists::{Lists, Weight};

const WINDOW: u32 = 1;
const PROBATIONARY: u32 = 2;
const PROTECTED: u32 = 3;
/// A sketch for more blocks is created when half of them are cached, so that it takes no more memory than they do.
const SKETCHED_FROM_THE_START: u64 = 1 << 22;

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
///
/// With sizes, weights take the place of numbers of blocks, as in Caffeine 3.1. An object that alone weighs more than the
/// window is the first to leave it. If the cache is still too full when objects have left the window, probationary ones
/// are evicted, then protected ones, then those in the window. One that alone weighs more than the protected part stays
/// probationary. As it is not known how many objects will be cached, the sketch begins when half of the cache is used,
/// for the objects cached then, and begins anew, with counts of 0, when there are more of them than it has words for.
/// Estimates are compared without Caffeine's one chance in 128 for frequent losers. libCacheSim admits no object larger
/// than the window then, and sizes its sketch by bytes.
#[derive(Debug)]
pub struct WindowTinyLfu<W> {
    size: u64,
    window: u64,
    protected: u64,
    lists: Lists<W>,
    /// How many objects are cached; counted where weights vary.
    cached: usize,
    sketch: Option<FrequencySketch>,
}

impl<W: Weight> WindowTinyLfu<W> {
    /// An empty cache with this capacity.
    pub fn new(size: u64) -> Self {
        let main = (u128::from(size) * 99 / 100) as u64;
        let is_sketched = W::UNIT && size <= SKETCHED_FROM_THE_START;
        WindowTinyLfu {
            size,
            window: size - main,
            protected: (u128::from(main) * 80 / 100) as u64,
            lists: Lists::default(),
            cached: 0,
            sketch: is_sketched.then(|| FrequencySketch::new(size as u32)),
        }
    }

    fn used(&self) -> u64 {
        [WINDOW, PROBATIONARY, PROTECTED].into_iter().map(|list| self.lists.sum(list)).sum()
    }

    #[inline(always)]
    fn count(&mut self, number: u32) {
        if W::UNIT && self.sketch.is_none() && self.used() >= self.size / 2 {
            self.sketch = Some(FrequencySketch::new(self.size as u32));
        }
        if let Some(sketch) = &mut self.sketch {
            sketch.add(number);
        }
    }

    /// Begin a sketch that is large enough where an object of this weight comes in.
    #[inline(always)]
    fn enlarge_sketch(&mut self, weight: u64) {
        let objects = self.cached + 1;
        let is_large_enough = self.sketch.as_ref().is_some_and(|sketch| sketch.words() >= objects);
        if !is_large_enough && self.used() + weight >= self.size / 2 {
            self.sketch = Some(FrequencySketch::new(objects as u32));
        }
    }

    fn is_more_frequent(&self, number: u32, than: u32) -> bool {
        self.sketch.as_ref().is_some_and(|sketch| sketch.estimate(number) > sketch.estimate(than))
    }

    /// Evict an object, which may have left its list.
    #[inline(always)]
    fn evict(&mut self, number: u32, evicted: &mut impl FnMut(u32)) {
        self.lists.take_out(number);
        if !W::UNIT {
            self.cached -= 1;
        }
        evicted(number);
    }

    /// Put an object that is in no list into the window.
    #[inline(always)]
    fn put_in_window(&mut self, access: &Access<W>) {
        if !W::UNIT && access.weight.get() > self.window {
            self.lists.put_in_oldest(WINDOW, access.number);
        } else {
            self.lists.put_in(WINDOW, access.number);
        }
    }

    /// Make room where the window, or all of the cache, holds too much.
    #[inline(always)]
    fn settle(&mut self, evicted: &mut impl FnMut(u32)) {
        while self.lists.sum(WINDOW) > self.window {
            let Some(candidate) = self.lists.take_oldest(WINDOW) else { break };
            self.admit(candidate, evicted);
        }
        while !W::UNIT && self.used() > self.size {
            let victim =
                [PROBATIONARY, PROTECTED, WINDOW].into_iter().find_map(|list| self.lists.oldest(list));
            let Some(victim) = victim else { break };
            self.evict(victim, evicted);
        }
    }

    /// Put an object that has left the window among the probationary ones, or evict it.
    #[inline(always)]
    fn admit(&mut self, candidate: u32, evicted: &mut impl FnMut(u32)) {
        let is_full = self.used() + self.lists.weight(candidate).get() > self.size;
        match self.lists.oldest(PROBATIONARY) {
            Some(victim) if is_full && self.is_more_frequent(candidate, victim) => {
                self.evict(victim, evicted)
            }
            _ if is_full => return self.evict(candidate, evicted),
            _ => {}
        }
        self.lists.put_in(PROBATIONARY, candidate);
    }

    /// Move the oldest protected objects among the probationary ones while the others have too much.
    #[inline(always)]
    fn demote(&mut self) {
        while self.lists.sum(PROTECTED) > self.protected {
            let Some(demoted) = self.lists.take_oldest(PROTECTED) else { break };
            self.lists.put_in(PROBATIONARY, demoted);
        }
    }
}

impl<W: Weight> Replacement for WindowTinyLfu<W> {
    type Weight = W;

    as_lists_do!(prepare, prefetch_links, contains);

    #[inline(always)]
    fn prefetch_entry(&self, number: u32) {
        self.lists.prefetch_entry(number);
        if let Some(sketch) = &self.sketch {
            sketch.prefetch_entry(number);
        }
    }

    #[inline(always)]
    fn hit(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        let number = access.number;
        self.count(number);
        let grows = self.lists.weigh(number, access.weight) < access.weight;
        match self.lists.list_of(number) {
            PROBATIONARY if W::UNIT || access.weight.get() <= self.protected => {
                self.lists.move_to(PROTECTED, number);
            }
            WINDOW if !W::UNIT => {
                self.lists.take_out(number);
                self.put_in_window(access);
            }
            _ => self.lists.renew(number),
        }
        if grows {
            self.settle(evicted);
        }
        self.demote();
    }

    #[inline(always)]
    fn miss(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        if !W::UNIT {
            self.enlarge_sketch(access.weight.get());
            self.cached += 1;
        }
        self.count(access.number);
        self.lists.weigh(access.number, access.weight);
        self.put_in_window(access);
        self.settle(evicted);
    }

    fn refuse(&mut self, number: u32) {
        self.count(number);
        self.remove(number);
    }

    fn remove(&mut self, number: u32) {
        if self.contains(number) {
            self.evict(number, &mut |_| {});
        }
    }
}
