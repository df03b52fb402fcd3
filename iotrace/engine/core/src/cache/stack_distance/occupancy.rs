//! The occupancy of slots: which are occupied, and how many lie below each.
//!
//! A bitmap marks the occupied slots, and four levels of counts over it hold how many lie below each stretch, so that
//! the slots below one are a sum of four numbers and a few bits, and giving up a slot changes four short tables by
//! vector operations of fixed length.

use crate::lists::prefetch;
use std::ops::Range;

/// Slots in a group of the bitmap: four words.
const GROUP: usize = 256;
/// Members of each table of counts.
const FAN: usize = 32;

/// Which slots are occupied.
#[derive(Debug)]
pub struct Occupancy {
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

impl Occupancy {
    /// At least `slots` slots, all of them free. Slot 0 is never taken.
    pub fn new(slots: usize) -> Self {
        let groups = slots.min(u32::MAX as usize).div_ceil(GROUP);
        let tables = groups.div_ceil(FAN);
        let shelves = tables.div_ceil(FAN);
        let walls = shelves.div_ceil(FAN);
        Occupancy {
            bits: vec![[0; GROUP / 64]; groups],
            in_table: vec![[0; FAN]; tables],
            in_shelf: vec![[0; FAN]; shelves],
            in_wall: vec![[0; FAN]; walls],
            below_wall: vec![0; walls],
            next: 1,
            occupied: 0,
        }
    }

    /// Whether there are so many free slots at its end.
    #[inline(always)]
    pub fn has_room(&self, slots: u32) -> bool {
        self.next as usize + slots as usize <= self.bits.len() * GROUP
    }

    /// Occupied slots.
    #[inline(always)]
    pub fn occupied(&self) -> u32 {
        self.occupied
    }

    /// Ask the processor to bring near the bits about a slot.
    #[inline(always)]
    pub fn prefetch(&self, slot: u32) {
        if let Some(group) = self.bits.get(slot as usize / GROUP) {
            prefetch(group);
        }
    }

    /// Occupied slots below one.
    #[inline(always)]
    pub fn below(&self, slot: u32) -> u32 {
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
    pub fn take(&mut self) -> u32 {
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
    pub fn vacate(&mut self, slot: u32) {
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
    pub fn vacate_run(&mut self, slots: Range<u32>) {
        for (group, slots) in by_group(slots) {
            for (word, bits) in self.bits[group].iter_mut().enumerate() {
                *bits &= !mask(word, &slots);
            }
            self.lower_above(group, slots.len() as u16);
        }
    }

    /// Occupy the next slots, as many as are asked for, which must be there; return the first.
    pub fn take_run(&mut self, count: u32) -> u32 {
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
    (group, group / FAN, group / FAN / FAN, group / FAN / FAN / FAN)
}

/// Occupied slots of a group below a slot of it.
#[inline(always)]
fn occupied_below(group: &[u64; GROUP / 64], slot: usize) -> u32 {
    let word = slot % GROUP / 64;
    let at_word = !(!0_u64 << (slot % 64));
    let mut count = 0;
    for (index, &bits) in group.iter().enumerate() {
        let mask = if index < word { !0 } else { at_word };
        count += if index <= word { (bits & mask).count_ones() } else { 0 };
    }
    count
}

#[cfg(test)]
mod tests {
    use super::Occupancy;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_are_single_uses_one_after_the_other(
            runs in prop::collection::vec((1..700_u32, 1..300_u32), 1..12),
        ) {
            let (mut at_once, mut one_by_one) = (Occupancy::new(20_000), Occupancy::new(20_000));
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
    }
}
