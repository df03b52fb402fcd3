//! W-TinyLFU over objects with sizes.

use super::policies::Contents;
use super::segments::Segments;
use crate::cache::policies::FrequencySketch;
use crate::lists::NOWHERE;

const WINDOW: u32 = 1;
const PROBATIONARY: u32 = 2;
const PROTECTED: u32 = 3;

/// W-TinyLFU as `cache::policies` has it, with weights for numbers of blocks, as Caffeine 3.1 does that: the window has
/// 1 % of the cache, main 99 %, of which protected objects have 80 %, rounded down.
///
/// Objects leave the window while those in it weigh more than its part; one that alone does is the first to leave. Each
/// enters main as a probationary object. If the cache is too full then, it competes with the oldest probationary object:
/// if its estimate is greater, that one is evicted, and otherwise it is. If the cache is still too full, probationary
/// objects are evicted, the oldest first, then protected ones, then those in the window. A hit moves a probationary
/// object among the protected ones unless it alone weighs more than their part; while they weigh more, the oldest falls
/// back.
///
/// The sketch begins when half of the cache is used, for the objects in the cache, and begins anew, with counts of 0, when
/// there are more of them than it has words for. The window does not adapt its size, and estimates are compared without
/// Caffeine's one chance in 128 for frequent losers.
#[derive(Debug)]
pub struct WindowTinyLfu {
    size: u64,
    window: u64,
    protected: u64,
    segments: Segments,
    cached: usize,
    sketch: Option<FrequencySketch>,
}

impl WindowTinyLfu {
    pub fn new(size: u64) -> Self {
        let main = (u128::from(size) * 99 / 100) as u64;
        WindowTinyLfu {
            size,
            window: size - main,
            protected: (u128::from(main) * 80 / 100) as u64,
            segments: Segments::default(),
            cached: 0,
            sketch: None,
        }
    }

    fn used(&self) -> u64 {
        [WINDOW, PROBATIONARY, PROTECTED].into_iter().map(|list| self.segments.sum(list)).sum()
    }

    /// Enlarge the sketch for an object that comes in.
    #[inline(always)]
    fn prepare_sketch(&mut self, weight: u64) {
        let objects = self.cached + 1;
        let is_large_enough = self.sketch.as_ref().is_some_and(|sketch| sketch.words() >= objects);
        if !is_large_enough && self.used() + weight >= self.size / 2 {
            self.sketch = Some(FrequencySketch::new(objects as u32));
        }
    }

    #[inline(always)]
    fn count(&mut self, number: u32) {
        if let Some(sketch) = &mut self.sketch {
            sketch.add(number);
        }
    }

    fn is_more_frequent(&self, number: u32, than: u32) -> bool {
        self.sketch.as_ref().is_some_and(|sketch| sketch.estimate(number) > sketch.estimate(than))
    }

    /// Evict an object.
    fn evict(&mut self, number: u32) {
        self.segments.take_out(number);
        self.cached -= 1;
    }

    /// Put an object that is in no list into the window.
    #[inline(always)]
    fn put_in_window(&mut self, number: u32, weight: u64) {
        if weight > self.window {
            self.segments.put_in_oldest(WINDOW, number, weight);
        } else {
            self.segments.put_in(WINDOW, number, weight);
        }
    }

    /// Make room where parts of the cache, or all of it, hold too much.
    #[inline(always)]
    fn settle(&mut self) {
        while self.segments.sum(WINDOW) > self.window {
            let Some(candidate) = self.segments.take_oldest(WINDOW) else { break };
            self.segments.put_in(PROBATIONARY, candidate, self.segments.weight(candidate));
            if self.used() > self.size {
                self.compete(candidate);
            }
        }
        while self.used() > self.size {
            let victim =
                [PROBATIONARY, PROTECTED, WINDOW].into_iter().find_map(|list| self.segments.oldest(list));
            let Some(victim) = victim else { break };
            self.evict(victim);
        }
        while self.segments.sum(PROTECTED) > self.protected {
            let Some(demoted) = self.segments.take_oldest(PROTECTED) else { break };
            self.segments.put_in(PROBATIONARY, demoted, self.segments.weight(demoted));
        }
    }

    #[inline(always)]
    fn compete(&mut self, candidate: u32) {
        let Some(victim) = self.segments.oldest(PROBATIONARY) else { return };
        let wins = victim != candidate && self.is_more_frequent(candidate, victim);
        self.evict(if wins { victim } else { candidate });
    }
}

impl Contents for WindowTinyLfu {
    fn prepare(&mut self, objects: usize) {
        self.segments.prepare(objects);
    }

    #[inline(always)]
    fn look_ahead(&self, number: u32) {
        self.segments.look_ahead(number);
        if let Some(sketch) = &self.sketch {
            sketch.look_ahead(number);
        }
    }

    #[inline(always)]
    fn look_around(&self, number: u32) {
        self.segments.look_around(number);
    }

    #[inline(always)]
    fn request(&mut self, number: u32, weight: u64) -> bool {
        let list = self.segments.list_of(number);
        if list == NOWHERE && weight <= self.size {
            self.prepare_sketch(weight);
        }
        self.count(number);
        if weight > self.size {
            self.remove(number);
            return list != NOWHERE;
        }
        match list {
            NOWHERE => {
                self.cached += 1;
                self.put_in_window(number, weight);
            }
            WINDOW => {
                self.segments.take_out(number);
                self.put_in_window(number, weight);
            }
            PROBATIONARY if weight > self.protected => self.segments.move_to(PROBATIONARY, number, weight),
            _ => self.segments.move_to(PROTECTED, number, weight),
        }
        self.settle();
        list != NOWHERE
    }

    fn remove(&mut self, number: u32) {
        if self.segments.list_of(number) != NOWHERE {
            self.evict(number);
        }
    }
}
