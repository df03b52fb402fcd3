//! The engine against one plain LRU cache of one size, at every size, and against nonsense.

use super::processor::Processor;
use super::{Engine, Options, Pricing, Reads};
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{cast::AsArray, ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch};
use proptest::prelude::*;
use std::sync::Arc;

/// operation, file, offset, length
type ReferenceRow = (&'static str, i32, i64, i64);

const BLOCK: i64 = 4;
const NAMES: [&str; 6] = [
    "read_block_misses",
    "write_block_misses",
    "read_request_misses",
    "write_request_misses",
    "write_expulsions",
    "dirty_at_end",
];

fn batch(rows: &[ReferenceRow]) -> RecordBatch {
    let operation: DictionaryArray<Int32Type> = rows.iter().map(|row| row.0).collect();
    let file: Int32Array = rows.iter().map(|row| row.1).collect();
    let offset: Int64Array = rows.iter().map(|row| row.2).collect();
    let length: Int64Array = rows.iter().map(|row| row.3).collect();
    RecordBatch::try_from_iter([
        ("operation", Arc::new(operation) as ArrayRef),
        ("file", Arc::new(file) as ArrayRef),
        ("offset", Arc::new(offset) as ArrayRef),
        ("length", Arc::new(length) as ArrayRef),
    ])
    .unwrap()
}

/// The counts of `NAMES` for one cache of `size` blocks; a cached block is (file, block, dirty), oldest first.
fn one_cache(rows: &[ReferenceRow], size: usize) -> [i64; 6] {
    let mut cache: Vec<(i32, i64, bool)> = Vec::new();
    let mut counts = [0; 6];
    for &(operation, file, offset, length) in rows {
        if operation == "truncate" || operation == "delete" {
            let kept = if operation == "delete" { 0 } else { offset };
            cache.retain(|&(of, block, _)| of != file || block * BLOCK < kept);
            continue;
        }
        let way = usize::from(operation != "read");
        let blocks: Vec<i64> = (offset / BLOCK..=(offset + length - 1) / BLOCK).collect();
        for piece in blocks.chunks(size) {
            let misses_before = counts[way];
            for &block in piece {
                let place = cache.iter().position(|&(of, b, _)| (of, b) == (file, block));
                let dirty = place.is_some_and(|place| cache.remove(place).2);
                if place.is_none() {
                    counts[way] += 1;
                    if cache.len() == size {
                        counts[4] += i64::from(cache.remove(0).2);
                    }
                }
                cache.push((file, block, dirty || way == 1));
            }
            counts[2 + way] += i64::from(counts[way] > misses_before);
        }
    }
    counts[5] = cache.iter().filter(|block| block.2).count() as i64;
    counts
}

fn curve(rows: &[ReferenceRow], batch_rows: usize) -> RecordBatch {
    curve_on(Processor::default(), rows, batch_rows)
}

fn curve_on(processor: Processor, rows: &[ReferenceRow], batch_rows: usize) -> RecordBatch {
    let engine = Engine::new(Options { block_bytes: BLOCK as u32, ..Options::default() });
    let mut engine = engine.unwrap().on(processor);
    rows.chunks(batch_rows).for_each(|chunk| engine.push(&batch(chunk)).unwrap());
    engine.finish(Pricing::default()).table(0, None).unwrap()
}

/// The counts of `NAMES` in the row that holds for `size`.
fn at(table: &RecordBatch, size: i64) -> [i64; 6] {
    let column = |name: &str| table.column_by_name(name).unwrap().as_primitive::<Int64Type>();
    let row = column("size_blocks").values().partition_point(|&from| from <= size) - 1;
    NAMES.map(|name| column(name).value(row))
}

fn operation() -> impl Strategy<Value = &'static str> {
    prop_oneof![4 => Just("read"), 3 => Just("write"), 1 => Just("update"), 1 => Just("truncate"), 1 => Just("delete")]
}

/// Rows over few files and few bytes, so that everything meets everything.
fn rows() -> impl Strategy<Value = Vec<ReferenceRow>> {
    let length = prop_oneof![6 => 1..9_i64, 1 => 1..60_i64];
    prop::collection::vec((operation(), 0..3_i32, 0..40_i64, length), 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn every_size_is_one_cache_of_that_size(rows in rows(), batch_rows in 1..90_usize) {
        let table = curve(&rows, batch_rows);
        for size in 1..=62 {
            prop_assert_eq!(at(&table, size as i64), one_cache(&rows, size), "size {}", size);
        }
    }

    #[test]
    fn long_requests_are_single_blocks_one_after_the_other(
        rows in prop::collection::vec((operation(), 0..2_i32, 0..400_i64, 1..1600_i64), 0..40),
    ) {
        let table = curve(&rows, 50);
        for size in [1, 2, 3, 15, 16, 17, 100, 255, 256, 257, 300, 400, 500, 700, 900, 1000] {
            prop_assert_eq!(at(&table, size as i64), one_cache(&rows, size), "size {}", size);
        }
    }

    #[test]
    fn the_table_is_the_same_on_any_processor(
        rows in prop::collection::vec((operation(), 0..2_i32, 0..3000_i64, 1..9_i64), 0..2000),
        batch_rows in 1..900_usize,
    ) {
        prop_assert_eq!(curve_on(Processor::portable(), &rows, batch_rows), curve(&rows, batch_rows));
    }

    #[test]
    fn reads_by_number_are_requests_of_a_block_each(numbers in prop::collection::vec(0..900_u32, 0..3000)) {
        let rows: Vec<ReferenceRow> = numbers.iter().map(|&number| ("read", 0, i64::from(number) * BLOCK, BLOCK)).collect();
        let table = curve(&rows, 700);
        let mut reads = Reads::default();
        reads.push(&numbers).unwrap();
        let sizes = [1, 2, 10, 100, 500, 900];
        let misses = sizes.map(|size| at(&table, i64::from(size))[0] as u64);
        prop_assert_eq!(reads.hits(&sizes), misses.map(|misses| numbers.len() as u64 - misses));
    }

    #[test]
    fn nonsense_is_refused_and_nothing_panics(
        rows in prop::collection::vec((
            prop_oneof![Just("read"), Just("write"), Just("truncate"), Just("delete"), Just("sync"), Just("nonsense")],
            prop_oneof![0..3_i32, any::<i32>()],
            prop_oneof![0..100_i64, any::<i64>()],
            prop_oneof![0..100_i64, any::<i64>()],
        ), 1..20),
    ) {
        let mut engine = Engine::new(Options::default()).unwrap();
        for row in &rows {
            let bad = row.0 == "nonsense" || row.1 < 0 || row.2 < 0 || row.3 < 0;
            let taken = engine.push(&batch(&[*row]));
            prop_assert!(!(bad && taken.is_ok()));
        }
        prop_assert!(engine.finish(Pricing::default()).table(0, Some(&[1, 2, 1 << 30])).is_ok());
    }
}

/// Richardson 2.4.1 by hand: three blocks read twice, then those and a fourth. A cache of three blocks misses once for
/// the first request and once for the second piece of the third.
#[test]
fn a_small_example() {
    let table = curve(&[("read", 0, 0, 12), ("read", 0, 0, 12), ("read", 0, 0, 16)], 10);
    let misses = [1, 2, 3, 4, 5].map(|size| at(&table, size)[2]);
    assert_eq!(misses, [3 + 3 + 4, 2 + 2 + 2, 1 + 1, 1 + 1, 1 + 1]);
}
