//! A row of slots with a weight each, and how much lies below any of them.
//!
//! Slots are taken in order. Sixteen slots are a row of weights; sixteen rows are a row of the lowest level, which has for
//! each of them the sum of those below it in this level's row; and so on, up to a level of a single row. So what lies
//! below a slot is a sum of one number in each level, and a change of a weight lowers the numbers above it in one row of
//! each level: vector operations of fixed length.

use crate::lists::{filled, prefetch};

/// Members of a row.
const FAN: usize = 16;
const FAN_BITS: u32 = 4;
/// The most rows that slots are numbered in.
const MOST_ROWS: usize = (1 << 28) - 2;

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct WeightRow([u64; FAN]);

const EMPTY: WeightRow = WeightRow([0; FAN]);

/// A window of these has no bit up to a member of a row, and all bits above it.
static ABOVE: [u64; 2 * FAN] = {
    let mut masks = [0; 2 * FAN];
    let mut place = FAN;
    while place < 2 * FAN {
        masks[place] = u64::MAX;
        place += 1;
    }
    masks
};

impl WeightRow {
    /// The sum of the members below one.
    #[inline(always)]
    fn sum_below(&self, place: usize) -> u64 {
        let masks = &ABOVE[FAN - place..][..FAN];
        self.0.iter().zip(masks).map(|(weight, mask)| weight & !mask).sum()
    }

    /// The number of a member; those above it go down.
    #[inline(always)]
    fn lower_above(&mut self, place: usize, by: u64) -> u64 {
        let masks = &ABOVE[FAN - 1 - place..][..FAN];
        let below = self.0[place];
        self.0.iter_mut().zip(masks).for_each(|(sum, mask)| *sum = sum.wrapping_sub(mask & by));
        below
    }
}

/// Slots with weights.
#[derive(Debug)]
pub struct Weights {
    slots: Vec<WeightRow>,
    levels: Vec<Vec<WeightRow>>,
    next: u32,
    total: u64,
}

impl Weights {
    /// The first slot; those before it are never taken.
    pub const FIRST: u32 = FAN as u32;

    /// At least `slots` slots, none of them taken.
    pub fn new(slots: usize) -> Self {
        let rows = 1 + slots.div_ceil(FAN).min(MOST_ROWS);
        let mut levels = Vec::new();
        let mut members = rows;
        while members > 1 {
            members = members.div_ceil(FAN);
            levels.push(filled(members, EMPTY));
        }
        Weights { slots: filled(rows, EMPTY), levels, next: Self::FIRST, total: 0 }
    }

    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.slots.len() * FAN
    }

    /// Take slots from the first on again. Weights can be read until their slots are taken; sums are set when a row is
    /// entered, except for those of the first member of a row, which never change.
    pub fn restart(&mut self) {
        (self.next, self.total) = (Self::FIRST, 0);
    }

    /// The sum of all weights.
    #[inline(always)]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The slot that is taken next.
    #[inline(always)]
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Whether all slots are taken.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.next as usize == self.len()
    }

    /// The weight of a slot.
    #[inline(always)]
    pub fn at(&self, slot: u32) -> u64 {
        self.slots[(slot >> FAN_BITS) as usize].0[slot as usize % FAN]
    }

    /// Take the next slot, unless `is_full`.
    #[inline(always)]
    pub fn push(&mut self, weight: u64) {
        let slot = self.next;
        if slot as usize % FAN == 0 {
            self.enter(slot >> FAN_BITS);
        }
        self.slots[(slot >> FAN_BITS) as usize].0[slot as usize % FAN] = weight;
        self.total += weight;
        self.next += 1;
    }

    /// Begin a row: all weights so far lie below it.
    #[inline(always)]
    fn enter(&mut self, row: u32) {
        let mut below = self.total;
        for (level, rows) in self.levels.iter_mut().enumerate().rev() {
            let bits = level as u32 * FAN_BITS;
            let member = (row >> bits) as usize;
            let sum = &mut rows[member / FAN].0[member % FAN];
            if row % (1 << bits) == 0 {
                *sum = below;
            }
            below -= *sum;
        }
    }

    /// The sum of the weights below a slot.
    #[inline(always)]
    pub fn below(&self, slot: u32) -> u64 {
        let mut member = (slot >> FAN_BITS) as usize;
        let mut below = self.slots[member].sum_below(slot as usize % FAN);
        for rows in &self.levels {
            below += rows[member / FAN].0[member % FAN];
            member /= FAN;
        }
        below
    }

    /// Lower the weight of a slot; return the sum of the weights below it.
    #[inline(always)]
    pub fn lower(&mut self, slot: u32, by: u64) -> u64 {
        let mut member = (slot >> FAN_BITS) as usize;
        let row = &mut self.slots[member];
        let mut below = row.sum_below(slot as usize % FAN);
        row.0[slot as usize % FAN] -= by;
        for rows in &mut self.levels {
            below += rows[member / FAN].lower_above(member % FAN, by);
            member /= FAN;
        }
        self.total -= by;
        below
    }

    /// Prefetch what `lower` reads of a slot.
    #[inline(always)]
    pub fn prefetch(&self, slot: u32) {
        let row = (slot >> FAN_BITS) as usize;
        prefetch_row(&self.slots, row);
        if let Some(lowest) = self.levels.first() {
            prefetch_row(lowest, row / FAN);
        }
    }
}

/// A row is two lines of the processor's cache.
#[inline(always)]
fn prefetch_row(rows: &[WeightRow], index: usize) {
    if let Some(row) = rows.get(index) {
        prefetch(&row.0[0]);
        prefetch(&row.0[FAN / 2]);
    }
}

#[cfg(test)]
mod tests {
    use super::Weights;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_those_of_a_list(
            weights in prop::collection::vec(0..1_u64 << 40, 1..2000),
            lowered in prop::collection::vec((any::<u32>(), 0..3_u64), 0..100),
        ) {
            let mut slots = Weights::new(weights.len());
            for (slot, &weight) in (Weights::FIRST..).zip(&weights) {
                slots.push(weight);
                if slot % 3 == 0 {
                    slots.lower(slot / 2 + Weights::FIRST / 2, 0);
                    slots.lower(slot, weight / 2);
                }
            }
            slots.restart();
            let mut list = weights.clone();
            let mut lowered = lowered.into_iter();
            for (place, &weight) in weights.iter().enumerate() {
                slots.push(weight);
                if place % 20 == 7 {
                    if let Some((which, part)) = lowered.next() {
                        let which = which as usize % (place + 1);
                        let by = list[which] * part / 2 % (list[which] + 1);
                        let below: u64 = list[..which].iter().sum();
                        prop_assert_eq!(slots.lower(Weights::FIRST + which as u32, by), below);
                        list[which] -= by;
                    }
                }
                prop_assert_eq!(slots.total(), list[..=place].iter().sum::<u64>());
            }
            let mut below = 0;
            for (slot, &weight) in (Weights::FIRST..).zip(&list) {
                prop_assert_eq!((slots.below(slot), slots.at(slot)), (below, weight));
                below += weight;
            }
        }
    }
}
