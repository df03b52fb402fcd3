//! A pass over requests for keys, and how they come again: the queries of `block_accesses`, of keys.

use super::block_accesses::{BlockAccesses, BlockSettings};
use super::requests::{in_order, Cells};
use super::tables::Named;
use super::ways::Way;
use crate::columns::{column, whole_column};
use crate::error::Error;
use arrow_array::types::Int64Type;
use arrow_array::{Array, BooleanArray, PrimitiveArray, RecordBatch};

/// Keys are on no device.
const NO_DEVICE: i32 = 0;

/// A pass over the requests for keys, in their order.
#[derive(Debug)]
pub struct KeyAccesses {
    rows: u64,
    last_seq: Option<i64>,
    accesses: BlockAccesses,
}

impl KeyAccesses {
    /// A pass, which follows distances where they are asked for.
    pub fn new(distances: bool) -> Self {
        let each_is_one = BlockSettings { block_bytes: 1, most_blocks: 0, distances };
        KeyAccesses { rows: 0, last_seq: None, accesses: BlockAccesses::new(each_is_one) }
    }

    /// Take rows of the query `ordered_key_request` that follow those before.
    ///
    /// # Errors
    /// If a column is missing or of another type, or a row is not in the order of `seq`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        in_order(whole_column(batch, "seq")?, &mut self.last_seq, self.rows)?;
        self.rows += batch.num_rows() as u64;
        let keys = whole_column::<PrimitiveArray<Int64Type>>(batch, "key")?.values();
        let moves = whole_column::<BooleanArray>(batch, "moves")?;
        let writes = column::<BooleanArray>(batch, "writes")?;
        let time_ns = Cells::<Int64Type>::of(batch, "time_ns")?;
        for (row, &key) in keys.iter().enumerate().filter(|&(row, _)| moves.value(row)) {
            let way = Way::of(writes.is_valid(row).then(|| writes.value(row)));
            self.accesses.touch(NO_DEVICE, key, way, time_ns.at(row));
        }
        Ok(())
    }

    /// The tables by their queries' names.
    ///
    /// # Errors
    /// If Arrow rejects a table.
    pub fn finish(self) -> Result<Vec<Named>, Error> {
        self.accesses.finish()
    }
}
