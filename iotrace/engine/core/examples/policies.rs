//! Times one replacement policy over a file of block numbers (32 bits, little endian), for tests/benchmarks.
//!
//! `policies NAME BLOCKS FILE` simulates a cache of BLOCKS blocks on one core: first the policy alone, over the block
//! numbers in memory, then a whole pass as `iotrace curve --policy` makes one, from Arrow batches of single-block
//! reads to all counts. Prints the seconds of both, then the misses, which must agree. Reading the file and converting
//! it to Arrow batches is not timed.

use arrow_array::{
    cast::AsArray, types::Int32Type, types::Int64Type, ArrayRef, DictionaryArray, Int32Array, Int64Array,
    RecordBatch, StringArray,
};
use iotrace_core::cache::policies::{misses, Simulator};
use iotrace_core::cache::replacement::{Choice, Policy};
use iotrace_core::cache::stack_distance::{Options, Pricing};
use iotrace_core::cache::StreamSimulator;
use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

const BLOCK_BYTES: i64 = 4096;
const BATCH_ROWS: u64 = 1 << 16;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, size, path] = arguments.as_slice() else {
        return Err("give a policy, a size in blocks, and a file".into());
    };
    let choice = Choice { policy: Policy::of_blocks(name)?, size: size.parse()?, protected_percent: 75 };
    let options = Options { block_bytes: BLOCK_BYTES as u32, ..Options::default() };
    let chosen = if name == "none" { vec![] } else { vec![choice] };
    let mut simulator = Simulator::new(options, &chosen, 1)?;
    let blocks: Vec<u32> = std::fs::read(path)?.chunks_exact(4).map(number).collect();
    let start = Instant::now();
    let missed = misses(&choice, &blocks)?;
    let alone = start.elapsed();
    drop(blocks);
    let (file, mut time) = (File::open(path)?, Duration::ZERO);
    loop {
        let mut bytes = Vec::new();
        (&file).take(4 * BATCH_ROWS).read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            break;
        }
        let batch = reads(&bytes)?;
        let start = Instant::now();
        simulator.push(&batch)?;
        time += start.elapsed();
    }
    let start = Instant::now();
    let table = Box::new(simulator).finish(Pricing::default())?;
    time += start.elapsed();
    let misses = table.column_by_name("block_misses").ok_or("no misses")?;
    let misses = misses.as_primitive::<Int64Type>().value(0);
    if missed as i64 != misses {
        return Err(format!("{missed} misses alone, {misses} in a whole pass").into());
    }
    println!("{} {} {misses}", alone.as_secs_f64(), time.as_secs_f64());
    Ok(())
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn reads(bytes: &[u8]) -> Result<RecordBatch, Box<dyn Error>> {
    let offset: Int64Array =
        bytes.chunks_exact(4).map(|bytes| i64::from(number(bytes)) * BLOCK_BYTES).collect();
    let rows = offset.values().len();
    let zeros = Int32Array::from(vec![0; rows]);
    let names = Arc::new(StringArray::from(vec!["read"]));
    let operation = DictionaryArray::<Int32Type>::try_new(zeros.clone(), names)?;
    Ok(RecordBatch::try_from_iter([
        ("file", Arc::new(zeros) as ArrayRef),
        ("operation", Arc::new(operation)),
        ("offset", Arc::new(offset)),
        ("length", Arc::new(Int64Array::from(vec![BLOCK_BYTES; rows]))),
    ])?)
}
