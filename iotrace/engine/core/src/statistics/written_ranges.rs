//! Which blocks of a file were written when.

use std::collections::BTreeMap;

/// Blocks of a file, from `first` up to `end`, that one request wrote: its bytes in them, and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    pub first: i64,
    pub end: i64,
    pub start_byte: i64,
    pub end_byte: i64,
    pub time_ns: Option<i64>,
}

impl Written {
    /// How many blocks.
    pub fn blocks(&self) -> i64 {
        self.end - self.first
    }

    /// How many bytes in these blocks.
    pub fn bytes(&self) -> i64 {
        self.end_byte - self.start_byte
    }

    /// The part of it in some blocks, which it has.
    fn within(&self, first: i64, end: i64, block_bytes: i64) -> Written {
        let (first, end) = (first.max(self.first), end.min(self.end));
        Written {
            first,
            end,
            start_byte: self.start_byte.max(first.saturating_mul(block_bytes)),
            end_byte: self.end_byte.min(end.saturating_mul(block_bytes)),
            time_ns: self.time_ns,
        }
    }
}

/// Disjoint ranges of blocks, by their first block.
#[derive(Debug, Default)]
pub struct WrittenRanges(BTreeMap<i64, Written>);

impl WrittenRanges {
    /// Add a range, which overlaps none.
    pub fn insert(&mut self, written: Written) {
        self.0.insert(written.first, written);
    }

    /// The parts of ranges in the blocks from `first` up to `end`, in order.
    pub fn over(&self, first: i64, end: i64, block_bytes: i64) -> impl Iterator<Item = Written> + '_ {
        let before = self.0.range(..first).next_back().filter(move |(_, one)| one.end > first);
        let within = before.into_iter().chain(self.0.range(first..end));
        within.map(move |(_, one)| one.within(first, end, block_bytes))
    }

    /// Take out the blocks from `first` up to `end`, and give each part of a range that was there.
    pub fn take(&mut self, first: i64, end: i64, block_bytes: i64, mut taken: impl FnMut(Written)) {
        if let Some((_, &before)) = self.0.range(..first).next_back().filter(|(_, one)| one.end > first) {
            self.insert(before.within(before.first, first, block_bytes));
            self.keep_behind(before, end, block_bytes);
            taken(before.within(first, end, block_bytes));
        }
        while let Some((&start, &within)) = self.0.range(first..end).next() {
            self.0.remove(&start);
            self.keep_behind(within, end, block_bytes);
            taken(within.within(first, end, block_bytes));
        }
    }

    fn keep_behind(&mut self, whole: Written, end: i64, block_bytes: i64) {
        if whole.end > end {
            self.insert(whole.within(end, whole.end, block_bytes));
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Written> {
        self.0.values()
    }
}
