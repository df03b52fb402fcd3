//! Tables, each column declared once.
//!
//! `columns!` declares a table that is built row by row, `table!` makes one of rows that are complete.

mod cell;
mod dictionary;
mod numbers;
mod read;
mod table;
mod words;

use arrow_array::ArrayRef;
use arrow_schema::{ArrowError, DataType};

pub use cell::Cell;
pub use dictionary::Dictionary;
pub use numbers::{Number, Numbers};
pub use read::{column, optional_column, whole_column};
pub use table::Table;
pub(crate) use table::{columns, table};
pub use words::{dictionary_type, word_array, Word};

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
