//! References and uses of parallel traces, as columns.

use super::call::{Operation, UNKNOWN};
use super::columns_of_calls::CallColumns;
use super::table::optional;
use crate::columns::{batch, optional_codes, optional_words, Word};
use crate::error::Error;
use arrow_array::{new_null_array, ArrayRef, Int32Array, Int64Array, RecordBatch};
use arrow_schema::DataType;
use std::sync::Arc;

/// Where an offset comes from, by its place in `Source::WORDS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Explicit,
    Tracked,
    Unknown,
}

impl Word for Source {
    const WORDS: &'static [&'static str] = &["explicit", "tracked", "unknown"];

    fn code(self) -> i32 {
        self as i32
    }
}

/// What a reference does: an operation of a call that is one, by its place in `Referenced::WORDS`.
struct Referenced(Operation);

impl Word for Referenced {
    const WORDS: &'static [&'static str] = &["read", "write", "sync", "truncate", "delete"];

    fn code(self) -> i32 {
        match self.0 {
            Operation::Read => 0,
            Operation::Write => 1,
            Operation::Sync => 2,
            Operation::Truncate => 3,
            Operation::Delete => 4,
            _ => -1,
        }
    }
}

/// The only type of references, and of uses.
struct DataFile;

impl Word for DataFile {
    const WORDS: &'static [&'static str] = &["datafile"];

    fn code(self) -> i32 {
        0
    }
}

/// The only flag of references.
struct Synchronous;

impl Word for Synchronous {
    const WORDS: &'static [&'static str] = &["synchronous"];

    fn code(self) -> i32 {
        0
    }
}

/// What a use did, by its place in `Mode::WORDS`.
enum Mode {
    Read,
    Write,
    ReadWrite,
    Unknown,
}

impl Word for Mode {
    const WORDS: &'static [&'static str] = &["read", "write", "read_write", "unknown"];

    fn code(self) -> i32 {
        self as i32
    }
}

/// References of a batch of calls.
#[derive(Debug, Default)]
pub struct References {
    first_seq: i64,
    /// The rows of their calls.
    row: Vec<u32>,
    operation: Vec<i32>,
    in_use: Vec<i32>,
    offset: Vec<i64>,
    source: Vec<i32>,
}

impl References {
    /// They are numbered from `first_seq` on.
    pub fn new(first_seq: i64) -> Self {
        References { first_seq, ..References::default() }
    }

    pub fn rows(&self) -> i64 {
        self.row.len() as i64
    }

    #[inline]
    pub fn push(
        &mut self,
        row: usize,
        operation: Operation,
        in_use: Option<i64>,
        offset: Option<i64>,
        source: Option<Source>,
    ) {
        self.row.push(row as u32);
        self.operation.push(Referenced(operation).code());
        // uses are numbered in 31 bits
        self.in_use.push(in_use.map_or(-1, |in_use| in_use as i32));
        self.offset.push(offset.unwrap_or(UNKNOWN));
        self.source.push(source.map_or(-1, Source::code));
    }

    /// Rows of table reference, made of the calls' columns.
    pub fn table(self, calls: &CallColumns<'_>) -> Result<RecordBatch, Error> {
        let rows = self.row.len();
        let of_calls = || self.row.iter().map(|&row| row as usize);
        let moves: Vec<bool> = self.source.iter().map(|&source| source >= 0).collect();
        let moved = |bytes: &dyn Fn(usize) -> Option<i64>| -> ArrayRef {
            let of_row = |(row, &moves): (usize, &bool)| bytes(row).filter(|_| moves).unwrap_or(UNKNOWN);
            optional(of_calls().zip(&moves).map(of_row).collect())
        };
        let synchronous = of_calls().map(|row| if calls.is_synchronous.at(row) { 0 } else { -1 }).collect();
        let seqs = Int64Array::from_iter_values(self.first_seq..self.first_seq + rows as i64);
        batch(vec![
            ("seq", Arc::new(seqs)),
            ("call_seq", calls.taken("seq", &self.row)?),
            ("time_ns", calls.taken("time_ns", &self.row)?),
            ("duration_ns", calls.taken("duration_ns", &self.row)?),
            ("process", calls.taken("process", &self.row)?),
            ("node", calls.taken("node", &self.row)?),
            ("use", optional_codes(self.in_use.clone())),
            ("file", calls.taken("file", &self.row)?),
            ("type", optional_words::<DataFile>(vec![0; rows])?),
            ("operation", optional_words::<Referenced>(self.operation.clone())?),
            ("flags", optional_words::<Synchronous>(synchronous)?),
            ("offset", optional(self.offset.clone())),
            ("offset_source", optional_words::<Source>(self.source.clone())?),
            ("length", moved(&|row| calls.length(row))),
            ("requested", moved(&|row| calls.requested(row))),
            ("file_size", new_null_array(&DataType::Int64, rows)),
        ])
    }
}

