//! Which bytes of a file were written when.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

/// The most ranges of a leaf.
const MOST: usize = 128;
/// No trace begins 292 years before it is recorded.
const NO_TIME: i64 = i64::MIN;

/// Bytes of a file, from `start` up to `end`, that one request wrote, and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    pub start: i64,
    pub end: i64,
    time_ns: i64,
}

impl Written {
    pub fn new(start: i64, end: i64, time_ns: Option<i64>) -> Self {
        Written { start, end, time_ns: time_ns.unwrap_or(NO_TIME) }
    }

    pub fn time_ns(&self) -> Option<i64> {
        (self.time_ns != NO_TIME).then_some(self.time_ns)
    }

    pub fn bytes(&self) -> i64 {
        self.end - self.start
    }

    fn within(self, from: i64, to: i64) -> Written {
        Written { start: self.start.max(from), end: self.end.min(to), ..self }
    }
}

/// Disjoint ranges in the order of their bytes, in leaves: the tree of these stays small, and each is searched in the
/// cache. A leaf has ranges that start at its key or behind it, and before the next one's; none is empty.
#[derive(Debug, Default)]
pub struct WrittenRanges(BTreeMap<i64, Vec<Written>>);

impl WrittenRanges {
    /// Put a range in place of what is between `from` and `to`, within which it is; give each part that was there.
    pub fn replace(&mut self, from: i64, to: i64, written: Written, mut taken: impl FnMut(Written)) {
        if let Some(same) = self.same(written) {
            taken(*same);
            *same = written;
            return;
        }
        self.take(from, to, taken);
        self.insert(written);
    }

    /// The range of the very same bytes, which nothing else is next to in their blocks.
    fn same(&mut self, written: Written) -> Option<&mut Written> {
        let (_, leaf) = self.0.range_mut(..=written.start).next_back()?;
        let place = leaf.partition_point(|one| one.start < written.start);
        leaf.get_mut(place).filter(|one| (one.start, one.end) == (written.start, written.end))
    }

    /// Add a range, which overlaps none.
    pub fn insert(&mut self, written: Written) {
        let Some((_, leaf)) = self.0.range_mut(..=written.start).next_back() else {
            self.0.insert(i64::MIN, vec![written]);
            return;
        };
        let place = leaf.partition_point(|one| one.start < written.start);
        if leaf.len() < MOST {
            leaf.insert(place, written);
            return;
        }
        // where ranges come in order, leaves stay full
        let mut behind = leaf.split_off(if place == MOST { MOST } else { MOST / 2 });
        if place <= leaf.len() && place < MOST {
            leaf.insert(place, written);
        } else {
            behind.insert(place - leaf.len(), written);
        }
        self.0.insert(behind[0].start, behind);
    }

    /// Give the parts of ranges between `from` and `to`, in order.
    pub fn over(&self, from: i64, to: i64, mut give: impl FnMut(Written)) {
        let mut before = self.0.range(..=from);
        if let Some((_, leaf)) = before.next_back() {
            let reaching = if leaf[0].start > from { before.next_back() } else { None };
            let reaching = reaching.and_then(|(_, leaf)| leaf.last()).filter(|last| last.end > from);
            let here = &leaf[leaf.partition_point(|one| one.end <= from)..];
            for one in reaching.into_iter().chain(here) {
                if one.start >= to {
                    return;
                }
                give(one.within(from, to));
            }
        }
        let behind = self.0.range((Excluded(from), Unbounded)).flat_map(|(_, leaf)| leaf);
        behind.take_while(|one| one.start < to).for_each(|one| give(one.within(from, to)));
    }

    /// Take out what is between `from` and `to`, and give each part of a range that was there.
    pub fn take(&mut self, from: i64, to: i64, mut taken: impl FnMut(Written)) {
        while let Some(whole) = self.take_first(from, to) {
            if whole.start < from {
                self.insert(whole.within(whole.start, from));
            }
            if whole.end > to {
                self.insert(whole.within(to, whole.end));
            }
            taken(whole.within(from, to));
        }
    }

    /// Take out the first range that has bytes between `from` and `to`.
    fn take_first(&mut self, from: i64, to: i64) -> Option<Written> {
        let (key, place) = self.first_behind(from)?;
        let leaf = self.0.get_mut(&key)?;
        if leaf.get(place)?.start >= to {
            return None;
        }
        let first = leaf.remove(place);
        if leaf.is_empty() {
            self.0.remove(&key);
        }
        Some(first)
    }

    /// The leaf and the place of the first range that ends behind `from`.
    fn first_behind(&self, from: i64) -> Option<(i64, usize)> {
        let mut before = self.0.range(..=from);
        if let Some((&key, leaf)) = before.next_back() {
            let reaching = if leaf[0].start > from { before.next_back() } else { None };
            if let Some((&key, reaching)) = reaching {
                if reaching.last().is_some_and(|last| last.end > from) {
                    return Some((key, reaching.len() - 1));
                }
            }
            let place = leaf.partition_point(|one| one.end <= from);
            if place < leaf.len() {
                return Some((key, place));
            }
        }
        self.0.range((Excluded(from), Unbounded)).next().map(|(&key, _)| (key, 0))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Written> {
        self.0.values().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::{Written, WrittenRanges, MOST};
    use proptest::prelude::*;

    const BYTES: usize = 3000;

    proptest! {
        #[test]
        fn ranges_hold_the_last_write_of_each_byte(
            steps in prop::collection::vec((0..3u8, 0..BYTES as i64, prop_oneof![1..4i64, 1..200i64]), 0..1500),
        ) {
            let mut ranges = WrittenRanges::default();
            let mut bytes = vec![None; BYTES];
            for (time, &(step, start, length)) in steps.iter().enumerate() {
                let (time, end) = (time as i64, (start + length).min(BYTES as i64));
                let old = &mut bytes[start as usize..end as usize];
                let expected: Vec<Option<i64>> = old.to_vec();
                let mut found = vec![None; old.len()];
                let note = |one: Written| {
                    (one.start..one.end).for_each(|byte| found[(byte - start) as usize] = one.time_ns());
                };
                match step {
                    0 => ranges.over(start, end, note),
                    1 => {
                        ranges.take(start, end, note);
                        old.fill(None);
                    }
                    _ => {
                        ranges.replace(start, end, Written::new(start, end, Some(time)), note);
                        old.fill(Some(time));
                    }
                }
                prop_assert_eq!(found, expected);
            }
            prop_assert!(ranges.0.iter().all(|(&key, leaf)| !leaf.is_empty() && leaf.len() <= MOST && key <= leaf[0].start));
            let kept: Vec<&Written> = ranges.iter().collect();
            prop_assert!(kept.windows(2).all(|two| two[0].start < two[0].end && two[0].end <= two[1].start));
            let all: i64 = kept.iter().map(|one| one.bytes()).sum();
            prop_assert_eq!(all, bytes.iter().flatten().count() as i64);
        }
    }
}
