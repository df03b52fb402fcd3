//! One pass over the reference stream, for the caches of all sizes at once.

use super::blocks::{Blocks, Place, MOST_BLOCKS};
use super::component::{Component, RequestDistances, INFINITE};
use super::coverage::Coverage;
use super::curve::{Curve, Pricing};
use super::options::{Deletes, Options, StackError, WritePolicy};
use super::recency::{Recency, NO_SLOT};
use super::references::{Columns, Operation, Reference};
use arrow_array::RecordBatch;
use rustc_hash::FxHashMap;

/// The most blocks in one request.
pub const MOST_REQUEST_BLOCKS: u64 = 1 << 26;
/// The most components.
const MOST_COMPONENTS: usize = 1 << 20;
/// How many references ahead block states are brought near.
const AHEAD: usize = 24;
/// The key of the blocks that hold inodes placed together; files have their number plus one.
const PLACED_INODES: u32 = 0;

/// What a stream contained, apart from the curve.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tally {
    /// Rows of the stream.
    pub rows: u64,
    /// Read, write and update requests with at least a byte.
    pub requests: u64,
    /// Truncations.
    pub truncates: u64,
    /// Deletions.
    pub deletes: u64,
    /// Syncs, which a non-volatile cache need not notice.
    pub syncs: u64,
    /// Requests of no bytes, left out.
    pub empty_requests: u64,
    /// Requests of unknown length, taken to reach the file's end, or one block where its size is unknown.
    pub unknown_lengths: u64,
    /// Requests of unknown offset, taken to start at the end of the file as far as it was known.
    pub unknown_offsets: u64,
    /// References without a file (but syncs) and truncations without a length, left out.
    pub unplaced: u64,
    /// Blocks that were ever in the cache.
    pub distinct_blocks: u64,
}

/// A run of blocks of one file that one request touches.
#[derive(Debug, Clone, Copy)]
struct Span {
    file: u32,
    first: u64,
    blocks: u32,
    /// Bytes of the last block that lie beyond the file's end.
    last_shortfall: u32,
    /// The first byte of the request in its first block.
    start: u32,
    /// The end of its bytes in its last block.
    end: u32,
}

/// The engine: exact LRU caches of every size over one stream of references.
#[derive(Debug, Default)]
pub struct Engine {
    options: Options,
    /// log2 of the block's size where that is a power of two.
    shift: Option<u32>,
    blocks: Blocks,
    recency: Recency,
    components: Vec<Component>,
    /// The component of each block's last write, by block number; empty as long as there is one component.
    writers: Vec<u32>,
    /// Of dirty blocks, bytes beyond the file's end at the last touch, where there are any.
    shortfalls: FxHashMap<usize, u32>,
    coverage: Option<Coverage>,
    /// Inodes in the order of their first reference, where they share blocks.
    inode_ranks: FxHashMap<i32, u32>,
    counting: bool,
    tally: Tally,
}

impl Engine {
    /// A new engine; fails where the settings make no sense.
    pub fn new(options: Options) -> Result<Self, StackError> {
        let refuse = |reason: &str| {
            Err(StackError {
                row: None,
                reason: reason.to_owned(),
            })
        };
        if options.block_bytes == 0 || options.block_bytes > 1 << 30 {
            return refuse("the block size must be from 1 byte to 1 GB");
        }
        if options
            .inodes_per_block
            .is_some_and(|inodes| inodes == 0 || inodes > options.block_bytes)
        {
            return refuse("inodes per block must be from 1 to the block's bytes");
        }
        Ok(Engine {
            shift: options
                .block_bytes
                .is_power_of_two()
                .then(|| options.block_bytes.trailing_zeros()),
            coverage: (options.write_policy == WritePolicy::DataOverwrite).then(Coverage::default),
            counting: options.warm_up_requests == 0 && options.warm_up_ns.is_none(),
            components: vec![Component::default()],
            options,
            ..Engine::default()
        })
    }

