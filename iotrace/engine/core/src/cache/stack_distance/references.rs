//! The reference stream as the engine reads it: columns in, requests out.

use crate::columns::{column, optional_column};
use crate::error::{At, Error};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, BooleanArray, DictionaryArray, Int32Array, Int64Array, RecordBatch};

/// What a reference does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Bytes are read.
    Read,
    /// Bytes are written (updates of an inode included).
    Write,
    /// The file gets a new length.
    Truncate,
    /// The file goes.
    Delete,
    /// The file's blocks leave the caches, dirty ones to the disk.
    Evict,
    /// Dirty data is to be made safe, which a non-volatile cache need not notice.
    Sync,
}

impl Operation {
    /// The operation of that name.
    pub fn from_name(name: &str) -> Option<Operation> {
        Some(match name {
            "read" => Operation::Read,
            "write" | "update" => Operation::Write,
            "truncate" => Operation::Truncate,
            "delete" => Operation::Delete,
            "evict" => Operation::Evict,
            "sync" => Operation::Sync,
            _ => return None,
        })
    }
}

/// One row of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// What it does.
    pub operation: Operation,
    /// The file; None for a sync of everything.
    pub file: Option<i32>,
    /// The first byte, or a truncation's new length; None where unknown.
    pub offset: Option<i64>,
    /// The number of bytes; None where unknown.
    pub length: Option<i64>,
    /// The file's size just after the request; None where unknown.
    pub file_size: Option<i64>,
    /// The component that it belongs to, from 0.
    pub component: u32,
    /// Whether its file is an inode.
    pub is_inode: bool,
    /// Whether it is to be safe on the disk when it ends.
    pub synchronous: bool,
}

/// What only the page cache of Linux asks of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Opened {
    /// The number of the open file; None where it is of none.
    pub number: Option<u32>,
    /// How many bytes a read asked for; None where unknown.
    pub requested: Option<u64>,
}

/// The columns of a batch that the engine reads.
#[derive(Debug)]
pub struct Columns<'a> {
    rows: usize,
    first_row: u64,
    operations: Vec<Option<Operation>>,
    operation: &'a Int32Array,
    file: &'a Int32Array,
    offset: &'a Int64Array,
    length: &'a Int64Array,
    file_size: Option<&'a Int64Array>,
    time_ns: Option<&'a Int64Array>,
    component: Option<&'a Int32Array>,
    is_inode: Option<&'a BooleanArray>,
    synchronous: Option<&'a BooleanArray>,
    processes: Option<&'a Int32Array>,
    open: Option<&'a Int32Array>,
    requested: Option<&'a Int64Array>,
    /// Whether every operation is known, nothing but a file's size is null and no number is negative.
    plain: bool,
}

/// The columns of a batch whose rows need no check, name a file's bytes and nothing else.
#[derive(Debug)]
pub struct Ranges<'a> {
    operations: &'a [Option<Operation>],
    operation: &'a [i32],
    file: &'a [i32],
    offset: &'a [i64],
    length: &'a [i64],
    component: Option<&'a [i32]>,
}

impl Ranges<'_> {
    /// Whether a row writes; None where it is neither a read nor a write.
    #[inline(always)]
    pub fn write(&self, index: usize) -> Option<bool> {
        match self.operations.get(self.operation[index] as usize)? {
            Some(Operation::Read) => Some(false),
            Some(Operation::Write) => Some(true),
            _ => None,
        }
    }

    /// The file of a row.
    #[inline(always)]
    pub fn file(&self, index: usize) -> i32 {
        self.file[index]
    }

    /// The first byte of a row; None where there is no such row.
    #[inline(always)]
    pub fn offset(&self, index: usize) -> Option<i64> {
        self.offset.get(index).copied()
    }

    /// The first byte and the number of bytes of a row.
    #[inline(always)]
    pub fn bytes(&self, index: usize) -> (i64, i64) {
        (self.offset[index], self.length[index])
    }

    /// The component of a row.
    #[inline(always)]
    pub fn component(&self, index: usize) -> usize {
        self.component.map_or(0, |components| components[index] as usize)
    }
}

