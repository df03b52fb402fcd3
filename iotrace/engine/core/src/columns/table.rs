//! Declarations of tables.

use super::Cell;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, Field, Schema};
use std::sync::Arc;

/// A table under construction, column by column.
#[derive(Debug, Default)]
pub struct Table {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl Table {
    /// Add a column.
    ///
    /// # Errors
    /// If Arrow rejects the column.
    pub fn column<C: Cell>(
        &mut self,
        name: &str,
        mut cells: impl Iterator<Item = C>,
    ) -> Result<(), ArrowError> {
        self.fields.push(Field::new(name, C::data_type(), C::NULLABLE));
        self.arrays.push(C::array(&mut cells)?);
        Ok(())
    }

    /// The table, whose columns must be of the same length.
    ///
    /// # Errors
    /// If their lengths differ.
    pub fn batch(self) -> Result<RecordBatch, ArrowError> {
        RecordBatch::try_new(Arc::new(Schema::new(self.fields)), self.arrays)
    }
}

/// The columns of complete rows, each `name: type = value`, as a [`Table`]. The rows are a cloneable iterator.
macro_rules! table {
    ($rows:expr, |$row:pat_param| { $($name:ident: $cell:ty = $value:expr),+ $(,)? }) => {{
        let rows = $rows;
        let mut table = $crate::columns::Table::default();
        $(
            #[allow(unused_variables)] // a column uses only a part of a row
            let cells = rows.clone().map(|$row| $value);
            table.column::<$cell>(stringify!($name), cells)?;
        )+
        table
    }};
}

/// A struct of [`Column`](super::Column)s, each `name: type`, with `or null` if cells can be null and `as "..."` if
/// the column has another name. `schema` returns the table's schema, `take` a batch of the first rows.
macro_rules! columns {
    (
        $(#[$doc:meta])*
        $visible:vis struct $columns:ident {
            $($field:ident $(as $name:literal)?: $column:ident $(<$of:ty>)? $(or $null:ident)?,)+
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        $visible struct $columns {
            $($field: $column $(<$of>)?,)+
        }

        impl $columns {
            fn schema() -> arrow_schema::SchemaRef {
                static SCHEMA: std::sync::OnceLock<arrow_schema::SchemaRef> = std::sync::OnceLock::new();
                let build = || {
                    std::sync::Arc::new(arrow_schema::Schema::new(vec![$(
                        arrow_schema::Field::new(
                            $crate::columns::columns!(@name $field $($name)?),
                            <$column $(<$of>)? as $crate::columns::Column>::data_type(),
                            $crate::columns::columns!(@nullable $($null)?),
                        ),
                    )+]))
                };
                std::sync::Arc::clone(SCHEMA.get_or_init(build))
            }

            fn take(&mut self, rows: usize) -> Result<arrow_array::RecordBatch, arrow_schema::ArrowError> {
                let arrays = vec![$($crate::columns::Column::take(&mut self.$field, rows)?,)+];
                arrow_array::RecordBatch::try_new(Self::schema(), arrays)
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:literal) => { $name };
    (@nullable) => { false };
    (@nullable null) => { true };
}

pub(crate) use {columns, table};
