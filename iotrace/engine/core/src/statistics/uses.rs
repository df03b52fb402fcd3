//! How uses access their files: query `use_pattern`.

use super::run::{Direction, Run};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// How a use accesses its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pattern {
    WholeFile,
    Sequential,
    Random,
}

impl Pattern {
    pub fn name(self) -> &'static str {
        match self {
            Pattern::WholeFile => "whole_file",
            Pattern::Sequential => "sequential",
            Pattern::Random => "random",
        }
    }
}

/// Uses with a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub uses: i64,
    pub bytes: i64,
}

#[derive(Clone, Copy, Debug)]
struct Use {
    access: Direction,
    pattern: Pattern,
    bytes: i64,
}

/// The uses of datafiles, by their number.
#[derive(Debug, Default)]
pub struct Uses(FxHashMap<i32, Use>);

impl Uses {
    /// Add a complete run of a use.
    pub fn add(&mut self, usage: i32, run: &Run) {
        let bytes = run.length_bytes.unwrap_or(0);
        let add = |known: &mut Use| {
            known.access = known.access.and(run.direction);
            known.pattern = Pattern::Random;
            known.bytes = known.bytes.saturating_add(bytes);
        };
        let first = Use { access: run.direction, pattern: pattern(run), bytes };
        self.0.entry(usage).and_modify(add).or_insert(first);
    }

    /// How many uses there are of each pattern.
    pub fn counts(&self) -> BTreeMap<(Direction, Pattern), Count> {
        let mut counts: BTreeMap<_, Count> = BTreeMap::new();
        for one in self.0.values() {
            let count = counts.entry((one.access, one.pattern)).or_default();
            count.uses += 1;
            count.bytes = count.bytes.saturating_add(one.bytes);
        }
        counts
    }
}

/// The pattern of a use with a single run.
fn pattern(run: &Run) -> Pattern {
    let reaches_end = run.length_bytes.zip(run.file_size_bytes).is_some_and(|(length, size)| length >= size);
    if run.offset_bytes == Some(0) && reaches_end {
        Pattern::WholeFile
    } else {
        Pattern::Sequential
    }
}
