//! A slice of the stream: the touches of sampled blocks, and the state of the small exact caches.
//!
//! Each block's touches are sampled or not by its hash, whatever slice they are in, so that the samples of all slices in
//! their order are the sample of the stream, which caches follow at the end. The small exact caches keep states cut at
//! their largest size (see `stack_distance::state`), made of some rows at a time, so that memory does not grow with the
//! slice.

use super::block_hash::{largest_hash, rate_of, BlockHash};
use super::sample::Sample;
use super::sampled::{Sampling, ROWS_AT_ONCE};
use super::sampler::{Demand, Sampler};
use crate::cache::stack_distance::{Columns, Engine, Options, State, Tally};
use crate::error::Error;
use arrow_array::RecordBatch;
use std::ops::RangeInclusive;

/// Rows for each block of the largest exact cache that these take before their state is cut.
const ROWS_PER_HEAD_BLOCK: usize = 8;
/// The fewest and the most such rows.
const HEAD_ROWS: RangeInclusive<usize> = 1 << 15..=1 << 22;

/// What a slice of the stream leaves.
#[derive(Debug)]
pub struct SlicedSample {
    /// The part of all blocks that was sampled, on average.
    pub rate: f64,
    /// The touches of sampled blocks, as the engine takes them, and the group of each.
    pub sample: Vec<RecordBatch>,
    /// The state of the exact caches, cut at their largest size.
    pub head: Option<State>,
}

/// The caches.
pub struct SampledSlice {
    options: Options,
    sampler: Sampler,
    sample: Sample,
    /// What was sampled before.
    batches: Vec<RecordBatch>,
    head: Option<Head>,
}

impl SampledSlice {
    /// Empty caches; fails for invalid settings or whose states do not merge, and for samples of fixed size,
    /// whose rate is known at the end of the stream only.
    pub fn new(options: Options, sampling: &Sampling) -> Result<Self, Error> {
        sampling.check()?;
        options.check_slice()?;
        if sampling.most_blocks.is_some() {
            return Err(Error::of("a slice's sample has a rate, not a number of blocks"));
        }
        let largest = largest_hash(sampling.rate)?;
        let hash = BlockHash::new(sampling.seed);
        let sampler = Sampler::new(options.clone(), hash, largest, sampling.groups.max(1));
        let head = match sampling.head_blocks {
            0 => None,
            largest => Some(Head::new(&options, largest)?),
        };
        Ok(SampledSlice { options, sampler, sample: Sample::default(), batches: Vec::new(), head })
    }

    /// Take the next batch of the slice. Fails at the first invalid row, or the first that depends on earlier slices.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let columns = Columns::new(batch, self.sampler.tally().rows)?;
        self.sampler.sample(&columns, &mut self.sample)?;
        if let Some(head) = &mut self.head {
            head.push(&self.options, batch)?;
        }
        if self.sample.len() >= ROWS_AT_ONCE {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.batches.push(self.sample.with_groups()?);
        self.sample.clear();
        Ok(())
    }

    /// What the slice contained so far, all blocks; how many of them are distinct is not known.
    pub fn tally(&self) -> &Tally {
        self.sampler.tally()
    }

    /// Requests and blocks of reads and of writes, by component, of the whole slice.
    pub fn demands(&self) -> &[[Demand; 2]] {
        self.sampler.demands()
    }

    /// Whether any request touched more than one block.
    pub fn has_requests_of_several_blocks(&self) -> bool {
        self.sampler.has_requests_of_several_blocks()
    }

    /// Whether what some request touches depends on a file's size from an earlier slice.
    pub fn looks_back(&self) -> bool {
        self.sampler.looks_back()
    }

    /// End the slice.
    pub fn finish(mut self) -> Result<SlicedSample, Error> {
        self.flush()?;
        Ok(SlicedSample {
            rate: rate_of(self.sampler.largest),
            sample: self.batches,
            head: self.head.map(Head::finish).transpose()?,
        })
    }
}

/// Exact caches up to a largest size.
struct Head {
    largest: u32,
    engine: Engine,
    /// Rows that the engine takes before its state is cut.
    most_rows: usize,
    /// Rows that it has taken.
    rows: usize,
    /// The state before them.
    state: Option<State>,
}

impl Head {
    fn new(options: &Options, largest: u32) -> Result<Self, Error> {
        let most_rows = (largest as usize).saturating_mul(ROWS_PER_HEAD_BLOCK);
        let most_rows = most_rows.clamp(*HEAD_ROWS.start(), *HEAD_ROWS.end());
        Ok(Head {
            largest,
            engine: Engine::of_sparse_slice(options.clone())?,
            most_rows,
            rows: 0,
            state: None,
        })
    }

    fn push(&mut self, options: &Options, batch: &RecordBatch) -> Result<(), Error> {
        self.engine.push(batch)?;
        self.rows += batch.num_rows();
        if self.rows >= self.most_rows {
            let next = Engine::of_sparse_slice(options.clone())?;
            let taken = std::mem::replace(&mut self.engine, next).finish_slice();
            self.state = Some(self.joined(taken)?);
            self.rows = 0;
        }
        Ok(())
    }

    fn joined(&mut self, mut further: State) -> Result<State, Error> {
        further.cut(self.largest);
        match self.state.take() {
            Some(state) => state.merge(further, Some(self.largest)),
            None => Ok(further),
        }
    }

    fn finish(mut self) -> Result<State, Error> {
        let last = std::mem::take(&mut self.engine).finish_slice();
        self.joined(last)
    }
}
