//! Columns of table parallel_io.

use super::call::{Layer, Operation, Whence};
use crate::columns::{column, Word};
use crate::error::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, Int32Array, Int64Array, PrimitiveArray, RecordBatch,
};
use std::sync::Arc;

/// Rows of table parallel_io.
#[derive(Debug)]
pub struct CallColumns<'a> {
    pub batch: &'a RecordBatch,
    pub time_ns: &'a Int64Array,
    pub duration_ns: &'a Int64Array,
    process: &'a Int32Array,
    file: &'a Int32Array,
    descriptor: &'a Int64Array,
    offset: &'a Int64Array,
    length: &'a Int64Array,
    requested: &'a Int64Array,
    operation: Words<'a, Option<Operation>>,
    is_lowest: Words<'a, bool>,
    whence: Words<'a, Option<Whence>>,
    appends: Words<'a, bool>,
    pub is_synchronous: Words<'a, bool>,
}

/// A column of words, and what each of them means.
#[derive(Debug)]
pub struct Words<'a, T> {
    keys: &'a Int32Array,
    meanings: Vec<T>,
    /// What null means.
    none: T,
}

impl<'a, T: Copy> Words<'a, T> {
    fn of(batch: &'a RecordBatch, name: &str, none: T, mean: impl Fn(&str) -> T) -> Result<Self, Error> {
        let words: &DictionaryArray<Int32Type> = column(batch, name)?;
        let texts = words.values().as_string_opt::<i32>();
        let texts = texts.ok_or_else(|| Error::of(format!("column {name} is not of words")))?;
        let meanings = (0..texts.len()).map(|place| mean(texts.value(place))).collect();
        Ok(Words { keys: words.keys(), meanings, none })
    }

    #[inline]
    pub fn at(&self, row: usize) -> T {
        if self.keys.is_null(row) {
            return self.none;
        }
        self.meanings.get(self.keys.value(row) as usize).copied().unwrap_or(self.none)
    }
}

impl<'a> CallColumns<'a> {
    pub fn of(batch: &'a RecordBatch) -> Result<Self, Error> {
        let has = |flags: &str, flag: &str| flags.split('|').any(|one| one == flag);
        Ok(CallColumns {
            batch,
            time_ns: column(batch, "time_ns")?,
            duration_ns: column(batch, "duration_ns")?,
            process: column(batch, "process")?,
            file: column(batch, "file")?,
            descriptor: column(batch, "descriptor")?,
            offset: column(batch, "offset")?,
            length: column(batch, "length")?,
            requested: column(batch, "requested")?,
            operation: Words::of(batch, "operation", None, Operation::of)?,
            is_lowest: Words::of(batch, "layer", true, |layer| {
                [Layer::Posix, Layer::Stdio].iter().any(|lowest| layer == lowest.word())
            })?,
            whence: Words::of(batch, "whence", None, |whence| match whence {
                "start" => Some(Whence::Start),
                "current" => Some(Whence::Current),
                "end" => Some(Whence::End),
                _ => None,
            })?,
            appends: Words::of(batch, "flags", false, |flags| has(flags, "append"))?,
            is_synchronous: Words::of(batch, "flags", false, |flags| has(flags, "synchronous"))?,
        })
    }

    /// Some rows of a column of numbers.
    pub fn taken(&self, name: &str, rows: &[u32]) -> Result<ArrayRef, Error> {
        let whole = self.batch.column_by_name(name);
        let whole = whole.ok_or_else(|| Error::of(format!("there is no column {name}")))?;
        if rows.len() == self.rows() {
            return Ok(Arc::clone(whole));
        }
        if let Some(numbers) = whole.as_primitive_opt::<Int64Type>() {
            return Ok(Arc::new(taken(numbers, rows)));
        }
        Ok(Arc::new(taken(column::<Int32Array>(self.batch, name)?, rows)))
    }

    pub fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    pub fn operation(&self, row: usize) -> Result<Operation, Error> {
        self.operation.at(row).ok_or_else(|| Error::of("a call has no operation that is known"))
    }

    /// Whether the call is of a layer that no other layer's calls are made of.
    pub fn is_lowest(&self, row: usize) -> bool {
        self.is_lowest.at(row)
    }

    pub fn whence(&self, row: usize) -> Option<Whence> {
        self.whence.at(row)
    }

    pub fn appends(&self, row: usize) -> bool {
        self.appends.at(row)
    }

    pub fn file(&self, row: usize) -> Option<i32> {
        value(self.file, row)
    }

    pub fn process_number(&self, row: usize) -> Option<i32> {
        value(self.process, row)
    }

    /// The process, below 0 where it is unknown.
    pub fn process(&self, row: usize) -> i64 {
        value(self.process, row).map_or(-1, i64::from)
    }

    pub fn descriptor(&self, row: usize) -> Option<i64> {
        value(self.descriptor, row)
    }

    pub fn offset(&self, row: usize) -> Option<i64> {
        value(self.offset, row)
    }

    pub fn length(&self, row: usize) -> Option<i64> {
        value(self.length, row)
    }

    /// The bytes requested, or else those that moved.
    pub fn requested(&self, row: usize) -> Option<i64> {
        value(self.requested, row).or_else(|| self.length(row))
    }

    pub fn time_ns(&self, row: usize) -> Option<i64> {
        value::<Int64Type>(self.time_ns, row)
    }

    pub fn end_ns(&self, row: usize) -> Option<i64> {
        self.time_ns(row).map(|time_ns| time_ns + value::<Int64Type>(self.duration_ns, row).unwrap_or(0))
    }
}

#[inline]
fn value<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>, row: usize) -> Option<T::Native> {
    column.is_valid(row).then(|| column.value(row))
}

fn taken<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>, rows: &[u32]) -> PrimitiveArray<T> {
    rows.iter().map(|&row| value(column, row as usize)).collect()
}
