//! Which writes a write-back cache keeps from what is behind it, for caches of all sizes that no object exceeds.
//!
//! An object written is dirty in all of them, and stays so in those that do not evict it before its next write: the ones
//! of at least the largest depth at which it was requested since. A write that finds its object dirty, or a deletion,
//! absorbs the write before.

use super::sizes::Sizes;
use super::tally::Tally;
use crate::lists::prefetch_at;

/// The level of an object that is dirty nowhere.
const CLEAN: u64 = u64::MAX;

/// Writes are not counted by tenant.
const TENANT: u32 = 0;

/// An object's size when it was written, and the smallest size of a cache in which it is dirty.
#[derive(Debug, Clone, Copy)]
struct Dirty {
    level: u64,
    bytes: u64,
}

/// Writes, and where they are absorbed.
#[derive(Debug)]
pub struct Writes {
    /// By object number.
    dirty: Vec<Dirty>,
    /// Counts all writes, and in which caches the one before was absorbed.
    pub absorbed: Tally,
}

impl Writes {
    /// Nothing written, for this many sizes.
    pub fn new(sizes: usize) -> Self {
        Writes { dirty: Vec::new(), absorbed: Tally::new(sizes) }
    }

    /// Make room for object numbers below this.
    pub fn prepare(&mut self, objects: usize) {
        self.dirty.resize(objects.max(self.dirty.len()), Dirty { level: CLEAN, bytes: 0 });
    }

    /// Prefetch what is known of an object.
    #[inline(always)]
    pub fn prefetch_entry(&self, number: u32) {
        prefetch_at(&self.dirty, number as usize);
    }

    /// An object was requested at a depth, None if no cache has it.
    #[inline(always)]
    pub fn request(&mut self, number: u32, depth: Option<u64>, writes: Option<u64>, sizes: &Sizes) {
        let dirty = &mut self.dirty[number as usize];
        dirty.level = match (dirty.level, depth) {
            (CLEAN, _) | (_, None) => CLEAN,
            (level, Some(depth)) => level.max(depth),
        };
        if let Some(bytes) = writes {
            self.absorb(number, sizes);
            self.absorbed.count(TENANT, bytes, None);
            self.dirty[number as usize] = Dirty { level: 0, bytes };
        }
    }

    /// An object at a depth is removed.
    pub fn remove(&mut self, number: u32, depth: Option<u64>, sizes: &Sizes) {
        self.request(number, depth, None, sizes);
        self.absorb(number, sizes);
        self.dirty[number as usize].level = CLEAN;
    }

    #[inline(always)]
    fn absorb(&mut self, number: u32, sizes: &Sizes) {
        let Dirty { level, bytes } = self.dirty[number as usize];
        if level != CLEAN {
            self.absorbed.count_hit(TENANT, bytes, sizes.place(level));
        }
    }

    /// Where objects at these depths are dirty now.
    pub fn at_end(&self, depths: impl Iterator<Item = (u32, u64)>, sizes: &Sizes) -> Tally {
        let mut tally = Tally::new(sizes.all().len());
        for (number, depth) in depths {
            match self.dirty.get(number as usize) {
                Some(&Dirty { level, bytes }) if level != CLEAN => {
                    tally.count_hit(TENANT, bytes, sizes.place(level.max(depth)));
                }
                _ => {}
            }
        }
        tally
    }
}
