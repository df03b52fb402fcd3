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

/// The size of a block, by which bytes are divided; by a power of two it is a shift.
#[derive(Clone, Copy, Debug)]
struct BlockSize {
    bytes: i64,
    shift: Option<u32>,
}

impl BlockSize {
    fn new(bytes: i64) -> Self {
        let bytes = bytes.max(1);
        BlockSize { bytes, shift: (bytes & (bytes - 1) == 0).then(|| bytes.trailing_zeros()) }
    }

    /// The block of a byte.
    fn block(self, byte: i64) -> i64 {
        self.shift.map_or_else(|| byte.div_euclid(self.bytes), |shift| byte >> shift)
    }

    /// The first byte of the block that has a byte.
    fn first(self, byte: i64) -> i64 {
        self.block(byte).saturating_mul(self.bytes)
    }

    /// The first byte behind the block that has the byte before this one.
    fn end(self, end: i64) -> i64 {
        (self.block(end - 1) + 1).saturating_mul(self.bytes)
    }

    /// How many blocks a range has bytes in.
    fn blocks(self, written: &Written) -> i64 {
        self.block(written.end - 1) + 1 - self.block(written.start)
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
    size: BlockSize,
    files: FxHashMap<i32, File>,
    pub reads: BTreeMap<Option<i64>, Amount>,
    pub fates: BTreeMap<(Fate, Option<i64>), Amount>,
}

impl WrittenBlocks {
    pub fn new(block_bytes: i64) -> Self {
        WrittenBlocks {
            size: BlockSize::new(block_bytes),
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
                    let accessed = Written::new(start_byte, end_byte, request.time_ns);
                    self.access(request.file, accessed, request.writes());
                }
            }
        }
    }

    fn access(&mut self, file: i32, accessed: Written, writes: bool) {
        let size = self.size;
        let (from, to) = (size.first(accessed.start), size.end(accessed.end));
        if !writes {
            let Some(file) = self.files.get(&file) else {
                return;
            };
            let reads = &mut self.reads;
            let mut count = |written: Written| {
                let bytes =
                    accessed.end.min(size.end(written.end)) - accessed.start.max(size.first(written.start));
                let bin = between(written.time_ns(), accessed.time_ns());
                reads.entry(bin).or_default().add(size.blocks(&written), bytes);
            };
            file.living.over(from, to, &mut count);
            file.removed.over(from, to, &mut count);
            return;
        }
        let File { living, removed } = self.files.entry(file).or_default();
        removed.take(from, to, |_| ());
        let fates = &mut self.fates;
        living.replace(from, to, accessed, |written| {
            end_of(fates, Fate::Overwritten, &written, accessed.time_ns(), size);
        });
    }

    /// Remove a file's bytes from `kept` on.
    fn remove(&mut self, request: &Request, kept: Option<i64>, fate: Fate) {
        let (Some(kept @ 0..), Some(file)) = (kept, self.files.get_mut(&request.file)) else {
            return;
        };
        let size = self.size;
        let first = if kept == 0 { 0 } else { size.end(kept) };
        let File { living, removed } = file;
        let fates = &mut self.fates;
        living.take(first, i64::MAX, |written| {
            end_of(fates, fate, &written, request.time_ns, size);
            removed.insert(written);
        });
    }

    /// The trace's end.
    pub fn finish(&mut self) {
        for file in std::mem::take(&mut self.files).values() {
            for written in file.living.iter() {
                let blocks = self.size.blocks(written);
                self.fates.entry((Fate::Survived, None)).or_default().add(blocks, written.bytes());
            }
        }
    }
}

type Fates = BTreeMap<(Fate, Option<i64>), Amount>;

fn end_of(fates: &mut Fates, fate: Fate, written: &Written, end_ns: Option<i64>, size: BlockSize) {
    let bin = between(written.time_ns(), end_ns);
    fates.entry((fate, bin)).or_default().add(size.blocks(written), written.bytes());
}

/// The bin of the time from one moment to another.
fn between(from_ns: Option<i64>, to_ns: Option<i64>) -> Option<i64> {
    Some(power_of_two(to_ns?.saturating_sub(from_ns?)))
}
