//! What every column of a table can do.

use arrow_array::ArrayRef;
use arrow_schema::{ArrowError, DataType};

/// A column under construction.
pub trait Column {
    /// The Arrow type of its array.
    fn data_type() -> DataType;

    /// The first rows as an array. A column that cannot hold back later rows is to be taken whole.
    ///
    /// # Errors
    /// Where Arrow refuses the array.
    fn take(&mut self, rows: usize) -> Result<ArrayRef, ArrowError>;
}
