//! The LRU stack of all caches at once: who was used how recently, and how deep each block lies.
//!
//! Every use of a block takes the next of a row of slots, and gives up the block's former one. The block's depth in the
//! LRU stack is then the number of occupied slots from its own upwards. When the slots are used up, occupied slots move
//! together (`compact`), once in several uses of each.
//!
//! A dropped block leaves a hole: its slot stays occupied by nobody. A use that comes from below the topmost hole,
//! or from outside, fills that hole, and the place that it leaves becomes one. (In each cache that contains the
//! hole's depth, a free frame takes the new block and nothing moves below it.)

pub use super::occupancy::Ranks;
use super::occupancy::{self, Occupancy};
use std::collections::binary_heap::PeekMut;
use std::collections::BinaryHeap;

/// The slot of a block that was never in the cache.
pub const NO_SLOT: u32 = 0;
/// The slot of a block that was in the cache and was dropped.
pub const DROPPED: u32 = u32::MAX;

/// The fewest slots.
const MINIMUM_SLOTS: usize = if cfg!(test) { 256 } else { 1 << 16 };
/// Slots for each occupied one after a compaction.
const ROOM: usize = 4;

/// Whether a block has a slot.
#[inline(always)]
pub fn is_slot(slot: u32) -> bool {
    slot.wrapping_add(1) > 1
}

/// The LRU stack.
#[derive(Debug)]
pub struct Recency {
    slots: Occupancy,
    holes: BinaryHeap<u32>,
}

impl Default for Recency {
    fn default() -> Self {
        Recency { slots: Occupancy::new(MINIMUM_SLOTS, 0), holes: BinaryHeap::new() }
    }
}

/// Where each occupied slot went in a compaction.
pub struct Compaction {
    former: Ranks,
}

impl Compaction {
    /// The new place of an occupied slot; what is not a slot stays what it is.
    #[inline(always)]
    pub fn follow(&self, slot: u32) -> u32 {
        if is_slot(slot) {
            Occupancy::slot_of(self.former.below(slot))
        } else {
            slot
        }
    }

    /// Prefetch what `follow` reads about a slot.
    #[inline(always)]
    pub fn prefetch(&self, slot: u32) {
        self.former.prefetch(slot);
    }
}

impl Recency {
    /// How many blocks can be used before `room` is asked again; where it is 0, `compact` must come first.
    #[inline(always)]
    pub fn room(&mut self) -> usize {
        self.slots.room()
    }

    /// The slot that the next block used gets; those after it get the slots that follow.
    #[inline(always)]
    pub fn next(&self) -> u32 {
        self.slots.next()
    }

    /// Occupied slots.
    pub fn occupied(&self) -> u32 {
        self.slots.occupied()
    }

    /// How deep an occupied slot lies: 1 is the most recently used.
    #[inline(always)]
    pub fn depth(&self, slot: u32) -> u32 {
        self.slots.occupied() - self.slots.below(slot)
    }

    /// The first slot of those of the `largest` (at least 1) most recently used blocks and holes, of which there are any.
    pub fn first_within(&self, largest: u32) -> u32 {
        self.slots.first_with_at_most(largest)
    }

    /// Move blocks, at most `room`, to the top of the stack one after the other. `former` has their slots, and `hits`
    /// the places in it of those that are slots. Each hit's distance goes to its place in `distances`, and to `found`
    /// at once. `RUNS`: many slots follow each other in `former`, whose blocks are at the same distance; `found` gets the
    /// first of them.
    #[inline(always)]
    pub fn use_blocks<const RUNS: bool>(
        &mut self,
        former: &[u32],
        hits: &[u32],
        distances: &mut [u32],
        mut found: impl FnMut(usize, u32),
    ) {
        if !self.holes.is_empty() {
            return self.use_blocks_and_holes(former, distances);
        }
        let occupied = self.slots.occupied();
        let mut vacated = 0;
        while let Some(&hit) = hits.get(vacated) {
            let slot = former[hit as usize];
            let run = if RUNS { run_length(former, &hits[vacated..]) } else { 1 };
            let below = self.slots.vacate(slot, run as u32);
            let distance = occupied + hit - vacated as u32 - below;
            distances[hit as usize..hit as usize + run].fill(distance);
            found(hit as usize, distance);
            vacated += run;
        }
        self.slots.take(former.len() as u32, hits.len() as u32);
    }

    /// `use_blocks` where there are holes.
    #[inline(never)]
    fn use_blocks_and_holes(&mut self, former: &[u32], distances: &mut [u32]) {
        let occupied = self.slots.occupied();
        let mut vacated = 0;
        for ((&slot, distance), used) in former.iter().zip(distances).zip(0..) {
            let from = if is_slot(slot) { slot } else { NO_SLOT };
            if from != NO_SLOT {
                *distance = occupied + used - vacated - self.slots.below(from);
            }
            let given_up = self.fill_hole(from);
            if given_up != NO_SLOT {
                self.slots.vacate(given_up, 1);
                vacated += 1;
            }
        }
        self.slots.take(former.len() as u32, vacated);
    }

