//! What the cells of a table can hold.

use super::words::{dictionary_type, word_array, Word};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, StringArray};
use arrow_schema::{ArrowError, DataType};
use std::borrow::Cow;
use std::sync::Arc;

/// A type of cells. Only options can be null; counts are int64, as in all tables.
pub trait Cell: Sized {
    /// Whether cells can be null.
    const NULLABLE: bool = false;

    /// The Arrow type of their column.
    fn data_type() -> DataType;

    /// A column of these cells.
    ///
    /// # Errors
    /// If Arrow rejects the array.
    fn array(cells: &mut dyn Iterator<Item = Self>) -> Result<ArrayRef, ArrowError>;
}

macro_rules! cells {
    ($($cell:ty: $kind:ident, $array:ident $(, $as:ty)?;)+) => {$(
        impl Cell for $cell {
            fn data_type() -> DataType {
                DataType::$kind
            }

            fn array(cells: &mut dyn Iterator<Item = Self>) -> Result<ArrayRef, ArrowError> {
                let cells = cells.map(|cell| Some(cell $(as $as)?));
                Ok(Arc::new($array::from_iter(cells)))
            }
        }

        impl Cell for Option<$cell> {
            const NULLABLE: bool = true;

            fn data_type() -> DataType {
                DataType::$kind
            }

            fn array(cells: &mut dyn Iterator<Item = Self>) -> Result<ArrayRef, ArrowError> {
                let cells = cells.map(|cell| cell$(.map(|cell| cell as $as))?);
                Ok(Arc::new($array::from_iter(cells)))
            }
        }
    )+};
}

cells! {
    bool: Boolean, BooleanArray;
    i32: Int32, Int32Array;
    i64: Int64, Int64Array;
    u64: Int64, Int64Array, i64;
    f64: Float64, Float64Array;
    &str: Utf8, StringArray;
    Cow<'_, str>: Utf8, StringArray;
}

impl<W: Word> Cell for W {
    fn data_type() -> DataType {
        dictionary_type()
    }

    fn array(cells: &mut dyn Iterator<Item = Self>) -> Result<ArrayRef, ArrowError> {
        word_array::<W>(Int32Array::from_iter_values(cells.map(W::code)))
    }
}
