//! Samples of all blocks against the engine, and small exact caches against all.

use super::{MiniatureCaches, Sampled, Sampling};
use crate::cache::stack_distance::{Curve, Engine, Options, Pricing, Syncs};
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    cast::AsArray, ArrayRef, BooleanArray, DictionaryArray, Int32Array, Int64Array, RecordBatch,
};
use proptest::prelude::*;
use std::sync::Arc;

/// operation, file, offset, length, size of the file, whether it is synchronous
type ReferenceRow = (&'static str, i32, Option<i64>, Option<i64>, Option<i64>, bool);

const BLOCKS: [&str; 9] = [
    "block_references",
    "read_block_misses",
    "write_block_misses",
    "write_expulsions",
    "dirty_at_end",
    "write_syncs",
    "read_bytes_exact",
    "write_bytes_exact",
    "write_bytes_estimated",
];
const REQUESTS: [&str; 2] = ["read_request_misses", "write_request_misses"];

fn batch(rows: &[ReferenceRow]) -> RecordBatch {
    let operation: DictionaryArray<Int32Type> = rows.iter().map(|row| row.0).collect();
    let numbers = |of: fn(&ReferenceRow) -> Option<i64>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<Int64Array>())
    };
    RecordBatch::try_from_iter([
        ("operation", Arc::new(operation) as ArrayRef),
        ("file", Arc::new(rows.iter().map(|row| row.1).collect::<Int32Array>())),
        ("offset", numbers(|row| row.2)),
        ("length", numbers(|row| row.3)),
        ("file_size", numbers(|row| row.4)),
        ("synchronous", Arc::new(rows.iter().map(|row| Some(row.5)).collect::<BooleanArray>())),
    ])
    .unwrap()
}

fn counts(curve: &Curve, names: &[&str], sizes: &[u32]) -> Vec<Vec<i64>> {
    let table = curve.table(0, Some(sizes)).unwrap();
    let column =
        |name: &&str| table.column_by_name(name).unwrap().as_primitive::<Int64Type>().values().to_vec();
    names.iter().map(column).collect()
}

fn row() -> impl Strategy<Value = ReferenceRow> {
    let operations =
        prop::sample::select(vec!["read", "read", "write", "write", "truncate", "delete", "sync"]);
    let unknown = |numbers: std::ops::Range<i64>| prop::option::weighted(0.9, numbers);
    (
        operations,
        0..3_i32,
        unknown(0..160),
        unknown(0..40),
        prop::option::weighted(0.2, 0..200_i64),
        any::<bool>(),
    )
}

fn exact(rows: &[ReferenceRow], options: &Options) -> Curve {
    let mut engine = Engine::new(options.clone()).unwrap();
    engine.push(&batch(rows)).unwrap();
    engine.finish(Pricing::default())
}

/// The counts of small caches up to a size by the head, which forgets between batches of rows, and by the exact engine.
fn head_and_exact(
    rows: &[ReferenceRow],
    options: &Options,
    head_blocks: u32,
    rows_at_once: usize,
) -> (Vec<Vec<i64>>, Vec<Vec<i64>>) {
    let mut engine = Engine::of_few_blocks(options.clone()).unwrap();
    for some in rows.chunks(rows_at_once) {
        engine.push(&batch(some)).unwrap();
        engine.forget_beyond(head_blocks);
    }
    let head = engine.finish(Pricing::default());
    let sizes: Vec<u32> = (1..=head_blocks).collect();
    let names: Vec<&str> =
        BLOCKS.iter().chain(&REQUESTS).filter(|name| !name.contains("exact")).copied().collect();
    (counts(&head, &names, &sizes), counts(&exact(rows, options), &names, &sizes))
}

