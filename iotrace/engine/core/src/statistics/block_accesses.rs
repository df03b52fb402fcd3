//! How blocks of disks, or keys, are accessed again: queries `block_reaccess`, `block_age`, `block_distance` and
//! `block_popularity`.
//!
//! Of a trace that touches more than `MOST_FOLLOWED` blocks, a sample is followed, as Waldspurger et al. (FAST '15) do
//! for miss-ratio curves: one of each 2, 4, 8 … blocks by a hash of its number, each of which counts for as many.

use super::depths::Depths;
use super::power_of_two;
use super::tables::Named;
use super::ways::Way;
use crate::columns::table;
use crate::error::Error;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The most bytes of a request whose blocks are followed.
const MOST_BYTES: i64 = 1 << 31;
/// What a hash table of 2²¹ places takes.
const MOST_FOLLOWED: usize = 7 << 18;
/// How many blocks for each request are followed without a limit.
const BLOCKS_OF_REQUEST: i64 = 64;
const SECTOR_BYTES: i64 = 512;

/// The size of a block, and how many touches of blocks beyond 64 for each request are followed.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockSettings {
    pub block_bytes: i64,
    pub most_blocks: i64,
}

/// What was done to a block until now.
#[derive(Clone, Copy, Debug)]
struct Block {
    first_ns: i64,
    last_ns: i64,
    counts: [u32; Way::ALL.len()],
    last: Way,
    /// Its place in the LRU stack.
    slot: u32,
}

/// The time of a request without one.
const UNTIMED: i64 = i64::MIN;
/// Bins of times and distances: of nothing, of 2⁰ to 2⁶², of all larger ones, and of unknown ones.
const BINS: usize = 66;
const UNKNOWN: usize = BINS - 1;

/// All blocks that are followed.
#[derive(Debug)]
pub struct BlockAccesses {
    settings: BlockSettings,
    most_followed: usize,
    /// One of each 2 to this power is followed.
    sampling: u32,
    requests: i64,
    touches: i64,
    is_too_much: bool,
    blocks: FxHashMap<(i32, i64), Block>,
    depths: Depths,
    /// By what was done before and what is done now.
    intervals: Vec<[i64; BINS]>,
    ages: Vec<[i64; BINS]>,
    /// First accesses are at no known distance.
    distances: Vec<[i64; BINS]>,
}

impl BlockAccesses {
    pub fn new(settings: BlockSettings) -> Self {
        Self::following(settings, MOST_FOLLOWED)
    }

    fn following(settings: BlockSettings, most_followed: usize) -> Self {
        BlockAccesses {
            settings: BlockSettings { block_bytes: settings.block_bytes.max(1), ..settings },
            most_followed,
            sampling: 0,
            requests: 0,
            touches: 0,
            is_too_much: false,
            blocks: FxHashMap::default(),
            depths: Depths::default(),
            intervals: vec![[0; BINS]; Way::ALL.len() * Way::ALL.len()],
            ages: vec![[0; BINS]; Way::ALL.len()],
            distances: vec![[0; BINS]; Way::ALL.len()],
        }
    }

    pub fn push(&mut self, device: i32, way: Way, lbn: i64, blocks: i64, time_ns: Option<i64>) {
        let (Some(start), Some(bytes @ ..=MOST_BYTES)) =
            (lbn.checked_mul(SECTOR_BYTES), blocks.checked_mul(SECTOR_BYTES))
        else {
            return;
        };
        let Some(last) = start.checked_add(bytes - 1) else {
            return;
        };
        let size = self.settings.block_bytes;
        let (first, last) = (start.div_euclid(size), last.div_euclid(size));
        self.requests += 1;
        self.touches = self.touches.saturating_add(last - first + 1);
        let most = BLOCKS_OF_REQUEST.saturating_mul(self.requests).saturating_add(self.settings.most_blocks);
        self.is_too_much |= self.touches > most;
        if self.is_too_much {
            (self.blocks, self.depths) = Default::default();
            return;
        }
        for block in first..=last {
            self.touch(device, block, way, time_ns);
        }
    }

    /// Take an access to a block alone.
    pub fn touch(&mut self, device: i32, block: i64, way: Way, time_ns: Option<i64>) {
        if self.follows(device, block) {
            self.access((device, block), way, time_ns.unwrap_or(UNTIMED));
        }
    }

