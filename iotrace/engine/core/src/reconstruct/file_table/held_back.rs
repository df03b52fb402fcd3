//! Columns whose last rows can be held back and changed until they leave in a later batch.

use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{ArrowError, DataType};

use crate::columns::{dictionary_type, word_array, Column, Number, Word};

/// Number of references held back, because a later mapping may turn them into executable references.
pub(super) const HELD_BACK: usize = 16_384;
/// Rows of a batch.
pub(super) const BATCH_ROWS: usize = 65_536;
/// The most rows before a batch is cut off; the last call's references may exceed it.
const MOST_ROWS: usize = BATCH_ROWS + HELD_BACK + 1024;

/// A number whose smallest value means null, which is faster than a bit for each row.
pub trait Sentinel: Number + PartialEq {
    /// The value that means null.
    const NULL: Self;
}

impl Sentinel for i32 {
    const NULL: i32 = i32::MIN;
}

impl Sentinel for i64 {
    const NULL: i64 = i64::MIN;
}

/// Numbers; rows may be null.
#[derive(Debug)]
pub struct Held<T>(Vec<T>);

impl<T> Default for Held<T> {
    fn default() -> Self {
        Held(Vec::new())
    }
}

impl<T: Sentinel> Held<T> {
    /// Rows held.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    pub fn push(&mut self, value: Option<T>) {
        self.0.push(value.unwrap_or(T::NULL));
    }

    /// Change a row; true if it is held.
    pub fn set(&mut self, row: usize, value: T) -> bool {
        let cell = self.0.get_mut(row);
        cell.map(|cell| *cell = value).is_some()
    }

    /// The first rows; the others stay, with capacity for a whole batch.
    fn split_to(&mut self, rows: usize) -> Vec<T> {
        let mut rest = Vec::with_capacity(MOST_ROWS);
        rest.extend_from_slice(&self.0[rows..]);
        self.0.truncate(rows);
        std::mem::replace(&mut self.0, rest)
    }

    fn take_array(&mut self, rows: usize) -> PrimitiveArray<T::Arrow> {
        let values = self.split_to(rows);
        let nulls = null_buffer(&values);
        PrimitiveArray::new(values.into(), nulls)
    }
}

impl<T: Sentinel> Column for Held<T> {
    fn data_type() -> DataType {
        T::Arrow::DATA_TYPE
    }

    fn take(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        Ok(Arc::new(self.take_array(rows)))
    }
}

fn null_buffer<T: Sentinel>(values: &[T]) -> Option<NullBuffer> {
    // a whole slice at once, which the compiler vectorizes
    let has_null = |stretch: &[T]| stretch.iter().fold(false, |has, value| has | (*value == T::NULL));
    if !values.chunks(1024).any(has_null) {
        return None;
    }
    Some(NullBuffer::new(BooleanBuffer::collect_bool(values.len(), |at| values[at] != T::NULL)))
}

/// Words; rows may be null.
#[derive(Debug)]
pub struct HeldWords<W> {
    codes: Held<i32>,
    words: PhantomData<W>,
}

impl<W> Default for HeldWords<W> {
    fn default() -> Self {
        HeldWords { codes: Held::default(), words: PhantomData }
    }
}

impl<W: Word> HeldWords<W> {
    /// Rows held.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    #[inline]
    pub fn push(&mut self, word: Option<W>) {
        self.codes.push(word.map(W::code));
    }

    /// Change a row; true if it is held.
    pub fn set(&mut self, row: usize, word: W) -> bool {
        self.codes.set(row, word.code())
    }
}

impl<W: Word> Column for HeldWords<W> {
    fn data_type() -> DataType {
        dictionary_type()
    }

    fn take(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        let codes = self.codes.take_array(rows);
        let codes = match codes.nulls().cloned() {
            None => codes,
            // keys of nulls must be valid keys
            nulls => Int32Array::new(codes.values().iter().map(|code| *code.max(&0)).collect(), nulls),
        };
        word_array::<W>(codes)
    }
}

/// Numbers of rows, over all batches.
#[derive(Debug, Default)]
pub struct Sequence {
    /// The number of the next row to be taken.
    pub next: i64,
}

impl Column for Sequence {
    fn data_type() -> DataType {
        DataType::Int64
    }

    fn take(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        let first = self.next;
        self.next += rows as i64;
        let numbers: Vec<i64> = (first..self.next).collect();
        Ok(Arc::new(Int64Array::from(numbers)))
    }
}

/// A column of int32 with only nulls.
#[derive(Debug, Default)]
pub struct Absent;

impl Column for Absent {
    fn data_type() -> DataType {
        DataType::Int32
    }

    fn take(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        Ok(Arc::new(Int32Array::new_null(rows)))
    }
}
