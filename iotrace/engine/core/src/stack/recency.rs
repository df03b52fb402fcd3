//! The LRU stack of all caches at once: who was used how recently, and how deep each block lies.
//!
//! Every use of a block takes the next slot of a line of slots, and gives up the block's former one. The block's
//! depth in the LRU stack is then the number of occupied slots from its own upwards. A bitmap marks the occupied
//! slots, and three levels of counts over it answer in a fixed number of vector operations. When the line is used
//! up, occupied slots move together (`compact`), which costs a few operations for each once in several uses of it.
//!
//! A dropped block leaves a hole: its slot stays occupied by nobody. A use that comes from below the topmost hole,
//! or from outside, fills that hole, and the place that it leaves becomes one. (In each cache that contains the
//! hole's depth, a free frame takes the new block and nothing moves below it.)

use std::collections::BinaryHeap;

/// A slot that holds nothing; real slots begin at 1.
pub const NO_SLOT: u32 = 0;

/// Slots in a group of the bitmap: four words.
const GROUP: usize = 256;
/// Entries in each table of counts.
const FAN: usize = 32;
/// The fewest slots in the line.
const MINIMUM_SLOTS: usize = 1 << 16;
/// Slots for each occupied one after a compaction.
const ROOM: usize = 6;

/// The LRU stack.
#[derive(Debug)]
pub struct Recency {
    bits: Vec<[u64; GROUP / 64]>,
    /// Occupied slots of each group.
    groups: Vec<[u16; FAN]>,
    /// Occupied slots of each 32 groups.
    tables: Vec<[u32; FAN]>,
    /// Occupied slots of each 1,024 groups.
    tops: Vec<u32>,
    next: u32,
    occupied: u32,
    holes: BinaryHeap<u32>,
}

/// Where each occupied slot went in a compaction.
pub struct Compaction {
    bits: Vec<[u64; GROUP / 64]>,
    before: Vec<u32>,
}

impl Compaction {
    /// The new place of an occupied slot.
    pub fn slot(&self, slot: u32) -> u32 {
        let group = slot as usize / GROUP;
        1 + self.before[group] + occupied_below(&self.bits[group], slot)
    }
}

impl Default for Recency {
    fn default() -> Self {
        let mut stack = Recency {
            bits: vec![],
            groups: vec![],
            tables: vec![],
            tops: vec![],
            next: 1,
            occupied: 0,
            holes: BinaryHeap::new(),
        };
        stack.lay_out(MINIMUM_SLOTS);
        stack
    }
}

