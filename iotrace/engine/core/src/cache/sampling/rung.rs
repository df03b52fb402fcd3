//! The caches over the sample of one rate: once over all of it, and once without each group.

use super::block_hash::rate_of;
use super::sample::Sample;
use crate::cache::policies::Simulator;
use crate::cache::replacement::Choice;
use crate::cache::stack_distance::{Curve, Engine, Options, Pricing};
use crate::cache::StreamSimulator;
use crate::error::Error;
use arrow_array::RecordBatch;
use std::sync::{Mutex, PoisonError};

/// Caches of a replacement policy, whose sizes are those of the whole stream.
#[derive(Debug, Clone, Default)]
pub struct MiniatureCaches {
    /// Policies and sizes.
    pub choices: Vec<Choice>,
}

impl MiniatureCaches {
    /// The caches for a sample of this rate: of the size scaled down, and of one block more, between which is
    /// interpolated. Each once.
    fn at(&self, rate: f64) -> Vec<Choice> {
        let mut scaled = Vec::new();
        for choice in &self.choices {
            let down = scaled_size(choice.size, rate);
            for size in [down, down + 1] {
                let choice = Choice { size, ..*choice };
                if size > 0 && !scaled.contains(&choice) {
                    scaled.push(choice);
                }
            }
        }
        scaled
    }
}

/// The whole blocks of a cache's size times a rate, which is the size itself at rate 1.
fn scaled_size(size_blocks: u64, rate: f64) -> u64 {
    (size_blocks as f64 * rate + 1e-9) as u64
}

/// One set of caches.
struct Member {
    /// The group that it does not see.
    left_out: Option<u8>,
    engine: Engine,
    policies: Option<Simulator>,
}

impl Member {
    fn push(&mut self, sample: &Sample, largest: u64) -> Result<(), Error> {
        let batch = sample.without(self.left_out, largest)?;
        self.engine.push(&batch)?;
        self.policies.as_mut().map_or(Ok(()), |policies| policies.push(&batch))
    }
}

/// The caches over the blocks with hashes up to a largest.
pub struct Rung {
    /// The largest hash.
    pub largest: u64,
    members: Vec<Member>,
}

/// What the caches of a rung have counted, unscaled.
#[derive(Debug)]
pub struct Finished {
    /// The part of all blocks that was sampled, on average.
    pub rate: f64,
    /// Blocks sampled that were touched.
    pub sampled_blocks: u64,
    /// The curve of the whole sample, then that without each group.
    pub curves: Vec<Curve>,
    /// The tables of the policies' caches, likewise; empty without policies.
    pub policies: Vec<RecordBatch>,
}

impl Rung {
    /// Empty caches; `groups` is 0 where the sample is all blocks or no band is asked for.
    pub fn new(
        options: &Options,
        largest: u64,
        groups: u8,
        miniature: &MiniatureCaches,
    ) -> Result<Self, Error> {
        let whole = rate_of(largest);
        let member = |left_out: Option<u8>| -> Result<Member, Error> {
            let rate = match left_out {
                Some(_) => whole * (1.0 - 1.0 / f64::from(groups)),
                None => whole,
            };
            let choices = miniature.at(rate);
            let policies = match choices.is_empty() {
                true => None,
                false => Some(Simulator::new(options.clone(), &choices, 1)?),
            };
            Ok(Member { left_out, engine: Engine::new(options.clone())?, policies })
        };
        let members = std::iter::once(None).chain((0..groups).map(Some)).map(member);
        Ok(Rung { largest, members: members.collect::<Result<_, _>>()? })
    }

    /// Let the caches take the next rows of the sample, on several threads.
    pub fn push(&mut self, sample: &Sample, threads: usize) -> Result<(), Error> {
        let largest = self.largest;
        let threads = threads.min(self.members.len());
        if threads < 2 {
            return self.members.iter_mut().try_for_each(|member| member.push(sample, largest));
        }
        let waiting = Mutex::new(self.members.iter_mut());
        let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some(member) = next() {
                member.push(sample, largest)?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    /// End the stream.
    pub fn finish(self, pricing: Pricing) -> Result<Finished, Error> {
        let mut finished = Finished {
            rate: rate_of(self.largest),
            sampled_blocks: 0,
            curves: Vec::new(),
            policies: Vec::new(),
        };
        for member in self.members {
            if member.left_out.is_none() {
                finished.sampled_blocks = member.engine.tally().distinct_blocks;
            }
            finished.curves.push(member.engine.finish(pricing));
            if let Some(policies) = member.policies {
                finished.policies.push(Box::new(policies).finish(pricing)?);
            }
        }
        Ok(finished)
    }
}
