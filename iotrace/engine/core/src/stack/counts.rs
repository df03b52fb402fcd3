//! Counts by cache size or distance.

use super::growing::GrowingArray;
use rustc_hash::FxHashMap;

/// What an overflow of a 32-bit counter is worth.
const CARRY: u64 = 1 << 32;

/// How many single counts wait for their place to come near.
const WAITING: usize = 32;

/// A histogram over distances: 32 bits for each as a rule, more where a count needs it.
///
/// Distances are scattered over more memory than the processor's caches hold, so a single count first waits in a
/// short list while its place is brought near.
#[derive(Debug, Default, Clone)]
pub struct Counts {
    low: GrowingArray,
    carries: FxHashMap<u64, u64>,
    waiting: [u32; WAITING],
    waiting_len: usize,
}

impl Counts {
    /// Count one at a distance.
    #[inline(always)]
    pub fn count(&mut self, distance: u32) {
        self.low.prefetch(u64::from(distance));
        self.waiting[self.waiting_len % WAITING] = distance;
        self.waiting_len += 1;
        if self.waiting_len == WAITING {
            self.settle();
        }
    }

    /// Count all that wait; must come before `entries`.
    #[inline(never)]
    pub fn settle(&mut self) {
        let waiting = self.waiting;
        for &distance in waiting.iter().take(std::mem::take(&mut self.waiting_len)) {
            self.add(distance, 1);
        }
    }

    /// Add `amount` at a distance.
    #[inline]
    pub fn add(&mut self, distance: u32, amount: u32) {
        let place = self.low.entry(u64::from(distance));
        let (sum, overflowed) = place.overflowing_add(amount);
        *place = sum;
        if overflowed {
            self.carry(distance);
        }
    }

    #[cold]
    fn carry(&mut self, distance: u32) {
        *self.carries.entry(u64::from(distance)).or_insert(0) += CARRY;
    }

    /// All distances with a count, ascending. (A count that is an exact multiple of 2³² is in the carries alone.)
    pub fn entries(&self) -> Vec<(u32, i64)> {
        let mut carries = self.carries.clone();
        let mut entries: Vec<(u32, i64)> = Vec::new();
        let mut push = |distance: u64, count: u64| {
            entries.push((
                u32::try_from(distance).unwrap_or(u32::MAX),
                i64::try_from(count).unwrap_or(i64::MAX),
            ));
        };
        self.low.entries().for_each(|(distance, low)| {
            push(
                distance,
                u64::from(low) + carries.remove(&distance).unwrap_or(0),
            );
        });
        if !carries.is_empty() {
            carries
                .into_iter()
                .for_each(|(distance, count)| push(distance, count));
            entries.sort_unstable();
        }
        entries
    }
}

/// How many intervals of cache sizes contain each size: one is added by its first size and the first one past it.
#[derive(Debug, Default, Clone)]
pub struct Intervals {
    /// Where intervals begin.
    pub from: Counts,
    /// The first sizes past their ends.
    pub to: Counts,
}

impl Intervals {
    /// Add one to each size from `from` up to, not including, `to`.
    #[inline(always)]
    pub fn count(&mut self, from: u32, to: u32) {
        if from < to {
            self.from.count(from);
            self.to.count(to);
        }
    }

    /// Add `amount` to each size from `from` up to, not including, `to`.
    #[inline]
    pub fn add(&mut self, from: u32, to: u32, amount: u32) {
        if from < to {
            self.from.add(from, amount);
            self.to.add(to, amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;

    #[test]
    fn counts_past_32_bits() {
        let mut counts = Counts::default();
        counts.add(3, u32::MAX);
        counts.add(3, 3);
        counts.add(9, 1 << 31);
        counts.add(9, 1 << 31);
        assert_eq!(counts.entries(), vec![(3, (1 << 32) + 2), (9, 1 << 32)]);
    }
}
