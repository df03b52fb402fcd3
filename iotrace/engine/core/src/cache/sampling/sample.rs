//! Touches of sampled blocks, and what happens to files, as columns that caches take.

use crate::cache::stack_distance::Operation;
use crate::error::Error;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray, UInt8Array};
use std::sync::Arc;

/// The names of operations, in their order.
const OPERATIONS: [&str; 6] = ["read", "write", "truncate", "delete", "evict", "sync"];
/// A number that is not known.
pub const UNKNOWN: i64 = -1;

/// One row.
#[derive(Debug, Clone, Copy)]
pub struct SampleRow {
    pub operation: Operation,
    /// The file, `UNKNOWN` for none.
    pub file: i32,
    /// The first byte, `UNKNOWN` for none.
    pub offset: i64,
    /// The number of bytes, `UNKNOWN` for none.
    pub length: i64,
    /// The file's size, `UNKNOWN` for none.
    pub file_size: i64,
    pub component: u32,
    /// Whether the warm-up is over.
    pub is_warm: bool,
    /// The hash of the block; 0, which every rate samples, for what happens to files.
    pub hash: u64,
    /// The block's group; 255 for what happens to files, which is in no group.
    pub group: u8,
}

/// Rows of the sample, in order.
#[derive(Debug, Default)]
pub struct Sample {
    rows: Vec<SampleRow>,
}

impl Sample {
    /// Add a row.
    #[inline(always)]
    pub fn push(&mut self, row: SampleRow) {
        self.rows.push(row);
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Forget all rows.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// The rows.
    pub fn rows(&self) -> &[SampleRow] {
        &self.rows
    }

    /// Add the rows of another sample whose hash is at most `largest`.
    pub fn extend(&mut self, other: &Sample, largest: u64) {
        self.rows.extend(other.rows.iter().filter(|row| row.hash <= largest));
    }

    /// Keep the rows whose hash is at most `largest`.
    pub fn keep(&mut self, largest: u64) {
        self.rows.retain(|row| row.hash <= largest);
    }

    /// The number of rows that touch a block.
    pub fn touches(&self) -> usize {
        self.rows.iter().filter(|row| row.hash != 0).count()
    }

    /// The rows whose hash is at most `largest`, without those of a group, as the engine takes them.
    pub fn without(&self, group: Option<u8>, largest: u64) -> Result<RecordBatch, Error> {
        let left_out = group.map_or(u16::MAX, u16::from);
        let is_kept = |row: &&SampleRow| row.hash <= largest && u16::from(row.group) != left_out;
        let rows = || self.rows.iter().filter(is_kept);
        let many = rows().count();
        let mut parts = Parts::with_capacity(many);
        rows().for_each(|row| parts.push(row));
        Ok(RecordBatch::try_from_iter(parts.columns()?)?)
    }

    /// All rows, as the engine takes them, and column `group`.
    pub fn with_groups(&self) -> Result<RecordBatch, Error> {
        let mut parts = Parts::with_capacity(self.len());
        self.rows.iter().for_each(|row| parts.push(row));
        let groups: ArrayRef = Arc::new(self.rows.iter().map(|row| row.group).collect::<UInt8Array>());
        let mut columns = parts.columns()?;
        columns.push(("group", groups));
        Ok(RecordBatch::try_from_iter(columns)?)
    }
}

/// Columns of a batch.
struct Parts {
    operation: Vec<i32>,
    file: Vec<i32>,
    offset: Vec<i64>,
    length: Vec<i64>,
    file_size: Vec<i64>,
    time: Vec<i64>,
    component: Vec<i32>,
}

impl Parts {
    fn with_capacity(rows: usize) -> Self {
        let narrow = || Vec::with_capacity(rows);
        let wide = || Vec::with_capacity(rows);
        Parts {
            operation: narrow(),
            file: narrow(),
            offset: wide(),
            length: wide(),
            file_size: wide(),
            time: wide(),
            component: narrow(),
        }
    }

    #[inline(always)]
    fn push(&mut self, row: &SampleRow) {
        self.operation.push(row.operation as i32);
        self.file.push(row.file);
        self.offset.push(row.offset);
        self.length.push(row.length);
        self.file_size.push(row.file_size);
        self.time.push(i64::from(row.is_warm));
        self.component.push(row.component as i32);
    }

    fn columns(self) -> Result<Vec<(&'static str, ArrayRef)>, Error> {
        let names = Arc::new(StringArray::from_iter_values(OPERATIONS));
        let operation = DictionaryArray::<Int32Type>::try_new(Int32Array::from(self.operation), names)?;
        let has_size = self.file_size.iter().any(|&size| size != UNKNOWN);
        let mut columns: Vec<(&'static str, ArrayRef)> = vec![
            ("operation", Arc::new(operation)),
            ("file", Arc::new(known(self.file, -1))),
            ("offset", Arc::new(known_wide(self.offset))),
            ("length", Arc::new(known_wide(self.length))),
            ("time_ns", Arc::new(Int64Array::from(self.time))),
            ("component", Arc::new(Int32Array::from(self.component))),
        ];
        if has_size {
            columns.push(("file_size", Arc::new(known_wide(self.file_size))));
        }
        Ok(columns)
    }
}

/// Numbers of which one stands for an unknown one.
fn known(numbers: Vec<i32>, unknown: i32) -> Int32Array {
    match numbers.contains(&unknown) {
        true => numbers.into_iter().map(|number| (number != unknown).then_some(number)).collect(),
        false => Int32Array::from(numbers),
    }
}

/// The same for wide numbers and `UNKNOWN`.
fn known_wide(numbers: Vec<i64>) -> Int64Array {
    match numbers.contains(&UNKNOWN) {
        true => numbers.into_iter().map(|number| (number != UNKNOWN).then_some(number)).collect(),
        false => Int64Array::from(numbers),
    }
}
