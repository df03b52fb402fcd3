//! One cache of one size under one policy, counting.

use super::policy::Policy;
use super::tape::{Request, Step, Tape};

/// How many blocks ahead what is known of a block is brought near.
const AHEAD: usize = 16;
/// What is noted of a clean block; of a dirty one it is 1 plus the bytes of it beyond the file's end.
const CLEAN: u32 = 0;
/// Where reads are counted; writes come next.
const READ: usize = 0;

/// What one cache has missed and written back.
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
    /// Bytes of them that lie beyond their file's end.
    pub expulsion_shortfall: u64,
    /// Bytes of blocks brought in by reads that lie beyond their file's end.
    pub read_shortfall: u64,
    /// Blocks still dirty.
    pub dirty_at_end: u64,
}

/// A cache that follows a tape.
pub trait Follow: Send + Sync {
    /// Do what the next stretch of tape says; its blocks' numbers are below `blocks`.
    fn follow(&mut self, tape: &Tape, blocks: usize);

    /// The outcome so far.
    fn outcome(&self) -> Outcome;

    /// Block misses of counted reads so far.
    fn read_block_misses(&self) -> u64;
}

/// A cache under a policy.
#[derive(Debug)]
pub struct Simulation<P> {
    policy: P,
    dirty: Vec<u32>,
    outcome: Outcome,
}

impl<P: Policy> Simulation<P> {
    /// An empty cache of so many blocks, which the policy was made for.
    pub fn new(size_blocks: u32, policy: P) -> Self {
        Simulation {
            policy,
            dirty: Vec::new(),
            outcome: Outcome {
                size_blocks,
                ..Outcome::default()
            },
        }
    }

    /// Take a request that touches the blocks from `from` on: in pieces of the cache's size where it is larger, each
    /// of which misses at most once.
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
                let shortfall = if index + 1 == end {
                    request.last_shortfall
                } else {
                    0
                };
                if let Some(&soon) = touches.get(index + AHEAD) {
                    self.policy.look_ahead(soon);
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

    /// Touch a block; return whether that hit.
    #[inline(always)]
    fn touch(&mut self, block: u32, request: Request, shortfall: u32) -> bool {
        let Simulation {
            policy,
            dirty,
            outcome,
        } = self;
        let hit = policy.hit(block);
        if !hit {
            if request.counted && !request.write {
                outcome.read_shortfall += u64::from(shortfall);
            }
            policy.miss(block, &mut |expelled| {
                let noted = std::mem::replace(&mut dirty[expelled as usize], CLEAN);
                if noted != CLEAN && request.counted {
                    outcome.write_expulsions += 1;
                    outcome.expulsion_shortfall += u64::from(noted - 1);
                }
            });
        }
        let noted = &mut dirty[block as usize];
        if request.write || *noted != CLEAN {
            *noted = 1 + shortfall;
        }
        hit
    }
}

impl<P: Policy + Send + Sync> Follow for Simulation<P> {
    fn follow(&mut self, tape: &Tape, blocks: usize) {
        self.policy.prepare(blocks);
        self.dirty.resize(blocks.max(self.dirty.len()), CLEAN);
        let mut from = 0;
        for step in &tape.steps {
            match *step {
                Step::Request(request) => self.request(request, &tape.touches, from),
                Step::Drop(count) => {
                    for &block in &tape.touches[from..from + count as usize] {
                        self.policy.remove(block);
                        self.dirty[block as usize] = CLEAN;
                    }
                }
            }
            from += step.blocks() as usize;
        }
    }

    fn outcome(&self) -> Outcome {
        let dirty = self.dirty.iter().filter(|&&noted| noted != CLEAN);
        Outcome {
            dirty_at_end: dirty.count() as u64,
            ..self.outcome
        }
    }

    fn read_block_misses(&self) -> u64 {
        self.outcome.block_misses[READ]
    }
}
