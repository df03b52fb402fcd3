//! What a stream contained, apart from the curve.

use serde::Serialize;

/// Counts of a stream's rows, and of what had to be guessed or left out.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Rows of the stream.
    pub rows: u64,
    /// Read, write and update requests with at least a byte.
    pub requests: u64,
    /// Truncations.
    pub truncates: u64,
    /// Deletions.
    pub deletes: u64,
    /// Syncs, which a non-volatile cache need not notice.
    pub syncs: u64,
    /// Requests of no bytes, left out.
    pub empty_requests: u64,
    /// Requests of unknown length, taken to reach the file's end, or one block where its size is unknown.
    pub unknown_lengths: u64,
    /// Requests of unknown offset, taken to start at the known end of the file.
    pub unknown_offsets: u64,
    /// References without a file (but syncs) and truncations without a length, left out.
    pub unplaced: u64,
    /// Blocks that were ever in the cache.
    pub distinct_blocks: u64,
}
