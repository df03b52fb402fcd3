//! The LRU stack of all caches at once: who was used how recently, and how deep each block lies.
//!
//! Every use of a block takes the next slot of a line of slots, and gives up the block's former one. The block's
//! depth in the LRU stack is then the number of occupied slots from its own upwards. A bitmap marks the occupied
//! slots, and four levels of counts hold how many lie below each stretch of it, so that a depth is a sum of four
//! numbers and a few bits, and giving up a slot changes four short tables by vector operations of fixed length. When
//! the line is used up, occupied slots move together (`compact`), once in several uses of each.
//!
//! A dropped block leaves a hole: its slot stays occupied by nobody. A use that comes from below the topmost hole,
//! or from outside, fills that hole, and the place that it leaves becomes one. (In each cache that contains the
//! hole's depth, a free frame takes the new block and nothing moves below it.)

use super::prefetch::prefetch;
use std::collections::binary_heap::PeekMut;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A slot that holds nothing; real slots begin at 1.
pub const NO_SLOT: u32 = 0;

/// Slots in a group of the bitmap: four words.
const GROUP: usize = 256;
/// Members of each table of counts.
const FAN: usize = 32;
/// The fewest slots in the line.
const MINIMUM_SLOTS: usize = if cfg!(test) { GROUP } else { 1 << 16 };
/// Slots for each occupied one after a compaction.
const ROOM: usize = 4;

/// The line of slots: which are occupied, and how many below each.
#[derive(Debug)]
struct Line {
    bits: Vec<[u64; GROUP / 64]>,
    /// For each group, the occupied slots below it in its table of 32 groups.
    in_table: Vec<[u16; FAN]>,
    /// For each table, those below it among its 32 tables.
    in_shelf: Vec<[u32; FAN]>,
    /// For each 32 tables, a shelf, those below it among its 32 shelves.
    in_wall: Vec<[u32; FAN]>,
    /// For each 32 shelves, a wall, all those below it.
    below_wall: Vec<u32>,
    next: u32,
    occupied: u32,
}

impl Line {
    /// A line of at least so many slots, all of them free. Slot 0 is never taken.
    fn new(slots: usize) -> Self {
        let groups = slots.min(u32::MAX as usize).div_ceil(GROUP);
        let tables = groups.div_ceil(FAN);
        let shelves = tables.div_ceil(FAN);
        let walls = shelves.div_ceil(FAN);
        Line {
            bits: vec![[0; GROUP / 64]; groups],
            in_table: vec![[0; FAN]; tables],
            in_shelf: vec![[0; FAN]; shelves],
            in_wall: vec![[0; FAN]; walls],
            below_wall: vec![0; walls],
            next: 1,
            occupied: 0,
        }
    }

    #[inline(always)]
    fn has_room(&self, slots: u32) -> bool {
        self.next as usize + slots as usize <= self.bits.len() * GROUP
    }

    /// Occupied slots below one.
    #[inline(always)]
    fn below(&self, slot: u32) -> u32 {
        let slot = slot as usize;
        let (group, table, shelf, wall) = places(slot);
        let in_group = occupied_below(&self.bits[group], slot);
        in_group
            + u32::from(self.in_table[table][group % FAN])
            + self.in_shelf[shelf][table % FAN]
            + self.in_wall[wall][shelf % FAN]
            + self.below_wall[wall]
    }

    /// Occupy the next slot.
    #[inline(always)]
    fn take(&mut self) -> u32 {
        let slot = self.next;
        let group = slot as usize / GROUP;
        if slot as usize % GROUP == 0 {
            self.enter(group);
        }
        self.bits[group][slot as usize % GROUP / 64] |= 1 << (slot % 64);
        self.occupied += 1;
        self.next += 1;
        slot
    }

