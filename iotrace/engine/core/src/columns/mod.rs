//! Tables, each column declared once.
//!
//! `columns!` declares a table that is built row by row, `table!` makes one of rows that are complete.

mod arrays;
mod cell;
mod column;
mod dictionary;
mod numbers;
mod read;
mod table;
mod words;

pub use arrays::{batch, name_array, null_names, optional, optional_codes, optional_words, renumbered};
pub use cell::Cell;
pub use column::Column;
pub use dictionary::Dictionary;
pub use numbers::{Number, Numbers};
pub use read::{column, optional_column, whole_column};
pub use table::Table;
pub(crate) use table::{columns, table};
pub(crate) use words::named;
pub use words::{dictionary_type, word_array, Named, Word};
