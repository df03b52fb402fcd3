//! CLOCK, or second chance.

use super::policy::{as_lists_do, Access, Replacement};
use crate::lists::{prefetch, Lists, One};

/// The frame of a block that is not cached.
const NO_FRAME: u32 = u32::MAX;

/// CLOCK (Corbató, A Paging Experiment with the Multics System, 1968), with one bit per page: the pages form a circle
/// with a pointer. Every reference to a page sets its usage bit. To evict a page, the pointer advances over pages
/// whose bit is set, and clears their bits; the first page whose bit is clear is replaced by the new one, and the
/// pointer moves on.
///
/// The reference that brings a page in also sets its bit. The frame of a removed block is given to the next new one.
/// libCacheSim (0.3.5) by default does not set the bit of a page that is brought in.
#[derive(Debug)]
pub struct Clock {
    size: u64,
    /// The frame of each block, or `NO_FRAME`.
    frame_of: Vec<u32>,
    /// The block of each frame, and its usage bit.
    blocks: Vec<u32>,
    used: Vec<bool>,
    free: Vec<u32>,
    pointer: usize,
}

impl Clock {
    /// An empty cache with a capacity of `size` blocks.
    pub fn new(size: u64) -> Self {
        Clock {
            size,
            frame_of: Vec::new(),
            blocks: Vec::new(),
            used: Vec::new(),
            free: Vec::new(),
            pointer: 0,
        }
    }

    /// Move the pointer past a page whose bit is off; return its frame.
    #[inline(always)]
    fn victim(&mut self) -> usize {
        loop {
            let frame = self.pointer;
            self.pointer = if frame + 1 == self.blocks.len() { 0 } else { frame + 1 };
            if !std::mem::take(&mut self.used[frame]) {
                return frame;
            }
        }
    }
}

impl Replacement for Clock {
    type Weight = One;

    fn prepare(&mut self, blocks: usize) {
        if blocks > self.frame_of.len() {
            self.frame_of.resize(blocks, NO_FRAME);
        }
    }

    #[inline(always)]
    fn prefetch_entry(&self, block: u32) {
        if let Some(frame) = self.frame_of.get(block as usize) {
            prefetch(frame);
        }
    }

    #[inline(always)]
    fn contains(&self, block: u32) -> bool {
        self.frame_of[block as usize] != NO_FRAME
    }

    #[inline(always)]
    fn hit(&mut self, access: &Access<One>, _: &mut impl FnMut(u32)) {
        self.used[self.frame_of[access.number as usize] as usize] = true;
    }

    #[inline(always)]
    fn miss(&mut self, access: &Access<One>, evicted: &mut impl FnMut(u32)) {
        let block = access.number;
        let frame = if let Some(frame) = self.free.pop() {
            frame as usize
        } else if (self.blocks.len() as u64) < self.size {
            self.blocks.push(block);
            self.used.push(true);
            self.blocks.len() - 1
        } else {
            let frame = self.victim();
            let victim = self.blocks[frame];
            self.frame_of[victim as usize] = NO_FRAME;
            evicted(victim);
            frame
        };
        self.blocks[frame] = block;
        self.used[frame] = true;
        self.frame_of[block as usize] = frame as u32;
    }

    fn remove(&mut self, block: u32) {
        let frame = std::mem::replace(&mut self.frame_of[block as usize], NO_FRAME);
        if frame != NO_FRAME {
            self.free.push(frame);
        }
    }
}

const QUEUE: u32 = 1;

/// CLOCK for objects with sizes, for which there are no frames: the circle is a queue whose oldest object is under the
/// pointer. The pointer passes an object by making it the newest. What comes in is the newest, also after a removal,
/// where `Clock` gives a new block the removed one's frame; without removals both are the same.
#[derive(Debug)]
pub struct SizedClock {
    size: u64,
    lists: Lists<u64>,
}

impl SizedClock {
    /// An empty cache with a capacity of `size` bytes.
    pub fn new(size: u64) -> Self {
        SizedClock { size, lists: Lists::default() }
    }

    /// Evict until no more than `most` is cached.
    fn shrink(&mut self, most: u64, evicted: &mut impl FnMut(u32)) {
        while self.lists.sum(QUEUE) > most {
            let Some(oldest) = self.lists.oldest(QUEUE) else { break };
            if std::mem::take(self.lists.mark(oldest)) == 1 {
                self.lists.renew(oldest);
            } else {
                self.lists.take_out(oldest);
                evicted(oldest);
            }
        }
    }
}

impl Replacement for SizedClock {
    type Weight = u64;

    as_lists_do!(prepare, prefetch_entry, prefetch_links, contains, remove);

    #[inline(always)]
    fn hit(&mut self, access: &Access<u64>, evicted: &mut impl FnMut(u32)) {
        *self.lists.mark(access.number) = 1;
        if self.lists.weigh(access.number, access.weight) < access.weight {
            self.shrink(self.size, evicted);
        }
    }

    #[inline(always)]
    fn miss(&mut self, access: &Access<u64>, evicted: &mut impl FnMut(u32)) {
        self.shrink(self.size - access.weight, evicted);
        self.lists.weigh(access.number, access.weight);
        self.lists.put_in(QUEUE, access.number);
        *self.lists.mark(access.number) = 1;
    }
}