/// What a process did to a file from an open to a close.
#[derive(Clone, Copy, Debug)]
struct Use {
    file: i32,
    process: i32,
    open_ns: i64,
    close_ns: i64,
    reads: bool,
    writes: bool,
    references: i64,
    bytes_read: i64,
    bytes_written: i64,
}

/// The uses of a trace, in the order of their first calls.
#[derive(Debug, Default)]
pub struct Uses(Vec<Use>);

impl Uses {
    /// Begin a use, and return its number.
    pub fn begin(&mut self, file: i32, process: Option<i32>) -> i64 {
        self.0.push(Use {
            file,
            process: process.unwrap_or(-1),
            open_ns: UNKNOWN,
            close_ns: UNKNOWN,
            reads: false,
            writes: false,
            references: 0,
            bytes_read: 0,
            bytes_written: 0,
        });
        self.0.len() as i64 - 1
    }

    /// Count a call of a use.
    #[inline]
    pub fn count(&mut self, number: i64, calls: &CallColumns<'_>, row: usize, operation: Operation) {
        let Some(counted) = self.0.get_mut(number as usize) else {
            return;
        };
        match operation {
            Operation::Open => counted.open_ns = calls.time_ns(row).unwrap_or(UNKNOWN),
            Operation::Close => counted.close_ns = calls.end_ns(row).unwrap_or(UNKNOWN),
            Operation::Read | Operation::Write => {
                let length = calls.length(row);
                let (has_moved, bytes) = (length != Some(0), length.unwrap_or(0));
                counted.references += i64::from(has_moved);
                if operation == Operation::Read {
                    counted.reads |= has_moved;
                    counted.bytes_read = counted.bytes_read.wrapping_add(bytes);
                } else {
                    counted.writes |= has_moved;
                    counted.bytes_written = counted.bytes_written.wrapping_add(bytes);
                }
            }
            _ => {}
        }
    }

    /// Columns of table use.
    pub fn table(&self) -> Result<RecordBatch, Error> {
        let of = |value: fn(&Use) -> i64| -> Vec<i64> { self.0.iter().map(value).collect() };
        let mode = |one: &Use| match (one.reads, one.writes) {
            (true, true) => Mode::ReadWrite,
            (true, false) => Mode::Read,
            (false, true) => Mode::Write,
            (false, false) => Mode::Unknown,
        };
        batch(vec![
            ("use", Arc::new(Int32Array::from_iter_values(0..self.0.len() as i32))),
            ("file", Arc::new(Int32Array::from_iter_values(self.0.iter().map(|one| one.file)))),
            ("process", optional_codes(self.0.iter().map(|one| one.process).collect())),
            ("type", optional_words::<DataFile>(vec![0; self.0.len()])?),
            ("open_ns", optional(of(|one| one.open_ns))),
            ("close_ns", optional(of(|one| one.close_ns))),
            ("mode", optional_words::<Mode>(self.0.iter().map(|one| mode(one).code()).collect())?),
            ("references", Arc::new(Int64Array::from(of(|one| one.references)))),
            ("bytes_read", Arc::new(Int64Array::from(of(|one| one.bytes_read)))),
            ("bytes_written", Arc::new(Int64Array::from(of(|one| one.bytes_written)))),
        ])
    }
}
