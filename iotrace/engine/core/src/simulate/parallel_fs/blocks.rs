//! Which blocks the cache holds, and which have been written to disk.

use super::program::{Operation, Program};
use crate::error::Error;
use rustc_hash::FxHashMap;

/// A block of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileBlock {
    pub file: u32,
    pub block: u64,
}

/// The state of a block.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Its buffer, or `NONE`.
    pub buffer: u32,
    /// Whether a write of it has been queued at its disk.
    pub written: bool,
    /// Whether it has been read or written.
    pub was_read: bool,
    pub was_wrote: bool,
}

pub const NONE: u32 = u32::MAX;

const UNTOUCHED: Block = Block { buffer: NONE, written: false, was_read: false, was_wrote: false };

/// All blocks, numbered file by file if they are dense enough, otherwise in the order of first access.
#[derive(Debug)]
pub struct Blocks {
    numbering: Numbering,
    known: Vec<Block>,
}

#[derive(Debug)]
enum Numbering {
    /// The number of each file's first block.
    Dense(Vec<u32>),
    Sparse(FxHashMap<FileBlock, u32>),
}

/// Each access may be to another block, which has a number.
const MOST_ACCESSES: u64 = NONE as u64 - 1;

/// Up to this many blocks are numbered densely, however few of them are accessed.
const FEW: u64 = 1 << 16;

impl Blocks {
    /// The blocks of a program, of `block_bytes` bytes each.
    pub fn new(program: &Program, block_bytes: u64) -> Result<Self, Error> {
        let touched = touched(program, block_bytes);
        if touched > MOST_ACCESSES {
            return Err(Error::of(format!(
                "the program makes {touched} accesses to blocks of {block_bytes} bytes; at most {MOST_ACCESSES} can be"
            )));
        }
        let mut firsts = Vec::with_capacity(program.file_bytes.len());
        let mut total = 0u64;
        for &bytes in &program.file_bytes {
            firsts.push(total as u32);
            total = total.saturating_add(bytes.div_ceil(block_bytes));
        }
        Ok(match total <= FEW.max(touched.saturating_mul(4)).min(u64::from(NONE - 1)) {
            true => Blocks { numbering: Numbering::Dense(firsts), known: vec![UNTOUCHED; total as usize] },
            false => Blocks { numbering: Numbering::Sparse(FxHashMap::default()), known: Vec::new() },
        })
    }

    /// The number of a block that the program accesses.
    pub fn number(&mut self, place: FileBlock) -> u32 {
        match &mut self.numbering {
            Numbering::Dense(firsts) => firsts[place.file as usize] + place.block as u32,
            Numbering::Sparse(numbers) => {
                let next = self.known.len() as u32;
                let number = *numbers.entry(place).or_insert(next);
                if number == next {
                    self.known.push(UNTOUCHED);
                }
                number
            }
        }
    }

    pub fn get(&self, number: u32) -> Block {
        self.known[number as usize]
    }

    pub fn get_mut(&mut self, number: u32) -> &mut Block {
        &mut self.known[number as usize]
    }

    /// A process reads or writes a block: whether this needs a disk operation even with an infinite cache, in which
    /// blocks written before are read from the cache.
    pub fn touch(&mut self, number: u32, writes: bool) -> bool {
        let known = self.get_mut(number);
        if writes {
            return !std::mem::replace(&mut known.was_wrote, true);
        }
        !std::mem::replace(&mut known.was_read, true) && !known.was_wrote
    }
}

/// The number of block accesses of the program.
pub fn touched(program: &Program, block_bytes: u64) -> u64 {
    let accesses = program.records.iter().filter(|record| record.operation != Operation::Compute);
    accesses.fold(0, |sum, record| match record.length {
        0 => sum,
        length => {
            let last = (record.offset + length - 1) / block_bytes;
            sum.saturating_add(last - record.offset / block_bytes + 1)
        }
    })
}
