//! Whole fetch blocks.

use super::Fetch;
use crate::cache::replay::BlockSet;

/// Counts of what was fetched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fetched {
    /// Fetch blocks brought in.
    pub fetches: u64,
    /// Blocks brought in that the request did not ask for.
    pub prefetched_blocks: u64,
    /// First reads of these.
    pub prefetched_hits: u64,
    /// Those of them that were written, deleted or evicted before they were read.
    pub prefetched_unused: u64,
    /// Those of them in the cache that have not been read.
    pub prefetched_at_end: u64,
    /// Bytes of them beyond their file's end.
    pub shortfall: u64,
}

/// A read that misses brings in the blocks of the missing block's fetch block that are not cached. Those that the
/// request does not touch enter first: those before the request, then those after it from the last one to the first,
/// so that the next block of the file is the most recently used of them.
#[derive(Debug)]
pub struct Blocks {
    fetch_blocks: usize,
    /// The blocks of the present read's first fetch block before it.
    before: Vec<u32>,
    /// Those of its last fetch block after it.
    after: Vec<u32>,
    /// Bytes of the last of these beyond the file's end.
    end_shortfall: u32,
    /// The fetch block that was brought in last for the present request, counted from that of its first block.
    latest: Option<usize>,
    /// The blocks that are to enter, the last one first.
    entering: Vec<u32>,
    /// The blocks that were prefetched and have not been read.
    prefetched: BlockSet,
    counting: bool,
    counts: Fetched,
}

impl Blocks {
    /// Fetch blocks of this many blocks, at least 1.
    pub fn new(fetch_blocks: u32) -> Self {
        Blocks {
            fetch_blocks: fetch_blocks as usize,
            before: Vec::new(),
            after: Vec::new(),
            end_shortfall: 0,
            latest: None,
            entering: Vec::new(),
            prefetched: BlockSet::default(),
            counting: false,
            counts: Fetched::default(),
        }
    }

    /// The counts so far.
    pub fn counts(&self) -> Fetched {
        Fetched { prefetched_at_end: self.prefetched.count(), ..self.counts }
    }

    fn count(&mut self, of: impl Fn(&mut Fetched) -> &mut u64, number: u64) {
        if self.counting {
            *of(&mut self.counts) += number;
        }
    }

    /// The fetch block of a block of the present read, counted from that of its first.
    fn fetch_block(&self, index: usize) -> usize {
        (self.before.len() + index) / self.fetch_blocks
    }
}

impl Fetch for Blocks {
    fn prepare(&mut self, blocks: usize) {
        self.prefetched.prepare(blocks);
    }

    fn surround(&mut self, before: &[u32], after: &[u32], end_shortfall: u32) {
        self.before.clear();
        self.before.extend_from_slice(before);
        self.after.clear();
        self.after.extend_from_slice(after);
        self.end_shortfall = end_shortfall;
    }

    fn begin(&mut self, counted: bool) {
        self.counting |= counted;
        self.latest = None;
    }

    fn miss(&mut self, index: usize, blocks: usize, is_cached: impl Fn(u32) -> bool) {
        let fetch_block = self.fetch_block(index);
        if self.latest.replace(fetch_block) == Some(fetch_block) {
            return;
        }
        let is_new = |block: &&u32| !is_cached(**block);
        let mut shortfall = 0;
        if fetch_block == self.fetch_block(blocks - 1) {
            self.entering.extend(self.after.iter().filter(is_new));
            if self.after.last().is_some_and(|block| is_new(&block)) {
                shortfall = self.end_shortfall;
            }
        }
        if fetch_block == 0 {
            self.entering.extend(self.before.iter().rev().filter(is_new));
        }
        self.count(|counts| &mut counts.fetches, 1);
        self.count(|counts| &mut counts.prefetched_blocks, self.entering.len() as u64);
        self.count(|counts| &mut counts.shortfall, u64::from(shortfall));
    }

    fn next(&mut self) -> Option<u32> {
        let block = self.entering.pop()?;
        self.prefetched.insert(block);
        Some(block)
    }

    fn touch(&mut self, block: u32, write: bool) {
        if self.prefetched.remove(block) {
            self.count(
                |counts| if write { &mut counts.prefetched_unused } else { &mut counts.prefetched_hits },
                1,
            );
        }
    }

    fn remove(&mut self, block: u32) {
        let unused = self.prefetched.remove(block);
        self.count(|counts| &mut counts.prefetched_unused, u64::from(unused));
    }
}
