//! Many caches over one stream of references.

use super::choice::{Choice, Make};
use super::opt::{Future, Opt};
use super::policy::Replacement;
use super::simulation::{Simulated, Simulation};
use super::table::table;
use crate::cache::replay::{follow_all, Notes, Replay, Tape, Writer, TAPE_BLOCKS};
use crate::cache::stack_distance::{Columns, Options, Pricing, Tally, WritePolicy};
use crate::cache::StreamSimulator;
use crate::error::Error;
use crate::lists::One;
use arrow_array::RecordBatch;
use std::sync::Arc;

/// Caches of chosen policies and sizes over one stream; writes are copied back.
pub struct Simulator {
    writer: Writer,
    tape: Tape,
    caches: Vec<(Choice, Option<Box<dyn Simulated>>)>,
    /// The whole stream, if the optimum is among the choices.
    past: Option<Tape>,
    threads: usize,
}

impl Simulator {
    /// Empty caches that process the stream on `threads` threads. Fails if the settings are invalid.
    pub fn new(options: Options, choices: &[Choice], threads: usize) -> Result<Self, Error> {
        if options.write_policy != WritePolicy::Allocate {
            return Err(Error::of("replacement policies take the write policy allocate only"));
        }
        choices.iter().try_for_each(Choice::check)?;
        let optimum = choices.iter().any(|choice| choice.policy.looks_ahead());
        Ok(Simulator {
            writer: Writer::new(options, Notes::default())?,
            tape: Tape::default(),
            caches: choices.iter().map(|choice| (*choice, cache(choice))).collect(),
            past: optimum.then(Tape::default),
            threads,
        })
    }
}

impl Replay for Simulator {
    fn writing(&mut self) -> (&mut Writer, &mut Tape) {
        (&mut self.writer, &mut self.tape)
    }

    fn follow(&mut self) {
        let caches = self.caches.iter_mut().filter_map(|(_, cache)| cache.as_deref_mut());
        follow_all(caches.collect(), &self.tape, self.writer.distinct_blocks(), self.threads);
        if let Some(past) = &mut self.past {
            past.append(&self.tape);
        }
        self.tape.clear();
    }
}

impl StreamSimulator for Simulator {
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let columns = Columns::new(batch, self.writer.rows())?;
        self.write(&columns)
    }

    fn tally(&self) -> Tally {
        self.writer.tally()
    }

    /// A row for each cache, in the order in which they were chosen: policy (string), then the columns of
    /// schemas/curve.toml. Also fails if the stream is too long for the optimum.
    fn finish(mut self: Box<Self>, pricing: Pricing) -> Result<RecordBatch, Error> {
        self.follow();
        if let Some(past) = self.past.take() {
            let future = Arc::new(Future::new(&past, self.writer.distinct_blocks())?);
            let mut optima = Vec::new();
            for (choice, cache) in &mut self.caches {
                if cache.is_none() {
                    let optimum = Opt::new(choice.size, future.clone());
                    let simulation = Simulation::new(choice.size, optimum);
                    optima.push(cache.insert(Box::new(simulation)).as_mut());
                }
            }
            follow_all(optima, &past, self.writer.distinct_blocks(), self.threads);
        }
        let outcomes =
            self.caches.iter().filter_map(|(choice, cache)| Some((*choice, cache.as_ref()?.outcome())));
        table(&self.writer, &outcomes.collect::<Vec<_>>(), pricing)
    }
}

/// A simulation over the tape, of this number of blocks.
struct OverTheTape(u64);

impl Make<One> for OverTheTape {
    type Made = Box<dyn Simulated>;

    fn make<P: Replacement<Weight = One> + Send + Sync + 'static>(self, policy: P) -> Self::Made {
        Box::new(Simulation::new(self.0, policy))
    }
}

/// The empty cache; None for the optimum, which needs the future.
fn cache(choice: &Choice) -> Option<Box<dyn Simulated>> {
    choice.make(OverTheTape(choice.size))
}

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
    let end = blocks.iter().max().map_or(0, |&block| block as usize + 1);
    if end > 1 << 31 {
        return Err(Error::of("block numbers must be below 2^31"));
    }
    let mut cache = match cache(choice) {
        Some(cache) => cache,
        None => {
            let future = Arc::new(Future::new(&Tape::of_reads(blocks), end)?);
            Box::new(Simulation::new(choice.size, Opt::new(choice.size, future)))
        }
    };
    for some in blocks.chunks(at_a_time) {
        cache.follow(&Tape::of_reads(some), end);
        note(cache.read_block_misses());
    }
    Ok(())
}
