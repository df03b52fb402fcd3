//! Exact LRU hits of caches of every size over reads of single blocks that are known by number.
//!
//! The engine's stages without what writes, requests and files add to them: a block's state is its slot alone, and
//! there is one histogram.

use super::blocks::MOST_BLOCKS;
use super::counts::Counts;
use super::occupancy::LINE_SLOTS;
use super::processor::Processor;
use super::recency::{is_slot, Recency, NO_SLOT};
use crate::error::Error;
use crate::lists::{make_room, prefetch};

const MOST: usize = LINE_SLOTS as usize;
/// How many reads ahead a block's slot is prefetched.
const AHEAD: usize = 64;
/// How many slots ahead a walk through all of them prefetches what it reads of each.
const SLOTS_AHEAD: usize = 16;

/// The buffers between the stages.
#[derive(Debug)]
struct Buffers {
    former: [u32; MOST],
    /// The places in `former` of those that are slots.
    hits: [u32; MOST],
    distances: [u32; MOST],
    /// Distances that are counted with the next sub-batch, while their counts are prefetched.
    found: [u32; MOST],
    found_count: usize,
}

impl Default for Buffers {
    fn default() -> Self {
        let none = [0; MOST];
        Buffers { former: none, hits: none, distances: none, found: none, found_count: 0 }
    }
}

/// Reads of single blocks, and how far back each block's last read lies.
#[derive(Debug)]
pub struct Reads {
    /// By block number.
    slots: Vec<u32>,
    recency: Recency,
    distances: Counts,
    buffers: Box<Buffers>,
    processor: Processor,
    reads: u64,
}

impl Default for Reads {
    fn default() -> Self {
        Reads {
            slots: Vec::new(),
            recency: Recency::default(),
            distances: Counts::plain(),
            buffers: Box::default(),
            processor: Processor::default(),
            reads: 0,
        }
    }
}

impl Reads {
    /// Take the next reads, by block number: numbers should be dense, since memory is taken up to the largest.
    ///
    /// # Errors
    /// Where a number is too large; nothing has been taken then.
    pub fn push(&mut self, numbers: &[u32]) -> Result<(), Error> {
        self.take(numbers, |_, _| {})
    }

    /// Take the next reads as `push` does, and add the distance of each to `distances`: 0 for a block's first.
    ///
    /// # Errors
    /// As `push`.
    pub fn push_each(&mut self, numbers: &[u32], distances: &mut Vec<u32>) -> Result<(), Error> {
        self.take(numbers, |reads, count| {
            let Buffers { former, distances: found, .. } = &*reads.buffers;
            let each = former[..count].iter().zip(found);
            distances.extend(each.map(|(&former, &distance)| if is_slot(former) { distance } else { 0 }));
        })
    }

    /// Take reads; `found` is called after each sub-batch of `count` of them, while the buffers have what was found.
    #[inline(always)]
    fn take(&mut self, numbers: &[u32], mut found: impl FnMut(&Self, usize)) -> Result<(), Error> {
        let Some(largest) = numbers.iter().copied().max().map(|largest| largest as usize) else {
            return Ok(());
        };
        if largest >= MOST_BLOCKS {
            return Err(Error::of(format!(
                "block number {largest} is too large: blocks are numbered from 0 to {}",
                MOST_BLOCKS - 1
            )));
        }
        if largest >= self.slots.len() {
            make_room(&mut self.slots, largest + 1);
            self.slots.resize(largest + 1, NO_SLOT);
        }
        let mut rest = numbers;
        while !rest.is_empty() {
            let count = self.room().min(rest.len());
            self.read(rest, count);
            found(self, count);
            rest = &rest[count..];
        }
        self.reads += numbers.len() as u64;
        Ok(())
    }

    /// Reads so far.
    pub fn reads(&self) -> u64 {
        self.reads
    }

    /// Distinct blocks so far.
    pub fn distinct_blocks(&self) -> u64 {
        u64::from(self.recency.occupied())
    }

    /// How deep a block that was read lies: 1 is the last one read.
    #[inline]
    pub fn depth(&self, number: u32) -> u32 {
        self.recency.depth(self.slots[number as usize])
    }

    /// Prefetch what `depth` reads of a block, if it was read.
    #[inline]
    pub fn prefetch_entry(&self, number: u32) {
        if let Some(&slot) = self.slots.get(number as usize) {
            self.recency.prefetch(slot);
        }
    }

    /// The hits of caches of these sizes, in blocks, ascending.
    pub fn hits(&mut self, sizes: &[u32]) -> Vec<u64> {
        self.count_found();
        self.distances.up_to(sizes).into_iter().map(|hits| hits as u64).collect()
    }

