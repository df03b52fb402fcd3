//! One cache of one size under one policy, and its counts.

use super::policy::Policy;
use crate::cache::replay::{DirtyBlocks, Follow, Request, Step, Tape};

/// Distance in blocks at which a block's state is prefetched.
const FAR: usize = 24;
/// Distance in blocks at which the state of its neighbours is prefetched.
const NEAR: usize = 12;
/// Index of the counts of reads; those of writes follow.
const READ: usize = 0;

/// Misses and blocks written back of one cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The cache's size in blocks.
    pub size_blocks: u32,
    /// Block misses of reads and of writes.
    pub block_misses: [u64; 2],
    /// Request misses of reads and of writes.
    pub request_misses: [u64; 2],
    /// Dirty blocks written back.
    pub write_expulsions: u64,
    /// Bytes of these blocks beyond their file's end.
    pub expulsion_shortfall: u64,
    /// Bytes beyond their file's end in blocks brought in by reads.
    pub read_shortfall: u64,
    /// Blocks still dirty.
    pub dirty_at_end: u64,
}

/// A cache of some policy.
pub trait Simulated: Follow {
    /// The outcome so far.
    fn outcome(&self) -> Outcome;

    /// Block misses of counted reads so far.
    fn read_block_misses(&self) -> u64;
}

/// A cache under a policy.
#[derive(Debug)]
pub struct Simulation<P> {
    policy: P,
    dirty: DirtyBlocks,
    outcome: Outcome,
}

impl<P: Policy> Simulation<P> {
    /// An empty cache of `size_blocks` blocks; `policy` was created with the same capacity.
    pub fn new(size_blocks: u32, policy: P) -> Self {
        Simulation {
            policy,
            dirty: DirtyBlocks::default(),
            outcome: Outcome { size_blocks, ..Outcome::default() },
        }
    }

    /// Process a request to the blocks from `from` on. A request larger than the cache is split into pieces of the
    /// cache's size, each of which misses at most once.
    #[inline(always)]
    fn request(&mut self, request: Request, touches: &[u32], from: usize) {
        let size = self.outcome.size_blocks as usize;
        let end = from + request.blocks as usize;
        let (mut start, mut missed) = (from, 0);
        while start < end {
            let piece = start..end.min(start + size);
            start = piece.end;
            let misses_before = missed;
            for index in piece {
                let shortfall = if index + 1 == end { request.last_shortfall } else { 0 };
                if let Some(&far) = touches.get(index + FAR) {
                    self.policy.look_ahead(far);
                }
                if let Some(&near) = touches.get(index + NEAR) {
                    self.policy.look_around(near);
                }
                missed += u64::from(!self.touch(touches[index], request, shortfall));
            }
            if missed > misses_before && request.counted {
                self.outcome.request_misses[usize::from(request.write)] += 1;
            }
        }
        if request.counted {
            self.outcome.block_misses[usize::from(request.write)] += missed;
        }
    }

    /// Reference a block; return whether it was a hit.
    #[inline(always)]
    fn touch(&mut self, block: u32, request: Request, shortfall: u32) -> bool {
        let Simulation { policy, dirty, outcome } = self;
        let hit = policy.hit(block);
        if !hit {
            if request.counted && !request.write {
                outcome.read_shortfall += u64::from(shortfall);
            }
            policy.miss(block, &mut |expelled| {
                if let Some(shortfall) = dirty.clean(expelled) {
                    if request.counted {
                        outcome.write_expulsions += 1;
                        outcome.expulsion_shortfall += u64::from(shortfall);
                    }
                }
            });
        }
        if request.write {
            dirty.write(block, shortfall);
        } else if hit {
            dirty.read(block, shortfall);
        }
        hit
    }
}

impl<P: Policy + Send + Sync> Follow for Simulation<P> {
    fn follow(&mut self, tape: &Tape, blocks: usize) {
        self.policy.prepare(blocks);
        self.dirty.prepare(blocks);
        let mut from = 0;
        for step in &tape.steps {
            match *step {
                Step::Request(request) => self.request(request, &tape.touches, from),
                Step::Drop(count) => {
                    for &block in &tape.touches[from..from + count as usize] {
                        self.policy.remove(block);
                        self.dirty.clean(block);
                    }
                }
                Step::Time(_)
                | Step::Processes(_)
                | Step::File(_)
                | Step::Surroundings { .. }
                | Step::Sync(_)
                | Step::SyncBlocks(_) => {}
            }
            from += step.blocks() as usize;
        }
    }
}

impl<P: Policy + Send + Sync> Simulated for Simulation<P> {
    fn outcome(&self) -> Outcome {
        Outcome { dirty_at_end: self.dirty.count(), ..self.outcome }
    }

    fn read_block_misses(&self) -> u64 {
        self.outcome.block_misses[READ]
    }
}
