//! A set of bytes of files, as ranges.

/// A range of a file's bytes; it may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    pub file: i32,
    pub start: i64,
    pub end: i64,
}

impl Range {
    /// Add a range that begins in this one or at its end; false if it does not.
    fn extend(&mut self, other: Range) -> bool {
        let touches = self.file == other.file && (self.start..=self.end).contains(&other.start);
        if touches {
            self.end = self.end.max(other.end);
        }
        touches
    }
}

/// How many ranges wait at least before they are merged with the others.
const LEAST_WAITING: usize = 1 << 14;

/// Bytes of files. Ranges wait, and are sorted and merged with the others when they are as many: each is moved a few
/// times, and at most twice the memory of the merged ranges is in use.
#[derive(Debug, Default)]
pub struct RangeSet {
    /// Disjoint, not adjacent, ascending.
    merged: Vec<Range>,
    waiting: Vec<Range>,
}

impl RangeSet {
    pub fn add(&mut self, range: Range) {
        if self.waiting.last_mut().is_some_and(|last| last.extend(range)) {
            return;
        }
        self.waiting.push(range);
        if self.waiting.len() >= LEAST_WAITING.max(self.merged.len()) {
            self.merge();
        }
    }

    /// Add ranges that are in order.
    pub fn add_all(&mut self, ranges: &[Range]) {
        self.merge();
        self.merged = united(&self.merged, ranges);
    }

    /// The set as disjoint ranges, none of which are adjacent, in order.
    pub fn ranges(&mut self) -> &[Range] {
        self.merge();
        &self.merged
    }

    fn merge(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        self.waiting.sort_unstable();
        self.merged = united(&self.merged, &self.waiting);
        self.waiting.clear();
    }
}

/// The union of two lists of ranges, each sorted.
fn united(left: &[Range], right: &[Range]) -> Vec<Range> {
    let mut made: Vec<Range> = Vec::with_capacity(left.len().max(right.len()));
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    loop {
        let next = match (left.peek(), right.peek()) {
            (Some(one), Some(other)) if one <= other => left.next(),
            (Some(_), None) => left.next(),
            _ => right.next(),
        };
        let Some(&range) = next else {
            made.shrink_to_fit();
            return made;
        };
        if !made.last_mut().is_some_and(|last| last.extend(range)) {
            made.push(range);
        }
    }
}

/// How many bytes and files ranges have, that are disjoint and in order.
pub fn bytes_and_files(ranges: &[Range]) -> (i64, i64) {
    let bytes = ranges.iter().map(|range| range.end - range.start).sum();
    (bytes, ranges.chunk_by(|one, other| one.file == other.file).count() as i64)
}

#[cfg(test)]
mod tests {
    use super::{bytes_and_files, Range, RangeSet};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_set_has_each_byte_once(added in prop::collection::vec((0..2, 0..50i64, 0..9i64), 0..200)) {
            let mut set = RangeSet::default();
            let mut bytes = BTreeSet::new();
            for &(file, start, length) in &added {
                set.add(Range { file, start, end: start + length });
                if start % 7 == 0 {
                    set.merge();
                }
                bytes.extend((start..start + length).map(|byte| (file, byte)));
            }
            let ranges = set.ranges();
            prop_assert!(ranges.is_sorted_by(|one, other| one.file < other.file || one.end < other.start));
            let files: BTreeSet<_> = added.iter().map(|&(file, ..)| file).collect();
            prop_assert_eq!(bytes_and_files(ranges), (bytes.len() as i64, files.len() as i64));
        }
    }
}
