//! Admission to the global cache: everything, segments requested often enough, or blocks requested more often than
//! others.

use super::settings::{Admission, Counters, FirstAccess, Scope};
use rustc_hash::FxHashMap;

/// The highest threshold, given or found by hill climbing.
pub const HIGHEST_THRESHOLD: u32 = 1 << 20;
/// Requests per frame after which the counts of blocks are halved (TinyLFU's sample of ten times the cache).
const SAMPLE_PER_FRAME: u64 = 10;

/// The decision on admitting a block in the global cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Decision {
    #[default]
    None,
    /// Filled once; the next fill is checked.
    Filled,
    FileBlock,
    Bypass,
}

/// The global cache's knowledge about segments and blocks.
#[derive(Debug)]
pub struct Knowledge {
    admission: Admission,
    threshold: u32,
    /// Requests by segment.
    counters: Vec<u32>,
    decisions: Vec<Decision>,
    decisions_of_nodes: FxHashMap<(u32, u32), Decision>,
    /// The epoch in which a node was last directed to bypass the global cache for a block, by node and block.
    told: FxHashMap<(u32, u32), u32>,
    frequencies: Vec<u32>,
    counted: u64,
    sample: u64,
    epoch: Epoch,
}

/// The current epoch of hill climbing.
#[derive(Debug, Default)]
struct Epoch {
    number: u32,
    blocks: u64,
    score: i128,
    last_score: Option<i128>,
    falls: bool,
}

impl Knowledge {
    pub fn new(admission: Admission, frames: u32) -> Self {
        Knowledge {
            admission,
            threshold: match admission {
                Admission::Counters(counters) => counters.threshold,
                _ => 0,
            },
            counters: Vec::new(),
            decisions: Vec::new(),
            decisions_of_nodes: FxHashMap::default(),
            told: FxHashMap::default(),
            frequencies: Vec::new(),
            counted: 0,
            sample: u64::from(frames).max(1) * SAMPLE_PER_FRAME,
            epoch: Epoch::default(),
        }
    }

    pub fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Record a request for a block at the global cache.
    pub fn request(&mut self, block: u32, segment: u32) {
        match self.admission {
            Admission::Counters(_) => {
                let counter = slot(&mut self.counters, segment);
                *counter = counter.saturating_add(1);
            }
            Admission::MoreFrequent => {
                let frequency = slot(&mut self.frequencies, block);
                *frequency = frequency.saturating_add(1);
                self.counted += 1;
                if self.counted >= self.sample {
                    self.counted = 0;
                    self.frequencies.iter_mut().for_each(|count| *count /= 2);
                }
            }
            Admission::All | Admission::Demoted => {}
        }
    }

    /// Whether a node was directed to bypass the global cache for a block in this epoch.
    pub fn is_told(&self, node: u32, block: u32) -> bool {
        !self.told.is_empty() && self.told.get(&(node, block)) == Some(&self.epoch.number)
    }

    /// Whether a block that a node had fetched is placed in the global cache; if not, the node bypasses it for the
    /// rest of the epoch.
    pub fn is_placed(&mut self, node: u32, block: u32, segment: u32) -> bool {
        let Admission::Counters(counters) = self.admission else {
            return true;
        };
        let (count, threshold) = (self.count(segment), self.threshold);
        let is_first_fill = *slot(&mut self.decisions, block) == Decision::None;
        let is_exempt = match counters.first_access {
            FirstAccess::Block => is_first_fill,
            // the current request has been counted already
            FirstAccess::Segment => count <= 1,
        };
        if is_first_fill {
            *slot(&mut self.decisions, block) = Decision::Filled;
        }
        let decision = self.decision(counters, node, block);
        let is_made = matches!(decision, Decision::FileBlock | Decision::Bypass);
        if !is_made && is_exempt {
            return true;
        }
        if !is_made {
            *decision = if count > threshold { Decision::FileBlock } else { Decision::Bypass };
        }
        let is_placed = *decision == Decision::FileBlock;
        if !is_placed {
            self.told.insert((node, block), self.epoch.number);
        }
        is_placed
    }

    fn decision(&mut self, counters: Counters, node: u32, block: u32) -> &mut Decision {
        match counters.scope {
            Scope::Cluster => slot(&mut self.decisions, block),
            Scope::Node => self.decisions_of_nodes.entry((node, block)).or_default(),
        }
    }

    fn count(&self, segment: u32) -> u32 {
        self.counters.get(segment as usize).copied().unwrap_or(0)
    }

    /// Whether the harvester evicts a segment's blocks first.
    pub fn is_unwanted(&self, segment: u32) -> bool {
        self.count(segment) < self.threshold
    }

    /// Whether a block is requested more often than another.
    pub fn is_more_frequent(&self, block: u32, other: u32) -> bool {
        let of = |block: u32| self.frequencies.get(block as usize).copied().unwrap_or(0);
        of(block) > of(other)
    }

    /// The harvester has examined blocks of these segments: age their counters, each once (section 5).
    pub fn examined(&mut self, segments: &mut Vec<u32>) {
        if let Admission::Counters(Counters { ages: true, .. }) = self.admission {
            segments.sort_unstable();
            segments.dedup();
            for &segment in segments.iter() {
                *slot(&mut self.counters, segment) /= 2;
            }
        }
        segments.clear();
    }

    /// Record the outcome of a block that missed in a local cache: a hit, a miss, or None for a bypass.
    pub fn outcome(&mut self, is_hit: Option<bool>) {
        let Admission::Counters(Counters { climbing: Some(climbing), .. }) = self.admission else {
            return;
        };
        self.epoch.score += match is_hit {
            Some(true) => i128::from(climbing.hit_saves_ns),
            Some(false) => -i128::from(climbing.miss_costs_ns),
            None => 0,
        };
        self.epoch.blocks += 1;
        if self.epoch.blocks >= climbing.epoch_blocks.max(1) {
            self.climb();
        }
    }

    /// End an epoch: reverse the direction if it was worse than the previous one, take a step, and reset decisions.
    fn climb(&mut self) {
        let epoch = &mut self.epoch;
        if epoch.last_score.is_some_and(|last| epoch.score < last) {
            epoch.falls = !epoch.falls;
        }
        self.threshold = match epoch.falls {
            true => (self.threshold / 2).max(1),
            false => self.threshold.saturating_mul(2).clamp(1, HIGHEST_THRESHOLD),
        };
        epoch.last_score = Some(epoch.score);
        epoch.score = 0;
        epoch.blocks = 0;
        epoch.number += 1;
        self.told.clear();
        self.decisions_of_nodes.clear();
        for decision in &mut self.decisions {
            if *decision != Decision::None {
                *decision = Decision::Filled;
            }
        }
    }
}

/// The entry of a number, created if it does not exist.
fn slot<T: Clone + Default>(entries: &mut Vec<T>, number: u32) -> &mut T {
    let number = number as usize;
    if number >= entries.len() {
        entries.resize(number + 1, T::default());
    }
    &mut entries[number]
}
