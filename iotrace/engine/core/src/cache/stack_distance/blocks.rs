//! Files and their blocks: a dense number for each block that was ever touched, and what is known of it.
//!
//! A block's number indexes an array, so the usual look-up (file, page of the file, block) costs one access to
//! distant memory. Blocks get their numbers in runs: 1, 1, 2, 4 and 8 for a file's first 16, then pages of 16.
//! A small file thus takes little, a dense one an eighth of a word for each block, and a few blocks scattered over
//! a huge file cost a page each.

use super::block::Block;
use super::key_numbers::KeyNumbers;
use super::recency::Compaction;
use super::sparse_array::SparseArray;
use crate::lists::{filled, make_room, prefetch};

/// Blocks in a page.
const PAGE: u64 = 16;
/// Runs of a file before its first page.
const RUNS: u64 = PAGE.trailing_zeros() as u64;
/// States in a cache line of the processor.
const STATES_IN_CACHE_LINE: usize = 8;
/// How many states ahead a walk through all of them prefetches what it reads of each.
const AHEAD: usize = 16;
/// Files in a page of the file table.
const FILES: usize = 1024;
/// The most distinct blocks; a bit more than memory holds.
pub const MOST_BLOCKS: usize = (1 << 31) - 1;

/// A file: what is known of its size, and where its blocks are.
#[derive(Debug, Clone, Copy)]
struct File {
    /// The known size, or the largest end of a request beyond it.
    extent: i64,
    /// The number of block 0; 0 where it was never touched.
    first: u32,
    /// Index of the directory for all other blocks; `NO_DIRECTORY` where none was touched.
    directory: u32,
    size_known: bool,
}

const NO_DIRECTORY: u32 = u32::MAX;
const NEW_FILE: File = File { extent: 0, first: 0, directory: NO_DIRECTORY, size_known: false };

/// The blocks of one file beyond its first: the first number of each run or page, and the largest block.
#[derive(Debug, Default)]
struct Directory {
    pages: SparseArray,
    largest: u64,
}

/// The numbers of one file's blocks.
#[derive(Debug, Clone, Copy)]
pub struct KnownBlocks<'a> {
    /// The number of block 0; 0 where it has none.
    first: u32,
    pages: &'a SparseArray,
}

impl KnownBlocks<'_> {
    /// The number of a block that has one.
    #[inline(always)]
    pub fn number(&self, block: u64) -> Option<u32> {
        if block == 0 {
            return (self.first != 0).then_some(self.first);
        }
        number_in(self.pages, block)
    }

    /// Prefetch where a block's number is found.
    #[inline(always)]
    pub fn prefetch(&self, block: u64) {
        self.pages.prefetch(page_of(block.max(1)).0);
    }
}

/// The number of a block other than 0 among a file's pages; None where it has none.
#[inline(always)]
fn number_in(pages: &SparseArray, block: u64) -> Option<u32> {
    let (page, within) = page_of(block);
    match pages.get(page) {
        0 => None,
        first => Some(first + within),
    }
}

/// The numbers of blocks, and the file and block of each number from 1 on.
#[derive(Debug, Default)]
struct Keys {
    numbers: KeyNumbers,
    of_numbers: Vec<(u32, u64)>,
}

/// All files and blocks.
#[derive(Debug)]
pub struct Blocks {
    /// By block number; number 0 is nobody's.
    pub states: Vec<Block>,
    /// Where few blocks of many are known: their numbers by file and block, which files do not have then.
    keys: Option<Keys>,
    files: Vec<Option<Box<[File]>>>,
    directories: Vec<Directory>,
}

impl Default for Blocks {
    fn default() -> Self {
        Blocks { states: vec![Block::default()], keys: None, files: Vec::new(), directories: Vec::new() }
    }
}

/// The page (or early run) of a block other than 0, and the block's place in it.
#[inline(always)]
fn page_of(block: u64) -> (u64, u32) {
    if block < PAGE {
        let run = 63 - block.leading_zeros();
        (u64::from(run), (block - (1 << run)) as u32)
    } else {
        (RUNS - 1 + block / PAGE, (block % PAGE) as u32)
    }
}

