//! Times an exact stack-distance pass over a file of block numbers (32 bits, little endian), for tests/benchmarks.
//!
//! `stack_distances engine FILE` runs the engine on one file's blocks; `stack_distances fenwick FILE` runs the
//! textbook way, a Fenwick tree over time with an array of last uses. Prints seconds, then hits in caches of 1,000,
//! 10,000, 100,000 and 1,000,000 blocks and of any size.

use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    cast::AsArray, ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray,
};
use iotrace_core::stack::{Engine, Options, Pricing};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SIZES: [u32; 5] = [1_000, 10_000, 100_000, 1_000_000, 1 << 30];
const BLOCK_BYTES: i64 = 4096;

type Outcome = (Duration, Vec<i64>);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [way, path] = arguments.as_slice() else {
        return Err("give engine or fenwick, and a file".into());
    };
    let bytes = std::fs::read(path)?;
    let blocks: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    let (time, hits) = match way.as_str() {
        "engine" => engine(&blocks)?,
        "fenwick" => fenwick(&blocks),
        _ => return Err("give engine or fenwick".into()),
    };
    println!("{} {hits:?}", time.as_secs_f64());
    Ok(())
}

/// The engine, reads and writes apart: every fourth request is a write.
fn engine(blocks: &[u32]) -> Result<Outcome, Box<dyn Error>> {
    let operations = Arc::new(StringArray::from(vec!["read", "write"]));
    let batch = |blocks: &[u32]| -> Result<RecordBatch, Box<dyn Error>> {
        let keys: Int32Array = (0..blocks.len())
            .map(|row| i32::from(row % 4 == 3))
            .collect();
        let operation = DictionaryArray::<Int32Type>::try_new(keys, operations.clone())?;
        let offset: Int64Array = blocks
            .iter()
            .map(|&block| i64::from(block) * BLOCK_BYTES)
            .collect();
        Ok(RecordBatch::try_from_iter([
            (
                "file",
                Arc::new(Int32Array::from(vec![0; blocks.len()])) as ArrayRef,
            ),
            ("operation", Arc::new(operation)),
            ("offset", Arc::new(offset)),
            (
                "length",
                Arc::new(Int64Array::from(vec![BLOCK_BYTES; blocks.len()])),
            ),
        ])?)
    };
    let batches = blocks
        .chunks(1 << 16)
        .map(batch)
        .collect::<Result<Vec<_>, _>>()?;
    let start = Instant::now();
    let mut engine = Engine::new(Options {
        block_bytes: BLOCK_BYTES as u32,
        ..Options::default()
    })?;
    for batch in &batches {
        engine.push(batch)?;
    }
    let curve = engine.finish(Pricing::default()).table(0, Some(&SIZES))?;
    let time = start.elapsed();
    let misses = curve
        .column_by_name("block_misses")
        .map(|column| column.as_primitive::<Int64Type>().clone());
    let misses = misses.ok_or("no misses")?;
    Ok((
        time,
        misses
            .values()
            .iter()
            .map(|&misses| blocks.len() as i64 - misses)
            .collect(),
    ))
}

/// A Fenwick tree over time: 1 at each block's last use.
fn fenwick(blocks: &[u32]) -> Outcome {
    let start = Instant::now();
    let mut tree = vec![0_i32; blocks.len() + 1];
    let mut last = vec![0_u32; blocks.iter().max().map_or(0, |&block| block as usize + 1)];
    let mut hits_at = vec![0_i64; last.len() + 2];
    for (index, &block) in blocks.iter().enumerate() {
        let now = index + 1;
        let former = std::mem::replace(&mut last[block as usize], now as u32) as usize;
        if former != 0 {
            let distance = prefix(&tree, now - 1) - prefix(&tree, former - 1);
            hits_at[distance as usize] += 1;
            add(&mut tree, former, -1);
        }
        add(&mut tree, now, 1);
    }
    let time = start.elapsed();
    let hits = |size: u32| hits_at.iter().take(size as usize + 1).sum();
    (time, SIZES.into_iter().map(hits).collect())
}

fn prefix(tree: &[i32], mut index: usize) -> i32 {
    let mut sum = 0;
    while index > 0 {
        sum += tree[index];
        index &= index - 1;
    }
    sum
}

fn add(tree: &mut [i32], mut index: usize, value: i32) {
    while index < tree.len() {
        tree[index] += value;
        index += index & index.wrapping_neg();
    }
}