impl<'a> Columns<'a> {
    /// Find the columns of a batch whose first row is row `first_row` of the stream.
    ///
    /// Required: `file` (int32), `operation` (dictionary of int32 to string), `offset` and `length` (int64). Used
    /// where present: `file_size`, `time_ns` (int64), `component` (int32), `is_inode`, `synchronous` (bool),
    /// `processes`, `open` (int32), `requested` (int64). Fails where a column is missing or of another type.
    pub fn new(batch: &'a RecordBatch, first_row: u64) -> Result<Self, Error> {
        let dictionary: &DictionaryArray<Int32Type> = column(batch, "operation")?;
        let Some(names) = dictionary.values().as_string_opt::<i32>() else {
            return Err(Error::of("column operation has no names"));
        };
        let name = |index| names.is_valid(index).then(|| names.value(index));
        let mut columns = Columns {
            rows: batch.num_rows(),
            first_row,
            operations: (0..names.len()).map(|index| name(index).and_then(Operation::from_name)).collect(),
            operation: dictionary.keys(),
            file: column(batch, "file")?,
            offset: column(batch, "offset")?,
            length: column(batch, "length")?,
            file_size: optional_column(batch, "file_size")?,
            time_ns: optional_column(batch, "time_ns")?,
            component: optional_column(batch, "component")?,
            is_inode: optional_column(batch, "is_inode")?,
            synchronous: optional_column(batch, "synchronous")?,
            processes: optional_column(batch, "processes")?,
            open: optional_column(batch, "open")?,
            requested: optional_column(batch, "requested")?,
            plain: false,
        };
        columns.plain = columns.is_plain();
        Ok(columns)
    }

    fn is_plain(&self) -> bool {
        let in_range = |column: &Int32Array, end: usize| {
            let largest = column.values().iter().fold(0, |largest, &number| largest.max(number as u32));
            column.null_count() == 0 && (largest as usize) < end.max(1)
        };
        let not_negative =
            |column: &Int64Array| column.values().iter().fold(0, |bits, &number| bits | number) >= 0;
        self.operations.iter().all(Option::is_some)
            && in_range(self.operation, self.operations.len())
            && in_range(self.file, 1 << 31)
            && self.component.is_none_or(|column| in_range(column, 1 << 31))
            && [self.offset, self.length]
                .iter()
                .all(|column| column.null_count() == 0 && not_negative(column))
            && self.file_size.is_none_or(not_negative)
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// The file and first byte of a row, unchecked, as a hint of what will be touched.
    #[inline(always)]
    pub fn hint(&self, index: usize) -> (i32, i64) {
        (self.file.values()[index], self.offset.values()[index])
    }

    /// When a row was issued, where that is known.
    pub fn time_ns(&self, index: usize) -> Option<i64> {
        self.time_ns.and_then(|column| value64(column, index))
    }

    /// How many processes ran when a row was issued, where that is known.
    pub fn processes(&self, index: usize) -> Option<i32> {
        self.processes.and_then(|column| value32(column, index))
    }

    /// Through which open file a row goes, and how many bytes it asked for; what is negative is unknown.
    pub fn opened(&self, index: usize) -> Opened {
        Opened {
            number: self.open.and_then(|column| value32(column, index)?.try_into().ok()),
            requested: self.requested.and_then(|column| value64(column, index)?.try_into().ok()),
        }
    }

    /// Whether the rows need no check: `plain` then gives them, else `checked` does.
    pub fn are_plain(&self) -> bool {
        self.plain
    }

    /// The columns of a batch whose rows are ranges of bytes and need no check; None of a batch that has more: the size
    /// of a file, an inode, or (where `syncs` matter) a request that is to be safe on the disk.
    pub fn ranges(&self, syncs: bool) -> Option<Ranges<'_>> {
        let has_more = self.file_size.is_some_and(|column| column.null_count() < column.len())
            || self.is_inode.is_some_and(|column| column.true_count() > 0)
            || (syncs && self.synchronous.is_some_and(|column| column.true_count() > 0));
        (self.plain && !has_more).then(|| Ranges {
            operations: &self.operations,
            operation: self.operation.values(),
            file: self.file.values(),
            offset: self.offset.values(),
            length: self.length.values(),
            component: self.component.map(|column| &column.values()[..]),
        })
    }

