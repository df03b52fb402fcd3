//! Exact LRU hits of caches of every size over reads of single blocks that are known by 64-bit keys.

use super::blocks::MOST_BLOCKS;
use super::interner::Interner;
use super::reads::Reads;
use crate::error::Error;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};

/// Keys that are numbered at once.
const CHUNK_KEYS: usize = 1 << 13;
/// Chunks that one thread is ahead of the other, at most.
const CHUNKS_BETWEEN: usize = 16;

/// Reads by key: one stage numbers the keys, the other counts.
#[derive(Debug, Default)]
pub struct KeyReads {
    interner: Interner,
    reads: Reads,
}

impl KeyReads {
    /// Take the next reads, on one thread.
    ///
    /// # Errors
    /// Where there may be too many distinct keys; some of the reads may have been taken then.
    pub fn push(&mut self, keys: &[u64]) -> Result<(), Error> {
        let mut numbers = vec![0; CHUNK_KEYS.min(keys.len())];
        for keys in keys.chunks(CHUNK_KEYS) {
            let numbers = &mut numbers[..keys.len()];
            number(&mut self.interner, keys, numbers)?;
            self.reads.push(numbers)?;
        }
        Ok(())
    }

    /// Take the next reads, on one thread, and add the distance of each to `distances`: 0 for a key's first.
    ///
    /// # Errors
    /// As `push`.
    pub fn push_each(&mut self, keys: &[u64], distances: &mut Vec<u32>) -> Result<(), Error> {
        let mut numbers = vec![0; CHUNK_KEYS.min(keys.len())];
        for keys in keys.chunks(CHUNK_KEYS) {
            let numbers = &mut numbers[..keys.len()];
            number(&mut self.interner, keys, numbers)?;
            self.reads.push_each(numbers, distances)?;
        }
        Ok(())
    }

    /// Take the next reads, on two threads: this one numbers the keys, another counts.
    ///
    /// # Errors
    /// As `push`.
    pub fn push_on_two_threads<'a>(&mut self, keys: impl Iterator<Item = &'a [u64]>) -> Result<(), Error> {
        let KeyReads { interner, reads } = self;
        let (filled, to_count) = sync_channel::<Vec<u32>>(CHUNKS_BETWEEN);
        let (emptied, to_fill) = sync_channel::<Vec<u32>>(CHUNKS_BETWEEN);
        std::thread::scope(|scope| {
            let counter = scope.spawn(move || count_all(reads, &to_count, &emptied));
            let numbered = keys
                .flat_map(|keys| keys.chunks(CHUNK_KEYS))
                .try_for_each(|keys| send_numbers(interner, keys, &filled, &to_fill));
            drop(filled);
            let counted = counter.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            counted.and(numbered)
        })
    }

    /// Reads so far.
    pub fn reads(&self) -> u64 {
        self.reads.reads()
    }

    /// Distinct blocks so far.
    pub fn distinct_blocks(&self) -> u64 {
        self.reads.distinct_blocks()
    }

    /// The hits of caches of these sizes, in blocks, ascending.
    pub fn hits(&mut self, sizes: &[u32]) -> Vec<u64> {
        self.reads.hits(sizes)
    }

    /// The sizes, in blocks, at which the number of hits changes, ascending.
    pub fn change_points(&mut self) -> Vec<u32> {
        self.reads.change_points()
    }
}

fn number(interner: &mut Interner, keys: &[u64], numbers: &mut [u32]) -> Result<(), Error> {
    let numbered = interner.numbers(keys, numbers);
    numbered.ok_or_else(|| Error::of(format!("more than {MOST_BLOCKS} distinct blocks")))
}

/// Number keys, and send the numbers to the thread that counts. Once that has failed, nothing more is sent.
fn send_numbers(
    interner: &mut Interner,
    keys: &[u64],
    filled: &SyncSender<Vec<u32>>,
    to_fill: &Receiver<Vec<u32>>,
) -> Result<(), Error> {
    let mut numbers = to_fill.try_recv().unwrap_or_default();
    numbers.resize(keys.len(), 0);
    number(interner, keys, &mut numbers)?;
    // the other thread returns its own error, which comes first
    filled.send(numbers).map_err(|_| Error::of("counting has ended".to_owned()))
}

fn count_all(
    reads: &mut Reads,
    to_count: &Receiver<Vec<u32>>,
    emptied: &SyncSender<Vec<u32>>,
) -> Result<(), Error> {
    for numbers in to_count {
        reads.push(&numbers)?;
        // where nobody takes it, it is freed
        let _ = emptied.try_send(numbers);
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::reads::tests::hits_of_a_list;
    use super::KeyReads;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hits_are_those_of_a_list(
            keys in prop::collection::vec(prop_oneof![0..30_u64, any::<u64>().prop_map(|key| (key % 97) << 40)], 0..900),
            batch in 1..500_usize,
            two_threads in any::<bool>(),
        ) {
            let mut reads = KeyReads::default();
            if two_threads {
                reads.push_on_two_threads(keys.chunks(batch)).unwrap();
            } else {
                keys.chunks(batch).for_each(|chunk| reads.push(chunk).unwrap());
            }
            let sizes = [1, 2, 30, 99, 1000];
            prop_assert_eq!(reads.hits(&sizes), sizes.map(|size| hits_of_a_list(&keys, size as usize)));
            prop_assert_eq!(reads.reads(), keys.len() as u64);
            let changes: Vec<u32> = (1..130).filter(|&size| {
                hits_of_a_list(&keys, size as usize) != hits_of_a_list(&keys, size as usize - 1)
            }).collect();
            prop_assert_eq!(reads.change_points(), changes);
        }
    }
}
