//! Times slices of a stream and their merges, for tests/benchmarks.
//!
//! `merge_states FILE SLICES`, where FILE holds block numbers (32 bits, little endian), each a request for one block and
//! every fourth a write. Runs all of them through one engine, then as many slices, whose states it merges by a tree.
//! Prints the seconds of processor time of one pass, of all slices, and of the merges, then the first uses that were replayed. Fails where
//! the table of the merged state is not that of one pass.

use arrow_array::types::Int32Type;
use arrow_array::{DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray};
use iotrace_core::cache::stack_distance::{Engine, Options, Pricing, State};
use std::error::Error;
use std::sync::Arc;

const BLOCK_BYTES: u32 = 4096;
const BATCH_ROWS: usize = 1 << 16;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, slices] = arguments.as_slice() else {
        return Err("give a file and a number of slices".into());
    };
    let bytes = std::fs::read(path)?;
    let blocks: Vec<u32> =
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    drop(bytes);
    let batches: Result<Vec<RecordBatch>, _> = blocks.chunks(BATCH_ROWS).map(batch).collect();
    let batches = batches?;
    drop(blocks);

    let start_s = processor_s()?;
    let mut engine = Engine::new(options())?;
    batches.iter().try_for_each(|batch| engine.push(batch))?;
    let whole = engine.finish(Pricing::default());
    let one_pass_s = processor_s()? - start_s;

    let start_s = processor_s()?;
    let batches_in_slice = batches.len().div_ceil(slices.parse()?).max(1);
    let states: Result<Vec<State>, Box<dyn Error>> = batches.chunks(batches_in_slice).map(slice).collect();
    let mut states = states?;
    let slices_s = processor_s()? - start_s;

    let start_s = processor_s()?;
    let mut replayed = 0;
    while states.len() > 1 {
        let mut merged = Vec::new();
        let mut rest = states.into_iter();
        while let Some(left) = rest.next() {
            merged.push(match rest.next() {
                Some(right) => {
                    replayed += right.distinct_blocks();
                    left.merge(right, None)?
                }
                None => left,
            });
        }
        states = merged;
    }
    let merge_s = processor_s()? - start_s;
    let state = states.pop().ok_or("no blocks")?;
    let merged = state.finish(BLOCK_BYTES, Pricing::default());
    if merged.table(0, None)? != whole.table(0, None)? {
        return Err("the merged state differs from one pass".into());
    }
    println!("{one_pass_s} {slices_s} {merge_s} {replayed}");
    Ok(())
}

/// The seconds that this thread has run.
fn processor_s() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let run_ns: u64 = text.split_whitespace().next().ok_or("no time")?.parse()?;
    Ok(run_ns as f64 / 1e9)
}

fn options() -> Options {
    Options { block_bytes: BLOCK_BYTES, ..Options::default() }
}

fn slice(batches: &[RecordBatch]) -> Result<State, Box<dyn Error>> {
    let mut engine = Engine::of_slice(options())?;
    batches.iter().try_for_each(|batch| engine.push(batch))?;
    Ok(engine.finish_slice())
}

fn batch(blocks: &[u32]) -> Result<RecordBatch, Box<dyn Error>> {
    let names = Arc::new(StringArray::from(vec!["read", "write"]));
    let keys: Int32Array = (0..blocks.len()).map(|row| i32::from(row % 4 == 3)).collect();
    let offset: Int64Array = blocks.iter().map(|&block| i64::from(block) * i64::from(BLOCK_BYTES)).collect();
    let rows = blocks.len();
    Ok(RecordBatch::try_from_iter([
        ("file", Arc::new(Int32Array::from(vec![0; rows])) as _),
        ("operation", Arc::new(DictionaryArray::<Int32Type>::try_new(keys, names)?) as _),
        ("offset", Arc::new(offset) as _),
        ("length", Arc::new(Int64Array::from(vec![i64::from(BLOCK_BYTES); rows])) as _),
    ])?)
}
