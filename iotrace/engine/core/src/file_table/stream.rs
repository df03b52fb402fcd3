//! The reference stream as columns, cut into Arrow batches.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::files::FileId;

/// The way in which a file was used; codes index [`TYPES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
#[repr(i32)]
pub enum Type {
    Inode,
    Directory,
    Executable,
    Datafile,
}

/// Names of [`Type`].
pub const TYPES: [&str; 5] = ["inode", "directory", "executable", "datafile", "disk"];

/// What a reference does; codes index [`OPERATIONS`].
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

/// Names of [`Operation`].
pub const OPERATIONS: [&str; 6] = ["read", "write", "update", "truncate", "delete", "sync"];

/// Names of the flags' codes; code 0, neither, is null.
pub const FLAGS: [&str; 4] = ["direct", "synchronous", "direct|synchronous", "mapped"];
const MAPPED: i32 = 4;

/// Where an offset comes from; codes index [`OFFSET_SOURCES`].
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

/// Names of [`OffsetSource`].
pub const OFFSET_SOURCES: [&str; 5] = ["explicit", "tracked", "relative", "estimated", "unknown"];

const NULL64: i64 = i64::MIN;
const NULL32: i32 = i32::MIN;

/// One reference.
#[derive(Debug, Clone, Copy)]
pub struct Reference {
    /// The file; None for a sync of everything.
    pub file: Option<FileId>,
    /// The way of use; None where there is no file.
    pub kind: Option<Type>,
    /// What is done.
    pub operation: Operation,
    /// O_DIRECT.
    pub direct: bool,
    /// O_SYNC or O_DSYNC.
    pub synchronous: bool,
    /// Made by a mapping, at the time of the mapping; neither of the other two then.
    pub mapped: bool,
    /// Where.
    pub offset: Option<i64>,
    /// How `offset` is known.
    pub source: Option<OffsetSource>,
    /// How much moved.
    pub length: Option<i64>,
    /// How much was asked for.
    pub requested: Option<i64>,
    /// The file's size after it.
    pub file_size: Option<i64>,
    /// The use.
    pub usage: Option<i32>,
}

/// When, and by whom.
#[derive(Debug, Clone, Copy, Default)]
pub struct Origin {
    /// The row of table `syscall` that made the reference.
    pub call_seq: i64,
    /// When.
    pub time_ns: Option<i64>,
    /// For how long.
    pub duration_ns: Option<i64>,
    /// The process.
    pub process: i32,
}

#[derive(Debug, Default)]
struct Columns {
    call_seq: Vec<i64>,
    time_ns: Vec<i64>,
    duration_ns: Vec<i64>,
    process: Vec<i32>,
    usage: Vec<i32>,
    file: Vec<i32>,
    kind: Vec<i32>,
    operation: Vec<i32>,
    flags: Vec<i32>,
    offset: Vec<i64>,
    source: Vec<i32>,
    length: Vec<i64>,
    requested: Vec<i64>,
    file_size: Vec<i64>,
}

impl Columns {
    /// Take the first rows; the others stay, with room for as many as a batch has.
    fn split_to(&mut self, rows: usize) -> Columns {
        Columns {
            call_seq: split_to(&mut self.call_seq, rows),
            time_ns: split_to(&mut self.time_ns, rows),
            duration_ns: split_to(&mut self.duration_ns, rows),
            process: split_to(&mut self.process, rows),
            usage: split_to(&mut self.usage, rows),
            file: split_to(&mut self.file, rows),
            kind: split_to(&mut self.kind, rows),
            operation: split_to(&mut self.operation, rows),
            flags: split_to(&mut self.flags, rows),
            offset: split_to(&mut self.offset, rows),
            source: split_to(&mut self.source, rows),
            length: split_to(&mut self.length, rows),
            requested: split_to(&mut self.requested, rows),
            file_size: split_to(&mut self.file_size, rows),
        }
    }
}

fn split_to<T: Copy>(column: &mut Vec<T>, rows: usize) -> Vec<T> {
    let mut rest = Vec::with_capacity(ROOM);
    rest.extend_from_slice(&column[rows..]);
    column.truncate(rows);
    std::mem::replace(column, rest)
}

/// References that a later mapping may still turn into executable ones are held back: this many.
const HELD_BACK: usize = 16_384;
/// Rows of a batch.
const BATCH_ROWS: usize = 65_536;
/// What a column may grow to before a batch is cut off, but for the last call's references.
const ROOM: usize = BATCH_ROWS + HELD_BACK + 1024;

/// Collects references and hands them out as batches of table `reference`.
#[derive(Debug)]
pub struct ReferenceStream {
    schema: SchemaRef,
    columns: Columns,
    handed_out: i64,
}

impl Default for ReferenceStream {
    fn default() -> Self {
        ReferenceStream {
            schema: schema(),
            columns: Columns::default(),
            handed_out: 0,
        }
    }
}

