//! Times exact stack-distance passes, for tests/benchmarks.
//!
//! `stack_distances WAY FILE`, where FILE holds block numbers (32 bits, little endian), is one of
//! - `engine`: reads and writes apart, a request for each block, through Arrow;
//! - `components`: the same, split among four components;
//! - `reads`: reads only, by number, without Arrow;
//! - `keys`: the same by scattered 64-bit keys;
//! - `threads`: the same, one thread for the numbers of the keys and one for the rest;
//! - `fenwick`: the textbook way, a Fenwick tree over time with an array of last uses.
//!
//! `stack_distances requests FILE` takes requests of any length, each as file and write (32 bits), offset and length in
//! bytes (64 bits).
//!
//! `stack_distances limit FILE` ignores the file and adds one at random places of 128 MB.
//!
//! Prints the seconds of processor time (or elapsed ones, if Linux does not report them), the process's peak memory in KB
//! (0 if Linux does not report it), the blocks touched, then hits in caches of 1,000, 10,000, 100,000 and 1,000,000
//! blocks and in an unlimited one. Reading the file and making batches of it is not timed. For `threads`, the seconds
//! are elapsed ones, from arrays in memory.

use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    cast::AsArray, ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray,
};
use iotrace_core::cache::stack_distance::{Engine, KeyReads, Options, Pricing, Reads};
use iotrace_core::lists::{ask_for_huge_pages, prefetch};
use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use std::time::Instant;

const SIZES: [u32; 5] = [1_000, 10_000, 100_000, 1_000_000, 1 << 30];
const BLOCK_BYTES: i64 = 4096;
const BATCH_ROWS: usize = 1 << 16;
const COMPONENTS: usize = 4;
/// Keys that are in memory at once.
const BATCH_KEYS: usize = 1 << 22;
const LIMIT_BYTES: usize = 128 << 20;
const LIMIT_UPDATES: usize = 20_000_000;
const LIMIT_AHEAD: usize = 64;

/// What a pass took and found.
struct Outcome {
    seconds: f64,
    blocks: i64,
    hits: Vec<i64>,
}

/// A request for blocks.
struct Request {
    file: i32,
    write: bool,
    offset: i64,
    length: i64,
    component: i32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [way, path] = arguments.as_slice() else {
        return Err("give a way and a file".into());
    };
    let file = File::open(path)?;
    let outcome = match way.as_str() {
        "engine" => engine(false, || single_blocks(&file, 1))?,
        "components" => engine(true, || single_blocks(&file, COMPONENTS))?,
        "requests" => engine(false, || requests(&file))?,
        "reads" => reads(&file)?,
        "keys" => keys(&file, false)?,
        "threads" => keys(&file, true)?,
        "limit" => limit(),
        "fenwick" => fenwick(&blocks(&file, usize::MAX / 4)?),
        _ => return Err("give engine, components, requests, reads, keys, threads, limit or fenwick".into()),
    };
    println!("{} {} {} {:?}", outcome.seconds, peak_kb(), outcome.blocks, outcome.hits);
    Ok(())
}

/// The peak memory of this process.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// A clock that runs while this thread does, where Linux has one, and otherwise always.
struct Clock {
    start: Instant,
    start_ns: Option<u64>,
}

impl Clock {
    fn start() -> Self {
        Clock { start: Instant::now(), start_ns: Clock::run_ns() }
    }

    fn seconds(&self) -> f64 {
        match (self.start_ns, Clock::run_ns()) {
            (Some(start_ns), Some(end_ns)) => (end_ns - start_ns) as f64 / 1e9,
            _ => self.start.elapsed().as_secs_f64(),
        }
    }

    fn run_ns() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse().ok()
    }
}