    /// The tables by their queries' names; none if there were too many blocks.
    ///
    /// # Errors
    /// If Arrow rejects a table.
    pub fn finish(self) -> Result<Vec<Named>, Error> {
        if self.is_too_much {
            return Ok(Vec::new());
        }
        let pairs = Way::ALL.iter().flat_map(|&before| Way::ALL.iter().map(move |&now| (before, now)));
        let intervals: Vec<_> =
            pairs.zip(&self.intervals).flat_map(|(pair, bins)| counted(pair, bins)).collect();
        let ages: Vec<_> =
            Way::ALL.iter().zip(&self.ages).flat_map(|(&way, bins)| counted(way, bins)).collect();
        let distances: Vec<_> =
            Way::ALL.iter().zip(&self.distances).flat_map(|(&way, bins)| counted(way, bins)).collect();
        let reaccesses = table!(intervals.iter(), |((before, now), bin, count)| {
            earlier: &str = before.name(),
            later: &str = now.name(),
            maximum_interval_ns: Option<i64> = *bin,
            accesses: i64 = *count,
        });
        let ages = table!(ages.iter(), |(way, bin, count)| {
            operation: &str = way.name(),
            maximum_age_ns: Option<i64> = *bin,
            accesses: i64 = *count,
        });
        let distances = table!(distances.iter(), |(way, bin, count)| {
            operation: &str = way.name(),
            maximum_distance: Option<i64> = *bin,
            accesses: i64 = *count,
        });
        let popularity = self.popularity();
        let one_in = 1_i64 << self.sampling;
        let popularity = table!(popularity.iter(), |((operation, accesses), blocks)| {
            operation: &str = *operation,
            accesses: i64 = *accesses,
            blocks: i64 = *blocks * one_in,
            one_in: i64 = one_in,
        });
        Ok(vec![
            ("block_reaccess", reaccesses.batch()?),
            ("block_age", ages.batch()?),
            ("block_distance", distances.batch()?),
            ("block_popularity", popularity.batch()?),
        ])
    }

    fn follows(&self, device: i32, block: i64) -> bool {
        self.sampling == 0 || sampled(device, block, self.sampling)
    }

    fn access(&mut self, key: (i32, i64), way: Way, time_ns: i64) {
        let weight = 1_i64 << self.sampling;
        if !self.depths.has_room() {
            self.depths.compact(self.blocks.values_mut().map(|block| &mut block.slot));
        }
        if let Some(block) = self.blocks.get_mut(&key) {
            let distance = i64::from(self.depths.used_again(&mut block.slot)).saturating_mul(weight);
            self.distances[way as usize][bin_of(distance)] += weight;
            let place = block.last as usize * Way::ALL.len() + way as usize;
            self.intervals[place][bin(block.last_ns, time_ns)] += weight;
            self.ages[way as usize][bin(block.first_ns, time_ns)] += weight;
            block.last_ns = time_ns;
            block.last = way;
            block.counts[way as usize] = block.counts[way as usize].saturating_add(1);
            return;
        }
        while self.blocks.len() >= self.most_followed {
            self.sampling += 1;
            let sampling = self.sampling;
            self.blocks.retain(|&(device, block), _| sampled(device, block, sampling));
            self.depths = Depths::of(self.blocks.values_mut().map(|block| &mut block.slot).collect());
        }
        if self.follows(key.0, key.1) {
            let mut counts = [0; Way::ALL.len()];
            counts[way as usize] = 1;
            let slot = self.depths.used_first();
            self.blocks.insert(key, Block { first_ns: time_ns, last_ns: time_ns, counts, last: way, slot });
            self.distances[way as usize][UNKNOWN] += 1 << self.sampling;
        }
    }

    /// How many blocks have each number of accesses, of all and of those of one kind.
    fn popularity(&self) -> BTreeMap<(&'static str, i64), i64> {
        let mut counted = BTreeMap::new();
        for block in self.blocks.values() {
            let all: i64 = block.counts.iter().map(|&count| i64::from(count)).sum();
            *counted.entry(("all", all)).or_default() += 1;
            for (way, &count) in Way::ALL.iter().zip(&block.counts).filter(|(_, &count)| count > 0) {
                *counted.entry((way.name(), i64::from(count))).or_default() += 1;
            }
        }
        counted
    }
}

