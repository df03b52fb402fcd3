//! All that happened in a run, in its order: for small runs.

use super::blocks::Place;

/// What may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A process takes a record; the block is its first.
    Record,
    /// Its block has a buffer with contents.
    Hit,
    /// Its block has a buffer, whose read has not ended.
    Pending,
    /// It is given a buffer for its block.
    Claim,
    /// Its block's neighbour is given a buffer, to be read ahead.
    Prefetch,
    /// It begins to wait for a buffer.
    Wait,
    /// It has written into its block's buffer.
    Dirty,
    ReadQueued,
    WriteQueued,
    ReadStart,
    WriteStart,
    ReadEnd,
    WriteEnd,
    Finish,
}

impl Happening {
    pub fn name(self) -> &'static str {
        match self {
            Happening::Record => "record",
            Happening::Hit => "hit",
            Happening::Pending => "pending",
            Happening::Claim => "claim",
            Happening::Prefetch => "prefetch",
            Happening::Wait => "wait",
            Happening::Dirty => "dirty",
            Happening::ReadQueued => "read_queued",
            Happening::WriteQueued => "write_queued",
            Happening::ReadStart => "read_start",
            Happening::WriteStart => "write_start",
            Happening::ReadEnd => "read_end",
            Happening::WriteEnd => "write_end",
            Happening::Finish => "finish",
        }
    }
}

/// One line: a process, or a disk, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub time_ns: i64,
    pub what: Happening,
    pub process: Option<u32>,
    pub place: Option<Place>,
    pub disk: Option<u32>,
}