/// The next bytes of a file, at most `most`.
fn bytes(file: &File, most: usize) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut bytes = Vec::new();
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The next blocks of a file, at most `most`.
fn blocks(file: &File, most: usize) -> Result<Vec<u32>, Box<dyn Error>> {
    let bytes = bytes(file, most.saturating_mul(4))?;
    Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

/// A request for each of the next blocks; every fourth is a write. Components change every seven requests.
fn single_blocks(file: &File, components: usize) -> Result<Vec<Request>, Box<dyn Error>> {
    let request = |(row, block): (usize, u32)| Request {
        file: 0,
        write: row % 4 == 3,
        offset: i64::from(block) * BLOCK_BYTES,
        length: BLOCK_BYTES,
        component: (row / 7 % components) as i32,
    };
    Ok(blocks(file, BATCH_ROWS)?.into_iter().enumerate().map(request).collect())
}

/// The next requests.
fn requests(file: &File) -> Result<Vec<Request>, Box<dyn Error>> {
    let record = |bytes: &[u8]| -> Option<Request> {
        let word = |at: usize| Some(i32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let long = |at: usize| Some(i64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        Some(Request {
            file: word(0)?,
            write: word(4)? != 0,
            offset: long(8)?,
            length: long(16)?,
            component: 0,
        })
    };
    Ok(bytes(file, 24 * BATCH_ROWS)?.chunks(24).filter_map(record).collect())
}

/// The requests as the engine takes them.
fn batch(requests: &[Request], components: bool) -> Result<RecordBatch, Box<dyn Error>> {
    let names = Arc::new(StringArray::from(vec!["read", "write"]));
    let keys: Int32Array = requests.iter().map(|request| i32::from(request.write)).collect();
    let file: Int32Array = requests.iter().map(|request| request.file).collect();
    let offset: Int64Array = requests.iter().map(|request| request.offset).collect();
    let length: Int64Array = requests.iter().map(|request| request.length).collect();
    let mut columns = vec![
        ("file", Arc::new(file) as ArrayRef),
        ("operation", Arc::new(DictionaryArray::<Int32Type>::try_new(keys, names)?)),
        ("offset", Arc::new(offset)),
        ("length", Arc::new(length)),
    ];
    if components {
        let component: Int32Array = requests.iter().map(|request| request.component).collect();
        columns.push(("component", Arc::new(component)));
    }
    Ok(RecordBatch::try_from_iter(columns)?)
}

/// The engine over the requests that `next` returns, until there are none.
fn engine(
    components: bool,
    mut next: impl FnMut() -> Result<Vec<Request>, Box<dyn Error>>,
) -> Result<Outcome, Box<dyn Error>> {
    let mut engine = Engine::new(Options { block_bytes: BLOCK_BYTES as u32, ..Options::default() })?;
    let mut seconds = 0.0;
    loop {
        let requests = next()?;
        if requests.is_empty() {
            break;
        }
        let batch = batch(&requests, components)?;
        let clock = Clock::start();
        engine.push(&batch)?;
        seconds += clock.seconds();
    }
    let clock = Clock::start();
    let curve = engine.finish(Pricing::default());
    let tables: Result<Vec<RecordBatch>, _> =
        (0..curve.components()).map(|component| curve.table(component, Some(&SIZES))).collect();
    let tables = tables?;
    seconds += clock.seconds();
    let sum = |name: &str, row: usize| -> i64 {
        let columns = tables.iter().filter_map(|table| table.column_by_name(name));
        columns.map(|column| column.as_primitive::<Int64Type>().value(row)).sum()
    };
    let hits = |row| sum("block_references", row) - sum("block_misses", row);
    Ok(Outcome { seconds, blocks: sum("block_references", 0), hits: (0..SIZES.len()).map(hits).collect() })
}

/// Reads of single blocks by number.
fn reads(file: &File) -> Result<Outcome, Box<dyn Error>> {
    let (mut reads, mut seconds) = (Reads::default(), 0.0);
    loop {
        let numbers = blocks(file, BATCH_ROWS)?;
        let clock = Clock::start();
        if numbers.is_empty() {
            let hits = reads.hits(&SIZES).into_iter().map(|hits| hits as i64).collect();
            return Ok(Outcome { seconds: seconds + clock.seconds(), blocks: reads.reads() as i64, hits });
        }
        reads.push(&numbers)?;
        seconds += clock.seconds();
    }
}

/// The next blocks of a file as 64-bit keys in no order.
fn scattered(file: &File) -> Result<Vec<u64>, Box<dyn Error>> {
    let key = |block: u32| {
        let mixed = (u64::from(block) + 1).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB)
    };
    Ok(blocks(file, BATCH_KEYS)?.into_iter().map(key).collect())
}

/// Reads of single blocks by key; on two threads, the seconds are elapsed ones.
fn keys(file: &File, two_threads: bool) -> Result<Outcome, Box<dyn Error>> {
    let (mut reads, mut seconds) = (KeyReads::default(), 0.0);
    loop {
        let keys = scattered(file)?;
        let (start, clock) = (Instant::now(), Clock::start());
        let hits = if keys.is_empty() { reads.hits(&SIZES) } else { Vec::new() };
        if two_threads {
            reads.push_on_two_threads(std::iter::once(&keys[..]))?;
        } else {
            reads.push(&keys)?;
        }
        seconds += if two_threads { start.elapsed().as_secs_f64() } else { clock.seconds() };
        if keys.is_empty() {
            let hits = hits.into_iter().map(|hits| hits as i64).collect();
            return Ok(Outcome { seconds, blocks: reads.reads() as i64, hits });
        }
    }
}

/// Random updates: what the memory allows.
fn limit() -> Outcome {
    let mut counts = vec![1_u32; LIMIT_BYTES / 4];
    ask_for_huge_pages(&counts);
    let mut state = 88_172_645_463_325_252_u64;
    let places: Vec<u32> = (0..LIMIT_UPDATES)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (((state >> 32) * counts.len() as u64) >> 32) as u32
        })
        .collect();
    let clock = Clock::start();
    for (index, &place) in places.iter().enumerate() {
        if let Some(&ahead) = places.get(index + LIMIT_AHEAD) {
            prefetch(&counts[ahead as usize]);
        }
        counts[place as usize] = counts[place as usize].wrapping_add(1);
    }
    let seconds = clock.seconds();
    let updated = counts.iter().filter(|&&count| count != 1).count() as i64;
    Outcome { seconds, blocks: LIMIT_UPDATES as i64, hits: vec![updated] }
}

/// A Fenwick tree over time: 1 at each block's last use.
fn fenwick(blocks: &[u32]) -> Outcome {
    let clock = Clock::start();
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
    let seconds = clock.seconds();
    let hits = |size: u32| hits_at.iter().take(size as usize + 1).sum();
    Outcome { seconds, blocks: blocks.len() as i64, hits: SIZES.into_iter().map(hits).collect() }
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