    /// One row of a batch whose rows need no check.
    #[inline(always)]
    pub fn plain(&self, index: usize) -> Reference {
        let operation = self.operations.get(self.operation.values()[index] as usize).copied().flatten();
        Reference {
            operation: operation.unwrap_or(Operation::Sync),
            file: Some(self.file.values()[index]),
            offset: Some(self.offset.values()[index]),
            length: Some(self.length.values()[index]),
            file_size: self.file_size.and_then(|column| value64(column, index)),
            component: self.component.map_or(0, |column| column.values()[index] as u32),
            is_inode: is_true(self.is_inode, index),
            synchronous: is_true(self.synchronous, index),
        }
    }

    /// One row; fails where it needs a check, and its operation is unknown or a number is negative.
    #[inline(always)]
    pub fn reference(&self, index: usize) -> Result<Reference, Error> {
        if self.plain {
            Ok(self.plain(index))
        } else {
            self.checked(index)
        }
    }

    /// One row, checked; fails where its operation is unknown or a number is negative.
    #[inline(never)]
    pub fn checked(&self, index: usize) -> Result<Reference, Error> {
        let operation = value32(self.operation, index).and_then(|key| *self.operations.get(key as usize)?);
        let Some(operation) = operation else {
            return Err(self.unknown_operation(index));
        };
        let file = value32(self.file, index);
        let offset = value64(self.offset, index);
        let length = value64(self.length, index);
        let file_size = self.file_size.and_then(|column| value64(column, index));
        let component = self.component.map_or(0, |column| value32(column, index).unwrap_or(-1));
        let numbers = [file.map(i64::from), offset, length, file_size, Some(i64::from(component))];
        if numbers.into_iter().flatten().any(|number| number < 0) {
            return Err(self.negative(index, numbers));
        }
        let is_inode = is_true(self.is_inode, index);
        Ok(Reference {
            operation,
            file,
            offset,
            length,
            file_size,
            component: component as u32,
            is_inode,
            synchronous: is_true(self.synchronous, index),
        })
    }

    #[cold]
    fn unknown_operation(&self, index: usize) -> Error {
        let known = "not one of read, write, update, truncate, delete, sync";
        self.error(index, format!("the operation is null or {known}"))
    }

    #[cold]
    fn negative(&self, index: usize, numbers: [Option<i64>; 5]) -> Error {
        let [file, offset, length, size, component] =
            numbers.map(|number| number.map_or("null".to_owned(), |number| number.to_string()));
        let shown =
            format!("file {file}, offset {offset}, length {length}, file_size {size}, component {component}");
        self.error(index, format!("a negative number among {shown}"))
    }

    /// An error at one row of this batch.
    pub fn error(&self, index: usize, reason: String) -> Error {
        Error::at(At::Reference(self.first_row + index as u64), reason)
    }
}

#[inline(always)]
fn value32(column: &Int32Array, index: usize) -> Option<i32> {
    column.is_valid(index).then(|| column.value(index))
}

#[inline(always)]
fn value64(column: &Int64Array, index: usize) -> Option<i64> {
    column.is_valid(index).then(|| column.value(index))
}

#[inline(always)]
fn is_true(column: Option<&BooleanArray>, index: usize) -> bool {
    column.is_some_and(|column| column.is_valid(index) && column.value(index))
}
