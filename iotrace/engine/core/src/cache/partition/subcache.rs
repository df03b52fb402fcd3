//! One part of a partitioned cache.

use crate::cache::replay::{DirtyBlocks, Request, Step};
use crate::lists::Lists;

/// The blocks that a cache smaller by one quantum would also hold.
const HEAD: u32 = 1;
/// The cache's last blocks, which a cache smaller by one quantum would not hold.
const TAIL: u32 = 2;
/// The blocks evicted last, which a cache larger by one quantum would hold.
const GHOST: u32 = 3;

/// Misses and blocks written back of a part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Block misses of reads and of writes.
    pub block_misses: [u64; 2],
    /// Request misses of reads and of writes.
    pub request_misses: [u64; 2],
    /// Dirty blocks written back, or blocks written through if nothing is cached.
    pub write_expulsions: u64,
    /// Blocks still dirty.
    pub dirty_at_end: u64,
}

/// Aged counts of the request misses that one quantum of space would have changed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Margin {
    /// Misses that one quantum more would have saved.
    pub gain: f64,
    /// Misses that one quantum less would have added.
    pub loss: f64,
}

/// The lists in which a request found its blocks.
#[derive(Debug, Clone, Copy, Default)]
struct BlocksByList {
    last: u64,
    remembered: u64,
    forgotten: u64,
}

/// An LRU cache of changing size.
#[derive(Debug)]
pub struct Subcache {
    size_blocks: u64,
    quantum_blocks: u64,
    lists: Lists,
    dirty: DirtyBlocks,
    counting: bool,
    /// The value of one quantum to it.
    pub margin: Margin,
    outcome: Outcome,
}

impl Subcache {
    /// An empty cache of `size_blocks` blocks, whose size changes by `quantum_blocks` at a time.
    pub fn new(size_blocks: u64, quantum_blocks: u64) -> Self {
        Subcache {
            size_blocks,
            quantum_blocks,
            lists: Lists::default(),
            dirty: DirtyBlocks::default(),
            counting: false,
            margin: Margin::default(),
            outcome: Outcome::default(),
        }
    }

    /// The results so far.
    pub fn outcome(&self) -> Outcome {
        Outcome { dirty_at_end: self.dirty.count(), ..self.outcome }
    }

    /// Change its size; blocks that no longer fit are evicted.
    pub fn resize(&mut self, size_blocks: u64) {
        self.size_blocks = size_blocks;
        self.settle();
    }

    /// Grow the tables for block numbers below `blocks`.
    pub fn prepare(&mut self, blocks: usize) {
        self.lists.prepare(blocks);
        self.dirty.prepare(blocks);
    }

    /// Apply a step with its blocks. `counts_writes` says whether writes count towards the value of space, as reads do.
    pub fn follow(&mut self, step: &Step, touched: &[u32], counts_writes: bool) {
        match *step {
            Step::Request(request) => self.request(request, touched, counts_writes),
            Step::Drop(_) => {
                for &block in touched {
                    self.dirty.clean(block);
                    self.lists.take_out(block);
                }
                self.settle();
            }
            Step::Time(_)
            | Step::Processes(_)
            | Step::File(_)
            | Step::Surroundings { .. }
            | Step::Sync(_)
            | Step::SyncBlocks(_) => {}
        }
    }

    fn request(&mut self, request: Request, touched: &[u32], counts_writes: bool) {
        self.counting = request.counted;
        let way = usize::from(request.write);
        if self.size_blocks == 0 {
            if request.counted {
                self.outcome.request_misses[way] += 1;
                self.outcome.block_misses[way] += touched.len() as u64;
                self.outcome.write_expulsions += way as u64 * touched.len() as u64;
            }
            return;
        }
        let piece_blocks = usize::try_from(self.size_blocks).unwrap_or(usize::MAX);
        let (mut misses, mut found) = (0, BlocksByList::default());
        for piece in touched.chunks(piece_blocks) {
            let missed_before = found.remembered + found.forgotten;
            for &block in piece {
                match self.touch(block) {
                    HEAD => {}
                    TAIL => found.last += 1,
                    GHOST => found.remembered += 1,
                    _ => found.forgotten += 1,
                }
                if request.write {
                    self.dirty.write(block, 0);
                }
            }
            misses += u64::from(found.remembered + found.forgotten > missed_before);
        }
        if !request.write || counts_writes {
            self.weigh(touched.len() as u64, misses, found);
        }
        if request.counted {
            self.outcome.block_misses[way] += found.remembered + found.forgotten;
            self.outcome.request_misses[way] += misses;
        }
    }

    /// Compare a request's misses with those that it would have had with one quantum more or less: one miss if any
    /// block is missed; one for each piece if the request is larger than the cache.
    fn weigh(&mut self, blocks: u64, misses: u64, found: BlocksByList) {
        let with = |size_blocks: u64, any: bool| {
            if size_blocks > 0 && blocks > size_blocks {
                blocks.div_ceil(size_blocks)
            } else {
                u64::from(any)
            }
        };
        let more = with(self.size_blocks + self.quantum_blocks, found.forgotten > 0);
        let less = with(self.size_blocks.saturating_sub(self.quantum_blocks), misses > 0 || found.last > 0);
        self.margin.gain += misses.saturating_sub(more) as f64;
        self.margin.loss += less.saturating_sub(misses) as f64;
    }

    /// Move a block to the top; return the list in which it was.
    fn touch(&mut self, block: u32) -> u32 {
        let list = self.lists.list_of(block);
        if list == HEAD {
            self.lists.renew(block);
        } else {
            self.lists.take_out(block);
            self.lists.put_in(HEAD, block);
            self.settle();
        }
        list
    }

    /// Restore the lengths of the lists, each of which is a part of the LRU stack.
    fn settle(&mut self) {
        let head = self.size_blocks.saturating_sub(self.quantum_blocks);
        while u64::from(self.lists.len(HEAD)) > head {
            let Some(block) = self.lists.take_oldest(HEAD) else {
                break;
            };
            self.lists.put_in(TAIL, block);
        }
        while u64::from(self.lists.len(HEAD)) < head {
            let Some(block) = self.lists.take_newest(TAIL) else {
                break;
            };
            self.lists.put_in_oldest(HEAD, block);
        }
        while u64::from(self.lists.len(HEAD)) + u64::from(self.lists.len(TAIL)) > self.size_blocks {
            let Some(block) = self.lists.take_oldest(TAIL) else {
                break;
            };
            self.lists.put_in(GHOST, block);
            let was_dirty = self.dirty.clean(block).is_some();
            if was_dirty && self.counting {
                self.outcome.write_expulsions += 1;
            }
        }
        while u64::from(self.lists.len(GHOST)) > self.quantum_blocks {
            self.lists.take_oldest(GHOST);
        }
    }
}
