//! Times random accesses to memory, for tests/benchmarks/roofline.py.
//!
//! `memory_bound machine` adds one at random places of arrays of several sizes: dependent, where each place is known only
//! once the one before it was read, and independent, where it is prefetched. Prints the bytes, then the nanoseconds of an
//! access of each kind, a line for each size. All times are this thread's on a processor, as Linux reports them.
//!
//! `memory_bound CASE FILE`, where FILE holds block numbers (32 bits, little endian) and CASE is `reads`, `keys` or
//! `engine` (see stack_distances.rs), makes the accesses to arrays that this case of the exact engine makes, in its order
//! and to arrays of its sizes, and does nothing else. Prints the nanoseconds a reference, then of each array its name, its
//! bytes and the accesses a reference.

use iotrace_core::cache::stack_distance::{Interner, Reads};
use iotrace_core::lists::{filled, prefetch};
use std::collections::HashMap;
use std::error::Error;
use std::hint::black_box;

const SIZES: [usize; 10] = [15, 17, 19, 20, 21, 23, 24, 25, 27, 29];
const ACCESSES: usize = 10_000_000;
const AHEAD: usize = 64;
/// Words of 32 bits in a line of the processor's cache.
const LINE_WORDS: usize = 16;
/// References whose accesses are made together, as many as the engine has slots in a line.
const SUB_BATCH: usize = 448;
/// Slots for each distinct block.
const ROOM: usize = 4;
/// Blocks whose numbers follow each other.
const PAGE: u32 = 16;
/// Keys for each bucket of a line.
const BUCKET_KEYS: usize = 4;

/// An array, and the words that are changed in it, by reference; word 0 where there is none.
struct Accesses {
    name: &'static str,
    words: usize,
    places: Vec<u32>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["machine"] => SIZES.into_iter().try_for_each(|bits| machine(1 << bits))?,
        [case @ ("reads" | "keys" | "engine"), path] => {
            let bytes = std::fs::read(path)?;
            let blocks: Vec<u32> =
                bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
            of_case(case, &blocks)?;
        }
        _ => return Err("give machine, or reads, keys or engine and a file".into()),
    }
    Ok(())
}

/// Random numbers below `end`.
fn random(end: usize, count: usize) -> Vec<u32> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (((state >> 32) * end as u64) >> 32) as u32
    };
    (0..count).map(|_| next()).collect()
}

/// The time that this thread has run so far.
fn processor_ns() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(text.split_whitespace().next().unwrap_or_default().parse()?)
}

fn machine(bytes: usize) -> Result<(), Box<dyn Error>> {
    let words = bytes / 4;
    // one cycle over the lines of the array, in random order
    let mut order: Vec<u32> = (0..(words / LINE_WORDS) as u32).collect();
    for (place, other) in random(1 << 31, order.len()).into_iter().enumerate() {
        order.swap(place, other as usize % (place + 1));
    }
    let mut array = filled(words, 0_u32);
    for pair in 0..order.len() {
        let next = order[(pair + 1) % order.len()];
        array[order[pair] as usize * LINE_WORDS] = next * LINE_WORDS as u32;
    }
    let mut place = 0;
    let start = processor_ns()?;
    for _ in 0..ACCESSES {
        place = array[place as usize];
    }
    let dependent = processor_ns()? - start;
    black_box(place);
    let places = random(words, ACCESSES);
    let start = processor_ns()?;
    for (index, &place) in places.iter().enumerate() {
        if let Some(&ahead) = places.get(index + AHEAD) {
            prefetch(&array[ahead as usize]);
        }
        array[place as usize] = array[place as usize].wrapping_add(1);
    }
    let independent = processor_ns()? - start;
    black_box(array);
    let each = |ns: f64| ns / ACCESSES as f64;
    println!("{bytes}\t{:.2}\t{:.2}", each(dependent), each(independent));
    Ok(())
}