    /// Begin a group: all occupied slots lie below it.
    fn enter(&mut self, group: usize) {
        let (group, table, shelf, wall) = places(group * GROUP);
        if shelf % FAN == 0 && table % FAN == 0 && group % FAN == 0 {
            self.below_wall[wall] = self.occupied;
        }
        let mut below = self.occupied - self.below_wall[wall];
        if table % FAN == 0 && group % FAN == 0 {
            self.in_wall[wall][shelf % FAN] = below;
        }
        below -= self.in_wall[wall][shelf % FAN];
        if group % FAN == 0 {
            self.in_shelf[shelf][table % FAN] = below;
        }
        below -= self.in_shelf[shelf][table % FAN];
        self.in_table[table][group % FAN] = below as u16;
    }

    /// Give up an occupied slot.
    #[inline(always)]
    fn vacate(&mut self, slot: u32) {
        let group = slot as usize / GROUP;
        self.bits[group][slot as usize % GROUP / 64] &= !(1 << (slot % 64));
        self.lower_above(group, 1);
    }

    /// Count so many slots of a group as given up. (Counts of groups that were not begun change too; they are set when
    /// that happens.)
    #[inline(always)]
    fn lower_above(&mut self, group: usize, by: u16) {
        let (group, table, shelf, wall) = places(group * GROUP);
        let wide = u32::from(by);
        self.occupied -= wide;
        for (member, below) in self.in_table[table].iter_mut().enumerate() {
            *below = below.wrapping_sub(if member > group % FAN { by } else { 0 });
        }
        for (member, below) in self.in_shelf[shelf].iter_mut().enumerate() {
            *below = below.wrapping_sub(if member > table % FAN { wide } else { 0 });
        }
        for (member, below) in self.in_wall[wall].iter_mut().enumerate() {
            *below = below.wrapping_sub(if member > shelf % FAN { wide } else { 0 });
        }
        for below in self.below_wall.iter_mut().skip(wall + 1) {
            *below = below.wrapping_sub(wide);
        }
    }

    /// Give up a run of occupied slots.
    fn vacate_run(&mut self, slots: Range<u32>) {
        for (group, slots) in by_group(slots) {
            for (word, bits) in self.bits[group].iter_mut().enumerate() {
                *bits &= !mask(word, &slots);
            }
            self.lower_above(group, slots.len() as u16);
        }
    }

    /// Occupy the next slots, as many as are asked for, which must be there; return the first.
    fn take_run(&mut self, count: u32) -> u32 {
        let first = self.next;
        for (group, slots) in by_group(first..first + count) {
            if slots.start == 0 {
                self.enter(group);
            }
            for (word, bits) in self.bits[group].iter_mut().enumerate() {
                *bits |= mask(word, &slots);
            }
            self.occupied += slots.len() as u32;
        }
        self.next += count;
        first
    }
}

/// The parts of a run of slots by group: each group, and the places in it.
fn by_group(slots: Range<u32>) -> impl Iterator<Item = (usize, Range<usize>)> {
    let (start, end) = (slots.start as usize, slots.end as usize);
    (start / GROUP..end.div_ceil(GROUP)).map(move |group| {
        let base = group * GROUP;
        (group, start.max(base) - base..end.min(base + GROUP) - base)
    })
}

/// The bits of one word of a group that are in a range of the group's places.
fn mask(word: usize, slots: &Range<usize>) -> u64 {
    let from_start = |place: usize| match place.saturating_sub(word * 64) {
        bits @ 0..64 => (1_u64 << bits) - 1,
        _ => !0,
    };
    from_start(slots.end) & !from_start(slots.start)
}

/// The group, table, shelf and wall of a slot.
#[inline(always)]
fn places(slot: usize) -> (usize, usize, usize, usize) {
    let group = slot / GROUP;
    (
        group,
        group / FAN,
        group / FAN / FAN,
        group / FAN / FAN / FAN,
    )
}

/// Occupied slots of a group below a slot of it.
#[inline(always)]
fn occupied_below(group: &[u64; GROUP / 64], slot: usize) -> u32 {
    let word = slot % GROUP / 64;
    let at_word = !(!0_u64 << (slot % 64));
    let mut count = 0;
    for (index, &bits) in group.iter().enumerate() {
        let mask = if index < word { !0 } else { at_word };
        count += if index <= word {
            (bits & mask).count_ones()
        } else {
            0
        };
    }
    count
}

