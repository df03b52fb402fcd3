//! How many blocks references touch.

use crate::columns::{column, optional_column};
use crate::error::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, DictionaryArray, Int64Array, RecordBatch};

/// The operations that move data.
const MOVES: [&str; 4] = ["read", "write", "update", "sync_write"];

/// Requests, and the blocks that they touch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Touched {
    /// Reads and writes.
    pub requests: u64,
    /// The sum of their lengths, each rounded up to blocks.
    pub blocks: u128,
}

/// The blocks of `block_bytes` (at least 1) that reads and writes touch. A request of unknown length reaches to the file's
/// end, where that is known, and touches none otherwise.
///
/// # Errors
/// If a column is missing or of another type.
pub fn touched(references: &RecordBatch, block_bytes: u64) -> Result<Touched, Error> {
    let operation: &DictionaryArray<Int32Type> = column(references, "operation")?;
    let names = operation.values().as_string_opt::<i32>();
    let names = names.ok_or_else(|| Error::of("column operation has no names"))?;
    let moves: Vec<bool> = names.iter().map(|name| name.is_some_and(|name| MOVES.contains(&name))).collect();
    let length: &Int64Array = column(references, "length")?;
    let (keys, lengths) = (operation.keys(), length.values());
    let blocks = |bytes: i64| (bytes.max(0) as u64).div_ceil(block_bytes);
    if keys.null_count() == 0 && length.null_count() == 0 && !moves.contains(&false) {
        let blocks = sum(lengths, block_bytes);
        return Ok(Touched { requests: lengths.len() as u64, blocks });
    }
    let offset: Option<&Int64Array> = optional_column(references, "offset")?;
    let file_size: Option<&Int64Array> = optional_column(references, "file_size")?;
    let value = |column: Option<&Int64Array>, row| {
        column.and_then(|column| column.is_valid(row).then(|| column.value(row)))
    };
    let to_end = |row| value(file_size, row)?.checked_sub(value(offset, row).unwrap_or(0));
    let mut touched = Touched::default();
    for row in 0..lengths.len() {
        if keys.is_valid(row) && moves.get(keys.value(row) as usize).is_some_and(|&moves| moves) {
            touched.requests += 1;
            let bytes = value(Some(length), row).or_else(|| to_end(row));
            touched.blocks += u128::from(blocks(bytes.unwrap_or(0)));
        }
    }
    Ok(touched)
}

/// The sum of lengths, each rounded up to blocks.
fn sum(lengths: &[i64], block_bytes: u64) -> u128 {
    let bytes = |length: i64| length.max(0) as u64;
    if block_bytes.is_power_of_two() {
        let (mask, shift) = (block_bytes - 1, block_bytes.trailing_zeros());
        return lengths.iter().map(|&length| u128::from((bytes(length) + mask) >> shift)).sum();
    }
    lengths.iter().map(|&length| u128::from(bytes(length).div_ceil(block_bytes))).sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::columns::batch;
    use arrow_array::{ArrayRef, Int32Array, StringArray};
    use proptest::prelude::*;
    use std::sync::Arc;

    const NAMES: [&str; 6] = ["delete", "read", "write", "update", "sync", "sync_write"];
    type Row = (Option<usize>, Option<i64>, Option<i64>, Option<i64>);

    fn table(rows: &[Row], names: &[&str]) -> RecordBatch {
        let keys: Int32Array = rows.iter().map(|row| row.0.map(|key| key as i32)).collect();
        let numbers =
            |of: fn(&Row) -> Option<i64>| Arc::new(rows.iter().map(of).collect::<Int64Array>()) as ArrayRef;
        let names = Arc::new(StringArray::from(names.to_vec()));
        batch(vec![
            ("operation", Arc::new(DictionaryArray::try_new(keys, names).unwrap())),
            ("offset", numbers(|row| row.1)),
            ("length", numbers(|row| row.2)),
            ("file_size", numbers(|row| row.3)),
        ])
        .unwrap()
    }

    proptest! {
        #[test]
        fn blocks_are_those_of_each_row(
            rows in prop::collection::vec(
                (prop::option::of(1..6_usize), prop::option::of(0..i64::MAX), prop::option::of(0..i64::MAX),
                 prop::option::of(0..i64::MAX)), 0..20),
            block_bytes in prop::sample::select(vec![1_u64, 512, 1000, 4096]), are_known in any::<bool>(),
        ) {
            let known = |(name, offset, length, size): Row| match are_known {
                true => (name.or(Some(1)).filter(|&name| name != 4).or(Some(2)), offset, length.or(Some(3)), size),
                false => (name, offset, length, size),
            };
            let rows: Vec<Row> = rows.into_iter().map(known).collect();
            let mut expected = Touched::default();
            for (name, offset, length, size) in &rows {
                if let Some(1 | 2 | 3 | 5) = name {
                    let end = size.map_or(0, |size| (size - offset.unwrap_or(0)).max(0));
                    expected.requests += 1;
                    expected.blocks += u128::from(length.unwrap_or(end) as u64).div_ceil(u128::from(block_bytes));
                }
            }
            prop_assert_eq!(touched(&table(&rows, &NAMES), block_bytes).unwrap(), expected);
        }
    }

    #[test]
    fn a_batch_of_reads_takes_the_short_way() {
        let rows = [(Some(0), Some(0), Some(i64::MAX), None), (Some(0), Some(0), Some(4097), None)];
        let expected = |blocks| Touched { requests: 2, blocks };
        assert_eq!(touched(&table(&rows, &["read"]), 4096).unwrap(), expected((1 << 51) + 2));
        assert_eq!(touched(&table(&rows, &["read"]), 1000).unwrap(), expected(9_223_372_036_854_776 + 5));
    }
}
