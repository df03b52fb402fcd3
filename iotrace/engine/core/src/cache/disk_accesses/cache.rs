//! One LRU cache that fetches blocks ahead of use and coalesces the blocks that it writes.

use super::stack::Stack;
use crate::cache::replay::{BlockSet, DirtyBlocks, Follow, Neighbours, Request, Step, Tape};

/// Counts of one cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The cache's size in blocks.
    pub size_blocks: u32,
    /// Block misses of reads and of writes.
    pub block_misses: [u64; 2],
    /// Request misses of reads and of writes.
    pub request_misses: [u64; 2],
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
    /// Bytes beyond their file's end in the blocks brought in by reads.
    pub read_shortfall: u64,
    /// Blocks evicted that are dirty if nothing is coalesced.
    pub write_expulsions: u64,
    /// Disk writes: runs of neighbouring dirty blocks.
    pub disk_writes: u64,
    /// The blocks of these.
    pub blocks_written: u64,
    /// Bytes of these blocks beyond their file's end.
    pub write_shortfall: u64,
    /// Blocks still dirty.
    pub dirty_at_end: u64,
}

/// The blocks around the next read that are in its first and its last fetch block.
#[derive(Debug, Clone, Copy, Default)]
struct Surroundings<'a> {
    before: &'a [u32],
    after: &'a [u32],
    end_shortfall: u32,
}

impl Surroundings<'_> {
    /// The fetch block of a request's block, counted from that of its first.
    fn fetch_block(&self, index: usize, fetch_blocks: usize) -> usize {
        (self.before.len() + index) / fetch_blocks
    }
}

/// An LRU cache. A read that misses brings in the blocks of the missing block's fetch block that are not cached; those
/// that the request does not touch enter the stack first, those before the request, then those after it from the last
/// one to the first, so that the next block of the file is the most recently used of them. An evicted dirty block is
/// written together with the dirty blocks on both sides of it in its file, as far as they adjoin each other and are in
/// the last portion of the stack; they stay in the cache, clean.
#[derive(Debug)]
pub struct Cache {
    fetch_blocks: usize,
    stack: Stack,
    dirty: DirtyBlocks,
    /// The blocks that are dirty if each is written when it is evicted, and alone.
    dirty_alone: DirtyBlocks,
    /// The blocks that were prefetched and have not been read.
    prefetched: BlockSet,
    /// The blocks of the present fetch that are to enter.
    entering: Vec<u32>,
    counting: bool,
    outcome: Outcome,
}

impl Cache {
    /// An empty cache of `size_blocks` blocks. A fetch block has `fetch_blocks` blocks, at least 1; dirty blocks are
    /// coalesced in the last `last_blocks` blocks of the stack, 1 (not at all) to all.
    pub fn new(size_blocks: u32, fetch_blocks: u32, last_blocks: u32) -> Self {
        Cache {
            fetch_blocks: fetch_blocks as usize,
            stack: Stack::new(size_blocks, last_blocks),
            dirty: DirtyBlocks::default(),
            dirty_alone: DirtyBlocks::default(),
            prefetched: BlockSet::default(),
            entering: Vec::new(),
            counting: false,
            outcome: Outcome { size_blocks, ..Outcome::default() },
        }
    }

