//! One cache of one size under one policy, and its counts.

use super::policy::{Access, Replacement};
use crate::cache::replay::{DirtyBlocks, Follow, Request, Step, Tape};
use crate::lists::One;

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
    pub size_blocks: u64,
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
    time_ns: Option<i64>,
    file: Option<u32>,
}

impl<P: Replacement<Weight = One>> Simulation<P> {
    /// An empty cache of `size_blocks` blocks; `policy` was created with the same capacity.
    pub fn new(size_blocks: u64, policy: P) -> Self {
        Simulation {
            policy,
            dirty: DirtyBlocks::default(),
            outcome: Outcome { size_blocks, ..Outcome::default() },
            time_ns: None,
            file: None,
        }
    }

    /// Process a request to the blocks from `from` on. A request larger than the cache is split into pieces of the
    /// cache's size, each of which misses at most once.
    #[inline(always)]
    fn request(&mut self, request: Request, touches: &[u32], from: usize) {
        let size = usize::try_from(self.outcome.size_blocks).unwrap_or(usize::MAX);
        let end = from + request.blocks as usize;
        let (mut start, mut missed) = (from, 0);
        while start < end {
            let piece = start..end.min(start.saturating_add(size));
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
                let access = Access {
                    number: touches[index],
                    weight: One,
                    write: request.write,
                    time_ns: self.time_ns,
                    file: self.file,
                    first_of_run: index == from,
                };
                missed += u64::from(!self.touch(&access, request, shortfall));
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
    fn touch(&mut self, access: &Access<One>, request: Request, shortfall: u32) -> bool {
        let Simulation { policy, dirty, outcome, .. } = self;
        let mut evicted = |block| {
            if let Some(shortfall) = dirty.clean(block) {
                if request.counted {
                    outcome.write_expulsions += 1;
                    outcome.expulsion_shortfall += u64::from(shortfall);
                }
            }
        };
        let hit = policy.contains(access.number);
        if hit {
            policy.hit(access, &mut evicted);
        } else {
            policy.miss(access, &mut evicted);
            if request.counted && !request.write {
                outcome.read_shortfall += u64::from(shortfall);
            }
        }
        if request.write {
            dirty.write(access.number, shortfall);
        } else if hit {
            dirty.read(access.number, shortfall);
        }
        hit
    }
}

impl<P: Replacement<Weight = One> + Send + Sync> Follow for Simulation<P> {
    fn follow(&mut self, tape: &Tape, blocks: usize) {
        self.policy.prepare(blocks);
        self.dirty.prepare(blocks);
        let mut from = 0;
        for step in &tape.steps {
            match *step {
                Step::Request(request) => {
                    self.request(request, &tape.touches, from);
                    from += request.blocks as usize;
                }
                Step::Drop(count) => {
                    let end = from + count as usize;
                    for &block in &tape.touches[from..end] {
                        self.policy.remove(block);
                        self.dirty.clean(block);
                    }
                    from = end;
                }
                Step::Time(time_ns) => self.time_ns = Some(time_ns),
                Step::File(file) => self.file = Some(file),
                Step::Processes(_) | Step::Surroundings { .. } | Step::Sync(_) | Step::SyncBlocks(_) => {
                    from += step.blocks() as usize;
                }
            }
        }
    }
}

impl<P: Replacement<Weight = One> + Send + Sync> Simulated for Simulation<P> {
    fn outcome(&self) -> Outcome {
        Outcome { dirty_at_end: self.dirty.count(), ..self.outcome }
    }

    fn read_block_misses(&self) -> u64 {
        self.outcome.block_misses[READ]
    }
}
