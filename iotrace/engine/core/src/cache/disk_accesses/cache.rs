//! One LRU cache that fetches blocks ahead of use and coalesces the blocks that it writes.

use super::stack::Stack;
use crate::cache::replay::{BlockSet, DirtyBlocks, Follow, Neighbours, Request, Step, Tape};
use std::ops::Range;

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

/// A request under way.
#[derive(Clone, Copy)]
struct Issued<'a> {
    request: Request,
    touches: &'a [u32],
    around: Surroundings<'a>,
    neighbours: &'a Neighbours,
}

impl<'a> Issued<'a> {
    /// The fetch block of one of its blocks, counted from that of its first.
    fn fetch_block(&self, index: usize, fetch_blocks: usize) -> usize {
        (self.around.before.len() + index) / fetch_blocks
    }

    /// The blocks around it that are in one of its fetch blocks.
    fn around(&self, fetch_block: usize, fetch_blocks: usize) -> Surroundings<'a> {
        let last = self.fetch_block(self.touches.len() - 1, fetch_blocks);
        Surroundings {
            before: if fetch_block == 0 { self.around.before } else { &[] },
            after: if fetch_block == last { self.around.after } else { &[] },
            end_shortfall: self.around.end_shortfall,
        }
    }

    /// The bytes of one of its blocks beyond the file's end.
    fn shortfall(&self, index: usize) -> u32 {
        if index + 1 == self.touches.len() {
            self.request.last_shortfall
        } else {
            0
        }
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
    fn process(&mut self, issued: Issued) {
        let Request { write, counted, .. } = issued.request;
        self.counting |= counted;
        let size = self.outcome.size_blocks as usize;
        for first in (0..issued.touches.len()).step_by(size) {
            let missed = self.process_piece(issued, first..issued.touches.len().min(first + size));
            self.count(|outcome| &mut outcome.block_misses[usize::from(write)], missed);
            self.count(|outcome| &mut outcome.request_misses[usize::from(write)], u64::from(missed > 0));
        }
    }

    /// Process some blocks of a request; return how many missed.
    fn process_piece(&mut self, issued: Issued, piece: Range<usize>) -> u64 {
        let write = issued.request.write;
        let (mut missed, mut fetched) = (0, None);
        for index in piece {
            let (block, shortfall) = (issued.touches[index], issued.shortfall(index));
            let hit = self.stack.contains(block);
            if !hit {
                missed += 1;
                if !write {
                    let fetch_block = issued.fetch_block(index, self.fetch_blocks);
                    if fetched.replace(fetch_block) != Some(fetch_block) {
                        self.fetch(issued, fetch_block);
                    }
                    self.count(|outcome| &mut outcome.read_shortfall, u64::from(shortfall));
                }
                self.make_space(issued.neighbours);
            }
            self.touch(block, write, hit, shortfall);
        }
        missed
    }

    /// Bring in the blocks of a read's fetch block around the read that are not cached.
    fn fetch(&mut self, issued: Issued, fetch_block: usize) {
        self.count(|outcome| &mut outcome.fetches, 1);
        let around = issued.around(fetch_block, self.fetch_blocks);
        let mut entering = std::mem::take(&mut self.entering);
        let blocks = around.before.iter().chain(around.after.iter().rev());
        entering.extend(blocks.filter(|&&block| !self.stack.contains(block)));
        for &block in &entering {
            self.make_space(issued.neighbours);
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
                    let around = std::mem::take(&mut around);
                    cache.process(Issued { request, touches: touched, around, neighbours });
                }
                Step::Drop(_) => touched.iter().for_each(|&block| cache.drop_out(block)),
                Step::Time(_) | Step::Processes(_) | Step::File(_) | Step::Sync(_) | Step::SyncBlocks(_) => {}
            }
        }
    }
}