    /// The sizes, in blocks, at which the number of hits changes, ascending.
    pub fn change_points(&mut self) -> Vec<u32> {
        self.count_found();
        self.distances.entries().map(|(distance, _)| distance).collect()
    }

    fn room(&mut self) -> usize {
        if self.recency.room() == 0 {
            self.processor.run(|| self.compact());
        }
        self.recency.room()
    }

    #[inline(always)]
    fn compact(&mut self) {
        let compaction = self.recency.compact();
        for number in 0..self.slots.len() {
            if let Some(&ahead) = self.slots.get(number + SLOTS_AHEAD) {
                compaction.prefetch(ahead);
            }
            self.slots[number] = compaction.follow(self.slots[number]);
        }
    }

    /// Read the first `count` blocks, at most `room`.
    fn read(&mut self, numbers: &[u32], count: usize) {
        self.processor.run(|| self.read_in_stages(numbers, count));
    }

    #[inline(always)]
    fn read_in_stages(&mut self, numbers: &[u32], count: usize) {
        let hits = self.look_up(numbers, count);
        self.count_found();
        let Buffers { former, hits: places, distances, found, found_count } = &mut *self.buffers;
        let counts = &self.distances;
        self.recency.use_blocks::<false>(&former[..count], &places[..hits], distances, |_, distance| {
            counts.prefetch(distance);
            found[*found_count] = distance;
            *found_count += 1;
        });
    }

    /// Give each block the next slot, and keep its former one; return how many had one.
    #[inline(always)]
    fn look_up(&mut self, numbers: &[u32], count: usize) -> usize {
        let next = self.recency.next();
        let slots = self.slots.as_mut_slice();
        let Buffers { former, hits, .. } = &mut *self.buffers;
        let mut hit = 0;
        for ((place, &number), former) in numbers[..count].iter().enumerate().zip(former) {
            if let Some(&ahead) = numbers.get(place + AHEAD) {
                prefetch(&slots[ahead as usize]);
            }
            *former = std::mem::replace(&mut slots[number as usize], next + place as u32);
            hits[hit] = place as u32;
            hit += usize::from(is_slot(*former));
            self.recency.prefetch(*former);
        }
        hit
    }

    /// Count the distances of the sub-batch before.
    #[inline(always)]
    fn count_found(&mut self) {
        let Buffers { found, found_count, .. } = &mut *self.buffers;
        for &distance in &found[..std::mem::take(found_count)] {
            self.distances.count(distance);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests {
    use super::{Processor, Reads};
    use proptest::prelude::*;

    /// The hits of a list of blocks, by number or key, the last read first.
    pub fn hits_of_a_list<Block: Copy + PartialEq>(blocks: &[Block], size: usize) -> u64 {
        let mut list: Vec<Block> = Vec::new();
        let mut hits = 0;
        for &block in blocks {
            if let Some(place) = list.iter().position(|&other| other == block) {
                hits += u64::from(place < size);
                list.remove(place);
            }
            list.insert(0, block);
        }
        hits
    }

    /// Of each block its place in a list with the last read first, from 1; 0 where it is not there.
    fn distances_of_a_list(blocks: &[u32]) -> Vec<u32> {
        let mut list: Vec<u32> = Vec::new();
        let mut distances = Vec::new();
        for &block in blocks {
            let place = list.iter().position(|&other| other == block);
            distances.push(place.map_or(0, |place| place as u32 + 1));
            place.map(|place| list.remove(place));
            list.insert(0, block);
        }
        distances
    }

    proptest! {
        #[test]
        fn hits_are_those_of_a_list(
            numbers in prop::collection::vec(prop_oneof![0..9_u32, 0..300_u32], 0..1500),
            batch in 1..700_usize,
            portable in any::<bool>(),
        ) {
            let mut reads = Reads::default();
            if portable {
                reads.processor = Processor::portable();
            }
            numbers.chunks(batch).for_each(|chunk| reads.push(chunk).unwrap());
            let sizes = [1, 2, 8, 9, 50, 299, 300];
            prop_assert_eq!(reads.hits(&sizes), sizes.map(|size| hits_of_a_list(&numbers, size as usize)));
            prop_assert_eq!(reads.reads(), numbers.len() as u64);
            let mut each = Vec::new();
            let mut again = Reads::default();
            numbers.chunks(batch).for_each(|chunk| again.push_each(chunk, &mut each).unwrap());
            prop_assert_eq!(each, distances_of_a_list(&numbers));
            prop_assert_eq!(again.hits(&sizes), reads.hits(&sizes));
            prop_assert!(reads.push(&[u32::MAX]).is_err());
        }
    }
}
