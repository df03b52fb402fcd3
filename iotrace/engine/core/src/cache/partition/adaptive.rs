//! Moves space to the part that gains most from it.

use super::settings::{Part, Settings};
use super::subcache::{Margin, Subcache};
use super::table::{table, Quanta, Report};
use crate::cache::replay::{Notes, Step, Tape, Writer};
use crate::cache::stack_distance::{Columns, Operation, Options, Pricing, Tally, WritePolicy};
use crate::cache::StreamSimulator;
use crate::error::Error;
use arrow_array::RecordBatch;

/// The block size in which requests that no part takes are counted.
const UNCACHED_BLOCK_BYTES: u32 = 4096;

/// A part of the cache, in operation.
#[derive(Debug)]
struct Busy {
    part: Part,
    writer: Writer,
    subcache: Subcache,
    quanta: Quanta,
}

/// A cache split among the components of a stream. Each part is an LRU cache with its own block size. It counts the
/// request misses that one quantum more would have saved (all missed blocks are among those expelled last, or a
/// request larger than the part would have had fewer pieces) and those that one quantum less would have added (a block
/// that hits is among the last of the LRU list, or there would have been more pieces). After every period, the part
/// with the most to gain gets a quantum from the part with the least to lose, if the gain is larger than the loss; no
/// part gives up its last quantum. Then all counts are multiplied by a number below one, so that old ones fade.
#[derive(Debug)]
pub struct AdaptivePartition {
    settings: Settings,
    /// The parts; the last one, of size zero, takes the requests of all other components.
    parts: Vec<Busy>,
    tape: Tape,
    tally: Tally,
    since_decision: u64,
    counted_requests: u64,
    moves: u64,
}

impl AdaptivePartition {
    /// An empty cache; `options` has everything but the block size. Fails if the settings are invalid.
    pub fn new(options: &Options, settings: Settings) -> Result<Self, Error> {
        let refuse = |reason: &str| Err(Error::of(reason));
        if options.write_policy != WritePolicy::Allocate || options.inodes_per_block.is_some() {
            return refuse("an adaptive partition takes the write policy allocate, and each inode by itself");
        }
        let whole = |part: &Part| {
            let blocks = settings.quantum_bytes.checked_rem(u64::from(part.block_bytes));
            settings.quantum_bytes > 0 && blocks == Some(0)
        };
        if !settings.parts.iter().all(whole) {
            return refuse("the space that moves must be a multiple of every part's block size");
        }
        if settings.parts.iter().any(|part| part.quanta == 0) {
            return refuse("each part needs at least the space that moves at a time");
        }
        let total = settings.parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(part.quanta));
        if total.is_none_or(|quanta| quanta.checked_mul(settings.quantum_bytes).is_none()) {
            return refuse("the cache is larger than 2^64 bytes");
        }
        let uncached = Part { block_bytes: UNCACHED_BLOCK_BYTES, quanta: 0, weight: 0.0 };
        let busy = |part: &Part| -> Result<Busy, Error> {
            let own = Options { block_bytes: part.block_bytes, warm_up_requests: 0, ..options.clone() };
            let quantum_blocks = settings.quantum_bytes / u64::from(part.block_bytes);
            Ok(Busy {
                part: *part,
                writer: Writer::new(own, Notes::default())?,
                subcache: Subcache::new(part.quanta * quantum_blocks, quantum_blocks),
                quanta: Quanta { now: part.quanta, least: part.quanta, most: part.quanta, sum: 0 },
            })
        };
        if options.warm_up_requests > 0 {
            return refuse("the warm-up of an adaptive partition must be a time");
        }
        Ok(AdaptivePartition {
            parts: settings.parts.iter().chain([&uncached]).map(busy).collect::<Result<_, _>>()?,
            settings,
            tape: Tape::default(),
            tally: Tally::default(),
            since_decision: 0,
            counted_requests: 0,
            moves: 0,
        })
    }

    /// Apply one row to a part.
    fn give(&mut self, place: usize, columns: &Columns<'_>, row: usize) -> Result<(), Error> {
        let Some(busy) = self.parts.get_mut(place) else {
            return Ok(());
        };
        self.tape.clear();
        busy.writer.write_one(columns, row, &mut self.tape)?;
        let blocks = busy.writer.distinct_blocks();
        busy.subcache.follow(&self.tape, blocks, self.settings.counts_writes);
        let counted = self.tape.steps.iter().find_map(|step| match step {
            Step::Request(request) => Some(request.counted),
            _ => None,
        });
        if let Some(counted) = counted {
            self.after_request(counted);
        }
        Ok(())
    }

    fn after_request(&mut self, counted: bool) {
        if counted {
            self.counted_requests += 1;
            for busy in &mut self.parts {
                busy.quanta.sum += u128::from(busy.quanta.now);
            }
        }
        self.since_decision += 1;
        if self.since_decision == self.settings.period_requests {
            self.since_decision = 0;
            self.decide();
            for busy in &mut self.parts {
                let Margin { gain, loss } = &mut busy.subcache.margin;
                (*gain, *loss) = (*gain * self.settings.fade, *loss * self.settings.fade);
            }
        }
    }

    /// Move a quantum if the gain is larger than the loss.
    fn decide(&mut self) {
        let count = self.parts.len() - 1;
        let gain = |busy: &Busy| busy.subcache.margin.gain * busy.part.weight;
        let loss = |busy: &Busy| busy.subcache.margin.loss * busy.part.weight;
        let mut winner = 0;
        for place in 1..count {
            if gain(&self.parts[place]) > gain(&self.parts[winner]) {
                winner = place;
            }
        }
        let mut loser = None;
        for place in (0..count).filter(|&place| place != winner) {
            let candidate = &self.parts[place];
            let less = loser.is_none_or(|loser: usize| loss(candidate) < loss(&self.parts[loser]));
            if candidate.quanta.now > 1 && less {
                loser = Some(place);
            }
        }
        let Some(loser) = loser else {
            return;
        };
        if gain(&self.parts[winner]) > loss(&self.parts[loser]) {
            let from = self.parts[loser].quanta.now - 1;
            let to = self.parts[winner].quanta.now + 1;
            self.parts[loser].resize(from, self.settings.quantum_bytes);
            self.parts[winner].resize(to, self.settings.quantum_bytes);
            self.moves += 1;
        }
    }
}