/// The number of blocks in a page or run.
fn page_len(page: u64) -> u64 {
    if page < RUNS {
        1 << page
    } else {
        PAGE
    }
}

/// The first block of a page or run.
fn page_start(page: u64) -> u64 {
    if page < RUNS {
        1 << page
    } else {
        (page - (RUNS - 1)) * PAGE
    }
}

impl Blocks {
    /// The number of a block, given to it here if it is new; None where there would be more than `MOST_BLOCKS`.
    #[inline(always)]
    pub fn number(&mut self, file: u32, block: u64) -> Option<usize> {
        if self.keys.is_some() {
            return self.number_by_key(file, block).map(|number| number as usize);
        }
        if let Some(number) = self.find(file, block) {
            return Some(number);
        }
        self.add(file, block)
    }

    /// The same where blocks are numbered by their keys; None elsewhere.
    #[inline(always)]
    pub fn number_by_key(&mut self, file: u32, block: u64) -> Option<u32> {
        let next = u32::try_from(self.states.len()).ok().filter(|&next| next as usize <= MOST_BLOCKS)?;
        let keys = self.keys.as_mut()?;
        let number = keys.numbers.get_or_add(file, block, next);
        if number == next {
            keys.of_numbers.push((file, block));
            self.states.push(Block::default());
        }
        Some(number)
    }

    /// Whether blocks are numbered by their keys.
    #[inline(always)]
    pub fn are_by_key(&self) -> bool {
        self.keys.is_some()
    }

    /// Prefetch where a block's number is found, where blocks are numbered by their keys.
    #[inline(always)]
    pub fn prefetch_key(&self, file: u32, block: u64) {
        if let Some(keys) = &self.keys {
            keys.numbers.prefetch(file, block);
        }
    }

    /// The number of a block that has one.
    #[inline(always)]
    pub fn find(&self, file: u32, block: u64) -> Option<usize> {
        if let Some(keys) = &self.keys {
            return keys.numbers.get(file, block).map(|number| number as usize);
        }
        let entry = self.file(file)?;
        if block == 0 {
            return (entry.first != 0).then_some(entry.first as usize);
        }
        number_in(&self.directories.get(entry.directory as usize)?.pages, block).map(|number| number as usize)
    }

