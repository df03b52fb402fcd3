//! Which blocks are neighbours in a file.

/// No block.
const NONE: u32 = u32::MAX;

/// The neighbours of each block in its file, by dense number; blocks are added in the order of their numbers.
#[derive(Debug, Default)]
pub struct Neighbours {
    previous: Vec<u32>,
    next: Vec<u32>,
}

impl Neighbours {
    /// Whether a block was added.
    #[inline(always)]
    pub fn knows(&self, block: u32) -> bool {
        (block as usize) < self.previous.len()
    }

    /// Add the next block, between blocks that were added before it.
    pub fn add(&mut self, previous: Option<u32>, next: Option<u32>) {
        let block = self.previous.len() as u32;
        self.previous.push(previous.unwrap_or(NONE));
        self.next.push(next.unwrap_or(NONE));
        if let Some(previous) = previous {
            self.next[previous as usize] = block;
        }
        if let Some(next) = next {
            self.previous[next as usize] = block;
        }
    }

    /// The block before it in its file.
    pub fn previous(&self, block: u32) -> Option<u32> {
        self.previous.get(block as usize).copied().filter(|&block| block != NONE)
    }

    /// The block after it in its file.
    pub fn next(&self, block: u32) -> Option<u32> {
        self.next.get(block as usize).copied().filter(|&block| block != NONE)
    }
}
