//! Runs caches over a tape.

use super::tape::Tape;
use super::writer::Writer;
use crate::cache::stack_distance::Columns;
use crate::error::Error;
use std::sync::{Mutex, PoisonError};

/// Caches that process a stream by way of a tape.
pub trait Replay {
    /// What writes the tape, and the tape.
    fn writing(&mut self) -> (&mut Writer, &mut Tape);

    /// Run the caches over the tape, and begin a new one.
    fn follow(&mut self);

    /// Write a batch onto the tape, and run the caches each time that it is long. Fails at the first invalid row.
    fn write(&mut self, columns: &Columns<'_>) -> Result<(), Error> {
        let mut row = 0;
        while row < columns.len() {
            let (writer, tape) = self.writing();
            row = writer.write(columns, row, tape, TAPE_BLOCKS)?;
            if tape.touches.len() >= TAPE_BLOCKS {
                self.follow();
            }
        }
        Ok(())
    }
}

/// Length of tape after which the caches process it: few enough blocks to stay in the processor's caches.
pub const TAPE_BLOCKS: usize = 1 << 15;

/// A cache that processes a tape.
pub trait Follow: Send + Sync {
    /// Process the next stretch of tape, whose block numbers are below `blocks`.
    fn follow(&mut self, tape: &Tape, blocks: usize);
}

/// Run caches over a tape, several at a time.
pub fn follow_all<C: Follow + ?Sized>(caches: Vec<&mut C>, tape: &Tape, blocks: usize, threads: usize) {
    let threads = threads.min(caches.len());
    let waiting = Mutex::new(caches);
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let work = || {
        while let Some(cache) = next() {
            cache.follow(tape, blocks);
        }
    };
    if threads < 2 || tape.steps.is_empty() {
        return work();
    }
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
}
