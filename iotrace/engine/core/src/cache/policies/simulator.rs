//! Many caches over one stream of references.

use super::cache::{cache, optimum};
use super::policy_cache::PolicyCache;
use super::table::table;
use crate::cache::file_events::PAGE_BYTES;
use crate::cache::replacement::{Choice, Future};
use crate::cache::replay::{Notes, Stream, Tape};
use crate::cache::stack_distance::{Options, Pricing, Tally, WritePolicy};
use crate::cache::StreamSimulator;
use crate::error::Error;
use arrow_array::RecordBatch;
use std::sync::Arc;

/// Caches of chosen policies and sizes over one stream; writes are copied back.
pub struct Simulator {
    choices: Vec<Choice>,
    /// The caches of all choices but the optimum, which needs the whole stream.
    stream: Stream<Box<dyn PolicyCache>>,
}

impl Simulator {
    /// Empty caches that process the stream on `threads` threads. Fails if the settings are invalid.
    pub fn new(options: Options, choices: &[Choice], threads: usize) -> Result<Self, Error> {
        if options.write_policy != WritePolicy::Allocate {
            return Err(Error::of("replacement policies take the write policy allocate only"));
        }
        choices.iter().try_for_each(Choice::check)?;
        let events = choices.iter().any(|choice| choice.policy.needs_files());
        if events && u64::from(options.block_bytes) != PAGE_BYTES {
            return Err(Error::of("the page cache of Linux has pages of 4 KB: choose blocks of that size"));
        }
        let caches = choices.iter().filter_map(cache).collect();
        let mut stream = Stream::new(options, Notes { events, ..Notes::default() }, caches, threads)?;
        stream.past = choices.iter().any(|choice| choice.policy.looks_ahead()).then(Tape::default);
        Ok(Simulator { choices: choices.to_vec(), stream })
    }

    /// The caches of the optimum, which have processed the stream. Fails if it is too long.
    fn optima(&self) -> Result<Vec<Box<dyn PolicyCache>>, Error> {
        let Some(past) = &self.stream.past else {
            return Ok(Vec::new());
        };
        let future = Arc::new(Future::new(past, self.stream.writer.distinct_blocks())?);
        let looking_ahead = self.choices.iter().filter(|choice| choice.policy.looks_ahead());
        let mut optima: Vec<_> = looking_ahead.map(|choice| optimum(choice, &future)).collect();
        self.stream.replay(&mut optima);
        Ok(optima)
    }
}

impl StreamSimulator for Simulator {
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.stream.push(batch)
    }

    fn tally(&self) -> Tally {
        self.stream.writer.tally()
    }

    /// A row for each cache, in the order in which they were chosen: policy (string), then the columns of
    /// schemas/curve.toml. Also fails if the stream is too long for the optimum.
    fn finish(mut self: Box<Self>, pricing: Pricing) -> Result<RecordBatch, Error> {
        self.stream.follow();
        let optima = self.optima()?;
        let (mut optima, mut others) = (optima.iter(), self.stream.caches.iter());
        let cache_of = |choice: &Choice| {
            let caches = if choice.policy.looks_ahead() { &mut optima } else { &mut others };
            caches.next().map(|cache| &**cache)
        };
        let caches: Vec<_> = self.choices.iter().filter_map(cache_of).collect();
        table(&self.stream.writer, &self.choices, &caches, pricing)
    }
}
