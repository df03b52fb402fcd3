//! A block of a recording as it is stored.

use super::MOST_BLOCK_BYTES;
use crate::record::LOSSES;
use std::io::{self, Read, Write};

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum BlockKind {
    /// Text: what was recorded, and how.
    Start = 1,
    /// Records.
    Calls = 2,
    /// Records of calls that began before the block before this one: a reader takes them first.
    LateCalls = 3,
    /// Text: processes from before the recording.
    Processes = 4,
    /// Text: how the recording ended.
    End = 5,
}

impl BlockKind {
    fn of(byte: u8) -> Option<BlockKind> {
        use BlockKind::{Calls, End, LateCalls, Processes, Start};
        [Start, Calls, LateCalls, Processes, End].into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// A block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub kind: BlockKind,
    /// Between these times of the monotonic clock its contents were taken from the ring.
    pub opened_ns: u64,
    pub closed_ns: u64,
    /// What was lost up to its end, by kind.
    pub lost: [u64; LOSSES],
    pub contents: Vec<u8>,
}

/// Before each block: its kind, three bytes of 0, and the size of its frame.
const PREFIX_BYTES: usize = 8;
/// Within the frame before the contents: the kind as 8 bytes, two times, and losses.
const HEAD_BYTES: usize = 8 * (3 + LOSSES);
const LEVEL: i32 = 3;

impl Block {
    pub fn write(&self, file: &mut impl Write) -> io::Result<u64> {
        let mut plain = Vec::with_capacity(HEAD_BYTES + self.contents.len());
        let head = [self.kind as u64, self.opened_ns, self.closed_ns];
        head.iter().chain(&self.lost).for_each(|word| plain.extend_from_slice(&word.to_le_bytes()));
        plain.extend_from_slice(&self.contents);
        let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
        compressor.include_checksum(true)?;
        let frame = compressor.compress(&plain)?;
        let mut stored = Vec::with_capacity(PREFIX_BYTES + frame.len());
        stored.extend_from_slice(&[self.kind as u8, 0, 0, 0]);
        stored.extend_from_slice(&u32::try_from(frame.len()).map_err(io::Error::other)?.to_le_bytes());
        stored.extend_from_slice(&frame);
        file.write_all(&stored)?;
        Ok(stored.len() as u64)
    }
}

/// The kind and size of the block that follows; None at the end of the file.
///
/// # Errors
/// `UnexpectedEof` if the file ends within the block, `InvalidData` if no block begins here.
pub(super) fn read_prefix(file: &mut impl Read) -> io::Result<Option<(BlockKind, usize)>> {
    let mut prefix = [0; PREFIX_BYTES];
    let mut filled = 0;
    while filled < PREFIX_BYTES {
        match file.read(&mut prefix[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let [kind, zeros @ .., a, b, c, d] = prefix;
    let stored = u32::from_le_bytes([a, b, c, d]) as usize;
    match BlockKind::of(kind) {
        Some(kind)
            if zeros == [0; 3]
                && stored <= zstd::zstd_safe::compress_bound(HEAD_BYTES + MOST_BLOCK_BYTES) =>
        {
            Ok(Some((kind, stored)))
        }
        _ => Err(invalid("no block begins here")),
    }
}

/// Read a block after its prefix.
///
/// # Errors
/// `UnexpectedEof` if the file ends within it, `InvalidData` if it is damaged.
pub(super) fn read_block(file: &mut impl Read, kind: BlockKind, stored: usize) -> io::Result<Block> {
    let mut frame = vec![0; stored];
    file.read_exact(&mut frame)?;
    let plain = zstd::bulk::decompress(&frame, HEAD_BYTES + MOST_BLOCK_BYTES)
        .map_err(|_| invalid("the checksum of a block is wrong"))?;
    let (head, contents) =
        plain.split_at_checked(HEAD_BYTES).ok_or_else(|| invalid("a block is too short"))?;
    let mut words = [0_u64; 3 + LOSSES];
    for (word, bytes) in words.iter_mut().zip(head.chunks_exact(8)) {
        *word = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
    }
    let [inner, opened_ns, closed_ns, lost @ ..] = words;
    if inner != kind as u64 {
        return Err(invalid("the kind of a block is wrong"));
    }
    Ok(Block { kind, opened_ns, closed_ns, lost, contents: contents.to_vec() })
}

pub(super) fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
