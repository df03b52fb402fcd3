//! Caches over a sample of fixed rate, or of fixed size, and exact ones of small sizes beside them.
//!
//! A sample of fixed size begins with all blocks. Its rate halves each time that it has too many blocks. The caches of
//! the lower rates have followed the stream from its start, each over its own part of the sample, so that what counts at
//! the end is a sample of one fixed rate, and no count is ever scaled again. All lower rates together cost as much as
//! the present one.

use super::block_hash::{largest_hash, BlockHash};
use super::rung::{Finished, MiniatureCaches, Rung};
use super::sample::Sample;
use super::sampler::{Demand, Sampler};
use crate::cache::stack_distance::{Columns, Curve, Engine, Options, Pricing, Tally, WritePolicy};
use crate::error::Error;
use arrow_array::RecordBatch;
use rustc_hash::FxHashSet;
use serde::Deserialize;

/// Rows of the sample that the caches take at once.
pub(super) const ROWS_AT_ONCE: usize = 1 << 15;
/// Touches that wait for the caches of the next rate at most: few of them need no caches yet.
const MOST_WAITING: usize = 1 << 16;
/// Rows that small exact caches take before they forget.
const HEAD_ROWS: usize = 1 << 13;
/// The lowest rate of a sample of fixed size is 2 to minus this.
const MOST_HALVINGS: u32 = 40;

/// How blocks are sampled.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// The part of all blocks that is sampled; that at the start for a sample of fixed size.
    pub rate: f64,
    /// The most blocks in the sample, which is of fixed size then.
    pub most_blocks: Option<u64>,
    /// Another seed is another sample.
    pub seed: u64,
    /// Groups of blocks of which one is left out at a time: 0, or a power of two from 2 to 128.
    pub groups: u8,
    /// Caches up to this size are simulated exactly; 0 for none.
    pub head_blocks: u32,
    /// Whether no request states a file's size, and removals and syncs are of whole files, as in traces of disks: less
    /// memory does then.
    #[serde(default)]
    pub has_whole_files: bool,
}

impl Sampling {
    /// Fail for invalid settings.
    pub(super) fn check(&self) -> Result<(), Error> {
        let groups = self.groups;
        if groups != 0 && !(groups.is_power_of_two() && (2..=128).contains(&groups)) {
            return Err(Error::of("the number of groups is 0, or a power of two from 2 to 128"));
        }
        if self.most_blocks.is_some_and(|blocks| blocks == 0) {
            return Err(Error::of("a sample has at least one block"));
        }
        Ok(())
    }
}

/// The caches.
pub struct Sampled {
    sampling: Sampling,
    sampler: Sampler,
    sample: Sample,
    /// The rates, the highest first. Only that one is left out of a sample of fixed size.
    rungs: Vec<Rung>,
    halvings: u32,
    /// Of a sample of fixed size: rows for the rates below the lowest, which have no caches yet.
    backlog: Sample,
    hashes: FxHashSet<u64>,
    head: Option<Engine>,
    miniature: MiniatureCaches,
    threads: usize,
}

impl Sampled {
    /// Empty caches that follow the stream on `threads` threads; fails for invalid settings.
    pub fn new(
        options: Options,
        sampling: Sampling,
        miniature: MiniatureCaches,
        threads: usize,
    ) -> Result<Self, Error> {
        options.check()?;
        sampling.check()?;
        let largest = largest_hash(sampling.rate)?;
        let head = sampling.head_blocks > 0 && options.write_policy != WritePolicy::DataOverwrite;
        let head = if head { Some(Engine::of_few_blocks(options.clone())?) } else { None };
        let has_places = options.inodes_per_block.is_some() || !miniature.choices.is_empty();
        let mut sampler =
            Sampler::new(options, BlockHash::new(sampling.seed), largest, sampling.groups.max(1));
        if sampling.has_whole_files && !has_places {
            sampler.number_blocks();
        }
        let mut sampled = Sampled {
            sampling,
            sampler,
            sample: Sample::default(),
            rungs: Vec::new(),
            halvings: 0,
            backlog: Sample::default(),
            hashes: FxHashSet::default(),
            head,
            miniature,
            threads,
        };
        sampled.add_rung()?;
        Ok(sampled)
    }

    /// Add the caches of the rate below the lowest.
    fn add_rung(&mut self) -> Result<(), Error> {
        let largest = self.next_largest()?;
        let is_all = largest == u64::MAX;
        let groups = if is_all { 0 } else { self.sampling.groups };
        let rung = Rung::new(&self.sampler.options_of_caches(), largest, groups, &self.miniature)?;
        self.rungs.push(rung);
        Ok(())
    }