proptest! {
    #[test]
    fn a_sample_of_all_blocks_has_all_counts(
        rows in prop::collection::vec(row(), 0..120),
        honours in any::<bool>(),
        warm_up_requests in 0..30_u64,
        fixed_size in any::<bool>(),
        threads in 1..3_usize,
    ) {
        let syncs = if honours { Syncs::Honour } else { Syncs::Ignore };
        let options = Options { block_bytes: 4, syncs, warm_up_requests, ..Options::default() };
        let most_blocks = fixed_size.then_some(100_000);
        let sampling = Sampling { rate: 1.0, most_blocks, seed: 3, groups: 16, head_blocks: 0, has_whole_files: false };
        let mut sampled =
            Sampled::new(options.clone(), sampling, MiniatureCaches::default(), threads).unwrap();
        for some in rows.chunks(17) {
            sampled.push(&batch(some)).unwrap();
        }
        let (finished, _) = sampled.finish(Pricing::default()).unwrap();
        prop_assert_eq!(finished.rate, 1.0);
        let sizes: Vec<u32> = (1..60).collect();
        prop_assert_eq!(
            counts(&finished.curves[0], &BLOCKS, &sizes),
            counts(&exact(&rows, &options), &BLOCKS, &sizes)
        );
    }

    #[test]
    fn the_head_forgets_what_small_caches_do_not_need(
        rows in prop::collection::vec(row(), 0..400),
        honours in any::<bool>(),
        head_blocks in 1..20_u32,
        rows_at_once in 1..50_usize,
    ) {
        let syncs = if honours { Syncs::Honour } else { Syncs::Ignore };
        let options = Options { block_bytes: 4, syncs, ..Options::default() };
        let (head, all) = head_and_exact(&rows, &options, head_blocks, rows_at_once);
        prop_assert_eq!(head, all);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    /// More slots than a line has, as few tests have.
    #[test]
    fn a_head_of_many_blocks_is_exact(
        blocks in prop::collection::vec((prop_oneof![0..500_i64, 0..3000_i64], any::<bool>()), 20_000),
        head_blocks in 1..700_u32,
        rows_at_once in 100..2000_usize,
    ) {
        let rows: Vec<ReferenceRow> = blocks
            .into_iter()
            .map(|(block, write)| (if write { "write" } else { "read" }, 0, Some(block * 4), Some(4), None, false))
            .collect();
        let options = Options { block_bytes: 4, ..Options::default() };
        let (head, all) = head_and_exact(&rows, &options, head_blocks, rows_at_once);
        prop_assert_eq!(head, all);
    }
}

/// References that name a range of a file or all of it, as those to disks.
fn row_of_whole_files() -> impl Strategy<Value = ReferenceRow> {
    let operations = prop::sample::select(vec!["read", "read", "read", "write", "write", "sync", "delete"]);
    let offsets = prop_oneof![0..160_i64, 0..100_000_i64];
    (operations, 0..3_i32, offsets, 0..40_i64, prop::bool::weighted(0.2)).prop_map(
        |(operation, file, offset, length, synchronous)| match operation {
            "read" | "write" => (operation, file, Some(offset), Some(length), None, synchronous),
            _ => (operation, file, None, None, None, false),
        },
    )
}

proptest! {
    #[test]
    fn blocks_numbered_without_gaps_have_the_same_counts(
        rows in prop::collection::vec(row_of_whole_files(), 0..300),
        honours in any::<bool>(),
        most_blocks in prop::option::of(5..60_u64),
        rate in 0.05..1.0_f64,
        head_blocks in prop::sample::select(vec![0, 9]),
        threads in 1..3_usize,
    ) {
        let syncs = if honours { Syncs::Honour } else { Syncs::Ignore };
        let options = Options { block_bytes: 4, syncs, ..Options::default() };
        let run = |has_whole_files| {
            let sampling = Sampling { rate, most_blocks, seed: 3, groups: 4, head_blocks, has_whole_files };
            let mut sampled =
                Sampled::new(options.clone(), sampling, MiniatureCaches::default(), threads).unwrap();
            for some in rows.chunks(17) {
                sampled.push(&batch(some)).unwrap();
            }
            let demands = sampled.demands().to_vec();
            (demands, sampled.finish(Pricing::default()).unwrap())
        };
        let (demands, (numbered, head)) = run(true);
        let (demands_by_place, (by_place, head_by_place)) = run(false);
        prop_assert_eq!(demands, demands_by_place);
        prop_assert_eq!((numbered.rate, numbered.sampled_blocks), (by_place.rate, by_place.sampled_blocks));
        let sizes: Vec<u32> = (1..200).collect();
        let names = [&BLOCKS[..], &REQUESTS[..]].concat();
        let all = |curves: &[Curve]| curves.iter().map(|curve| counts(curve, &names, &sizes)).collect::<Vec<_>>();
        prop_assert_eq!(all(&numbered.curves), all(&by_place.curves));
        prop_assert_eq!(all(head.as_slice()), all(head_by_place.as_slice()));
    }
}

#[test]
fn blocks_numbered_without_gaps_have_no_place_in_a_file() {
    let sampling =
        Sampling { rate: 0.5, most_blocks: None, seed: 1, groups: 4, head_blocks: 0, has_whole_files: true };
    for row in [
        ("truncate", 0, Some(8), None, None, false),
        ("sync", 0, Some(8), Some(8), None, false),
        ("read", 0, Some(8), Some(8), Some(99), false),
    ] {
        let mut sampled =
            Sampled::new(Options::default(), sampling.clone(), MiniatureCaches::default(), 1).unwrap();
        assert!(sampled.push(&batch(&[row])).unwrap_err().reason.contains("no place in their file"));
    }
}

#[test]
fn a_sample_of_fixed_size_is_one_of_a_fixed_rate() {
    let rows: Vec<ReferenceRow> =
        (0..60_000_i64).map(|row| ("read", 0, Some(row * 7919 % 5000 * 4), Some(4), None, false)).collect();
    let options = Options { block_bytes: 4, ..Options::default() };
    let run = |rate: f64, most_blocks: Option<u64>| {
        let sampling =
            Sampling { rate, most_blocks, seed: 5, groups: 16, head_blocks: 0, has_whole_files: false };
        let mut sampled = Sampled::new(options.clone(), sampling, MiniatureCaches::default(), 2).unwrap();
        rows.chunks(1000).for_each(|some| sampled.push(&batch(some)).unwrap());
        sampled.finish(Pricing::default()).unwrap().0
    };
    let fixed_size = run(1.0, Some(700));
    assert!(fixed_size.sampled_blocks <= 700 && fixed_size.rate < 0.2, "{fixed_size:?}");
    let fixed_rate = run(fixed_size.rate, None);
    let sizes: Vec<u32> = (1..900).collect();
    assert_eq!(fixed_size.curves.len(), 17);
    for (one, other) in fixed_size.curves.iter().zip(&fixed_rate.curves) {
        assert_eq!(counts(one, &BLOCKS, &sizes), counts(other, &BLOCKS, &sizes));
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |rate: f64, most_blocks: Option<u64>, groups: u8| {
        let sampling =
            Sampling { rate, most_blocks, seed: 1, groups, head_blocks: 0, has_whole_files: false };
        let made = Sampled::new(Options::default(), sampling, MiniatureCaches::default(), 1);
        made.err().map(|error| error.reason)
    };
    for rate in [0.0, 2.0, -1.0, f64::NAN] {
        assert!(refused(rate, None, 16).unwrap().contains("above 0 and at most 1"));
    }
    assert!(refused(0.5, Some(0), 16).unwrap().contains("at least one block"));
    assert!(refused(0.5, None, 3).unwrap().contains("power of two"));
}
