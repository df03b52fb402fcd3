//! All events of a run, in order: for small runs.

use super::blocks::FileBlock;
use crate::columns::named;

named! {
    /// The kinds of events.
    pub enum LogEvent {
        /// A process takes a record; the block is its first.
        Record = "record",
        /// Its block has a buffer with contents.
        Hit = "hit",
        /// Its block has a buffer, whose read has not ended.
        Pending = "pending",
        /// It is given a buffer for its block.
        Claim = "claim",
        /// A later block of its portion is given a buffer, to be read ahead.
        Prefetch = "prefetch",
        /// It begins to wait for a buffer.
        Wait = "wait",
        /// It has written into its block's buffer.
        Dirty = "dirty",
        ReadQueued = "read_queued",
        WriteQueued = "write_queued",
        ReadStart = "read_start",
        WriteStart = "write_start",
        ReadEnd = "read_end",
        WriteEnd = "write_end",
        Finish = "finish",
    }
}

/// One event, of a process, a disk or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub time_ns: i64,
    pub what: LogEvent,
    pub process: Option<u32>,
    pub place: Option<FileBlock>,
    pub disk: Option<u32>,
}
