//! Hits of single block references.

use super::cache::{cache, optimum};
use crate::cache::replacement::{Choice, Future};
use crate::cache::replay::{Neighbours, Stretch, Tape, TapeReader, TAPE_BLOCKS};
use crate::error::Error;
use std::sync::Arc;

/// Index of the counts of reads; those of writes follow.
const READ: usize = 0;

/// Which of a list of single block references hit, in order; block numbers are below 2³¹ (memory is proportional to
/// the largest). Fails if the choice is invalid.
pub fn hits(choice: &Choice, blocks: &[u32]) -> Result<Vec<bool>, Error> {
    let mut before = 0;
    let mut hits = Vec::with_capacity(blocks.len());
    follow_reads(choice, blocks, 1, |misses| {
        hits.push(misses == before);
        before = misses;
    })?;
    Ok(hits)
}

/// The number of misses in a list of single block references; see `hits`.
pub fn misses(choice: &Choice, blocks: &[u32]) -> Result<u64, Error> {
    let mut misses = 0;
    follow_reads(choice, blocks, TAPE_BLOCKS, |so_far| misses = so_far)?;
    Ok(misses)
}

/// Process references to single blocks in batches, and report the misses after each batch.
fn follow_reads(
    choice: &Choice,
    blocks: &[u32],
    at_a_time: usize,
    mut note: impl FnMut(u64),
) -> Result<(), Error> {
    choice.check()?;
    if choice.policy.needs_files() {
        return Err(Error::of("the page cache of Linux is not of single blocks"));
    }
    let end = blocks.iter().max().map_or(0, |&block| block as usize + 1);
    if end > 1 << 31 {
        return Err(Error::of("block numbers must be below 2^31"));
    }
    let mut cache = match cache(choice) {
        Some(cache) => cache,
        None => optimum(choice, &Arc::new(Future::new(&Tape::of_reads(blocks), end)?)),
    };
    for some in blocks.chunks(at_a_time) {
        let tape = &Tape::of_reads(some);
        cache.follow(Stretch { tape, blocks: end, neighbours: &Neighbours::default() });
        note(cache.misses().blocks[READ]);
    }
    Ok(())
}
