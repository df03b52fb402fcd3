//! That one pass cannot give all sizes, and what is refused.

use super::{Settings, Simulator};
use crate::cache::stack_distance::{Options, Pricing, WritePolicy};
use crate::cache::StreamSimulator;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch};
use std::sync::Arc;

const BLOCK: i64 = 4096;

/// Reads of single blocks of files whose size is known: file, block, blocks of the file.
fn reads(rows: &[(i32, i64, i64)]) -> RecordBatch {
    let operation: DictionaryArray<Int32Type> = rows.iter().map(|_| "read").collect();
    let bytes = |of: fn(&(i32, i64, i64)) -> i64| -> ArrayRef {
        Arc::new(rows.iter().map(|row| of(row) * BLOCK).collect::<Int64Array>())
    };
    RecordBatch::try_from_iter([
        ("operation", Arc::new(operation) as ArrayRef),
        ("file", Arc::new(rows.iter().map(|row| row.0).collect::<Int32Array>())),
        ("offset", bytes(|row| row.1)),
        ("length", bytes(|_| 1)),
        ("file_size", bytes(|row| row.2)),
    ])
    .unwrap()
}

fn two_to_a_fetch() -> Settings {
    Settings { fetch_blocks: 2, budget_blocks: 100, coalesce_percent: 0 }
}

fn block_misses(rows: &[(i32, i64, i64)], sizes_blocks: &[u32]) -> Vec<i64> {
    let mut simulator = Simulator::new(Options::default(), two_to_a_fetch(), sizes_blocks, 1).unwrap();
    simulator.push(&reads(rows)).unwrap();
    let table = Box::new(simulator).finish(Pricing::default()).unwrap();
    table.column_by_name("read_block_misses").unwrap().as_primitive::<Int64Type>().values().to_vec()
}

/// The example of the module's documentation, after the row without a cache.
#[test]
fn a_larger_cache_can_miss_more_often() {
    let [a, b, x, y] = [(0, 0, 2), (0, 1, 2), (1, 0, 1), (2, 0, 1)];
    assert_eq!(block_misses(&[a, x, y, b, a], &[2, 3, 4]), [5, 4, 5, 3]);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |options: Options, settings: Settings, size: u32| {
        Simulator::new(options, settings, &[size], 1).is_err()
    };
    let settings = two_to_a_fetch();
    assert!(!refused(Options::default(), settings, 1));
    assert!(refused(Options::default(), settings, 0));
    assert!(refused(Options::default(), Settings { fetch_blocks: 0, ..settings }, 1));
    assert!(refused(Options::default(), Settings { fetch_blocks: 1025, ..settings }, 1));
    assert!(refused(Options::default(), Settings { coalesce_percent: 101, ..settings }, 1));
    assert!(refused(Options { inodes_per_block: Some(2), ..Options::default() }, settings, 1));
    assert!(refused(Options { write_policy: WritePolicy::NoAllocate, ..Options::default() }, settings, 1));
}
