//! The reference stream as the pass reads it: batches of columns in, rows out.

use crate::columns::{column, whole_column};
use crate::error::{At, Error};
use arrow_array::types::{ArrowPrimitiveType, Int32Type, Int64Type};
use arrow_array::{Array, BooleanArray, PrimitiveArray, RecordBatch};

/// What a row does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Read,
    Write,
    Truncate,
    Delete,
}

impl Operation {
    /// The operations by the codes that the query `ordered_reference` gives them.
    const CODES: [Operation; 4] = [Operation::Read, Operation::Write, Operation::Truncate, Operation::Delete];
}

/// The type of what a request is for, by the code that the query `ordered_reference` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Inode,
    Directory,
    Executable,
    Datafile,
    Disk,
}

impl Kind {
    const CODES: [Kind; 5] = [Kind::Inode, Kind::Directory, Kind::Executable, Kind::Datafile, Kind::Disk];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Inode => "inode",
            Kind::Directory => "directory",
            Kind::Executable => "executable",
            Kind::Datafile => "datafile",
            Kind::Disk => "disk",
        }
    }

    pub fn is_metadata(self) -> bool {
        matches!(self, Kind::Inode | Kind::Directory)
    }
}

/// A row: a request, or a removal of data.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub time_ns: Option<i64>,
    pub duration_ns: Option<i64>,
    /// The process of a request that belongs to no use.
    pub lone_process: Option<i32>,
    pub usage: Option<i32>,
    pub file: i32,
    pub kind: Option<Kind>,
    pub operation: Operation,
    /// Where it starts; of a truncation the new length.
    pub offset: Option<i64>,
    pub length: Option<i64>,
    pub file_size: Option<i64>,
    /// Whether it is a whole program, which the model reads at once.
    pub is_whole_executable: bool,
    /// Whether it is of the chosen population.
    pub is_counted: bool,
}

impl Request {
    /// Whether it reads or writes.
    pub fn moves(&self) -> bool {
        matches!(self.operation, Operation::Read | Operation::Write)
    }

    pub fn writes(&self) -> bool {
        self.operation == Operation::Write
    }

    /// The place behind its last byte, if known.
    pub fn end(&self) -> Option<i64> {
        Some(self.offset?.saturating_add(self.length?))
    }
}

/// Reads batches, and checks that their rows are in order.
#[derive(Debug, Default)]
pub struct Reader {
    rows: u64,
    last_seq: Option<i64>,
}

impl Reader {
    /// The rows of a batch.
    ///
    /// # Errors
    /// If a column is missing or of another type, a row is not in the order of `seq`, or a code is unknown.
    pub fn read(&mut self, batch: &RecordBatch) -> Result<Vec<Request>, Error> {
        in_order(whole_column(batch, "seq")?, &mut self.last_seq, self.rows)?;
        let time_ns = Cells::<Int64Type>::of(batch, "time_ns")?;
        let duration_ns = Cells::<Int64Type>::of(batch, "duration_ns")?;
        let lone_process = Cells::<Int32Type>::of(batch, "lone_process")?;
        let usage = Cells::<Int32Type>::of(batch, "use")?;
        let file = Cells::<Int32Type>::of(batch, "file")?;
        let kind = Cells::<Int32Type>::of(batch, "type_code")?;
        let operation = Cells::<Int32Type>::of(batch, "operation_code")?;
        let offset = Cells::<Int64Type>::of(batch, "offset")?;
        let length = Cells::<Int64Type>::of(batch, "length")?;
        let file_size = Cells::<Int64Type>::of(batch, "file_size")?;
        let is_whole_executable = column::<BooleanArray>(batch, "whole_executable")?;
        let is_counted = column::<BooleanArray>(batch, "counted")?;
        let read = |row: usize| -> Option<Request> {
            Some(Request {
                time_ns: time_ns.at(row),
                duration_ns: duration_ns.at(row),
                lone_process: lone_process.at(row),
                usage: usage.at(row),
                file: file.at(row)?,
                kind: match kind.at(row) {
                    Some(code) => Some(*Kind::CODES.get(usize::try_from(code).ok()?)?),
                    None => None,
                },
                operation: *Operation::CODES.get(usize::try_from(operation.at(row)?).ok()?)?,
                offset: offset.at(row),
                length: length.at(row),
                file_size: file_size.at(row),
                is_whole_executable: is_true(is_whole_executable, row),
                is_counted: is_true(is_counted, row),
            })
        };
        let rows = (0..batch.num_rows())
            .map(|row| read(row).ok_or_else(|| self.error(row, "its file, type or operation is unknown")))
            .collect();
        self.rows += batch.num_rows() as u64;
        rows
    }

    #[cold]
    fn error(&self, row: usize, reason: &str) -> Error {
        Error::at(At::Reference(self.rows + row as u64), reason)
    }
}

/// Check that rows, of which there were `rows` before, are in the order of the stream; `last` is the last row's number.
///
/// # Errors
/// If a row is not.
pub fn in_order(seq: &PrimitiveArray<Int64Type>, last: &mut Option<i64>, rows: u64) -> Result<(), Error> {
    for (row, &seq) in seq.values().iter().enumerate() {
        if last.replace(seq).is_some_and(|last| last >= seq) {
            return Err(Error::at(At::Reference(rows + row as u64), "it is not in the order of the stream"));
        }
    }
    Ok(())
}

/// A column of numbers that may be null.
pub struct Cells<'a, T: ArrowPrimitiveType> {
    array: &'a PrimitiveArray<T>,
    has_nulls: bool,
}

impl<'a, T: ArrowPrimitiveType> Cells<'a, T> {
    pub fn of(batch: &'a RecordBatch, name: &str) -> Result<Self, Error> {
        let array = column::<PrimitiveArray<T>>(batch, name)?;
        Ok(Cells { array, has_nulls: array.null_count() > 0 })
    }

    #[inline(always)]
    pub fn at(&self, row: usize) -> Option<T::Native> {
        (!self.has_nulls || self.array.is_valid(row)).then(|| self.array.value(row))
    }
}

fn is_true(column: &BooleanArray, row: usize) -> bool {
    column.is_valid(row) && column.value(row)
}