    /// Let a use fill the topmost hole if it comes from below it; return the slot that becomes free.
    fn fill_hole(&mut self, from: u32) -> u32 {
        let Some(mut topmost) = self.holes.peek_mut() else {
            return from;
        };
        let hole = *topmost;
        if from > hole {
            return from;
        }
        if from == NO_SLOT {
            PeekMut::pop(topmost);
        } else {
            *topmost = from;
        }
        hole
    }

    /// Drop the block in an occupied slot: it leaves a hole at its depth.
    pub fn drop_block(&mut self, slot: u32) {
        self.holes.push(slot);
    }

    /// Prefetch what `depth` reads about a slot.
    #[inline(always)]
    pub fn prefetch(&self, slot: u32) {
        self.slots.prefetch(slot);
    }

    /// The slots of all holes, in any order.
    pub fn holes(&self) -> impl Iterator<Item = u32> + '_ {
        self.holes.iter().copied()
    }

    /// A stack of as many blocks and holes, the least recently used first, of which some are holes.
    pub fn stacked(are_holes: &[bool]) -> Self {
        let occupied = are_holes.len();
        let slots = Occupancy::new(MINIMUM_SLOTS.max(occupied * ROOM), occupied as u32);
        let holes = (0..).zip(are_holes).filter(|(_, &hole)| hole).map(|(rank, _)| Occupancy::slot_of(rank));
        Recency { slots, holes: holes.collect() }
    }

    /// The slot with `rank` others below it in a stack of `stacked`.
    pub fn slot_of(rank: u32) -> u32 {
        Occupancy::slot_of(rank)
    }

    /// How many blocks were used before each occupied slot's, now that no further one is used.
    pub fn into_ranks(self) -> Ranks {
        self.slots.into_ranks()
    }

    /// Move all occupied slots together at the start. The caller moves its blocks' slots likewise.
    pub fn compact(&mut self) -> Compaction {
        let occupied = self.slots.occupied();
        let slots = Occupancy::new(MINIMUM_SLOTS.max(occupied as usize * ROOM), occupied);
        let compaction = Compaction { former: std::mem::replace(&mut self.slots, slots).into_ranks() };
        let holes = std::mem::take(&mut self.holes).into_vec();
        self.holes = holes.into_iter().map(|hole| compaction.follow(hole)).collect();
        compaction
    }
}

/// How many of the first `hits` are one after the other, and their slots likewise, in a word of a line.
#[inline(always)]
fn run_length(former: &[u32], hits: &[u32]) -> usize {
    let first = hits[0];
    let slot = former[first as usize];
    let most = hits.len().min(occupancy::slots_up_to_word_end(slot));
    let follows = |place: &usize| {
        let hit = first as usize + place;
        hits[*place] as usize == hit && former[hit] == slot + *place as u32
    };
    (1..most).take_while(follows).count() + 1
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Recency, NO_SLOT};
    use proptest::prelude::*;

    /// Blocks and holes from the top down, as the rule of holes says.
    fn use_block(stack: &mut Vec<Option<usize>>, block: usize) {
        let place = stack.iter().position(|&b| b == Some(block));
        match (stack.iter().position(Option::is_none), place) {
            (Some(hole), Some(place)) if place > hole => {
                stack[place] = None;
                stack.remove(hole);
            }
            (Some(hole), None) => drop(stack.remove(hole)),
            (_, Some(place)) => drop(stack.remove(place)),
            (None, None) => {}
        }
        stack.insert(0, Some(block));
    }

    proptest! {
        #[test]
        fn depths_are_places_in_a_list(steps in prop::collection::vec((0..12_usize, 0..5_u8), 0..300)) {
            let mut recency = Recency::default();
            let (mut slots, mut list) = ([NO_SLOT; 12], Vec::new());
            for (block, what) in steps {
                match what {
                    0 if slots[block] != NO_SLOT => {
                        recency.drop_block(std::mem::take(&mut slots[block]));
                        let place = list.iter().position(|&b| b == Some(block)).unwrap();
                        list[place] = None;
                    }
                    1 => {
                        let compaction = recency.compact();
                        for slot in slots.iter_mut().filter(|slot| **slot != NO_SLOT) {
                            *slot = compaction.follow(*slot);
                        }
                    }
                    _ => {
                        if recency.room() == 0 {
                            let compaction = recency.compact();
                            for slot in slots.iter_mut().filter(|slot| **slot != NO_SLOT) {
                                *slot = compaction.follow(*slot);
                            }
                            prop_assert!(recency.room() > 0);
                        }
                        let (next, hits) = (recency.next(), [0]);
                        let hits = if slots[block] == NO_SLOT { &[][..] } else { &hits };
                        recency.use_blocks::<true>(&[slots[block]], hits, &mut [0], |_, _| ());
                        slots[block] = next;
                        use_block(&mut list, block);
                    }
                }
                prop_assert_eq!(recency.slots.occupied() as usize, list.len());
                for (place, block) in list.iter().enumerate() {
                    if let Some(block) = block {
                        prop_assert_eq!(recency.depth(slots[*block]) as usize, place + 1);
                    }
                }
            }
        }
    }
}
