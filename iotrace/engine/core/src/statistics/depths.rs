//! How deep the blocks that are followed lie in the LRU stack: the distances of their uses.

use crate::cache::stack_distance::{Recency, NO_SLOT};

/// The LRU stack of blocks that each keep their slot.
#[derive(Debug, Default)]
pub struct Depths(Recency);

impl Depths {
    /// The stack of these blocks, in the order of their slots in another, which change.
    pub fn of(mut slots: Vec<&mut u32>) -> Self {
        slots.sort_unstable();
        let mut stack = Recency::stacked(&vec![false; slots.len()]);
        for (rank, slot) in (0..).zip(slots) {
            *slot = Recency::slot_of(rank);
        }
        stack.room();
        Depths(stack)
    }

    /// Whether the next block can be used; where not, `compact` must come first.
    pub fn has_room(&mut self) -> bool {
        self.0.room() > 0
    }

    /// Make room; `slots` are those of all blocks.
    pub fn compact<'a>(&mut self, slots: impl Iterator<Item = &'a mut u32>) {
        let compaction = self.0.compact();
        for slot in slots {
            *slot = compaction.follow(*slot);
        }
        self.0.room();
    }

    /// Use a block for the first time, and return its slot.
    pub fn used_first(&mut self) -> u32 {
        let slot = self.0.next();
        self.0.use_blocks::<false>(&[NO_SLOT], &[], &mut [0], |_, _| ());
        slot
    }

    /// Use a block again: the distinct blocks used since, itself included. Its slot changes.
    pub fn used_again(&mut self, slot: &mut u32) -> u32 {
        let (next, mut distance) = (self.0.next(), [0]);
        self.0.use_blocks::<false>(&[*slot], &[0], &mut distance, |_, _| ());
        *slot = next;
        distance[0]
    }
}

#[cfg(test)]
mod tests {
    use super::Depths;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn distances_are_places_in_a_list(uses in prop::collection::vec((0..9_usize, 0..6_u8), 0..400)) {
            let (mut depths, mut slots, mut list) = (Depths::default(), [0; 9], Vec::new());
            for (block, what) in uses {
                if what == 0 {
                    depths = Depths::of(slots.iter_mut().filter(|slot| **slot != 0).collect());
                }
                if what == 1 || !depths.has_room() {
                    depths.compact(slots.iter_mut().filter(|slot| **slot != 0));
                }
                match list.iter().position(|&other| other == block) {
                    Some(place) => {
                        prop_assert_eq!(depths.used_again(&mut slots[block]) as usize, place + 1);
                        list.remove(place);
                    }
                    None => slots[block] = depths.used_first(),
                }
                list.insert(0, block);
            }
        }
    }
}
