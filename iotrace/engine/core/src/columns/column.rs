//! The interface of the columns of a table.

use arrow_array::ArrayRef;
use arrow_schema::{ArrowError, DataType};

/// A column under construction.
pub trait Column {
    /// The Arrow type of its array.
    fn data_type() -> DataType;

    /// The first rows as an array. A column that cannot keep later rows must be taken whole.
    ///
    /// # Errors
    /// If Arrow rejects the array.
    fn take(&mut self, rows: usize) -> Result<ArrayRef, ArrowError>;
}
