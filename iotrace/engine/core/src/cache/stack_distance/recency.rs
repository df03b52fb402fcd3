//! The LRU stack of all caches at once: who was used how recently, and how deep each block lies.
//!
//! Every use of a block takes the next of a row of slots, and gives up the block's former one. The block's depth in the
//! LRU stack is then the number of occupied slots from its own upwards. When the slots are used up, occupied slots move
//! together (`compact`), once in several uses of each.
//!
//! A dropped block leaves a hole: its slot stays occupied by nobody. A use that comes from below the topmost hole,
//! or from outside, fills that hole, and the place that it leaves becomes one. (In each cache that contains the
//! hole's depth, a free frame takes the new block and nothing moves below it.)

use super::occupancy::Occupancy;
use std::collections::binary_heap::PeekMut;
use std::collections::BinaryHeap;

/// A slot that holds nothing; real slots begin at 1.
pub const NO_SLOT: u32 = 0;

/// The fewest slots.
const MINIMUM_SLOTS: usize = if cfg!(test) { 256 } else { 1 << 16 };
/// Slots for each occupied one after a compaction.
const ROOM: usize = 4;

/// The LRU stack.
#[derive(Debug)]
pub struct Recency {
    slots: Occupancy,
    holes: BinaryHeap<u32>,
}

impl Default for Recency {
    fn default() -> Self {
        Recency { slots: Occupancy::new(MINIMUM_SLOTS), holes: BinaryHeap::new() }
    }
}

/// Where each occupied slot went in a compaction.
pub struct Compaction {
    former: Occupancy,
}

impl Compaction {
    /// The new place of an occupied slot.
    #[inline]
    pub fn slot(&self, slot: u32) -> u32 {
        1 + self.former.below(slot)
    }
}

impl Recency {
    /// Whether `slots` more slots (few) are free; if not, `compact` must come before the next use.
    #[inline(always)]
    pub fn has_room(&self, slots: u32) -> bool {
        self.slots.has_room(slots)
    }

    /// Whether no hole lies above a slot.
    #[inline(always)]
    pub fn is_above_holes(&self, slot: u32) -> bool {
        self.holes.peek().is_none_or(|&hole| hole < slot)
    }

    /// How deep an occupied slot lies: 1 is the most recently used.
    #[inline(always)]
    pub fn depth(&self, slot: u32) -> u32 {
        self.slots.occupied() - self.slots.below(slot)
    }

    /// Move a block to the top of the stack, from its slot or from outside (`NO_SLOT`), and return its new slot.
    #[inline(always)]
    pub fn use_block(&mut self, from: u32) -> u32 {
        let vacated = if self.holes.is_empty() { from } else { self.fill_hole(from) };
        if vacated != NO_SLOT {
            self.slots.vacate(vacated);
        }
        self.slots.take()
    }

    /// Move a run of blocks, from consecutive slots that lie above all holes, to the top of the stack, one after the
    /// other from the lowest; return the first's new slot, which the others' follow. Each has the first's depth.
    pub fn use_run(&mut self, from: u32, count: u32) -> u32 {
        self.slots.vacate_run(from..from + count);
        self.slots.take_run(count)
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

    /// Ask the processor to bring near what `depth` reads about a slot.
    #[inline(always)]
    pub fn prefetch(&self, slot: u32) {
        self.slots.prefetch(slot);
    }

    /// Move all occupied slots together at the start. The caller moves its blocks' slots likewise.
    pub fn compact(&mut self) -> Compaction {
        let occupied = self.slots.occupied();
        let slots = Occupancy::new(MINIMUM_SLOTS.max(occupied as usize * ROOM));
        let compaction = Compaction { former: std::mem::replace(&mut self.slots, slots) };
        self.slots.take_run(occupied);
        let holes = std::mem::take(&mut self.holes).into_vec();
        self.holes = holes.into_iter().map(|hole| compaction.slot(hole)).collect();
        compaction
    }
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
                            *slot = compaction.slot(*slot);
                        }
                    }
                    _ => {
                        if !recency.has_room(1) {
                            let compaction = recency.compact();
                            for slot in slots.iter_mut().filter(|slot| **slot != NO_SLOT) {
                                *slot = compaction.slot(*slot);
                            }
                        }
                        slots[block] = recency.use_block(slots[block]);
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
