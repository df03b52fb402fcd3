//! Touches of sampled blocks, and what happens to files, as columns that caches take.

use super::sampler::ALL_GROUPS;
use crate::error::Error;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray};
use std::sync::Arc;

/// The operations of rows, by number.
const OPERATIONS: [&str; 6] = ["read", "write", "truncate", "delete", "expel", "sync"];
/// A number that is not known.
pub const UNKNOWN: i64 = -1;

/// What a row does, by its place in `OPERATIONS`.
#[derive(Debug, Clone, Copy)]
pub enum Action {
    Read,
    Write,
    Truncate,
    Delete,
    Expel,
    Sync,
}

/// One row.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub action: Action,
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
    /// The block's group; `ALL_GROUPS` for what happens to files.
    pub group: u8,
}

/// Rows of the sample, in order.
#[derive(Debug, Default)]
pub struct Sample {
    rows: Vec<Row>,
}

impl Sample {
    /// Add a row.
    #[inline(always)]
    pub fn push(&mut self, row: Row) {
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
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows whose hash is at most `largest`, without those of a group, as the engine takes them.
    pub fn without(&self, group: Option<u8>, largest: u64) -> Result<RecordBatch, Error> {
        let left_out = group.unwrap_or(ALL_GROUPS);
        let is_kept = |row: &&Row| row.hash <= largest && (row.group != left_out || row.group == ALL_GROUPS);
        let rows: Vec<&Row> = self.rows.iter().filter(is_kept).collect();
        let known = |number: i64| (number != UNKNOWN).then_some(number);
        let operation = rows.iter().map(|row| row.action as i32).collect::<Int32Array>();
        let names = Arc::new(StringArray::from_iter_values(OPERATIONS));
        let file: Int32Array = rows.iter().map(|row| (row.file >= 0).then_some(row.file)).collect();
        let numbers = |of: fn(&Row) -> i64| -> ArrayRef {
            if rows.iter().all(|row| of(row) != UNKNOWN) {
                return Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| of(row))));
            }
            Arc::new(rows.iter().map(|row| known(of(row))).collect::<Int64Array>())
        };
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("operation", Arc::new(DictionaryArray::<Int32Type>::try_new(operation, names)?)),
            ("file", Arc::new(file)),
            ("offset", numbers(|row| row.offset)),
            ("length", numbers(|row| row.length)),
            ("time_ns", numbers(|row| i64::from(row.is_warm))),
            (
                "component",
                Arc::new(rows.iter().map(|row| Some(row.component as i32)).collect::<Int32Array>()),
            ),
        ];
        if rows.iter().any(|row| row.file_size != UNKNOWN) {
            columns.push(("file_size", numbers(|row| row.file_size)));
        }
        Ok(RecordBatch::try_from_iter(columns)?)
    }
}
