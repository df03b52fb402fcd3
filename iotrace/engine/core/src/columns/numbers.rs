//! A column of numbers under construction.

use super::Column;
use arrow_array::types::{ArrowPrimitiveType, Int32Type, Int64Type};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use std::sync::Arc;

/// A number that a column can hold.
pub trait Number: ArrowNativeType {
    /// Its Arrow type.
    type Arrow: ArrowPrimitiveType<Native = Self>;
}

impl Number for i32 {
    type Arrow = Int32Type;
}

impl Number for i64 {
    type Arrow = Int64Type;
}

/// Numbers, some of which may be null.
#[derive(Debug)]
pub struct Numbers<T> {
    values: Vec<T>,
    /// A bit for each value, 64 to a word; the last word is `word`.
    valid: Vec<u64>,
    word: u64,
    nulls: usize,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers { values: Vec::new(), valid: Vec::new(), word: 0, nulls: 0 }
    }
}

impl<T: Number> Numbers<T> {
    pub fn rows(&self) -> usize {
        self.values.len()
    }

    pub fn push(&mut self, value: T) {
        self.push_option(Some(value));
    }

    #[inline]
    pub fn push_option(&mut self, value: Option<T>) {
        self.word |= u64::from(value.is_some()) << (self.values.len() % 64);
        self.values.push(value.unwrap_or_default());
        self.nulls += usize::from(value.is_none());
        if self.values.len() % 64 == 0 {
            self.valid.push(std::mem::take(&mut self.word));
        }
    }

    pub(super) fn take_all(&mut self) -> PrimitiveArray<T::Arrow> {
        let rows = self.values.len();
        let values = ScalarBuffer::from(std::mem::replace(&mut self.values, Vec::with_capacity(rows)));
        let mut words = std::mem::replace(&mut self.valid, Vec::with_capacity(rows / 64 + 1));
        words.push(std::mem::take(&mut self.word));
        let nulls = (std::mem::take(&mut self.nulls) > 0)
            .then(|| NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(words), 0, rows)));
        PrimitiveArray::new(values, nulls)
    }
}

impl<T: Number> Column for Numbers<T> {
    fn data_type() -> DataType {
        T::Arrow::DATA_TYPE
    }

    fn take(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        debug_assert_eq!(rows, self.rows());
        Ok(Arc::new(self.take_all()))
    }
}
