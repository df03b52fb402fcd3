//! Counts by cache size or distance.

use super::sparse_array::SparseArray;
use rustc_hash::FxHashMap;

/// The distance of a block that is in no cache, however large. It is counted nowhere.
pub const INFINITE: u32 = u32::MAX;
/// Where counts at `INFINITE` go: no distance is 0.
const NOWHERE: u32 = 0;

/// A histogram over distances, of changes up and down: 32 bits for each as a rule, more where a count needs it.
#[derive(Debug, Default, Clone)]
pub struct Counts {
    /// The low 32 bits of each count, as a signed number.
    low: SparseArray,
    /// What is missing in `low`, in units of 2³².
    carries: FxHashMap<u64, i64>,
    /// Whether `low` is a plain array up to the largest distance.
    plain: bool,
}

impl Counts {
    /// An empty histogram that takes memory for each distance up to the largest.
    pub fn plain() -> Self {
        Counts { plain: true, ..Counts::default() }
    }

    /// Count one at a distance.
    #[inline(always)]
    pub fn count(&mut self, distance: u32) {
        let distance = if distance == INFINITE { NOWHERE } else { distance };
        self.change(distance, 1);
    }

    /// Count as many at a distance, at most 2³¹ − 1.
    #[inline(always)]
    pub fn count_several(&mut self, distance: u32, count: u32) {
        self.add(if distance == INFINITE { NOWHERE } else { distance }, i64::from(count));
    }

    /// Count one for each size from `from` up to, not including, `to`: the counts up to a size then sum to the
    /// number of such stretches that contain it.
    #[inline(always)]
    pub fn count_stretch(&mut self, from: u32, to: u32) {
        if from < to {
            self.change(from, 1);
            self.change(to, -1);
        }
    }

    /// Add 1 or -1.
    #[inline(always)]
    fn change(&mut self, distance: u32, by: i32) {
        let Some(low) = self.low.near(distance) else {
            return self.add(distance, i64::from(by));
        };
        let (sum, overflows) = (*low as i32).overflowing_add(by);
        *low = sum as u32;
        if overflows {
            self.carry(distance, i64::from(by));
        }
    }

    /// Prefetch the count at a distance.
    #[inline(always)]
    pub fn prefetch(&self, distance: u32) {
        self.low.prefetch(u64::from(distance));
    }

    /// At each size, ascending, the sum of all counts at distances up to it.
    pub fn up_to(&self, sizes: &[u32]) -> Vec<i64> {
        let (dense, sparse) = self.low.parts();
        let mut rest =
            self.carries.iter().map(|(&distance, &carry)| (distance, carry << 32)).collect::<Vec<_>>();
        rest.extend(sparse.iter().map(|(&distance, &low)| (distance, i64::from(low as i32))));
        rest.retain(|&(distance, _)| distance != u64::from(NOWHERE));
        rest.sort_unstable_by_key(|&(distance, _)| distance);
        let mut rest = rest.into_iter().peekable();
        let (mut total, mut place) = (0, NOWHERE as usize + 1);
        let totals = sizes.iter().map(|&size| {
            let end = dense.len().min(size as usize + 1);
            if place < end {
                total += dense[place..end].iter().map(|&low| i64::from(low as i32)).sum::<i64>();
                place = end;
            }
            while let Some((_, count)) = rest.next_if(|&(distance, _)| distance <= u64::from(size)) {
                total += count;
            }
            total
        });
        totals.collect()
    }

    /// Count `amount` for each size of a stretch.
    pub fn add_stretch(&mut self, from: u32, to: u32, amount: u32) {
        if from < to {
            self.add(from, i64::from(amount));
            self.add(to, -i64::from(amount));
        }
    }

    /// Add `amount`, of at most 31 bits, at a distance.
    #[inline]
    pub fn add(&mut self, distance: u32, amount: i64) {
        if self.plain && self.low.near(distance).is_none() {
            self.low.extend_plainly(distance);
        }
        let place = self.low.entry(u64::from(distance));
        let sum = i64::from(*place as i32) + amount;
        *place = sum as u32;
        if i64::from(sum as i32) != sum {
            self.carry(distance, if amount > 0 { 1 } else { -1 });
        }
    }

    #[cold]
    fn carry(&mut self, distance: u32, by: i64) {
        *self.carries.entry(u64::from(distance)).or_insert(0) += by;
    }

    /// All distances with a count other than zero, ascending.
    pub fn entries(&self) -> impl Iterator<Item = (u32, i64)> + '_ {
        self.low.stored().filter_map(|(distance, low)| {
            let carry =
                if self.carries.is_empty() { 0 } else { self.carries.get(&distance).copied().unwrap_or(0) };
            let count = i64::from(low as i32) + (carry << 32);
            (count != 0 && distance != u64::from(NOWHERE))
                .then(|| (u32::try_from(distance).unwrap_or(u32::MAX), count))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;
    use proptest::prelude::*;

    fn entries(counts: &Counts) -> Vec<(u32, i64)> {
        counts.entries().collect()
    }

    #[test]
    fn counts_past_32_bits_both_ways() {
        let mut counts = Counts::default();
        for _ in 0..6 {
            counts.add(3, (1 << 31) - 1);
            counts.add_stretch(7, 900, 1 << 30);
        }
        counts.count(3);
        assert_eq!(entries(&counts), vec![(3, 6 * ((1 << 31) - 1) + 1), (7, 6 << 30), (900, -(6 << 30))]);
        let three = 6 * ((1 << 31) - 1) + 1;
        assert_eq!(
            counts.up_to(&[2, 3, 7, 899, 900, u32::MAX]),
            [0, three, three + (6 << 30), three + (6 << 30), three, three]
        );
    }

    proptest! {
        #[test]
        fn sums_are_those_of_the_entries(
            distances in prop::collection::vec(prop_oneof![0..20_u32, 0..3000_u32, any::<u32>()], 0..60),
            mut sizes in prop::collection::vec(prop_oneof![1..20_u32, 1..3000_u32, 1..u32::MAX], 0..20),
            plain in any::<bool>(),
        ) {
            let mut counts = if plain { Counts::plain() } else { Counts::default() };
            distances.iter().filter(|&&distance| !plain || distance < 3000).for_each(|&distance| counts.count(distance));
            sizes.sort_unstable();
            let sum = |size: u32| counts.entries().filter(|&(distance, _)| distance <= size).map(|(_, count)| count).sum();
            let sums: Vec<i64> = sizes.iter().map(|&size| sum(size)).collect();
            prop_assert_eq!(counts.up_to(&sizes), sums);
        }
    }

    #[test]
    fn stretches_that_meet_leave_nothing_between() {
        let mut counts = Counts::default();
        counts.count_stretch(2, 5);
        counts.count_stretch(5, 9);
        counts.count_stretch(4, 4);
        assert_eq!(entries(&counts), vec![(2, 1), (9, -1)]);
    }
}
