//! A recording: a file of blocks (`docs/trace-formats.md`, `iorec`).
//!
//! A file begins with `MAGIC` or `REQUESTS_MAGIC`, and the version. Each block is a kind, the number of stored bytes and a zstd frame with a
//! checksum; within it stand the kind again, two times, the losses so far, and the contents.

mod block;
mod encoding;
mod reader;
pub mod text;
#[cfg(unix)]
mod trim;
mod writer;

pub use block::{Block, BlockKind};
pub use reader::{Failure, Reader, Records};
pub use writer::Writer;

/// What a recording of calls begins with.
pub const MAGIC: [u8; 8] = *b"\x89IOREC\r\n";
/// What a recording of requests to disks alone begins with.
pub const REQUESTS_MAGIC: [u8; 8] = *b"\x89IOBLK\r\n";
/// The version of the format.
pub const VERSION: u32 = 1;
/// What a file's name ends with.
pub const SUFFIX: &str = ".iorec";
/// A block is written once its contents have this size.
pub const BLOCK_BYTES: usize = 1 << 20;
/// The most bytes of a block's contents, which records that are long make larger.
pub const MOST_BLOCK_BYTES: usize = BLOCK_BYTES + (1 << 16);

#[cfg(test)]
mod tests;
