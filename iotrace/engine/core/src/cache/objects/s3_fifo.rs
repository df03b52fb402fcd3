//! S3-FIFO over objects with sizes.

use super::policies::Contents;
use super::segments::Segments;

const SMALL: u32 = 1;
const MAIN: u32 = 2;
const GHOST: u32 = 3;
const MOST_USES: u8 = 3;

/// S3-FIFO as `cache::policies` has it, with weights for numbers of blocks: the small queue S has 10 % of the cache, the
/// main one M the rest, and the ghost queue G remembers objects that weigh as much as M holds. Objects are evicted until
/// the one requested fits, from S if it has its part or M is empty, and otherwise from M.
#[derive(Debug)]
pub struct S3Fifo {
    size: u64,
    queues: Segments,
    /// By object number: its hits, up to 3.
    uses: Vec<u8>,
}

impl S3Fifo {
    pub fn new(size: u64) -> Self {
        S3Fifo { size, queues: Segments::default(), uses: Vec::new() }
    }

    /// Whether a queue weighs more than nine tenths of the cache.
    fn is_beyond_main(&self, queue: u32) -> bool {
        10 * u128::from(self.queues.sum(queue)) > 9 * u128::from(self.size)
    }

    fn is_there(&self, number: u32) -> bool {
        matches!(self.queues.list_of(number), SMALL | MAIN)
    }

    /// Evict until `weight` more would fit.
    #[inline(always)]
    fn evict_for(&mut self, weight: u64) {
        while self.queues.sum(SMALL) + self.queues.sum(MAIN) + weight > self.size {
            let small = 10 * u128::from(self.queues.sum(SMALL));
            if small >= u128::from(self.size) || self.queues.oldest(MAIN).is_none() {
                self.evict_small();
            } else {
                self.evict_main();
            }
        }
    }

    fn evict_small(&mut self) {
        while let Some(number) = self.queues.take_oldest(SMALL) {
            let weight = self.queues.weight(number);
            if self.uses[number as usize] <= 1 {
                self.queues.put_in(GHOST, number, weight);
                while self.is_beyond_main(GHOST) {
                    self.queues.take_oldest(GHOST);
                }
                return;
            }
            self.uses[number as usize] = 0;
            self.queues.put_in(MAIN, number, weight);
            while self.is_beyond_main(MAIN) {
                self.evict_main();
            }
        }
    }

    fn evict_main(&mut self) {
        while let Some(number) = self.queues.take_oldest(MAIN) {
            let uses = &mut self.uses[number as usize];
            if *uses == 0 {
                return;
            }
            *uses -= 1;
            self.queues.put_in(MAIN, number, self.queues.weight(number));
        }
    }
}

impl Contents for S3Fifo {
    fn prepare(&mut self, objects: usize) {
        self.queues.prepare(objects);
        self.uses.resize(objects.max(self.uses.len()), 0);
    }

    #[inline(always)]
    fn look_ahead(&self, number: u32) {
        self.queues.look_ahead(number);
    }

    #[inline(always)]
    fn request(&mut self, number: u32, weight: u64) -> bool {
        let is_there = self.is_there(number);
        if weight > self.size {
            self.remove(number);
        } else if is_there {
            let uses = &mut self.uses[number as usize];
            *uses = (*uses + 1).min(MOST_USES);
            self.queues.weigh(number, weight);
            self.evict_for(0);
        } else {
            self.evict_for(weight);
            let queue = if self.queues.list_of(number) == GHOST { MAIN } else { SMALL };
            self.queues.move_to(queue, number, weight);
            self.uses[number as usize] = 0;
        }
        is_there
    }

    fn remove(&mut self, number: u32) {
        self.queues.take_out(number);
    }
}
