//! Counts by cache size or distance.

use super::sparse_array::SparseArray;
use rustc_hash::FxHashMap;

/// How many single changes wait for their place to come near.
const WAITING: usize = 32;
/// The mark of a change by -1 among those that wait; distances are below it.
const MINUS: u32 = 1 << 31;

/// A histogram over distances, of changes up and down: 32 bits for each as a rule, more where a count needs it.
///
/// Distances are scattered over more memory than the processor's caches hold, so a single change first waits in a
/// short list while its place is brought near.
#[derive(Debug, Default, Clone)]
pub struct Counts {
    /// The low 32 bits of each count, as a signed number.
    low: SparseArray,
    /// What is missing in `low`, in units of 2³².
    carries: FxHashMap<u64, i64>,
    waiting: [u32; WAITING],
    waiting_len: usize,
}

impl Counts {
    /// Count one at a distance.
    #[inline(always)]
    pub fn count(&mut self, distance: u32) {
        self.wait(distance, 0);
    }

    /// Count one for each size from `from` up to, not including, `to`: the counts up to a size then sum to the
    /// number of such stretches that contain it.
    #[inline(always)]
    pub fn count_stretch(&mut self, from: u32, to: u32) {
        if from < to {
            self.wait(from, 0);
            self.wait(to, MINUS);
        }
    }

    /// Count `amount` for each size of a stretch.
    pub fn add_stretch(&mut self, from: u32, to: u32, amount: u32) {
        if from < to {
            self.add(from, i64::from(amount));
            self.add(to, -i64::from(amount));
        }
    }

    #[inline(always)]
    fn wait(&mut self, distance: u32, sign: u32) {
        self.low.prefetch(u64::from(distance));
        self.waiting[self.waiting_len % WAITING] = distance | sign;
        self.waiting_len += 1;
        if self.waiting_len == WAITING {
            self.settle();
        }
    }

    /// Make the changes that wait; must come before `entries`.
    #[inline(never)]
    pub fn settle(&mut self) {
        let waiting = self.waiting;
        for &change in waiting.iter().take(std::mem::take(&mut self.waiting_len)) {
            self.add(change & !MINUS, if change & MINUS == 0 { 1 } else { -1 });
        }
    }

    /// Add `amount`, of at most 31 bits, at a distance.
    #[inline]
    pub fn add(&mut self, distance: u32, amount: i64) {
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
            (count != 0).then(|| (u32::try_from(distance).unwrap_or(u32::MAX), count))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;

    fn entries(counts: &mut Counts) -> Vec<(u32, i64)> {
        counts.settle();
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
        assert_eq!(entries(&mut counts), vec![(3, 6 * ((1 << 31) - 1) + 1), (7, 6 << 30), (900, -(6 << 30))]);
    }

    #[test]
    fn stretches_that_meet_leave_nothing_between() {
        let mut counts = Counts::default();
        counts.count_stretch(2, 5);
        counts.count_stretch(5, 9);
        counts.count_stretch(4, 4);
        assert_eq!(entries(&mut counts), vec![(2, 1), (9, -1)]);
    }
}
