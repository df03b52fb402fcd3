//! What LRU caches of chosen sizes read from the disk and write to it, where a miss fetches more than a cache block
//! (Richardson 1994, 1.2) and the eviction of a dirty block also writes the dirty blocks next to it (2.4.3).
//!
//! - `simulator` runs many of them over one stream;
//! - `table` makes a table of their counts.
//!
//! With fetch blocks LRU is not a stack algorithm, so that one pass cannot give all sizes: a larger cache need not hold
//! what a smaller one holds, and can miss more often. Let a and b be the blocks of one fetch block, and x and y files of
//! one block. Of the reads a x y b a, a cache of two blocks misses 4: at b it has evicted a, fetches it again, and hits it.
//! A cache of three misses all 5: at b it has evicted b only, which takes the place of a.

mod simulator;
mod table;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use simulator::{Settings, Simulator};
