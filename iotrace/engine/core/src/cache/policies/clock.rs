//! CLOCK, or second chance.

use super::policy::Policy;
use crate::lists::prefetch;

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
    size: u32,
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
    pub fn new(size: u32) -> Self {
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

impl Policy for Clock {
    fn prepare(&mut self, blocks: usize) {
        if blocks > self.frame_of.len() {
            self.frame_of.resize(blocks, NO_FRAME);
        }
    }

    #[inline(always)]
    fn look_ahead(&self, block: u32) {
        if let Some(frame) = self.frame_of.get(block as usize) {
            prefetch(frame);
        }
    }

    #[inline(always)]
    fn hit(&mut self, block: u32) -> bool {
        match self.used.get_mut(self.frame_of[block as usize] as usize) {
            Some(used) => {
                *used = true;
                true
            }
            None => false,
        }
    }

    #[inline(always)]
    fn miss(&mut self, block: u32, expel: &mut impl FnMut(u32)) {
        let frame = if let Some(frame) = self.free.pop() {
            frame as usize
        } else if self.blocks.len() < self.size as usize {
            self.blocks.push(block);
            self.used.push(true);
            self.blocks.len() - 1
        } else {
            let frame = self.victim();
            let expelled = self.blocks[frame];
            self.frame_of[expelled as usize] = NO_FRAME;
            expel(expelled);
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