    /// The counts so far.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            dirty_at_end: self.dirty.count(),
            prefetched_at_end: self.prefetched.count(),
            ..self.outcome
        }
    }

    fn count(&mut self, of: impl Fn(&mut Outcome) -> &mut u64, number: u64) {
        if self.counting {
            *of(&mut self.outcome) += number;
        }
    }

    /// Process a request, in pieces of the cache's size if it is larger.
    fn request(&mut self, request: Request, touches: &[u32], around: Surroundings, neighbours: &Neighbours) {
        self.counting |= request.counted;
        let way = usize::from(request.write);
        let mut index = 0;
        for piece in touches.chunks(self.outcome.size_blocks as usize) {
            let (mut missed, mut fetched) = (0, None);
            for &block in piece {
                let shortfall = if index + 1 == touches.len() { request.last_shortfall } else { 0 };
                let hit = self.stack.contains(block);
                if !hit {
                    missed += 1;
                    let fetch_block = around.fetch_block(index, self.fetch_blocks);
                    if !request.write {
                        self.count(|outcome| &mut outcome.read_shortfall, u64::from(shortfall));
                    }
                    if !request.write && fetched.replace(fetch_block) != Some(fetch_block) {
                        let last = around.fetch_block(touches.len() - 1, self.fetch_blocks);
                        let before = if fetch_block == 0 { around.before } else { &[] };
                        let after = if fetch_block == last { around.after } else { &[] };
                        self.prefetch(Surroundings { before, after, ..around }, neighbours);
                    }
                    self.make_space(neighbours);
                }
                self.touch(block, request.write, hit, shortfall);
                index += 1;
            }
            self.count(|outcome| &mut outcome.block_misses[way], missed);
            self.count(|outcome| &mut outcome.request_misses[way], u64::from(missed > 0));
        }
    }

    /// Bring in those blocks of a fetch block around a request that are not cached.
    fn prefetch(&mut self, around: Surroundings, neighbours: &Neighbours) {
        self.count(|outcome| &mut outcome.fetches, 1);
        let mut entering = std::mem::take(&mut self.entering);
        let blocks = around.before.iter().chain(around.after.iter().rev());
        entering.extend(blocks.filter(|&&block| !self.stack.contains(block)));
        for &block in &entering {
            self.make_space(neighbours);
            self.stack.use_block(block);
            self.prefetched.insert(block);
            let shortfall = if around.after.last() == Some(&block) { around.end_shortfall } else { 0 };
            self.count(|outcome| &mut outcome.prefetched_blocks, 1);
            self.count(|outcome| &mut outcome.read_shortfall, u64::from(shortfall));
        }
        entering.clear();
        self.entering = entering;
    }

    /// Touch a block for which there is space.
    fn touch(&mut self, block: u32, write: bool, hit: bool, shortfall: u32) {
        self.stack.use_block(block);
        if self.prefetched.remove(block) {
            self.count(
                |outcome| if write { &mut outcome.prefetched_unused } else { &mut outcome.prefetched_hits },
                1,
            );
        }
        for dirty in [&mut self.dirty, &mut self.dirty_alone] {
            if write {
                dirty.write(block, shortfall);
            } else if hit {
                dirty.read(block, shortfall);
            }
        }
    }

    /// Evict a block if the cache is full.
    fn make_space(&mut self, neighbours: &Neighbours) {
        let Some(evicted) = self.stack.to_evict() else {
            return;
        };
        self.write_out(evicted, neighbours);
        let dirty_alone = self.dirty_alone.clean(evicted).is_some();
        self.count(|outcome| &mut outcome.write_expulsions, u64::from(dirty_alone));
        self.remove(evicted);
    }

    /// Write a block that is evicted, if it is dirty, together with the dirty blocks that adjoin it.
    fn write_out(&mut self, evicted: u32, neighbours: &Neighbours) {
        let Some(shortfall) = self.dirty.clean(evicted) else {
            return;
        };
        let (mut blocks, mut shortfall) = (1, u64::from(shortfall));
        for towards in [Neighbours::previous, Neighbours::next] {
            let mut adjoining = towards(neighbours, evicted);
            while let Some(block) = adjoining.filter(|&block| self.stack.is_in_last_portion(block)) {
                let Some(more) = self.dirty.clean(block) else {
                    break;
                };
                blocks += 1;
                shortfall += u64::from(more);
                adjoining = towards(neighbours, block);
            }
        }
        self.count(|outcome| &mut outcome.disk_writes, 1);
        self.count(|outcome| &mut outcome.blocks_written, blocks);
        self.count(|outcome| &mut outcome.write_shortfall, shortfall);
    }

    /// Remove a block, if it is there.
    fn remove(&mut self, block: u32) {
        self.stack.remove(block);
        let unused = self.prefetched.remove(block);
        self.count(|outcome| &mut outcome.prefetched_unused, u64::from(unused));
    }

    fn drop_out(&mut self, block: u32) {
        self.remove(block);
        self.dirty.clean(block);
        self.dirty_alone.clean(block);
    }
}

/// A cache and what it has to know of the blocks' places in their files.
pub struct Run<'a> {
    /// The cache.
    pub cache: &'a mut Cache,
    /// The neighbours of the tape's blocks.
    pub neighbours: &'a Neighbours,
}

impl Follow for Run<'_> {
    fn follow(&mut self, tape: &Tape, blocks: usize) {
        let Run { cache, neighbours } = self;
        cache.stack.prepare(blocks);
        cache.dirty.prepare(blocks);
        cache.dirty_alone.prepare(blocks);
        cache.prefetched.prepare(blocks);
        let mut rest = tape.touches.as_slice();
        let mut around = Surroundings::default();
        for step in &tape.steps {
            let (touched, after) = rest.split_at(step.blocks() as usize);
            rest = after;
            match *step {
                Step::Surroundings { before, end_shortfall, .. } => {
                    let (before, after) = touched.split_at(before as usize);
                    around = Surroundings { before, after, end_shortfall };
                }
                Step::Request(request) => {
                    cache.request(request, touched, std::mem::take(&mut around), neighbours);
                }
                Step::Drop(_) => touched.iter().for_each(|&block| cache.drop_out(block)),
                Step::Time(_) | Step::File(_) | Step::Sync(_) | Step::SyncBlocks(_) => {}
            }
        }
    }
}