impl ReferenceStream {
    /// Add a reference; returns its `seq`.
    #[inline]
    pub fn push(&mut self, origin: &Origin, reference: &Reference) -> i64 {
        let c = &mut self.columns;
        c.call_seq.push(origin.call_seq);
        c.time_ns.push(origin.time_ns.unwrap_or(NULL64));
        c.duration_ns.push(NULL64);
        c.process.push(origin.process);
        c.usage.push(reference.usage.unwrap_or(NULL32));
        c.file
            .push(reference.file.map_or(NULL32, |file| file.0 as i32));
        c.kind
            .push(reference.kind.map_or(NULL32, |kind| kind as i32));
        c.operation.push(reference.operation as i32);
        let opened = i32::from(reference.direct) + 2 * i32::from(reference.synchronous);
        let flags = if reference.mapped { MAPPED } else { opened };
        c.flags.push(if flags == 0 { NULL32 } else { flags - 1 });
        c.offset.push(reference.offset.unwrap_or(NULL64));
        c.source
            .push(reference.source.map_or(NULL32, |source| source as i32));
        c.length.push(reference.length.unwrap_or(NULL64));
        c.requested.push(reference.requested.unwrap_or(NULL64));
        c.file_size.push(reference.file_size.unwrap_or(NULL64));
        self.handed_out + self.columns.operation.len() as i64 - 1
    }

    /// References so far.
    pub fn len(&self) -> i64 {
        self.handed_out + self.columns.operation.len() as i64
    }

    /// Change the type of a reference that has not been handed out; true if it could be changed.
    pub fn retype(&mut self, seq: i64, kind: Type) -> bool {
        let first_held = self.len() - HELD_BACK as i64;
        if seq < first_held || seq < self.handed_out {
            return false;
        }
        let at = (seq - self.handed_out) as usize;
        self.columns.kind[at] = kind as i32;
        true
    }

    /// Give a call's duration to one of its references, which has not been handed out; true if it could be given.
    pub fn set_duration(&mut self, seq: i64, duration_ns: i64) -> bool {
        let at = usize::try_from(seq - self.handed_out).ok();
        let cell = at.and_then(|at| self.columns.duration_ns.get_mut(at));
        cell.map(|cell| *cell = duration_ns).is_some()
    }

    /// A batch, once there are enough rows beyond those held back.
    pub fn full_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        if self.columns.operation.len() < BATCH_ROWS + HELD_BACK {
            return Ok(None);
        }
        self.cut(BATCH_ROWS).map(Some)
    }

    /// The last batch, with everything held back.
    pub fn last_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        match self.columns.operation.len() {
            0 => Ok(None),
            rows => self.cut(rows).map(Some),
        }
    }

    fn cut(&mut self, rows: usize) -> Result<RecordBatch, ArrowError> {
        let c = self.columns.split_to(rows);
        let first = self.handed_out;
        self.handed_out += rows as i64;
        let seq: Vec<i64> = (first..self.handed_out).collect();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(seq)),
            int64(c.call_seq),
            int64(c.time_ns),
            int64(c.duration_ns),
            int32(c.process),
            Arc::new(Int32Array::new_null(rows)),
            int32(c.usage),
            int32(c.file),
            dictionary(c.kind, &TYPES)?,
            dictionary(c.operation, &OPERATIONS)?,
            dictionary(c.flags, &FLAGS)?,
            int64(c.offset),
            dictionary(c.source, &OFFSET_SOURCES)?,
            int64(c.length),
            int64(c.requested),
            int64(c.file_size),
        ];
        RecordBatch::try_new(self.schema.clone(), columns)
    }
}

fn int64(values: Vec<i64>) -> ArrayRef {
    let nulls = null_buffer(&values, NULL64);
    Arc::new(Int64Array::new(values.into(), nulls))
}

fn int32(values: Vec<i32>) -> ArrayRef {
    let nulls = null_buffer(&values, NULL32);
    Arc::new(Int32Array::new(values.into(), nulls))
}

fn null_buffer<T: Copy + PartialEq>(values: &[T], null: T) -> Option<NullBuffer> {
    // a whole stretch at once, which the compiler turns into wide comparisons
    let has_null = |stretch: &[T]| {
        stretch
            .iter()
            .fold(false, |has, value| has | (*value == null))
    };
    if !values.chunks(1024).any(has_null) {
        return None;
    }
    Some(NullBuffer::new(BooleanBuffer::collect_bool(
        values.len(),
        |at| values[at] != null,
    )))
}

/// A dictionary column of codes, where the code `i32::MIN` is null.
pub fn dictionary(codes: Vec<i32>, names: &[&str]) -> Result<ArrayRef, ArrowError> {
    let nulls = null_buffer(&codes, NULL32);
    let keys = match nulls {
        None => Int32Array::new(codes.into(), None),
        Some(nulls) => {
            let codes: Vec<i32> = codes.into_iter().map(|code| code.max(0)).collect();
            Int32Array::new(codes.into(), Some(nulls))
        }
    };
    let values = Arc::new(StringArray::from(names.to_vec()));
    Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(
        keys, values,
    )?))
}

/// The Arrow type of a dictionary column.
pub fn dictionary_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

fn schema() -> SchemaRef {
    let names = dictionary_type();
    Arc::new(Schema::new(vec![
        Field::new("seq", DataType::Int64, false),
        Field::new("call_seq", DataType::Int64, true),
        Field::new("time_ns", DataType::Int64, true),
        Field::new("duration_ns", DataType::Int64, true),
        Field::new("process", DataType::Int32, false),
        Field::new("node", DataType::Int32, true),
        Field::new("use", DataType::Int32, true),
        Field::new("file", DataType::Int32, true),
        Field::new("type", names.clone(), true),
        Field::new("operation", names.clone(), false),
        Field::new("flags", names.clone(), true),
        Field::new("offset", DataType::Int64, true),
        Field::new("offset_source", names, true),
        Field::new("length", DataType::Int64, true),
        Field::new("requested", DataType::Int64, true),
        Field::new("file_size", DataType::Int64, true),
    ]))
}