/// Whether a block is of a sample of one in 2 to the power of `sampling`.
fn sampled(device: i32, block: i64, sampling: u32) -> bool {
    let mut mixed = (block as u64) ^ (device as u64).rotate_left(40);
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        mixed = (mixed ^ (mixed >> 30)).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(factor);
    }
    (mixed ^ (mixed >> 31)).trailing_zeros() >= sampling
}

/// The place of the bin of the time from one moment to another.
fn bin(from_ns: i64, to_ns: i64) -> usize {
    if from_ns == UNTIMED || to_ns == UNTIMED {
        return UNKNOWN;
    }
    bin_of(to_ns.saturating_sub(from_ns))
}

/// The place of a number's bin.
fn bin_of(number: i64) -> usize {
    match power_of_two(number) {
        0 => 0,
        i64::MAX => UNKNOWN - 1,
        bound => 1 + bound.trailing_zeros() as usize,
    }
}

/// The bins that have any, with their upper bounds.
fn counted<T: Copy>(of: T, bins: &[i64; BINS]) -> Vec<(T, Option<i64>, i64)> {
    let bound = |place: usize| match place {
        UNKNOWN => None,
        0 => Some(0),
        place if place == UNKNOWN - 1 => Some(i64::MAX),
        place => Some(1 << (place - 1)),
    };
    let filled = bins.iter().enumerate().filter(|(_, &count)| count > 0);
    filled.map(|(place, &count)| (of, bound(place), count)).collect()
}

#[cfg(test)]
mod tests {
    use super::{BlockAccesses, BlockSettings, Way, UNKNOWN};

    const SETTINGS: BlockSettings = BlockSettings { block_bytes: 4096, most_blocks: 1 << 24 };

    /// Accesses of `distinct` blocks, each `times` times in turn.
    fn made(distinct: i64, times: i64, most_followed: usize) -> BlockAccesses {
        let mut accesses = BlockAccesses::following(SETTINGS, most_followed);
        for time in 0..times {
            for block in 0..distinct {
                accesses.push(0, Way::Read, 8 * block, 8, Some(time * distinct + block));
            }
        }
        accesses
    }

    #[test]
    fn few_blocks_are_all_followed() {
        let accesses = made(1000, 3, 1000);
        assert_eq!(accesses.sampling, 0);
        assert_eq!(
            accesses.popularity().into_iter().collect::<Vec<_>>(),
            [(("all", 3), 1000), (("read", 3), 1000)]
        );
        assert_eq!(accesses.intervals[0].iter().sum::<i64>(), 2000);
        let up_to_1024 = accesses.distances[0][11];
        assert_eq!((up_to_1024, accesses.distances[0][UNKNOWN]), (2000, 1000));
    }

    #[test]
    fn a_sample_stands_for_the_rest() {
        let accesses = made(100_000, 3, 10_000);
        assert!(accesses.blocks.len() <= 10_000 && accesses.sampling >= 4);
        let blocks = (accesses.blocks.len() as i64) << accesses.sampling;
        assert!((95_000..105_000).contains(&blocks), "{blocks}");
        let again: i64 = accesses.intervals[0].iter().sum();
        assert!((190_000..210_000).contains(&again), "{again}");
        // of 100,000 blocks, estimated to 5 %
        let far: i64 = accesses.distances[0][17..=18].iter().sum();
        assert!((190_000..210_000).contains(&far), "{far}");
        assert_eq!(accesses.distances[0][..17].iter().sum::<i64>(), 0);
        assert!(accesses.popularity().keys().all(|&(_, count)| count == 3));
    }

    #[test]
    fn too_many_blocks_are_given_up() {
        let mut accesses = BlockAccesses::new(BlockSettings { block_bytes: 512, most_blocks: 100 });
        accesses.push(0, Way::Write, 0, 164, None);
        assert!(!accesses.is_too_much);
        accesses.push(0, Way::Write, 0, 65, None);
        assert!(accesses.is_too_much && accesses.blocks.is_empty());
        assert!(accesses.finish().unwrap_or_default().is_empty());
    }
}
