//! From byte ranges to blocks.

use super::blocks::Blocks;
use super::references::{Operation, Reference};
use super::tally::Tally;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The most blocks in one request.
pub const MOST_REQUEST_BLOCKS: u64 = 1 << 26;
/// The key of the blocks that hold inodes placed together; see `file_key`.
const PLACED_INODES: u32 = 0;

/// A run of blocks of one file that one request touches.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// The file's key.
    pub file: u32,
    /// The first block.
    pub first: u64,
    /// How many there are.
    pub blocks: u32,
    /// Bytes of the last block that lie beyond the file's end.
    pub last_shortfall: u32,
    /// The first byte of the request in its first block.
    pub start: u32,
    /// The end of its bytes in its last block.
    pub end: u32,
}

/// The key by which the blocks of a file are found: its number plus one.
#[inline(always)]
pub fn file_key(file: i32) -> u32 {
    (file as u32).wrapping_add(1)
}

/// Turns requests into spans of blocks.
#[derive(Debug, Default)]
pub struct Spans {
    block_bytes: u64,
    /// log2 of the block's size where that is a power of two.
    shift: Option<u32>,
    inodes_per_block: Option<u32>,
    /// Inodes in the order of their first reference, where they share blocks.
    inode_ranks: FxHashMap<i32, u32>,
}

impl Spans {
    /// For blocks of `block_bytes` bytes, at least 1, and inodes alone or `inodes_per_block` to a block.
    pub fn new(block_bytes: u32, inodes_per_block: Option<u32>) -> Self {
        let shift = block_bytes.is_power_of_two().then(|| block_bytes.trailing_zeros());
        Spans { block_bytes: u64::from(block_bytes), shift, inodes_per_block, ..Spans::default() }
    }

    /// The block that holds a byte.
    #[inline(always)]
    pub fn block_of(&self, offset: u64) -> u64 {
        match self.shift {
            Some(shift) => offset >> shift,
            None => offset / self.block_bytes,
        }
    }

    /// The first block that a file of that length does not have.
    pub fn blocks_in(&self, length: u64) -> u64 {
        length.div_ceil(self.block_bytes)
    }

    /// Whether a reference goes to a block that several inodes share.
    #[inline(always)]
    pub fn is_placed(&self, reference: Reference) -> bool {
        reference.is_inode && self.inodes_per_block.is_some()
    }

    /// The blocks of a read or write, counted in `tally`; None where it names no file or has no bytes. See `span`.
    #[inline(always)]
    pub fn of_request(
        &mut self,
        reference: Reference,
        blocks: &mut Blocks,
        tally: &mut Tally,
    ) -> Result<Option<Span>, String> {
        let Some(file) = reference.file else {
            tally.unplaced += 1;
            return Ok(None);
        };
        let span = self.span(reference, file, blocks, tally)?;
        match span {
            Some(_) => tally.requests += 1,
            None => tally.empty_requests += 1,
        }
        Ok(span)
    }

    /// The numbers of the blocks that a truncation or deletion removes, and pages' neighbours; counts it in `tally`
    /// and notes the file's new size in `blocks`.
    pub fn of_removal(&self, reference: Reference, blocks: &mut Blocks, tally: &mut Tally) -> Vec<usize> {
        let truncate = reference.operation == Operation::Truncate;
        *(if truncate { &mut tally.truncates } else { &mut tally.deletes }) += 1;
        let length = if truncate { reference.offset } else { Some(0) };
        let (Some(file), Some(length)) = (reference.file, length) else {
            tally.unplaced += 1;
            return Vec::new();
        };
        let file = file_key(file);
        if truncate {
            blocks.truncate(file, length);
        }
        blocks.numbers_from(file, self.blocks_in(length as u64))
    }

    /// The blocks that the sync of a file reaches into: to the file's end where its range has no length (or 0, as for
    /// sync_file_range), and all of the file where it has no offset. It never reaches an inode that shares a block with
    /// others.
    pub fn of_sync(&self, reference: Reference) -> Range<u64> {
        let Some(offset) = reference.offset else {
            return 0..u64::MAX;
        };
        let first = self.block_of(offset as u64);
        let last = reference
            .length
            .filter(|&length| length > 0)
            .map(|length| self.block_of(offset.saturating_add(length - 1) as u64));
        first..last.map_or(u64::MAX, |last| last + 1)
    }

    /// The blocks of a request; None where it has no bytes. Notes in `blocks` what it says of the file's size, and
    /// in `tally` what had to be guessed. Fails where the request is too large.
    #[inline(always)]
    fn span(
        &mut self,
        reference: Reference,
        file: i32,
        blocks: &mut Blocks,
        tally: &mut Tally,
    ) -> Result<Option<Span>, String> {
        if self.is_placed(reference) {
            return Ok(self.place_inode(file));
        }
        let file = file_key(file);
        let offset = match reference.offset {
            Some(offset) => offset,
            None => {
                tally.unknown_offsets += 1;
                blocks.extent(file)
            }
        };
        let (told_end, end) = match reference.length {
            Some(0) => return Ok(None),
            Some(length) => {
                let end = offset.checked_add(length).ok_or("offset plus length is beyond 2^63 bytes")?;
                (end, end)
            }
            None => {
                tally.unknown_lengths += 1;
                unknown_end(offset, reference.file_size.or_else(|| blocks.size(file)))
            }
        };
        let size = blocks.note_size(file, reference.file_size, told_end);
        let (first, last) = (self.block_of(offset as u64), self.block_of(end as u64 - 1));
        let count = last - first + 1;
        if count > MOST_REQUEST_BLOCKS {
            return Err(format!("the request touches {count} blocks; at most {MOST_REQUEST_BLOCKS} can be"));
        }
        let last_start = last * self.block_bytes;
        let inside = |size: i64| (size as u64).saturating_sub(last_start).min(self.block_bytes);
        Ok(Some(Span {
            file,
            first,
            blocks: count as u32,
            last_shortfall: size.map_or(0, |size| (self.block_bytes - inside(size)) as u32),
            start: (offset as u64 - first * self.block_bytes) as u32,
            end: (end as u64 - last_start) as u32,
        }))
    }

    /// The block that an inode shares with others, by the order of their first references.
    fn place_inode(&mut self, inode: i32) -> Option<Span> {
        let inodes = self.inodes_per_block?;
        let next = self.inode_ranks.len() as u32;
        let rank = *self.inode_ranks.entry(inode).or_insert(next);
        let room = self.block_bytes as u32 / inodes;
        let start = rank % inodes * room;
        let first = u64::from(rank / inodes);
        Some(Span { file: PLACED_INODES, first, blocks: 1, last_shortfall: 0, start, end: start + room })
    }
}

/// Where a request of unknown length ends: the known end of its bytes, and of what it is taken to touch.
fn unknown_end(offset: i64, size: Option<i64>) -> (i64, i64) {
    match size {
        Some(size) if size > offset => (size, size),
        _ => (offset, offset.saturating_add(1)),
    }
}
