//! The caches compared with the stack engine at every size, and the optimum compared with all policies.

use super::{hits, misses, Simulator};
use crate::cache::replacement::{Choice, Policy, POLICIES};
use crate::cache::stack_distance::{Deletes, Engine, Options, Pricing};
use crate::cache::StreamSimulator;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{cast::AsArray, ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch};
use proptest::prelude::*;
use std::sync::Arc;

/// operation, file, offset, length, bytes of the file beyond
type ReferenceRow = (&'static str, i32, i64, i64, i64);

const LARGEST: u32 = 40;

fn batch(rows: &[ReferenceRow]) -> RecordBatch {
    let operation: DictionaryArray<Int32Type> = rows.iter().map(|row| row.0).collect();
    let file: Int32Array = rows.iter().map(|row| row.1).collect();
    let numbers = |of: fn(&ReferenceRow) -> i64| Arc::new(rows.iter().map(of).collect::<Int64Array>());
    RecordBatch::try_from_iter([
        ("operation", Arc::new(operation) as ArrayRef),
        ("file", Arc::new(file) as ArrayRef),
        ("offset", numbers(|row| row.2)),
        ("length", numbers(|row| row.3)),
        ("file_size", numbers(|row| row.2 + row.3 + row.4)),
    ])
    .unwrap()
}

fn choice(name: &str, size: u64) -> Choice {
    Choice { policy: Policy::of_blocks(name).unwrap(), size, protected_percent: 75 }
}

fn choices(name: &str) -> Vec<Choice> {
    (1..=u64::from(LARGEST)).map(|size| choice(name, size)).collect()
}

/// The policies of caches of blocks.
fn names() -> impl Iterator<Item = &'static str> {
    POLICIES.iter().filter(|policy| policy.blocks.is_some()).map(|policy| policy.name)
}

fn simulate(rows: &[ReferenceRow], options: &Options, name: &str, batch_rows: usize) -> RecordBatch {
    let mut simulator = Simulator::new(options.clone(), &choices(name), 2).unwrap();
    for chunk in rows.chunks(batch_rows) {
        simulator.push(&batch(chunk)).unwrap();
    }
    Box::new(simulator).finish(Pricing::default()).unwrap()
}

fn column(table: &RecordBatch, name: &str) -> Vec<i64> {
    let column = table.column_by_name(name).unwrap();
    column.as_primitive::<Int64Type>().values().to_vec()
}

/// Rows over few files and few bytes, so that references overlap often.
fn rows() -> impl Strategy<Value = Vec<ReferenceRow>> {
    let operation = prop_oneof![
        4 => Just("read"), 3 => Just("write"), 1 => Just("update"), 1 => Just("truncate"), 1 => Just("delete")
    ];
    let length = prop_oneof![6 => 1..9_i64, 1 => 1..60_i64];
    prop::collection::vec((operation, 0..3_i32, 0..40_i64, length, 0..9_i64), 0..80)
}

fn options(deletes: Deletes, warm_up_requests: u64) -> Options {
    Options { block_bytes: 4, deletes, warm_up_requests, ..Options::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn lru_is_the_stack_engine_at_every_size(
        rows in rows(),
        batch_rows in 1..90_usize,
        deletes in prop_oneof![Just(Deletes::Honour), Just(Deletes::Ignore)],
        warm_up in prop_oneof![Just(0), 0..60_u64],
    ) {
        let options = options(deletes, warm_up);
        let mut engine = Engine::new(options.clone()).unwrap();
        engine.push(&batch(&rows)).unwrap();
        let mut simulator = Simulator::new(options.clone(), &[], 1).unwrap();
        simulator.push(&batch(&rows)).unwrap();
        prop_assert_eq!(engine.tally(), simulator.tally());
        let sizes: Vec<u32> = (1..=LARGEST).collect();
        let curve = engine.finish(Pricing::default()).table(0, Some(&sizes)).unwrap();
        let table = simulate(&rows, &options, "lru", batch_rows);
        for (place, field) in table.schema().fields().iter().enumerate().skip(1) {
            prop_assert_eq!(table.column(place), curve.column(place), "{}", field.name());
        }
    }

    #[test]
    fn the_optimum_misses_least_and_all_count_the_same_demand(rows in rows()) {
        let options = options(Deletes::Honour, 0);
        let best = simulate(&rows, &options, "opt", 7);
        for name in names() {
            let table = simulate(&rows, &options, name, 13);
            for demand in ["read_requests", "write_requests", "block_references", "cold_read_request_misses"] {
                prop_assert_eq!(column(&table, demand), column(&best, demand));
            }
            let misses = column(&table, "block_misses");
            for (misses, least) in misses.into_iter().zip(column(&best, "block_misses")) {
                prop_assert!(misses >= least, "{name}");
            }
        }
    }

    #[test]
    fn hits_are_the_references_that_do_not_miss(blocks in prop::collection::vec(0..60_u32, 0..200)) {
        let blocks = numbered(&blocks);
        let rows: Vec<ReferenceRow> = blocks.iter().map(|&block| ("read", 0, i64::from(block) * 4, 4, 0)).collect();
        for name in names() {
            let table = simulate(&rows, &options(Deletes::Honour, 0), name, 50);
            let counted = column(&table, "block_misses");
            for (choice, expected) in choices(name).iter().zip(counted) {
                prop_assert_eq!(misses(choice, &blocks).unwrap() as i64, expected);
                let missed = hits(choice, &blocks).unwrap().into_iter().filter(|hit| !hit).count();
                prop_assert_eq!(missed as i64, expected);
            }
        }
    }
}

/// Blocks numbered in the order of their first use, as requests are; what W-TinyLFU admits depends on the numbers.
fn numbered(blocks: &[u32]) -> Vec<u32> {
    let mut seen: Vec<u32> = Vec::new();
    let mut number = |block: u32| match seen.iter().position(|&other| other == block) {
        Some(place) => place as u32,
        None => {
            seen.push(block);
            seen.len() as u32 - 1
        }
    };
    blocks.iter().map(|&block| number(block)).collect()
}

/// Belady's own example would be long; this one is small. A cache of two over 0 1 2 0 1 keeps 0 for its next use: 1
/// goes for 2, then 2, which is never used again, for 1.
#[test]
fn the_optimum_looks_ahead() {
    let hit = hits(&choice("opt", 2), &[0, 1, 2, 0, 1]).unwrap();
    assert_eq!(hit, [false, false, false, true, false]);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let none = choice("lru", 0);
    assert!(Simulator::new(Options::default(), &[none], 1).is_err());
    assert!(hits(&none, &[]).is_err());
    let beyond = Choice { protected_percent: 101, ..choice("slru", 1) };
    assert!(Simulator::new(Options::default(), &[beyond], 1).is_err());
}