fn of_case(case: &str, blocks: &[u32]) -> Result<(), Box<dyn Error>> {
    let mut distances = Vec::new();
    let mut reads = Reads::default();
    reads.push_each(blocks, &mut distances)?;
    let distinct = reads.distinct_blocks() as usize;
    let largest = blocks.iter().max().map_or(0, |&block| block as usize);
    let mut all = vec![lines(blocks, distinct)];
    match case {
        "reads" => {
            all.push(Accesses { name: "slots", words: largest + 1, places: blocks.to_vec() });
            all.push(Accesses { name: "counts", words: distinct + 1, places: distances });
        }
        "keys" => {
            let keys: Vec<u64> = blocks.iter().map(|&block| scattered(block)).collect();
            let mut numbers = vec![0; keys.len()];
            Interner::default().numbers(&keys, &mut numbers).ok_or("too many keys")?;
            let buckets = distinct / BUCKET_KEYS + 1;
            let bucket = |key: &u64| ((u128::from(*key) * buckets as u128) >> 64) as u32 * LINE_WORDS as u32;
            let places = keys.iter().map(bucket).collect();
            all.push(Accesses { name: "buckets of keys", words: buckets * LINE_WORDS, places });
            all.push(Accesses { name: "slots", words: distinct, places: numbers });
            all.push(Accesses { name: "counts", words: distinct + 1, places: distances });
        }
        _ => {
            let pages: Vec<u32> = blocks.iter().map(|&block| block / PAGE).collect();
            let mut first = HashMap::new();
            let state = |(&block, &page): (&u32, &u32)| {
                let known = first.len() as u32;
                2 * (*first.entry(page).or_insert(known) * PAGE + block % PAGE)
            };
            let states: Vec<u32> = blocks.iter().zip(&pages).map(state).collect();
            let numbers = first.len() * PAGE as usize;
            let [from, to] = expulsions(&states, numbers, &distances);
            let is_write = |row: usize| row % 4 == 3;
            let of = |write: bool| {
                let counted =
                    |(row, &distance): (usize, &u32)| if is_write(row) == write { distance } else { 0 };
                distances.iter().enumerate().map(counted).collect()
            };
            let counts = |name, places| Accesses { name, words: distinct + 1, places };
            all.push(Accesses { name: "pages", words: largest / PAGE as usize + 1, places: pages });
            all.push(counts("counts of reads", of(false)));
            all.push(counts("counts of writes", of(true)));
            all.push(counts("expulsions from", from));
            all.push(counts("expulsions to", to));
            all.push(Accesses { name: "states", words: 2 * numbers, places: states });
        }
    }
    println!("{:.2}", accesses_ns(&all, blocks.len())? / blocks.len() as f64);
    for Accesses { name, words, places } in &all {
        let made = places.iter().filter(|&&place| place != 0).count();
        println!("{name}\t{}\t{:.3}", words * 4, made as f64 / blocks.len() as f64);
    }
    Ok(())
}

/// A 64-bit key for a block, in no order.
fn scattered(block: u32) -> u64 {
    let mixed = (u64::from(block) + 1).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB)
}

/// The lines of slots that blocks give up, where slots are taken in turn and begin anew after all of them.
fn lines(blocks: &[u32], distinct: usize) -> Accesses {
    let slots = ROOM * distinct;
    let mut last = HashMap::new();
    let place = |(row, &block): (usize, &u32)| match last.insert(block, row) {
        Some(former) => (former % slots / SUB_BATCH * LINE_WORDS) as u32,
        None => 0,
    };
    let places = blocks.iter().enumerate().map(place).collect();
    Accesses { name: "lines of slots", words: (slots / SUB_BATCH + 1) * LINE_WORDS, places }
}

/// Of each reference that finds its block evicted dirty from some caches, the smallest of them and the first beyond.
fn expulsions(states: &[u32], numbers: usize, distances: &[u32]) -> [Vec<u32>; 2] {
    let mut levels = vec![0_u32; numbers];
    let mut found = [vec![0; states.len()], vec![0; states.len()]];
    for (row, (&state, &distance)) in states.iter().zip(distances).enumerate() {
        let level = &mut levels[state as usize / 2];
        if *level != 0 && *level < distance {
            (found[0][row], found[1][row]) = (*level, distance);
        }
        *level = match (row % 4 == 3, *level) {
            (true, _) => 1,
            (false, 0) => 0,
            (false, level) => level.max(distance),
        };
    }
    found
}

/// The time of all accesses, those of a sub-batch array by array, each prefetched before the first is made.
fn accesses_ns(all: &[Accesses], references: usize) -> Result<f64, Box<dyn Error>> {
    let mut arrays: Vec<Vec<u32>> = all.iter().map(|one| filled(one.words, 0)).collect();
    let start = processor_ns()?;
    for first in (0..references).step_by(SUB_BATCH) {
        let rows = first..references.min(first + SUB_BATCH);
        for (one, array) in all.iter().zip(&arrays) {
            one.places[rows.clone()].iter().for_each(|&place| prefetch(&array[place as usize]));
        }
        for (one, array) in all.iter().zip(&mut arrays) {
            for &place in &one.places[rows.clone()] {
                array[place as usize] = array[place as usize].wrapping_add(1);
            }
        }
    }
    let taken = processor_ns()? - start;
    black_box(arrays);
    Ok(taken)
}