    /// Take the next batch of the stream, with the columns that the stack engine takes. Fails at the first
    /// invalid row.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let columns = Columns::new(batch, self.sampler.tally().rows)?;
        let Some(mut head) = self.head.take() else {
            return self.take(&columns, self.threads);
        };
        let most = self.sampling.head_blocks;
        let taken = if self.threads < 2 {
            push_bounded(&mut head, batch, most).and(self.take(&columns, 1))
        } else {
            std::thread::scope(|scope| {
                let exact = scope.spawn(|| push_bounded(&mut head, batch, most));
                let sampled = self.take(&columns, self.threads - 1);
                exact.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).and(sampled)
            })
        };
        self.head = Some(head);
        taken
    }

    /// Take reads of single blocks known by number, as if each were of a block of file 0; caches of small sizes, which are
    /// exact, cannot follow them.
    pub fn push_keys(&mut self, keys: &[u64]) -> Result<(), Error> {
        if self.head.is_some() {
            return Err(Error::of("plain keys have no exact head"));
        }
        for some in keys.chunks(ROWS_AT_ONCE) {
            self.sampler.sample_keys(some, &mut self.sample);
            if self.sample.len() >= ROWS_AT_ONCE {
                self.flush(self.threads)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, columns: &Columns<'_>, threads: usize) -> Result<(), Error> {
        self.sampler.sample(columns, &mut self.sample)?;
        if self.sample.len() >= ROWS_AT_ONCE {
            self.flush(threads)?;
        }
        Ok(())
    }

    /// Let the caches take the sample so far.
    fn flush(&mut self, threads: usize) -> Result<(), Error> {
        if let Some(most) = self.sampling.most_blocks {
            self.halve_beyond(most, threads)?;
        }
        for rung in &mut self.rungs {
            rung.push(&self.sample, threads)?;
        }
        if self.sampling.most_blocks.is_some() {
            self.backlog.extend(&self.sample, self.next_largest()?);
            while self.backlog.touches() > MOST_WAITING && self.halvings_of_next() < MOST_HALVINGS {
                self.begin_next(threads)?;
            }
        }
        self.sample.clear();
        Ok(())
    }

    /// Halve the rate as long as there are more than `most` blocks in the sample with its waiting rows.
    fn halve_beyond(&mut self, most: u64, threads: usize) -> Result<(), Error> {
        let touches = self.sample.rows().iter().filter(|row| row.hash != 0).map(|row| row.hash);
        self.hashes.extend(touches);
        while self.hashes.len() as u64 > most && self.halvings_of_next() < MOST_HALVINGS {
            if self.rungs.len() == 1 {
                self.begin_next(threads)?;
            }
            self.rungs.remove(0);
            self.halvings += 1;
            let largest = self.rungs.first().map_or(0, |rung| rung.largest);
            self.hashes.retain(|&hash| hash <= largest);
            self.sampler.lower(largest);
        }
        Ok(())
    }

    /// How often the first rate was halved for the next one that has no caches yet.
    fn halvings_of_next(&self) -> u32 {
        self.halvings + self.rungs.len() as u32
    }

    /// The largest hash of the next rate that has no caches yet.
    fn next_largest(&self) -> Result<u64, Error> {
        largest_hash(self.sampling.rate / 2_f64.powi(self.halvings_of_next() as i32))
    }

    /// Let the caches of the next rate take what has waited for them.
    fn begin_next(&mut self, threads: usize) -> Result<(), Error> {
        self.add_rung()?;
        if let Some(rung) = self.rungs.last_mut() {
            rung.push(&self.backlog, threads)?;
        }
        let largest = self.next_largest()?;
        self.backlog.keep(largest);
        Ok(())
    }

    /// What the stream contained so far, all blocks; how many of them are distinct is not known.
    pub fn tally(&self) -> &Tally {
        self.sampler.tally()
    }

    /// Requests and blocks of reads and of writes, by component, of the whole stream.
    pub fn demands(&self) -> &[[Demand; 2]] {
        self.sampler.demands()
    }

    /// Whether any request touched more than one block: then nothing is known of requests beyond the head.
    pub fn has_requests_of_several_blocks(&self) -> bool {
        self.sampler.has_requests_of_several_blocks()
    }

    /// End the stream: the counts of the sample, and the curve of the small exact caches if there are any.
    pub fn finish(mut self, pricing: Pricing) -> Result<(Finished, Option<Curve>), Error> {
        self.flush(self.threads)?;
        let head = self.head.map(|head| head.finish(pricing));
        let rung = self.rungs.into_iter().next();
        let rung = rung.ok_or_else(|| Error::of("there is no sample"))?;
        Ok((rung.finish(pricing)?, head))
    }
}

/// Let small exact caches take a batch, some rows at a time.
fn push_bounded(head: &mut Engine, batch: &RecordBatch, most: u32) -> Result<(), Error> {
    let mut first = 0;
    while first < batch.num_rows() {
        let rows = HEAD_ROWS.min(batch.num_rows() - first);
        head.push(&batch.slice(first, rows))?;
        head.forget_beyond(most);
        first += rows;
    }
    Ok(())
}
