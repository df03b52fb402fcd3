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

/// How many blocks in a row are found by one look-up.
const RUN: usize = 8;
/// Of a block that is not followed.
const NONE: u32 = u32::MAX;

/// The size of a block, how many touches of blocks beyond 64 for each request are followed, and whether distances are.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockSettings {
    pub block_bytes: i64,
    pub most_blocks: i64,
    pub distances: bool,
}

/// What was done to a block until now.
#[derive(Clone, Copy, Debug)]
struct Block {
    first_ns: i64,
    last_ns: i64,
    counts: [u32; Way::ALL.len()],
    last: Way,
    /// Its place in the LRU stack, where distances are followed.
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
    /// The places in `blocks` of the blocks of each run of `RUN`.
    places: FxHashMap<(i32, i64), [u32; RUN]>,
    /// In the order of their first accesses, so that those of a request are next to each other.
    blocks: Vec<Block>,
    depths: Option<Depths>,
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
            places: FxHashMap::default(),
            blocks: Vec::new(),
            depths: settings.distances.then(Depths::default),
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
            (self.places, self.blocks, self.depths) = Default::default();
            return;
        }
        let time_ns = time_ns.unwrap_or(UNTIMED);
        let mut block = first;
        while block <= last {
            let end = last.min(block | (RUN as i64 - 1));
            self.access_run(device, block, end, way, time_ns);
            block = end + 1;
        }
    }

    /// Take an access to a block alone.
    pub fn touch(&mut self, device: i32, block: i64, way: Way, time_ns: Option<i64>) {
        self.access_run(device, block, block, way, time_ns.unwrap_or(UNTIMED));
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
        let mut made = vec![
            ("block_reaccess", reaccesses.batch()?),
            ("block_age", ages.batch()?),
            ("block_popularity", popularity.batch()?),
        ];
        if self.settings.distances {
            made.push(("block_distance", distances.batch()?));
        }
        Ok(made)
    }

    fn follows(&self, device: i32, block: i64) -> bool {
        self.sampling == 0 || sampled(device, block, self.sampling)
    }

    /// Take an access to each of the blocks from the first to the last, which are of one run.
    fn access_run(&mut self, device: i32, first: i64, last: i64, way: Way, time_ns: i64) {
        if !(first..=last).any(|block| self.follows(device, block)) {
            return; // without the look-up, which takes most of the time
        }
        let key = (device, first.div_euclid(RUN as i64));
        let mut places = self.places.get(&key).copied();
        let mut is_changed = false;
        for block in first..=last {
            if !self.follows(device, block) {
                continue;
            }
            let cell = block.rem_euclid(RUN as i64) as usize;
            let place = places.map_or(NONE, |places| places[cell]);
            if place != NONE {
                self.access_again(place as usize, way, time_ns);
                continue;
            }
            if self.blocks.len() >= self.most_followed {
                if let (true, Some(places)) = (is_changed, places) {
                    self.places.insert(key, places);
                }
                self.thin();
                places = self.places.get(&key).copied();
                is_changed = false;
            }
            if self.follows(device, block) {
                places.get_or_insert([NONE; RUN])[cell] = self.blocks.len() as u32;
                is_changed = true;
                self.access_first(way, time_ns);
            }
        }
        if let (true, Some(places)) = (is_changed, places) {
            self.places.insert(key, places);
        }
    }

    fn access_again(&mut self, place: usize, way: Way, time_ns: i64) {
        let weight = 1_i64 << self.sampling;
        self.have_room();
        let block = &mut self.blocks[place];
        if let Some(depths) = &mut self.depths {
            let distance = i64::from(depths.used_again(&mut block.slot)).saturating_mul(weight);
            self.distances[way as usize][bin_of(distance)] += weight;
        }
        let pair = block.last as usize * Way::ALL.len() + way as usize;
        self.intervals[pair][bin(block.last_ns, time_ns)] += weight;
        self.ages[way as usize][bin(block.first_ns, time_ns)] += weight;
        block.last_ns = time_ns;
        block.last = way;
        block.counts[way as usize] = block.counts[way as usize].saturating_add(1);
    }

    fn access_first(&mut self, way: Way, time_ns: i64) {
        self.have_room();
        let mut counts = [0; Way::ALL.len()];
        counts[way as usize] = 1;
        let slot = self.depths.as_mut().map_or(0, Depths::used_first);
        self.blocks.push(Block { first_ns: time_ns, last_ns: time_ns, counts, last: way, slot });
        self.distances[way as usize][UNKNOWN] += 1 << self.sampling;
    }

    fn have_room(&mut self) {
        if let Some(depths) = &mut self.depths {
            if !depths.has_room() {
                depths.compact(self.blocks.iter_mut().map(|block| &mut block.slot));
            }
        }
    }

    /// Follow fewer blocks, until there is room for another one.
    fn thin(&mut self) {
        while self.blocks.len() >= self.most_followed {
            self.sampling += 1;
            let sampling = self.sampling;
            let mut becomes = vec![NONE; self.blocks.len()];
            for (&(device, run), places) in &self.places {
                for (block, &place) in (run * RUN as i64..).zip(places) {
                    if place != NONE && sampled(device, block, sampling) {
                        becomes[place as usize] = 0;
                    }
                }
            }
            let kept = becomes.iter_mut().filter(|place| **place != NONE);
            kept.zip(0..).for_each(|(place, number)| *place = number);
            self.places.retain(|_, places| {
                for place in places.iter_mut().filter(|place| **place != NONE) {
                    *place = becomes[*place as usize];
                }
                places.iter().any(|&place| place != NONE)
            });
            let mut is_kept = becomes.iter().map(|&place| place != NONE);
            self.blocks.retain(|_| is_kept.next() == Some(true));
            if self.depths.is_some() {
                let slots = self.blocks.iter_mut().map(|block| &mut block.slot).collect();
                self.depths = Some(Depths::of(slots));
            }
        }
    }

    /// How many blocks have each number of accesses, of all and of those of one kind.
    fn popularity(&self) -> BTreeMap<(&'static str, i64), i64> {
        let mut of_all: FxHashMap<i64, i64> = FxHashMap::default();
        let mut of_ways = Way::ALL.map(|_| FxHashMap::<i64, i64>::default());
        for block in &self.blocks {
            *of_all.entry(block.counts.iter().map(|&count| i64::from(count)).sum()).or_default() += 1;
            for (counted, &count) in of_ways.iter_mut().zip(&block.counts).filter(|(_, &count)| count > 0) {
                *counted.entry(i64::from(count)).or_default() += 1;
            }
        }
        let named = Way::ALL.iter().map(|way| way.name()).zip(of_ways).chain([("all", of_all)]);
        named
            .flat_map(|(name, counted)| {
                counted.into_iter().map(move |(accesses, blocks)| ((name, accesses), blocks))
            })
            .collect()
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

    const SETTINGS: BlockSettings =
        BlockSettings { block_bytes: 4096, most_blocks: 1 << 24, distances: true };

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
        let mut accesses =
            BlockAccesses::new(BlockSettings { block_bytes: 512, most_blocks: 100, ..SETTINGS });
        accesses.push(0, Way::Write, 0, 164, None);
        assert!(!accesses.is_too_much);
        accesses.push(0, Way::Write, 0, 65, None);
        assert!(accesses.is_too_much && accesses.blocks.is_empty());
        assert!(accesses.finish().unwrap_or_default().is_empty());
    }
}
