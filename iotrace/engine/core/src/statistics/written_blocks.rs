//! How long blocks live once they are written, and how soon they are read: queries `block_read` and `block_fate`.

use super::power_of_two;
use super::requests::{Kind, Operation, Request};
use super::written_ranges::{Written, WrittenRanges};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The most bytes that a call can move.
const MOST_BYTES: i64 = 1 << 31;

/// What ends the life of written data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    Overwritten,
    Truncated,
    Deleted,
    Survived,
}

impl Fate {
    pub fn name(self) -> &'static str {
        match self {
            Fate::Overwritten => "overwritten",
            Fate::Truncated => "truncated",
            Fate::Deleted => "deleted",
            Fate::Survived => "survived",
        }
    }
}

/// Blocks and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    pub blocks: i64,
    pub bytes: i64,
}

impl Amount {
    fn add(&mut self, blocks: i64, bytes: i64) {
        self.blocks += blocks;
        self.bytes += bytes;
    }
}

/// A file's blocks by their last write: those that live, and those that were removed since.
#[derive(Debug, Default)]
struct File {
    living: WrittenRanges,
    removed: WrittenRanges,
}

/// The blocks of all written files, and what became of them; bins are upper bounds of times in ns, None for unknown.
#[derive(Debug)]
pub struct WrittenBlocks {
    block_bytes: i64,
    files: FxHashMap<i32, File>,
    pub reads: BTreeMap<Option<i64>, Amount>,
    pub fates: BTreeMap<(Fate, Option<i64>), Amount>,
}

impl WrittenBlocks {
    pub fn new(block_bytes: i64) -> Self {
        let block_bytes = block_bytes.max(1);
        WrittenBlocks {
            block_bytes,
            files: FxHashMap::default(),
            reads: BTreeMap::new(),
            fates: BTreeMap::new(),
        }
    }

    pub fn push(&mut self, request: &Request) {
        match request.operation {
            Operation::Truncate => self.remove(request, request.offset, Fate::Truncated),
            Operation::Delete => self.remove(request, Some(0), Fate::Deleted),
            Operation::Read | Operation::Write => {
                let is_followed = matches!(request.kind, Some(Kind::Datafile | Kind::Disk));
                if let (true, Some(start_byte), Some(length @ 1..=MOST_BYTES)) =
                    (is_followed, request.offset, request.length)
                {
                    let end_byte = start_byte.saturating_add(length);
                    let blocks = Written {
                        first: start_byte.div_euclid(self.block_bytes),
                        end: (end_byte - 1).div_euclid(self.block_bytes) + 1,
                        start_byte,
                        end_byte,
                        time_ns: request.time_ns,
                    };
                    self.access(request.file, blocks, request.writes());
                }
            }
        }
    }

    fn access(&mut self, file: i32, accessed: Written, writes: bool) {
        let block_bytes = self.block_bytes;
        if !writes {
            let Some(file) = self.files.get(&file) else {
                return;
            };
            for ranges in [&file.living, &file.removed] {
                for written in ranges.over(accessed.first, accessed.end, block_bytes) {
                    let start = accessed.start_byte.max(written.first * block_bytes);
                    let end = accessed.end_byte.min(written.end.saturating_mul(block_bytes));
                    let bin = between(written.time_ns, accessed.time_ns);
                    self.reads.entry(bin).or_default().add(written.blocks(), end - start);
                }
            }
            return;
        }
        let File { living, removed } = self.files.entry(file).or_default();
        removed.take(accessed.first, accessed.end, block_bytes, |_| ());
        let fates = &mut self.fates;
        living.take(accessed.first, accessed.end, block_bytes, |written| {
            end_of(fates, Fate::Overwritten, &written, accessed.time_ns);
        });
        living.insert(accessed);
    }

    /// Remove a file's bytes from `kept` on.
    fn remove(&mut self, request: &Request, kept: Option<i64>, fate: Fate) {
        let (Some(kept @ 0..), Some(file)) = (kept, self.files.get_mut(&request.file)) else {
            return;
        };
        let first = kept / self.block_bytes + i64::from(kept % self.block_bytes > 0);
        let File { living, removed } = file;
        let fates = &mut self.fates;
        living.take(first, i64::MAX, self.block_bytes, |written| {
            end_of(fates, fate, &written, request.time_ns);
            removed.insert(written);
        });
    }

    /// The trace's end.
    pub fn finish(&mut self) {
        for file in std::mem::take(&mut self.files).values() {
            for written in file.living.iter() {
                self.fates.entry((Fate::Survived, None)).or_default().add(written.blocks(), written.bytes());
            }
        }
    }
}

type Fates = BTreeMap<(Fate, Option<i64>), Amount>;

fn end_of(fates: &mut Fates, fate: Fate, written: &Written, end_ns: Option<i64>) {
    let bin = between(written.time_ns, end_ns);
    fates.entry((fate, bin)).or_default().add(written.blocks(), written.bytes());
}

/// The bin of the time from one moment to another.
fn between(from_ns: Option<i64>, to_ns: Option<i64>) -> Option<i64> {
    Some(power_of_two(to_ns?.saturating_sub(from_ns?)))
}