    /// The blocks of a file that has any, but whose size is not known.
    #[inline(always)]
    pub fn known(&self, file: u32) -> Option<KnownBlocks<'_>> {
        let entry = self.file(file).filter(|entry| !entry.size_known)?;
        let pages = self.directories.get(entry.directory as usize).map(|directory| &directory.pages);
        Some(KnownBlocks { first: entry.first, pages: pages? })
    }

    /// Note that a file's bytes were touched up to `end`.
    #[inline(always)]
    pub fn extend_to(&mut self, file: u32, end: i64) {
        let entry = self.file_entry(file);
        entry.extent = entry.extent.max(end);
    }

    /// How many blocks of a file from one on have consecutive numbers, where they are known by their files.
    #[inline(always)]
    pub fn consecutive(block: u64) -> u64 {
        if block == 0 {
            return 1;
        }
        let (page, within) = page_of(block);
        page_len(page) - u64::from(within)
    }

    /// How many blocks of a file from one on have consecutive numbers.
    #[inline(always)]
    pub fn run_from(&self, block: u64) -> u64 {
        if self.keys.is_some() {
            return 1;
        }
        Blocks::consecutive(block)
    }

    #[cold]
    #[inline(never)]
    fn add(&mut self, file: u32, block: u64) -> Option<usize> {
        let number = self.states.len();
        if number > MOST_BLOCKS {
            return None;
        }
        let first = u32::try_from(number).ok()?;
        if block == 0 {
            self.states.push(Block::default());
            self.file_entry(file).first = first;
            return Some(number);
        }
        let new_directory = u32::try_from(self.directories.len()).ok()?;
        let entry = self.file_entry(file);
        if entry.directory == NO_DIRECTORY {
            entry.directory = new_directory;
        }
        let index = entry.directory as usize;
        if index == self.directories.len() {
            self.directories.push(Directory::default());
        }
        let (page, within) = page_of(block);
        let directory = &mut self.directories[index];
        directory.largest = directory.largest.max(block);
        *directory.pages.entry(page) = first;
        let count = number + page_len(page) as usize;
        make_room(&mut self.states, count);
        self.states.resize(count, Block::default());
        Some(number + within as usize)
    }

    #[inline(always)]
    fn file(&self, file: u32) -> Option<&File> {
        self.files.get(file as usize / FILES)?.as_ref()?.get(file as usize % FILES)
    }

    #[inline(always)]
    fn file_entry(&mut self, file: u32) -> &mut File {
        let page = file as usize / FILES;
        if page >= self.files.len() {
            self.files.resize(page + 1, None);
        }
        let files = self.files[page].get_or_insert_with(|| vec![NEW_FILE; FILES].into_boxed_slice());
        &mut files[file as usize % FILES]
    }

    /// The numbers of all touched blocks of a file from `from` on, pages' neighbours included. The cost is that of
    /// the file's touched pages.
    pub fn numbers_from(&mut self, file: u32, from: u64) -> Vec<usize> {
        if let Some(keys) = &mut self.keys {
            return keys.numbers.of_file(file, from);
        }
        let Some(&File { first, directory, .. }) = self.file(file) else {
            return Vec::new();
        };
        let mut numbers = Vec::new();
        if from == 0 && first != 0 {
            numbers.push(first as usize);
        }
        let Some(directory) = self.directories.get(directory as usize) else {
            return numbers;
        };
        let first_page = page_of(from.max(1)).0;
        let last_page = page_of(directory.largest.max(1)).0;
        if last_page < first_page {
            return numbers;
        }
        let mut add = |page: u64, number: u32| {
            if number != 0 && page >= first_page {
                let skipped = from.saturating_sub(page_start(page)) as usize;
                numbers.extend(number as usize + skipped..number as usize + page_len(page) as usize);
            }
        };
        if last_page < first_page.saturating_add(directory.pages.entry_count()) {
            (first_page..=last_page).for_each(|page| add(page, directory.pages.get(page)));
        } else {
            directory.pages.entries().for_each(|(page, number)| add(page, number));
        }
        numbers
    }

    /// The dirty blocks of all files: file, block and number.
    pub fn dirty(&self) -> Vec<(u32, u64, usize)> {
        self.those(|state| state.dirty_level != 0)
    }

    /// Number blocks by their keys from here on; none has a number yet.
    pub fn by_key() -> Self {
        Blocks { keys: Some(Keys::default()), ..Blocks::default() }
    }

    /// Forget all blocks, which are numbered by their keys; return file, block and state of each, in the order of their
    /// numbers. The files' sizes stay.
    pub fn take_all(&mut self) -> impl Iterator<Item = (u32, u64, Block)> {
        let of_numbers = self.keys.as_mut().map(|keys| {
            keys.numbers.clear();
            std::mem::take(&mut keys.of_numbers)
        });
        let states = std::mem::replace(&mut self.states, vec![Block::default()]);
        let of_numbers = of_numbers.unwrap_or_default().into_iter();
        of_numbers.zip(states.into_iter().skip(1)).map(|((file, block), state)| (file, block, state))
    }

    /// The file and the block of each number, if it has them.
    pub fn keys(&self) -> Vec<(u32, u64)> {
        let mut keys = filled(self.states.len(), (0, 0));
        self.for_each(|file, block, number| keys[number] = (file, block));
        keys
    }

    fn those(&self, are_wanted: impl Fn(Block) -> bool) -> Vec<(u32, u64, usize)> {
        let mut wanted = Vec::new();
        self.for_each(|file, block, number| {
            if are_wanted(self.states[number]) {
                wanted.push((file, block, number));
            }
        });
        wanted
    }

    /// Call with the file, block and number of all blocks, pages' neighbours included, and with number 0.
    #[inline(always)]
    fn for_each(&self, mut take: impl FnMut(u32, u64, usize)) {
        if let Some(keys) = &self.keys {
            return (1..)
                .zip(&keys.of_numbers)
                .for_each(|(number, &(file, block))| take(file, block, number));
        }
        let pages = self.files.iter().enumerate().filter_map(|(page, files)| Some((page, files.as_ref()?)));
        let files = pages.flat_map(|(page, files)| (page * FILES..).zip(files.iter()));
        for (file, &File { first, directory, .. }) in files {
            let file = file as u32;
            take(file, 0, first as usize);
            let directory = self.directories.get(directory as usize);
            for (page, number) in directory.into_iter().flat_map(|directory| directory.pages.entries()) {
                let numbers = number as usize..number as usize + page_len(page) as usize;
                (page_start(page)..).zip(numbers).for_each(|(block, number)| take(file, block, number));
            }
        }
    }

    /// The known end of the file: its size, or the furthest byte touched.
    pub fn extent(&self, file: u32) -> i64 {
        self.file(file).map_or(0, |file| file.extent)
    }

    /// The file's size; None where the trace never told.
    pub fn size(&self, file: u32) -> Option<i64> {
        self.file(file).and_then(|file| file.size_known.then_some(file.extent))
    }

    /// Note a file's size as a request told it (None if it did not) and the end of the request's bytes; return the
    /// size as it is now known.
    #[inline(always)]
    pub fn note_size(&mut self, file: u32, told: Option<i64>, end: i64) -> Option<i64> {
        let entry = self.file_entry(file);
        entry.size_known |= told.is_some();
        entry.extent = told.unwrap_or(entry.extent).max(end);
        entry.size_known.then_some(entry.extent)
    }

    /// Note that a file was truncated (or extended) to a length.
    pub fn truncate(&mut self, file: u32, length: i64) {
        let entry = self.file_entry(file);
        entry.extent = length;
        entry.size_known = true;
    }

    /// Prefetch the states of blocks with consecutive numbers.
    #[inline(always)]
    pub fn prefetch_states(&self, number: usize, count: usize) {
        if count == 1 {
            self.states.get(number).into_iter().for_each(prefetch);
        } else if let Some(states) = self.states.get(number..number + count) {
            states.iter().step_by(STATES_IN_CACHE_LINE).for_each(prefetch);
            states.last().into_iter().for_each(prefetch);
        }
    }

    /// Move all blocks' slots as a compaction of the stack moved them.
    #[inline(always)]
    pub fn follow(&mut self, compaction: &Compaction) {
        for number in 0..self.states.len() {
            if let Some(ahead) = self.states.get(number + AHEAD) {
                compaction.prefetch(ahead.slot);
            }
            let state = &mut self.states[number];
            state.slot = compaction.follow(state.slot);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::block::StackPosition;
    use super::Blocks;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn every_block_has_a_number_of_its_own(
            touched in prop::collection::vec((0..4_u32, prop_oneof![0..70_u64, 0..5000_u64, any::<u64>()]), 0..300),
            from in 0..100_u64,
        ) {
            let mut blocks = Blocks::default();
            let mut numbers = BTreeMap::new();
            for &(file, block) in &touched {
                let number = blocks.number(file, block).unwrap();
                prop_assert_eq!(*numbers.entry((file, block)).or_insert(number), number);
                blocks.states[number].move_to(1);
            }
            let distinct: std::collections::BTreeSet<_> = numbers.values().collect();
            prop_assert_eq!(distinct.len(), numbers.len());
            for file in 0..4 {
                let mut found = blocks.numbers_from(file, from);
                found.retain(|&number| blocks.states[number].position() == StackPosition::Slot(1));
                found.sort_unstable();
                let mut expected: Vec<_> =
                    numbers.iter().filter(|((f, b), _)| *f == file && *b >= from).map(|(_, &n)| n).collect();
                expected.sort_unstable();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
