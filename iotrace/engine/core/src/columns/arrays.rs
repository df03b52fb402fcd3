//! Arrays of numbers and names some of which are unknown, and batches of them.

use super::{dictionary_type, word_array, Word};
use crate::error::Error;
use arrow_array::types::{ArrowPrimitiveType, Int32Type, Int64Type};
use arrow_array::{new_null_array, ArrayRef, DictionaryArray, PrimitiveArray, RecordBatch, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{Field, Schema};
use std::sync::Arc;

/// A batch of columns that may all have nulls.
///
/// # Errors
/// If Arrow rejects the columns.
pub fn batch(columns: Vec<(&str, ArrayRef)>) -> Result<RecordBatch, Error> {
    let fields = columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true));
    let schema = Schema::new(fields.collect::<Vec<_>>());
    Ok(RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|(_, array)| array).collect())?)
}

/// A column of numbers, `unknown` for null.
pub fn optional(numbers: Vec<i64>, unknown: i64) -> ArrayRef {
    null_where::<Int64Type>(numbers, |number| number == unknown)
}

/// A column of codes, below 0 for null.
pub fn optional_codes(codes: Vec<i32>) -> ArrayRef {
    null_where::<Int32Type>(codes, |code| code < 0)
}

/// A column of words by their codes, which are below 0 for null.
///
/// # Errors
/// If a code has no word.
pub fn optional_words<W: Word>(codes: Vec<i32>) -> Result<ArrayRef, Error> {
    let codes = optional_of::<Int32Type>(codes, |code| code < 0);
    Ok(word_array::<W>(codes)?)
}

/// A dictionary column of names.
///
/// # Errors
/// If a code has no name.
pub fn name_array(codes: Vec<i32>, names: Vec<String>) -> Result<ArrayRef, Error> {
    let array = DictionaryArray::<Int32Type>::try_new(codes.into(), Arc::new(StringArray::from(names)))?;
    Ok(Arc::new(array))
}

/// A dictionary column of nulls.
pub fn null_names(rows: usize) -> ArrayRef {
    new_null_array(&dictionary_type(), rows)
}

/// Codes as the numbers given for them; those below 0, which stand for none, stay.
///
/// # Errors
/// If a code has no number.
pub fn renumbered(mut codes: Vec<i32>, numbers: &[i32]) -> Result<Vec<i32>, Error> {
    for code in codes.iter_mut().filter(|code| **code >= 0) {
        *code = *numbers.get(*code as usize).ok_or_else(|| Error::of("a name has no number"))?;
    }
    Ok(codes)
}

fn null_where<T: ArrowPrimitiveType>(
    values: Vec<T::Native>,
    is_null: impl Fn(T::Native) -> bool,
) -> ArrayRef {
    if values.iter().all(|&value| is_null(value)) {
        return new_null_array(&T::DATA_TYPE, values.len());
    }
    Arc::new(optional_of::<T>(values, is_null))
}

fn optional_of<T: ArrowPrimitiveType>(
    values: Vec<T::Native>,
    is_null: impl Fn(T::Native) -> bool,
) -> PrimitiveArray<T> {
    let is_known = || BooleanBuffer::collect_bool(values.len(), |row| !is_null(values[row]));
    let nulls = values.iter().any(|&value| is_null(value)).then(|| NullBuffer::new(is_known()));
    PrimitiveArray::new(values.into(), nulls)
}