impl StreamSimulator for AdaptivePartition {
    /// `component` is the number of the part; any other number means no part.
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let columns = Columns::new(batch, self.tally.rows)?;
        for row in 0..columns.len() {
            let reference = columns.checked(row)?;
            match reference.operation {
                Operation::Read | Operation::Write => {
                    let place = (reference.component as usize).min(self.parts.len() - 1);
                    self.give(place, &columns, row)?;
                }
                Operation::Truncate | Operation::Delete | Operation::Expel => {
                    for place in 0..self.parts.len() {
                        self.give(place, &columns, row)?;
                    }
                }
                Operation::Sync => self.tally.syncs += 1,
            }
            self.tally.rows += 1;
        }
        Ok(())
    }

    /// Quanta that moved so far.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![("moves", self.moves)]
    }

    /// What the stream contained so far; blocks are distinct within each part.
    fn tally(&self) -> Tally {
        let mut sum = self.tally.clone();
        for busy in &self.parts {
            let own = busy.writer.tally();
            sum.requests += own.requests;
            sum.empty_requests += own.empty_requests;
            sum.unknown_lengths += own.unknown_lengths;
            sum.unknown_offsets += own.unknown_offsets;
            sum.distinct_blocks += own.distinct_blocks;
            (sum.truncates, sum.deletes) = (own.truncates, own.deletes);
        }
        sum
    }

    /// A row for each part in order, and one for requests that no part takes, with the columns of the result
    /// adaptive_partition in queries/results.toml but its first.
    fn finish(self: Box<Self>, pricing: Pricing) -> Result<RecordBatch, Error> {
        let last = self.parts.len() - 1;
        let reports: Vec<Report> = self
            .parts
            .iter()
            .enumerate()
            .map(|(place, busy)| Report {
                part: (place < last).then_some(busy.part),
                block_bytes: busy.part.block_bytes,
                quanta: busy.quanta,
                reads: busy.writer.reads,
                writes: busy.writer.writes,
                outcome: busy.subcache.outcome(),
            })
            .collect();
        table(&reports, self.settings.quantum_bytes, self.counted_requests, pricing)
    }
}

impl Busy {
    fn resize(&mut self, quanta: u64, quantum_bytes: u64) {
        self.quanta.now = quanta;
        self.quanta.least = self.quanta.least.min(quanta);
        self.quanta.most = self.quanta.most.max(quanta);
        self.subcache.resize(quanta * (quantum_bytes / u64::from(self.part.block_bytes)));
    }
}
