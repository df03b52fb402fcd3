//! What references do to blocks, written down once for all caches.

use crate::stack::{
    Block, Blocks, Columns, Deletes, Operation, Options, Place, Reference, Spans, StackError,
    Tally, MOST_BLOCKS,
};

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// How many blocks it touches.
    pub blocks: u32,
    /// Bytes of the last one that lie beyond the file's end.
    pub last_shortfall: u32,
    /// Whether it writes.
    pub write: bool,
    /// Whether it is counted: the warm-up is over.
    pub counted: bool,
}

/// One step of the tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The next blocks are touched.
    Request(Request),
    /// So many next blocks are dropped.
    Drop(u32),
}

impl Step {
    /// How many blocks of the tape the step takes.
    pub fn blocks(&self) -> u32 {
        match self {
            Step::Request(request) => request.blocks,
            Step::Drop(blocks) => *blocks,
        }
    }
}

/// A stretch of the stream: steps, and the blocks that they take, by dense number.
#[derive(Debug, Default, Clone)]
pub struct Tape {
    /// Blocks touched and dropped, in order.
    pub touches: Vec<u32>,
    /// What is done to them.
    pub steps: Vec<Step>,
}

impl Tape {
    /// Single reads of one block each.
    pub fn of_reads(blocks: &[u32]) -> Self {
        let read = Step::Request(Request {
            blocks: 1,
            last_shortfall: 0,
            write: false,
            counted: true,
        });
        Tape {
            touches: blocks.to_vec(),
            steps: vec![read; blocks.len()],
        }
    }

    /// Write on where another tape ends.
    pub fn append(&mut self, other: &Tape) {
        self.touches.extend_from_slice(&other.touches);
        self.steps.extend_from_slice(&other.steps);
    }

    /// Begin anew.
    pub fn clear(&mut self) {
        self.touches.clear();
        self.steps.clear();
    }

    /// The blocks touched by requests.
    pub fn touches_without_drops(&self) -> Vec<u32> {
        let mut rest = self.touches.as_slice();
        let mut touches = Vec::with_capacity(rest.len());
        for step in &self.steps {
            let (blocks, after) = rest.split_at(step.blocks() as usize);
            if let Step::Request(_) = step {
                touches.extend_from_slice(blocks);
            }
            rest = after;
        }
        touches
    }
}

/// Counts of one direction, read or write, that are the same in every cache.
#[derive(Debug, Clone, Copy, Default)]
pub struct Demand {
    /// Requests.
    pub requests: u64,
    /// Blocks that they touch.
    pub blocks: u64,
    /// Requests with a block that was never touched before.
    pub cold_requests: u64,
}

/// Writes references onto the tape: the stack engine's blocks, numbered from 0 in the order of their first touch.
#[derive(Debug)]
pub struct Writer {
    options: Options,
    spans: Spans,
    blocks: Blocks,
    tally: Tally,
    counting: bool,
    distinct: u32,
    /// Reads that are counted.
    pub reads: Demand,
    /// Writes that are counted.
    pub writes: Demand,
}

impl Writer {
    /// A new writer; fails where the settings make no sense.
    pub fn new(options: Options) -> Result<Self, StackError> {
        options.check()?;
        Ok(Writer {
            spans: Spans::new(options.block_bytes, options.inodes_per_block),
            blocks: Blocks::default(),
            tally: Tally::default(),
            counting: options.has_no_warm_up(),
            distinct: 0,
            reads: Demand::default(),
            writes: Demand::default(),
            options,
        })
    }

    /// The settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// What the stream contained so far.
    pub fn tally(&self) -> Tally {
        Tally {
            distinct_blocks: u64::from(self.distinct),
            ..self.tally.clone()
        }
    }

    /// The number of distinct blocks so far; all on the tape are smaller.
    pub fn distinct_blocks(&self) -> usize {
        self.distinct as usize
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.tally.rows
    }

    /// Write one row of a batch.
    #[inline(always)]
    pub fn write(
        &mut self,
        columns: &Columns<'_>,
        index: usize,
        tape: &mut Tape,
    ) -> Result<(), StackError> {
        let reference = if columns.are_plain() {
            columns.plain(index)
        } else {
            columns.checked(index)?
        };
        self.take(reference, columns, index, tape)
            .map_err(|reason| columns.error(index, reason))?;
        self.tally.rows += 1;
        Ok(())
    }

    #[inline(always)]
    fn take(
        &mut self,
        reference: Reference,
        columns: &Columns<'_>,
        index: usize,
        tape: &mut Tape,
    ) -> Result<(), String> {
        match reference.operation {
            Operation::Read | Operation::Write => {
                if !self.counting {
                    let time_ns = columns.time_ns(index);
                    self.counting = self.options.is_warm(self.tally.requests, time_ns)?;
                }
                self.request(reference, tape)
            }
            Operation::Truncate | Operation::Delete => {
                self.remove(reference, tape);
                Ok(())
            }
            Operation::Expel => Err("policies cannot expel a file's blocks".to_owned()),
            Operation::Sync => {
                self.tally.syncs += 1;
                Ok(())
            }
        }
    }

    #[inline(always)]
    fn request(&mut self, reference: Reference, tape: &mut Tape) -> Result<(), String> {
        let request = self
            .spans
            .of_request(reference, &mut self.blocks, &mut self.tally)?;
        let Some(span) = request else {
            return Ok(());
        };
        let before = self.distinct;
        for block in span.first..span.first + u64::from(span.blocks) {
            let number = self.blocks.number(span.file, block);
            let number =
                number.ok_or_else(|| format!("more than {MOST_BLOCKS} distinct blocks"))?;
            tape.touches.push(self.dense(number));
        }
        let write = reference.operation == Operation::Write;
        tape.steps.push(Step::Request(Request {
            blocks: span.blocks,
            last_shortfall: span.last_shortfall,
            write,
            counted: self.counting,
        }));
        if self.counting {
            let demand = if write {
                &mut self.writes
            } else {
                &mut self.reads
            };
            demand.requests += 1;
            demand.blocks += u64::from(span.blocks);
            demand.cold_requests += u64::from(self.distinct != before);
        }
        Ok(())
    }

    /// A block's rank in the order of first touches, which its state keeps, counted from 1.
    #[inline(always)]
    fn dense(&mut self, number: usize) -> u32 {
        let state: &mut Block = &mut self.blocks.states[number];
        match state.place() {
            Place::Slot(rank) => rank - 1,
            Place::Never | Place::Dropped => {
                self.distinct += 1;
                state.move_to(self.distinct);
                self.distinct - 1
            }
        }
    }

    fn remove(&mut self, reference: Reference, tape: &mut Tape) {
        let removed = self
            .spans
            .of_removal(reference, &mut self.blocks, &mut self.tally);
        if self.options.deletes == Deletes::Ignore {
            return;
        }
        let before = tape.touches.len();
        for number in removed {
            if let Place::Slot(rank) = self.blocks.states[number].place() {
                tape.touches.push(rank - 1);
            }
        }
        let dropped = tape.touches.len() - before;
        if dropped > 0 {
            tape.steps.push(Step::Drop(dropped as u32));
        }
    }
}
