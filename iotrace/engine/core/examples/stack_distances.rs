//! Times an exact stack-distance pass over a file of block numbers (32 bits, little endian), for tests/benchmarks.
//!
//! `stack_distances engine FILE` runs the engine on one file's blocks, with reads and writes separate;
//! `stack_distances fenwick FILE` runs the textbook algorithm, a Fenwick tree over time with an array of last uses.
//! Prints seconds, the process's peak memory in KB (0 if Linux does not report it), then hits in caches of 1,000,
//! 10,000, 100,000 and 1,000,000 blocks and in an unlimited one. Reading the file and making Arrow batches of it is
//! not timed.

use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    cast::AsArray, ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray,
};
use iotrace_core::cache::stack_distance::{Engine, Options, Pricing};
use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SIZES: [u32; 5] = [1_000, 10_000, 100_000, 1_000_000, 1 << 30];
const BLOCK_BYTES: i64 = 4096;
const BATCH_ROWS: usize = 1 << 16;

type Outcome = (Duration, Vec<i64>);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [way, path] = arguments.as_slice() else {
        return Err("give engine or fenwick, and a file".into());
    };
    let file = File::open(path)?;
    let (time, hits) = match way.as_str() {
        "engine" => engine(file)?,
        "fenwick" => fenwick(&blocks(&file, usize::MAX / 4)?),
        _ => return Err("give engine or fenwick".into()),
    };
    println!("{} {} {hits:?}", time.as_secs_f64(), peak_kb());
    Ok(())
}

/// The peak memory of this process.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// The next blocks of a file, at most `count`.
fn blocks(file: &File, most: usize) -> Result<Vec<u32>, Box<dyn Error>> {
    let mut bytes = Vec::new();
    file.take(4 * most as u64).read_to_end(&mut bytes)?;
    Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

/// The engine; every fourth request is a write.
fn engine(file: File) -> Result<Outcome, Box<dyn Error>> {
    let operations = Arc::new(StringArray::from(vec!["read", "write"]));
    let batch = |blocks: &[u32]| -> Result<RecordBatch, Box<dyn Error>> {
        let keys: Int32Array = (0..blocks.len()).map(|row| i32::from(row % 4 == 3)).collect();
        let operation = DictionaryArray::<Int32Type>::try_new(keys, operations.clone())?;
        let offset: Int64Array = blocks.iter().map(|&block| i64::from(block) * BLOCK_BYTES).collect();
        Ok(RecordBatch::try_from_iter([
            ("file", Arc::new(Int32Array::from(vec![0; blocks.len()])) as ArrayRef),
            ("operation", Arc::new(operation)),
            ("offset", Arc::new(offset)),
            ("length", Arc::new(Int64Array::from(vec![BLOCK_BYTES; blocks.len()]))),
        ])?)
    };
    let mut engine = Engine::new(Options { block_bytes: BLOCK_BYTES as u32, ..Options::default() })?;
    let (mut time, mut references) = (Duration::ZERO, 0);
    loop {
        let next = blocks(&file, BATCH_ROWS)?;
        if next.is_empty() {
            break;
        }
        let batch = batch(&next)?;
        references += next.len() as i64;
        let start = Instant::now();
        engine.push(&batch)?;
        time += start.elapsed();
    }
    let start = Instant::now();
    let curve = engine.finish(Pricing::default()).table(0, Some(&SIZES))?;
    time += start.elapsed();
    let misses =
        curve.column_by_name("block_misses").map(|column| column.as_primitive::<Int64Type>().clone());
    let misses = misses.ok_or("no misses")?;
    Ok((time, misses.values().iter().map(|&misses| references - misses).collect()))
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
