//! Reading columns of given batches.

use crate::error::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowDictionaryKeyType, ArrowPrimitiveType};
use arrow_array::{Array, BooleanArray, DictionaryArray, PrimitiveArray, RecordBatch, StringArray};

/// An array type that a column can be read as.
pub trait Typed: Array {
    /// The array, if it is of this type.
    fn of(array: &dyn Array) -> Option<&Self>;

    /// The name of the type.
    fn wanted() -> String;
}

impl<T: ArrowPrimitiveType> Typed for PrimitiveArray<T> {
    fn of(array: &dyn Array) -> Option<&Self> {
        array.as_primitive_opt()
    }

    fn wanted() -> String {
        T::DATA_TYPE.to_string().to_lowercase()
    }
}

impl<K: ArrowDictionaryKeyType> Typed for DictionaryArray<K> {
    fn of(array: &dyn Array) -> Option<&Self> {
        array.as_dictionary_opt()
    }

    fn wanted() -> String {
        "a dictionary".to_owned()
    }
}

impl Typed for StringArray {
    fn of(array: &dyn Array) -> Option<&Self> {
        array.as_string_opt()
    }

    fn wanted() -> String {
        "string".to_owned()
    }
}

impl Typed for BooleanArray {
    fn of(array: &dyn Array) -> Option<&Self> {
        array.as_boolean_opt()
    }

    fn wanted() -> String {
        "bool".to_owned()
    }
}

/// A column of a batch.
///
/// # Errors
/// If it is missing or of another type.
pub fn column<'a, A: Typed>(batch: &'a RecordBatch, name: &str) -> Result<&'a A, Error> {
    optional_column(batch, name)?.ok_or_else(|| Error::of(format!("there is no column {name}")))
}

/// A column that may be missing.
///
/// # Errors
/// If it is of another type.
pub fn optional_column<'a, A: Typed>(batch: &'a RecordBatch, name: &str) -> Result<Option<&'a A>, Error> {
    let Some(column) = batch.column_by_name(name) else {
        return Ok(None);
    };
    let wrong = || Error::of(format!("column {name} is not {}", A::wanted()));
    A::of(column).map(Some).ok_or_else(wrong)
}

/// A column without nulls.
///
/// # Errors
/// If it is missing, of another type, or has nulls.
pub fn whole_column<'a, A: Typed>(batch: &'a RecordBatch, name: &str) -> Result<&'a A, Error> {
    let column = column::<A>(batch, name)?;
    match column.null_count() {
        0 => Ok(column),
        _ => Err(Error::of(format!("column {name} has nulls"))),
    }
}
