//! Which blocks are neighbours in a file.

use crate::lists::{make_room, prefetch_at};

/// No block.
const NONE: u32 = u32::MAX;

/// The neighbours of each block in its file, by dense number; blocks are added in the order of their numbers.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// The block before, and the one after.
    pairs: Vec<[u32; 2]>,
}

impl Neighbours {
    /// Whether a block was added.
    #[inline(always)]
    pub fn knows(&self, block: u32) -> bool {
        (block as usize) < self.pairs.len()
    }

    /// Add the next block, between blocks that were added before it.
    pub fn add(&mut self, previous: Option<u32>, next: Option<u32>) {
        let block = self.pairs.len() as u32;
        make_room(&mut self.pairs, block as usize + 1);
        self.pairs.push([previous.unwrap_or(NONE), next.unwrap_or(NONE)]);
        if let Some(previous) = previous {
            self.pairs[previous as usize][1] = block;
        }
        if let Some(next) = next {
            self.pairs[next as usize][0] = block;
        }
    }

    /// Prefetch a block's neighbours.
    #[inline(always)]
    pub fn prefetch(&self, block: u32) {
        prefetch_at(&self.pairs, block as usize);
    }

    /// The block before it in its file.
    pub fn previous(&self, block: u32) -> Option<u32> {
        self.pairs.get(block as usize).map(|pair| pair[0]).filter(|&block| block != NONE)
    }

    /// The block after it in its file.
    pub fn next(&self, block: u32) -> Option<u32> {
        self.pairs.get(block as usize).map(|pair| pair[1]).filter(|&block| block != NONE)
    }
}
