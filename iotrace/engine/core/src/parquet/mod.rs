//! Tables as Parquet files: row groups encoded to bytes, for the column types that stores have.
//!
//! An encoder knows its columns: words of dictionary columns need no hashing, the levels of a flat column are its
//! validity bitmap, and one page holds a whole batch as a rule. Row groups of another file by the same encoder can be
//! taken over with some columns replaced, and the others copied as they are stored.
//! <https://github.com/apache/parquet-format>

mod bits;
mod chunk;
mod encodings;
mod footer;
mod known;
mod pages;
mod thrift;

use crate::error::Error;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::Schema;
pub use chunk::Form;
use chunk::{Chunks, Column};
pub use encodings::Encoding;
use footer::Group;
pub use footer::Layout;
pub use pages::Codec;

const MAGIC: &[u8; 4] = b"PAR1";

/// Encodes one file: its row groups in order, then its footer.
pub struct Encoder {
    columns: Vec<Column>,
    metadata: Vec<(Vec<u8>, Vec<u8>)>,
    groups: Vec<Group>,
    chunks: Chunks,
    /// Bytes before those that are returned next.
    written_bytes: u64,
}

impl Encoder {
    /// An encoder for batches of this schema, whose columns are stored in these forms; `metadata` goes to the footer.
    ///
    /// # Errors
    /// For a column of a type that tables of stores do not have.
    pub fn new(schema: &Schema, forms: &[Form], metadata: Vec<(Vec<u8>, Vec<u8>)>) -> Result<Self, Error> {
        if forms.len() != schema.fields().len() {
            return Err(Error::of("each column needs a form"));
        }
        let columns = schema.fields().iter().zip(forms).map(|(field, form)| Column::new(field, *form));
        Ok(Encoder {
            columns: columns.collect::<Result<_, _>>()?,
            metadata,
            groups: Vec::new(),
            chunks: Chunks::new()?,
            written_bytes: 0,
        })
    }

    /// The bytes of the next row group, which holds the rows of a batch.
    ///
    /// # Errors
    /// For columns of other types, nulls in a column without, and a value or a dictionary beyond 2 GiB.
    pub fn row_group(&mut self, batch: &RecordBatch) -> Result<&[u8], Error> {
        if batch.num_columns() != self.columns.len() {
            return Err(Error::of(format!("{} columns, not {}", batch.num_columns(), self.columns.len())));
        }
        self.start_group();
        let mut group = Group { chunks: Vec::new(), rows: batch.num_rows() };
        for (column, array) in self.columns.iter().zip(batch.columns()) {
            group.chunks.push(self.chunks.encode(column, array, self.written_bytes)?);
        }
        Ok(self.end_group(group))
    }

    /// The bytes of the next row group: a stored one with the columns of a batch in place of its own.
    ///
    /// `stored` has the bytes of row group `number` of `layout`.
    ///
    /// # Errors
    /// Where the stored file has other columns or ends too soon, the batch other rows, and as `row_group`.
    pub fn amended_group(
        &mut self,
        layout: &Layout,
        number: usize,
        stored: &[u8],
        newer: Option<&RecordBatch>,
    ) -> Result<&[u8], Error> {
        let former = layout.groups.get(number).ok_or_else(|| Error::of("no such row group"))?;
        if former.chunks.len() != self.columns.len() || stored.len() as u64 != former.stored_bytes() {
            return Err(Error::of("another row group"));
        }
        self.start_group();
        let mut group = Group { chunks: Vec::new(), rows: former.rows };
        let mut left = stored;
        for (column, chunk) in self.columns.iter().zip(&former.chunks) {
            let (own, further) = left
                .split_at_checked(usize::try_from(chunk.stored_bytes).unwrap_or(usize::MAX))
                .ok_or_else(|| Error::of("a row group that ends too soon"))?;
            left = further;
            let array: Option<&ArrayRef> = newer.and_then(|batch| batch.column_by_name(&column.name));
            group.chunks.push(match array {
                Some(array) if array.len() == former.rows => {
                    self.chunks.encode(column, array, self.written_bytes)?
                }
                Some(_) => return Err(Error::of("another number of rows")),
                None => self.chunks.copy(column, chunk, own, self.written_bytes)?,
            });
        }
        Ok(self.end_group(group))
    }

    /// The rest of the file: its footer.
    pub fn end(&mut self) -> Vec<u8> {
        self.start_group();
        let mut bytes = self.chunks.bytes().to_vec();
        let footer = footer::bytes(&self.columns, &self.groups, &self.metadata);
        let length = footer.len() as u32;
        bytes.extend(footer);
        bytes.extend(length.to_le_bytes());
        bytes.extend(MAGIC);
        bytes
    }

    /// Begin the file, if nothing was written yet; chunks of a group that failed are dropped.
    fn start_group(&mut self) {
        self.chunks.clear();
        if self.written_bytes == 0 {
            self.chunks.put(MAGIC);
        }
    }

    fn end_group(&mut self, group: Group) -> &[u8] {
        let bytes = self.chunks.bytes();
        self.written_bytes += bytes.len() as u64;
        self.groups.push(group);
        bytes
    }
}

#[cfg(test)]
mod tests;
