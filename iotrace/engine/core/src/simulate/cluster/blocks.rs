//! All blocks that a program accesses, numbered in the order of first access, and their versions outside the caches.

use rustc_hash::FxHashMap;

/// The file and block of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileBlock {
    pub file: u32,
    pub block: u64,
    pub segment: u32,
}

/// The last write at each level; 0 is the content before the first write.
#[derive(Clone, Copy, Debug, Default)]
pub struct Versions {
    /// By any request, wherever the data are.
    pub written: u32,
    /// By a request that has returned to its writer: later reads of an older version are stale.
    pub returned: u32,
    /// By a `sync_write`: no copy may be older.
    pub synchronized: u32,
    /// At the daemons.
    pub stored: u32,
}

/// The numbers of blocks and segments.
#[derive(Debug)]
pub struct Blocks {
    segment_blocks: u64,
    numbers: FxHashMap<(u32, u64), u32>,
    places: Vec<FileBlock>,
    pub versions: Vec<Versions>,
    segment_numbers: FxHashMap<(u32, u64), u32>,
}

impl Blocks {
    pub fn new(segment_blocks: u32) -> Self {
        Blocks {
            segment_blocks: u64::from(segment_blocks),
            numbers: FxHashMap::default(),
            places: Vec::new(),
            versions: Vec::new(),
            segment_numbers: FxHashMap::default(),
        }
    }

    /// The number of a file's block; the largest 32-bit number is never given.
    pub fn number(&mut self, file: u32, block: u64) -> u32 {
        let next = self.places.len() as u32;
        let number = *self.numbers.entry((file, block)).or_insert(next);
        if number == next {
            let segments = self.segment_numbers.len() as u32;
            let key = (file, block / self.segment_blocks);
            let segment = *self.segment_numbers.entry(key).or_insert(segments);
            self.places.push(FileBlock { file, block, segment });
            self.versions.push(Versions::default());
        }
        number
    }

    pub fn place(&self, number: u32) -> FileBlock {
        self.places[number as usize]
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The number of its segment within its file.
    pub fn segment_in_file(&self, block: u64) -> u64 {
        block / self.segment_blocks
    }
}
