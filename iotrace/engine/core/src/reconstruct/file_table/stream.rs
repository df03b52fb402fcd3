//! The reference stream as columns, cut into Arrow batches.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use super::files::FileId;
use super::held_back::{Absent, Held, HeldWords, Sequence, BATCH_ROWS, HELD_BACK};
use crate::columns::{columns, Word};

/// The way in which a file was used; codes index its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
#[repr(i32)]
pub enum Type {
    Inode,
    Directory,
    Executable,
    Datafile,
}

impl Word for Type {
    const WORDS: &'static [&'static str] = &["inode", "directory", "executable", "datafile", "disk"];

    fn code(self) -> i32 {
        self as i32
    }
}

/// What a reference does; codes index its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
#[repr(i32)]
pub enum Operation {
    Read,
    Write,
    Update,
    Truncate,
    Delete,
    Sync,
}

impl Word for Operation {
    const WORDS: &'static [&'static str] = &["read", "write", "update", "truncate", "delete", "sync"];

    fn code(self) -> i32 {
        self as i32
    }
}

/// How a reference was made, if not in the usual way; codes index its words.
#[derive(Debug, Clone, Copy)]
#[repr(i32)]
enum Flags {
    Direct,
    Synchronous,
    Both,
    Mapped,
}

impl Word for Flags {
    const WORDS: &'static [&'static str] = &["direct", "synchronous", "direct|synchronous", "mapped"];

    fn code(self) -> i32 {
        self as i32
    }
}

/// The source of an offset; codes index its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
#[repr(i32)]
pub enum OffsetSource {
    Explicit,
    Tracked,
    Relative,
    Estimated,
    Unknown,
}

impl Word for OffsetSource {
    const WORDS: &'static [&'static str] = &["explicit", "tracked", "relative", "estimated", "unknown"];

    fn code(self) -> i32 {
        self as i32
    }
}

/// One reference.
#[derive(Debug, Clone, Copy)]
pub struct Reference {
    /// The file; None for a sync of everything.
    pub file: Option<FileId>,
    /// The way of use; None if there is no file.
    pub kind: Option<Type>,
    /// The operation.
    pub operation: Operation,
    /// O_DIRECT.
    pub direct: bool,
    /// O_SYNC or O_DSYNC.
    pub synchronous: bool,
    /// Made by a mapping, at the time of the mapping; neither of the other two then.
    pub mapped: bool,
    /// The offset.
    pub offset: Option<i64>,
    /// The source of `offset`.
    pub source: Option<OffsetSource>,
    /// Bytes moved.
    pub length: Option<i64>,
    /// Bytes requested.
    pub requested: Option<i64>,
    /// The file's size after it.
    pub file_size: Option<i64>,
    /// The use.
    pub usage: Option<i32>,
}

impl Reference {
    fn flags(&self) -> Option<Flags> {
        match (self.mapped, self.direct, self.synchronous) {
            (true, ..) => Some(Flags::Mapped),
            (_, true, true) => Some(Flags::Both),
            (_, true, _) => Some(Flags::Direct),
            (_, _, true) => Some(Flags::Synchronous),
            _ => None,
        }
    }
}

/// When it was made, and by which process.
#[derive(Debug, Clone, Copy, Default)]
pub struct Origin {
    /// The row of table `syscall` that made the reference.
    pub call_seq: i64,
    /// When.
    pub time_ns: Option<i64>,
    /// The duration.
    pub duration_ns: Option<i64>,
    /// The process.
    pub process: i32,
}

columns! {
    struct Columns {
        seq: Sequence,
        call_seq: Held<i64> or null,
        time_ns: Held<i64> or null,
        duration_ns: Held<i64> or null,
        process: Held<i32>,
        node: Absent or null,
        usage as "use": Held<i32> or null,
        file: Held<i32> or null,
        kind as "type": HeldWords<Type> or null,
        operation: HeldWords<Operation>,
        flags: HeldWords<Flags> or null,
        offset: Held<i64> or null,
        source as "offset_source": HeldWords<OffsetSource> or null,
        length: Held<i64> or null,
        requested: Held<i64> or null,
        file_size: Held<i64> or null,
    }
}

/// Collects references and returns them as batches of table `reference`.
#[derive(Debug, Default)]
pub struct ReferenceStream {
    columns: Columns,
}

impl ReferenceStream {
    /// Add a reference; returns its `seq`.
    #[inline]
    pub fn push(&mut self, origin: &Origin, reference: &Reference) -> i64 {
        let c = &mut self.columns;
        c.call_seq.push(Some(origin.call_seq));
        c.time_ns.push(origin.time_ns);
        c.duration_ns.push(None);
        c.process.push(Some(origin.process));
        c.usage.push(reference.usage);
        c.file.push(reference.file.map(|file| file.0 as i32));
        c.kind.push(reference.kind);
        c.operation.push(Some(reference.operation));
        c.flags.push(reference.flags());
        c.offset.push(reference.offset);
        c.source.push(reference.source);
        c.length.push(reference.length);
        c.requested.push(reference.requested);
        c.file_size.push(reference.file_size);
        self.len() - 1
    }

    /// References so far.
    pub fn len(&self) -> i64 {
        self.columns.seq.next + self.columns.operation.len() as i64
    }

    /// The index of a reference in the columns, while it is held back.
    fn place(&self, seq: i64) -> Option<usize> {
        usize::try_from(seq - self.columns.seq.next).ok()
    }

    /// Change the type of a reference, if it has not left in a batch; true if it was changed.
    pub fn retype(&mut self, seq: i64, kind: Type) -> bool {
        let place = self.place(seq).filter(|_| seq >= self.len() - HELD_BACK as i64);
        place.is_some_and(|place| self.columns.kind.set(place, kind))
    }

    /// Set a call's duration on one of its references, if it has not left in a batch; true if it was set.
    pub fn set_duration(&mut self, seq: i64, duration_ns: i64) -> bool {
        let place = self.place(seq);
        place.is_some_and(|place| self.columns.duration_ns.set(place, duration_ns))
    }

    /// A batch, once there are enough rows beyond those held back.
    pub fn full_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        if self.columns.operation.len() < BATCH_ROWS + HELD_BACK {
            return Ok(None);
        }
        self.columns.take(BATCH_ROWS).map(Some)
    }

    /// The last batch, including the rows held back.
    pub fn last_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        match self.columns.operation.len() {
            0 => Ok(None),
            rows => self.columns.take(rows).map(Some),
        }
    }
}