impl Recency {
    /// Whether the line of slots is used up; `compact` must then come before the next `use_block`.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.next as usize >= self.bits.len() * GROUP
    }

    /// How deep an occupied slot lies: 1 is the most recently used.
    #[inline(always)]
    pub fn depth(&self, slot: u32) -> u32 {
        let slot = slot as usize;
        let group = slot / GROUP;
        let mut depth = occupied_from(&self.bits[group], slot);
        depth += self.groups[group / FAN]
            .iter()
            .enumerate()
            .map(|(i, &count)| if i > group % FAN { u32::from(count) } else { 0 })
            .sum::<u32>();
        let table = group / FAN;
        depth += self.tables[table / FAN]
            .iter()
            .enumerate()
            .map(|(i, &count)| if i > table % FAN { count } else { 0 })
            .sum::<u32>();
        depth + self.tops[table / FAN + 1..].iter().sum::<u32>()
    }

    /// Move a block to the top of the stack, from its slot or from outside (`NO_SLOT`), and return its new slot.
    #[inline(always)]
    pub fn use_block(&mut self, from: u32) -> u32 {
        if self.holes.is_empty() {
            if from != NO_SLOT {
                self.vacate(from);
            }
        } else {
            self.use_block_with_holes(from);
        }
        let slot = self.next;
        self.next += 1;
        self.occupy(slot);
        slot
    }

    fn use_block_with_holes(&mut self, from: u32) {
        let Some(mut topmost) = self.holes.peek_mut() else {
            return;
        };
        let hole = *topmost;
        if from > hole {
            drop(topmost);
            self.vacate(from);
        } else {
            if from == NO_SLOT {
                std::collections::binary_heap::PeekMut::pop(topmost);
            } else {
                *topmost = from;
                drop(topmost);
            }
            self.vacate(hole);
        }
    }

    /// Drop the block in an occupied slot: it leaves a hole at its depth.
    pub fn drop_block(&mut self, slot: u32) {
        self.holes.push(slot);
    }

    /// Move all occupied slots together at the line's start. The caller moves its blocks' slots likewise.
    pub fn compact(&mut self) -> Compaction {
        let mut before = Vec::with_capacity(self.bits.len());
        let mut sum = 0;
        for group in &self.bits {
            before.push(sum);
            sum += group.iter().map(|word| word.count_ones()).sum::<u32>();
        }
        let compaction = Compaction {
            bits: std::mem::take(&mut self.bits),
            before,
        };
        let holes = std::mem::take(&mut self.holes).into_vec();
        self.holes = holes
            .into_iter()
            .map(|hole| compaction.slot(hole))
            .collect();
        self.lay_out(MINIMUM_SLOTS.max(self.occupied as usize * ROOM));
        self.next = 1;
        for _ in 0..self.occupied {
            let slot = self.next;
            self.next += 1;
            self.mark(slot);
        }
        compaction
    }

    /// Make a line of at least so many slots, all of them free.
    fn lay_out(&mut self, slots: usize) {
        let tops = slots
            .min(u32::MAX as usize)
            .div_ceil(GROUP * FAN * FAN)
            .max(1);
        let groups = slots.min(u32::MAX as usize).div_ceil(GROUP);
        self.bits = vec![[0; GROUP / 64]; groups];
        self.groups = vec![[0; FAN]; tops * FAN];
        self.tables = vec![[0; FAN]; tops];
        self.tops = vec![0; tops];
    }

    #[inline(always)]
    fn occupy(&mut self, slot: u32) {
        self.occupied += 1;
        self.mark(slot);
    }

    #[inline(always)]
    fn mark(&mut self, slot: u32) {
        let slot = slot as usize;
        let group = slot / GROUP;
        self.bits[group][slot % GROUP / 64] |= 1 << (slot % 64);
        self.groups[group / FAN][group % FAN] += 1;
        self.tables[group / FAN / FAN][group / FAN % FAN] += 1;
        self.tops[group / FAN / FAN] += 1;
    }

    #[inline(always)]
    fn vacate(&mut self, slot: u32) {
        self.occupied -= 1;
        let slot = slot as usize;
        let group = slot / GROUP;
        self.bits[group][slot % GROUP / 64] &= !(1 << (slot % 64));
        self.groups[group / FAN][group % FAN] -= 1;
        self.tables[group / FAN / FAN][group / FAN % FAN] -= 1;
        self.tops[group / FAN / FAN] -= 1;
    }
}

/// Occupied slots of a group from `slot` upwards.
#[inline(always)]
fn occupied_from(group: &[u64; GROUP / 64], slot: usize) -> u32 {
    let word = slot % GROUP / 64;
    let at_word = !0_u64 << (slot % 64);
    let mut count = 0;
    for (i, &bits) in group.iter().enumerate() {
        let mask = if i > word { !0 } else { at_word };
        count += if i >= word {
            (bits & mask).count_ones()
        } else {
            0
        };
    }
    count
}

/// Occupied slots of a group below `slot`.
fn occupied_below(group: &[u64; GROUP / 64], slot: u32) -> u32 {
    let all: u32 = group.iter().map(|word| word.count_ones()).sum();
    all - occupied_from(group, slot as usize)
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
                        slots[block] = recency.use_block(slots[block]);
                        use_block(&mut list, block);
                    }
                }
                prop_assert_eq!(recency.occupied as usize, list.len());
                for (place, block) in list.iter().enumerate() {
                    if let Some(block) = block {
                        prop_assert_eq!(recency.depth(slots[*block]) as usize, place + 1);
                    }
                }
            }
        }
    }
}