/// The LRU stack.
#[derive(Debug)]
pub struct Recency {
    line: Line,
    holes: BinaryHeap<u32>,
}

impl Default for Recency {
    fn default() -> Self {
        Recency {
            line: Line::new(MINIMUM_SLOTS),
            holes: BinaryHeap::new(),
        }
    }
}

/// Where each occupied slot went in a compaction.
pub struct Compaction {
    former: Line,
}

impl Compaction {
    /// The new place of an occupied slot.
    #[inline]
    pub fn slot(&self, slot: u32) -> u32 {
        1 + self.former.below(slot)
    }
}

impl Recency {
    /// Whether the line has so many more slots (few); if not, `compact` must come before the next use.
    #[inline(always)]
    pub fn has_room(&self, slots: u32) -> bool {
        self.line.has_room(slots)
    }

    /// Whether no hole lies above a slot.
    #[inline(always)]
    pub fn is_above_holes(&self, slot: u32) -> bool {
        self.holes.peek().is_none_or(|&hole| hole < slot)
    }

    /// How deep an occupied slot lies: 1 is the most recently used.
    #[inline(always)]
    pub fn depth(&self, slot: u32) -> u32 {
        self.line.occupied - self.line.below(slot)
    }

    /// Move a block to the top of the stack, from its slot or from outside (`NO_SLOT`), and return its new slot.
    #[inline(always)]
    pub fn use_block(&mut self, from: u32) -> u32 {
        let vacated = if self.holes.is_empty() {
            from
        } else {
            self.fill_hole(from)
        };
        if vacated != NO_SLOT {
            self.line.vacate(vacated);
        }
        self.line.take()
    }

    /// Move a run of blocks, from consecutive slots that lie above all holes, to the top of the stack, one after the
    /// other from the lowest; return the first's new slot, which the others' follow. Each has the first's depth.
    pub fn use_run(&mut self, from: u32, count: u32) -> u32 {
        self.line.vacate_run(from..from + count);
        self.line.take_run(count)
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
        if let Some(group) = self.line.bits.get(slot as usize / GROUP) {
            prefetch(group);
        }
    }

    /// Move all occupied slots together at the line's start. The caller moves its blocks' slots likewise.
    pub fn compact(&mut self) -> Compaction {
        let occupied = self.line.occupied;
        let line = Line::new(MINIMUM_SLOTS.max(occupied as usize * ROOM));
        let compaction = Compaction {
            former: std::mem::replace(&mut self.line, line),
        };
        self.line.take_run(occupied);
        let holes = std::mem::take(&mut self.holes).into_vec();
        self.holes = holes
            .into_iter()
            .map(|hole| compaction.slot(hole))
            .collect();
        compaction
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Line, Recency, NO_SLOT};
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
        fn runs_are_single_uses_one_after_the_other(
            runs in prop::collection::vec((1..700_u32, 1..300_u32), 1..12),
        ) {
            let (mut at_once, mut one_by_one) = (Line::new(20_000), Line::new(20_000));
            prop_assert_eq!(at_once.take_run(1000), 1);
            (0..1000).for_each(|_| {
                one_by_one.take();
            });
            let mut given_up = std::collections::BTreeSet::new();
            for (from, count) in runs {
                if (from..from + count).all(|slot| given_up.insert(slot)) {
                    at_once.vacate_run(from..from + count);
                    (from..from + count).for_each(|slot| one_by_one.vacate(slot));
                    let first = at_once.take_run(count);
                    let taken: Vec<u32> = (0..count).map(|_| one_by_one.take()).collect();
                    prop_assert_eq!(taken[0], first);
                } else {
                    return Ok(());
                }
                for slot in 1..at_once.next {
                    prop_assert_eq!(at_once.below(slot), one_by_one.below(slot));
                }
            }
        }

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
                prop_assert_eq!(recency.line.occupied as usize, list.len());
                for (place, block) in list.iter().enumerate() {
                    if let Some(block) = block {
                        prop_assert_eq!(recency.depth(slots[*block]) as usize, place + 1);
                    }
                }
            }
        }
    }
}
