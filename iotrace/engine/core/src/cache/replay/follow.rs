//! Runs caches over a stream.

use super::tape::{Stretch, Tape};
use super::writer::{Notes, Writer};
use crate::cache::stack_distance::{Columns, Options};
use crate::error::Error;
use arrow_array::RecordBatch;
use std::sync::{Mutex, PoisonError};

/// Length of tape after which the caches process it: few enough blocks to stay in the processor's caches.
pub const TAPE_BLOCKS: usize = 1 << 15;

/// A cache that processes a stream.
pub trait TapeReader: Send + Sync {
    /// Process the next stretch.
    fn follow(&mut self, stretch: Stretch);
}

impl<C: TapeReader + ?Sized> TapeReader for Box<C> {
    fn follow(&mut self, stretch: Stretch) {
        (**self).follow(stretch);
    }
}

/// Caches over one stream.
#[derive(Debug)]
pub struct Stream<C> {
    /// What writes the tape.
    pub writer: Writer,
    /// The caches.
    pub caches: Vec<C>,
    /// All of the stream, if it is kept.
    pub past: Option<Tape>,
    tape: Tape,
    threads: usize,
}

impl<C: TapeReader> Stream<C> {
    /// Caches that process the stream on `threads` threads. Fails if the options are invalid.
    pub fn new(options: Options, notes: Notes, caches: Vec<C>, threads: usize) -> Result<Self, Error> {
        Ok(Stream {
            writer: Writer::new(options, notes)?,
            caches,
            past: None,
            tape: Tape::default(),
            threads,
        })
    }

    /// Write a batch onto the tape, and run the caches each time that it is long. Fails at the first invalid row.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let columns = Columns::new(batch, self.writer.rows())?;
        let mut row = 0;
        while row < columns.len() {
            row = self.writer.write(&columns, row, &mut self.tape, TAPE_BLOCKS)?;
            if self.tape.touches.len() >= TAPE_BLOCKS {
                self.follow();
            }
        }
        Ok(())
    }

    /// Run the caches over what is on the tape, and begin a new one.
    pub fn follow(&mut self) {
        follow_all(&mut self.caches, self.writer.stretch(&self.tape), self.threads);
        if let Some(past) = &mut self.past {
            past.append(&self.tape);
        }
        self.tape.clear();
    }

    /// Run other caches over the stream so far, if it is kept.
    pub fn replay(&self, caches: &mut [C]) {
        if let Some(past) = &self.past {
            follow_all(caches, self.writer.stretch(past), self.threads);
        }
    }
}

/// Run caches over a stretch, several at a time.
fn follow_all<C: TapeReader>(caches: &mut [C], stretch: Stretch, threads: usize) {
    let threads = threads.min(caches.len());
    let waiting = Mutex::new(caches.iter_mut());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next_back();
    let work = || {
        while let Some(cache) = next() {
            cache.follow(stretch);
        }
    };
    if threads < 2 || stretch.tape.steps.is_empty() {
        return work();
    }
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
}