    /// Take the next batch of the stream (see `Columns::new` for what it must hold). Fails at the first row that
    /// makes no sense; what came before it has been taken.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), StackError> {
        let columns = Columns::new(batch, self.tally.rows)?;
        let rows = columns.len();
        for index in 0..rows {
            if index + AHEAD < rows {
                let (file, offset) = columns.hint(index + AHEAD);
                self.blocks
                    .prefetch((file as u32).wrapping_add(1), self.block_of(offset as u64));
            }
            let reference = columns.reference(index)?;
            self.take(&reference)
                .map_err(|reason| columns.error(index, reason))?;
            self.tally.rows += 1;
        }
        Ok(())
    }

    /// What the stream contained so far.
    pub fn tally(&self) -> Tally {
        let seen = self
            .blocks
            .states
            .iter()
            .filter(|state| state.place() != Place::Never)
            .count();
        Tally {
            distinct_blocks: seen as u64,
            ..self.tally.clone()
        }
    }

    /// End the stream and hand out the curve's counts.
    pub fn finish(mut self, pricing: Pricing) -> Curve {
        for number in 1..self.blocks.states.len() {
            let (level, depth) = self.dirty_level_and_depth(number);
            if level == 0 {
                continue;
            }
            let shortfall = self.shortfalls.get(&number).copied().unwrap_or(0);
            let counting = self.counting;
            let component = self.writer_of(number);
            if counting {
                component.expel(level, depth, shortfall);
            }
            component.dirty_at_end.add(level.max(depth), 1);
        }
        Curve::new(
            self.components,
            self.options.block_bytes,
            self.options.write_policy,
            pricing,
        )
    }

    #[inline(always)]
    fn take(&mut self, reference: &Reference) -> Result<(), String> {
        match reference.operation {
            Operation::Read | Operation::Write => self.request(reference),
            Operation::Truncate | Operation::Delete => {
                self.remove(reference);
                Ok(())
            }
            Operation::Sync => {
                self.tally.syncs += 1;
                Ok(())
            }
        }
    }

    #[inline(always)]
    fn request(&mut self, reference: &Reference) -> Result<(), String> {
        let Some(file) = reference.file else {
            self.tally.unplaced += 1;
            return Ok(());
        };
        let span = if reference.is_inode && self.options.inodes_per_block.is_some() {
            self.place_inode(file)
        } else {
            self.span(reference, file as u32 + 1)?
        };
        let Some(span) = span else {
            self.tally.empty_requests += 1;
            return Ok(());
        };
        if !self.counting {
            self.end_warm_up(reference)?;
        }
        self.tally.requests += 1;
        let component = reference.component as usize;
        if component >= self.components.len() {
            self.add_components(component)?;
        }
        let write = reference.operation == Operation::Write;
        if write && self.options.write_policy == WritePolicy::NoAllocate {
            self.write_through(&span, component);
            return Ok(());
        }
        self.touch_all(&span, component, write)
    }

    /// Touch the blocks of a request one after the other, and count it.
    #[inline(always)]
    fn touch_all(&mut self, span: &Span, component: usize, write: bool) -> Result<(), String> {
        let mut distances = RequestDistances::new(span.blocks);
        for index in 0..span.blocks {
            let Some(number) = self.blocks.number(span.file, span.first + u64::from(index)) else {
                return Err(format!("more than {MOST_BLOCKS} distinct blocks"));
            };
            let is_last = index + 1 == span.blocks;
            let shortfall = if is_last { span.last_shortfall } else { 0 };
            let (distance, cold) = self.touch(number, component, write, shortfall);
            if self.coverage.is_some() {
                let start = if index == 0 { span.start } else { 0 };
                let end = if is_last {
                    span.end
                } else {
                    self.options.block_bytes
                };
                self.cover(number, component, distance, write.then_some((start, end)));
            }
            if self.counting {
                let component = &mut self.components[component];
                if write {
                    distances.block(&mut component.writes, distance, cold);
                } else {
                    distances.block(&mut component.reads, distance, cold);
                    component.read_shortfall(distance, shortfall);
                }
            }
        }
        if self.counting {
            let component = &mut self.components[component];
            distances.finish(if write {
                &mut component.writes
            } else {
                &mut component.reads
            });
        }
        Ok(())
    }

    /// Move one block to the top of the stack; return its distance and whether it had never been in the cache.
    #[inline(always)]
    fn touch(
        &mut self,
        number: usize,
        component: usize,
        write: bool,
        shortfall: u32,
    ) -> (u32, bool) {
        if self.recency.is_full() {
            self.compact();
        }
        let block = self.blocks.states[number];
        let place = block.place();
        let (slot, distance) = match place {
            Place::Slot(slot) => (slot, self.recency.depth(slot)),
            Place::Never | Place::Dropped => (NO_SLOT, INFINITE),
        };
        let slot = self.recency.use_block(slot);
        let level = block.dirty_level;
        let state = &mut self.blocks.states[number];
        state.move_to(slot);
        state.dirty_level = if write {
            1
        } else if level == 0 {
            0
        } else {
            level.max(distance)
        };
        if level != 0 || write {
            self.settle(number, level, distance, shortfall);
            if write && (component != 0 || !self.writers.is_empty()) {
                self.note_writer(number, component);
            }
        }
        (distance, place == Place::Never)
    }

    /// Count the expulsions of a block that was dirty before this touch, and note its new shortfall.
    #[inline(always)]
    fn settle(&mut self, number: usize, level: u32, distance: u32, shortfall: u32) {
        let former = match (shortfall, self.shortfalls.is_empty()) {
            (0, true) => None,
            (0, false) => self.shortfalls.remove(&number),
            _ => self.shortfalls.insert(number, shortfall),
        };
        if self.counting && level != 0 {
            self.writer_of(number)
                .expel(level, distance, former.unwrap_or(0));
        }
    }

    #[inline(always)]
    fn writer_of(&mut self, number: usize) -> &mut Component {
        let writer = self
            .writers
            .get(number)
            .map_or(0, |&writer| writer as usize);
        &mut self.components[writer]
    }

    fn note_writer(&mut self, number: usize, component: usize) {
        if self.writers.len() <= number {
            self.writers.resize(self.blocks.states.len(), 0);
        }
        self.writers[number] = component as u32;
    }

    #[cold]
    fn compact(&mut self) {
        let compaction = self.recency.compact();
        self.blocks.follow(&compaction);
    }

    #[cold]
    fn add_components(&mut self, component: usize) -> Result<(), String> {
        if component >= MOST_COMPONENTS {
            return Err(format!("more than {MOST_COMPONENTS} components"));
        }
        self.components
            .resize_with(component + 1, Component::default);
        Ok(())
    }

    /// Note dirty bytes for the data-overwrite policy; `written` is None for a read.
    fn cover(
        &mut self,
        number: usize,
        component: usize,
        distance: u32,
        written: Option<(u32, u32)>,
    ) {
        let Some(coverage) = &mut self.coverage else {
            return;
        };
        coverage.touch(number, distance);
        if let Some((start, end)) = written {
            let counts = self.counting.then_some(&mut self.components[component]);
            coverage.write(number, start, end, counts);
        }
    }

    /// A write under no-allocate: all its blocks go to the disk, and leave the cache.
    fn write_through(&mut self, span: &Span, component: usize) {
        let mut cold = false;
        for block in span.first..span.first + u64::from(span.blocks) {
            let number = self.blocks.find(span.file, block);
            cold |= number.is_none_or(|number| self.blocks.states[number].place() == Place::Never);
            if let Some(number) = number {
                self.drop_block(number);
            }
        }
        if self.counting {
            let component = &mut self.components[component];
            component.writes.requests += 1;
            component.writes.blocks += u64::from(span.blocks);
            component.writes.cold_requests += u64::from(cold);
            component.written_through += u64::from(span.blocks);
            component.written_through_shortfall += u64::from(span.last_shortfall);
        }
    }

    /// Truncate or delete a file.
    fn remove(&mut self, reference: &Reference) {
        let truncate = reference.operation == Operation::Truncate;
        *(if truncate {
            &mut self.tally.truncates
        } else {
            &mut self.tally.deletes
        }) += 1;
        let (Some(file), Some(length)) = (
            reference.file,
            if truncate { reference.offset } else { Some(0) },
        ) else {
            self.tally.unplaced += 1;
            return;
        };
        let file = file as u32 + 1;
        if truncate {
            self.blocks.truncate(file, length);
        }
        if self.options.deletes == Deletes::Honour {
            let first_gone = (length as u64).div_ceil(u64::from(self.options.block_bytes));
            for number in self.blocks.numbers_from(file, first_gone) {
                self.drop_block(number);
            }
        }
    }

    fn drop_block(&mut self, number: usize) {
        let Place::Slot(slot) = self.blocks.states[number].place() else {
            return;
        };
        let (level, depth) = self.dirty_level_and_depth(number);
        if level != 0 {
            self.settle(number, level, depth, 0);
        }
        self.recency.drop_block(slot);
        self.blocks.states[number].drop_out();
        if let Some(coverage) = &mut self.coverage {
            coverage.forget(number);
        }
    }

    /// A block's dirty level, 0 where it is clean, and then its depth.
    fn dirty_level_and_depth(&self, number: usize) -> (u32, u32) {
        let block = self.blocks.states[number];
        match block.place() {
            Place::Slot(slot) if block.dirty_level != 0 => {
                (block.dirty_level, self.recency.depth(slot))
            }
            _ => (0, 0),
        }
    }

    /// Begin to count if the warm-up is over with this request. What was expelled during it is never counted: the
    /// dirty level of each block becomes at least its depth.
    #[cold]
    fn end_warm_up(&mut self, reference: &Reference) -> Result<(), String> {
        if let Some(warm_up_ns) = self.options.warm_up_ns {
            let time_ns = reference
                .time_ns
                .ok_or("warm-up by time needs a time stamp at each request")?;
            if time_ns < warm_up_ns {
                return Ok(());
            }
        }
        if self.tally.requests < self.options.warm_up_requests {
            return Ok(());
        }
        self.counting = true;
        for number in 1..self.blocks.states.len() {
            let (level, depth) = self.dirty_level_and_depth(number);
            if level != 0 {
                self.blocks.states[number].dirty_level = level.max(depth);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn block_of(&self, offset: u64) -> u64 {
        match self.shift {
            Some(shift) => offset >> shift,
            None => offset / u64::from(self.options.block_bytes),
        }
    }

    /// The blocks of a request; None where it has no bytes. The key of its file is its number plus one.
    #[inline(always)]
    fn span(&mut self, reference: &Reference, file: u32) -> Result<Option<Span>, String> {
        let offset = match reference.offset {
            Some(offset) => offset,
            None => {
                self.tally.unknown_offsets += 1;
                self.blocks.extent(file)
            }
        };
        let (told_end, end) = match reference.length {
            Some(0) => return Ok(None),
            Some(length) => {
                let end = offset
                    .checked_add(length)
                    .ok_or("offset plus length is beyond 2^63 bytes")?;
                (end, end)
            }
            None => self.unknown_end(reference, file, offset),
        };
        let size = self.blocks.note_size(file, reference.file_size, told_end);
        let block_bytes = u64::from(self.options.block_bytes);
        let (first, last) = (self.block_of(offset as u64), self.block_of(end as u64 - 1));
        let blocks = last - first + 1;
        if blocks > MOST_REQUEST_BLOCKS {
            return Err(format!(
                "the request touches {blocks} blocks; at most {MOST_REQUEST_BLOCKS} can be"
            ));
        }
        let last_start = last * block_bytes;
        let shortfall = size.map_or(0, |size| {
            block_bytes - (size as u64).saturating_sub(last_start).min(block_bytes)
        });
        Ok(Some(Span {
            file,
            first,
            blocks: blocks as u32,
            last_shortfall: shortfall as u32,
            start: (offset as u64 - first * block_bytes) as u32,
            end: (end as u64 - last_start) as u32,
        }))
    }

    /// Where a request of unknown length ends: the end of its bytes as far as known, and the end of what it is
    /// taken to touch.
    #[cold]
    fn unknown_end(&mut self, reference: &Reference, file: u32, offset: i64) -> (i64, i64) {
        self.tally.unknown_lengths += 1;
        match reference.file_size.or_else(|| self.blocks.size(file)) {
            Some(size) if size > offset => (size, size),
            _ => (offset, offset.saturating_add(1)),
        }
    }

    /// The block that an inode shares with others, by the order of their first references.
    fn place_inode(&mut self, inode: i32) -> Option<Span> {
        let inodes = self.options.inodes_per_block?;
        let next = self.inode_ranks.len() as u32;
        let rank = *self.inode_ranks.entry(inode).or_insert(next);
        let room = self.options.block_bytes / inodes;
        let start = rank % inodes * room;
        let first = u64::from(rank / inodes);
        Some(Span {
            file: PLACED_INODES,
            first,
            blocks: 1,
            last_shortfall: 0,
            start,
            end: start + room,
        })
    }
}
