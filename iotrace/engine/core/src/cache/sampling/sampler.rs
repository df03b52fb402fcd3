//! From requests to touches of sampled blocks.

use super::block_hash::BlockHash;
use super::block_numbers::BlockNumbers;
use super::sample::{Sample, SampleRow, UNKNOWN};
use crate::cache::stack_distance::{
    file_key, Blocks, Columns, Operation, Options, Ranges, Reference, Span, Spans, Syncs, Tally,
    MOST_COMPONENTS, MOST_REQUEST_BLOCKS,
};
use crate::error::Error;
use std::ops::Range;

/// The group of what happens to files: every cache sees it.
pub const ALL_GROUPS: u8 = u8::MAX;

/// Counts of one component and direction, read or write, over the whole stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Demand {
    /// Requests that are counted.
    pub requests: u64,
    /// Blocks that they touch.
    pub blocks: u64,
}

/// Samples the blocks that requests touch.
#[derive(Debug)]
pub struct Sampler {
    options: Options,
    hash: BlockHash,
    /// The largest hash that is sampled.
    pub largest: u64,
    groups: u64,
    spans: Spans,
    /// What is known of files' sizes; no block has a number in it.
    files: Blocks,
    /// The numbers of sampled blocks, by which caches know them; None where they know them by their places.
    numbers: Option<BlockNumbers>,
    tally: Tally,
    is_warm: bool,
    demands: Vec<[Demand; 2]>,
    has_requests_of_several_blocks: bool,
    looks_back: bool,
}

impl Sampler {
    /// A sampler of the blocks with a hash of at most `largest`, in `groups` groups, a power of two.
    pub fn new(options: Options, hash: BlockHash, largest: u64, groups: u8) -> Self {
        Sampler {
            spans: Spans::new(options.block_bytes, options.inodes_per_block),
            is_warm: options.has_no_warm_up(),
            options,
            hash,
            largest,
            groups: u64::from(groups),
            files: Blocks::default(),
            numbers: None,
            tally: Tally::default(),
            demands: vec![[Demand::default(); 2]],
            has_requests_of_several_blocks: false,
            looks_back: false,
        }
    }

    /// Number sampled blocks without gaps: requests must not state sizes of files, and removals and syncs must be of whole
    /// files.
    pub fn number_blocks(&mut self) {
        self.numbers = Some(BlockNumbers::default());
    }

    /// Sample the blocks with a hash of at most `largest`, which is lower than before.
    pub fn lower(&mut self, largest: u64) {
        self.largest = largest;
        if let Some(numbers) = &mut self.numbers {
            let hash = self.hash;
            numbers.retain(|file, block| hash.of_file(file).of_block(block) <= largest);
        }
    }

    /// What the stream contained so far, all blocks; distinct blocks are not known.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Requests and blocks of reads and of writes, by component.
    pub fn demands(&self) -> &[[Demand; 2]] {
        &self.demands
    }

    /// Whether any request touched more than one block.
    pub fn has_requests_of_several_blocks(&self) -> bool {
        self.has_requests_of_several_blocks
    }

    /// Whether the blocks of some request depend on what an earlier slice says of its file's size.
    pub fn looks_back(&self) -> bool {
        self.looks_back
    }

    /// The settings of caches that take the sample: each row has its time before or after the warm-up's end, and inodes
    /// that share blocks have been placed.
    pub fn options_of_caches(&self) -> Options {
        Options {
            warm_up_requests: 0,
            warm_up_ns: (!self.options.has_no_warm_up()).then_some(1),
            inodes_per_block: None,
            ..self.options.clone()
        }
    }

    /// Sample the next rows; fails at the first invalid one.
    pub fn sample(&mut self, columns: &Columns<'_>, sample: &mut Sample) -> Result<(), Error> {
        let rows = columns.len();
        let ranges = columns.ranges(self.options.syncs == Syncs::Honour);
        let mut index = 0;
        while index < rows {
            if let (Some(ranges), true) = (&ranges, self.is_warm) {
                index += self.sample_file(ranges, index..rows, sample);
                if index == rows {
                    break;
                }
            }
            let reference = columns.reference(index)?;
            self.take(reference, columns.time_ns(index), sample)
                .map_err(|reason| columns.error(index, reason))?;
            self.tally.rows += 1;
            index += 1;
        }
        Ok(())
    }

    /// Sample reads of single blocks of file 0 known by key, which are numbered without gaps.
    pub fn sample_keys(&mut self, keys: &[u64], sample: &mut Sample) {
        let file = file_key(0);
        let hash = self.hash.of_file(file);
        let mut numbers = self.numbers.take().unwrap_or_default();
        let largest = self.largest;
        let block_bytes = i64::from(self.options.block_bytes);
        for &key in keys {
            let of_block = hash.of_block(key);
            if of_block <= largest {
                let start = i64::from(numbers.of(file, key)) * block_bytes;
                sample.push(self.row(0, 0, false, of_block, start..start + block_bytes));
            }
        }
        self.numbers = Some(numbers);
        let many = keys.len() as u64;
        self.tally.rows += many;
        self.tally.requests += many;
        self.demands[0][0].requests += many;
        self.demands[0][0].blocks += many;
    }

    /// Sample the first of these rows, while they read or write ranges of one file of unknown size; return how
    /// many.
    #[inline(always)]
    fn sample_file(&mut self, ranges: &Ranges<'_>, rows: Range<usize>, sample: &mut Sample) -> usize {
        let file = ranges.file(rows.start);
        let key = file_key(file);
        if self.files.size(key).is_some() {
            return 0;
        }
        let hash = self.hash.of_file(key);
        let (mut extent, mut taken) = (0, 0);
        let mut demands = [Demand::default(); 2];
        let component = ranges.component(rows.start);
        if component >= self.demands.len() {
            return 0;
        }
        for index in rows {
            let (offset, length) = ranges.bytes(index);
            let (Some(write), Some(end)) = (ranges.write(index), offset.checked_add(length)) else {
                break;
            };
            let same = ranges.file(index) == file && ranges.component(index) == component;
            if !same || length == 0 {
                break;
            }
            let (first, last) = (self.spans.block_of(offset as u64), self.spans.block_of(end as u64 - 1));
            if first == last {
                let hash = hash.of_block(first);
                if hash <= self.largest {
                    let bytes = self.as_numbered(key, first, offset..end);
                    sample.push(self.row(file, component as u32, write, hash, bytes));
                }
            } else {
                let blocks = last - first + 1;
                if blocks > MOST_REQUEST_BLOCKS {
                    break;
                }
                self.has_requests_of_several_blocks = true;
                let block_bytes = i64::from(self.options.block_bytes);
                for block in first..=last {
                    let hash = hash.of_block(block);
                    if hash <= self.largest {
                        let start = block as i64 * block_bytes;
                        let bytes = start.max(offset)..end.min(start.saturating_add(block_bytes));
                        let bytes = self.as_numbered(key, block, bytes);
                        sample.push(self.row(file, component as u32, write, hash, bytes));
                    }
                }
                demands[usize::from(write)].blocks += blocks - 1;
            }
            let demand = &mut demands[usize::from(write)];
            demand.requests += 1;
            demand.blocks += 1;
            extent = extent.max(end);
            taken += 1;
        }
        for (total, demand) in self.demands[component].iter_mut().zip(demands) {
            total.requests += demand.requests;
            total.blocks += demand.blocks;
        }
        self.tally.rows += taken as u64;
        self.tally.requests += taken as u64;
        if taken > 0 {
            self.files.extend_to(key, extent);
        }
        taken
    }

    /// Bytes of a block where caches know it.
    #[inline(always)]
    fn as_numbered(&mut self, file: u32, block: u64, bytes: Range<i64>) -> Range<i64> {
        let Some(numbers) = &mut self.numbers else {
            return bytes;
        };
        let block_bytes = i64::from(self.options.block_bytes);
        let start = block as i64 * block_bytes;
        let numbered = i64::from(numbers.of(file, block)) * block_bytes;
        numbered + (bytes.start - start)..numbered + (bytes.end - start)
    }

    #[inline(always)]
    fn row(&self, file: i32, component: u32, write: bool, hash: u64, bytes: Range<i64>) -> SampleRow {
        SampleRow {
            operation: if write { Operation::Write } else { Operation::Read },
            file,
            offset: bytes.start,
            length: bytes.end - bytes.start,
            file_size: UNKNOWN,
            component,
            is_warm: self.is_warm,
            hash,
            group: (hash & (self.groups - 1)) as u8,
        }
    }

    fn take(
        &mut self,
        reference: Reference,
        time_ns: Option<i64>,
        sample: &mut Sample,
    ) -> Result<(), String> {
        if self.numbers.is_some() {
            refuse_ranges(reference)?;
        }
        match reference.operation {
            Operation::Read | Operation::Write => return self.request(reference, time_ns, sample),
            Operation::Truncate | Operation::Delete => {
                // the caches drop the blocks; what changes here is the file's size
                self.spans.of_removal(reference, &mut self.files, &mut self.tally);
            }
            Operation::Evict => self.tally.unplaced += u64::from(reference.file.is_none()),
            Operation::Sync => self.tally.syncs += 1,
        }
        let file = reference.file.map_or(-1, |file| self.file_of(file_key(file)));
        let (offset, length) = (reference.offset.unwrap_or(UNKNOWN), reference.length.unwrap_or(UNKNOWN));
        sample.push(self.row_of_file(reference.operation, file, offset, length));
        Ok(())
    }

    /// A row of what happens to a file, or to a range of it.
    fn row_of_file(&self, operation: Operation, file: i32, offset: i64, length: i64) -> SampleRow {
        SampleRow {
            operation,
            file,
            offset,
            length,
            file_size: UNKNOWN,
            component: 0,
            is_warm: self.is_warm,
            hash: 0,
            group: ALL_GROUPS,
        }
    }

    /// The number by which caches know a file: where inodes share blocks, file 0 has those, and others follow.
    fn file_of(&self, key: u32) -> i32 {
        (key - u32::from(self.options.inodes_per_block.is_none())) as i32
    }

    fn request(
        &mut self,
        reference: Reference,
        time_ns: Option<i64>,
        sample: &mut Sample,
    ) -> Result<(), String> {
        if !self.is_warm {
            self.is_warm = self.options.is_warm(self.tally.requests, time_ns)?;
            if self.is_warm {
                // caches count from an empty read on, since they may not see this request
                sample.push(self.row_of_file(Operation::Read, 0, 0, 0));
            }
        }
        self.looks_back |= self.is_open(reference);
        let Some(span) = self.spans.of_request(reference, &mut self.files, &mut self.tally)? else {
            return Ok(());
        };
        let component = reference.component as usize;
        if component >= MOST_COMPONENTS {
            return Err(format!("more than {MOST_COMPONENTS} components"));
        }
        if component >= self.demands.len() {
            self.demands.resize(component + 1, [Demand::default(); 2]);
        }
        let write = reference.operation == Operation::Write;
        if self.is_warm {
            let demand = &mut self.demands[component][usize::from(write)];
            demand.requests += 1;
            demand.blocks += u64::from(span.blocks);
            self.has_requests_of_several_blocks |= span.blocks > 1;
        }
        let hash = self.hash.of_file(span.file);
        let before = sample.len();
        for index in 0..span.blocks {
            let hash = hash.of_block(span.first + u64::from(index));
            if hash <= self.largest {
                sample.push(self.touch(&span, index, hash, reference, write));
            }
        }
        let is_synced = write && reference.synchronous && self.options.syncs == Syncs::Honour;
        if is_synced && self.numbers.is_some() {
            let written = sample.rows()[before..].to_vec();
            written.into_iter().for_each(|row| {
                sample.push(self.row_of_file(Operation::Sync, row.file, row.offset, row.length));
            });
        } else if is_synced && sample.len() > before {
            let block_bytes = i64::from(self.options.block_bytes);
            let length = i64::from(span.blocks).saturating_mul(block_bytes);
            let (file, offset) = (self.file_of(span.file), span.first as i64 * block_bytes);
            sample.push(self.row_of_file(Operation::Sync, file, offset, length));
        }
        Ok(())
    }

    /// Whether a request's place or length follows from its file's size, which is not known here.
    fn is_open(&self, reference: Reference) -> bool {
        let lacks_length = reference.length.is_none() && reference.file_size.is_none();
        let size = || reference.file.and_then(|file| self.files.size(file_key(file)));
        reference.length != Some(0) && (reference.offset.is_none() || lacks_length) && size().is_none()
    }

    /// The touch of one block of a request: its bytes, and the file's size where that is known.
    fn touch(&mut self, span: &Span, index: u32, hash: u64, reference: Reference, write: bool) -> SampleRow {
        let block_bytes = i64::from(self.options.block_bytes);
        let block = (span.first + u64::from(index)) as i64 * block_bytes;
        let is_last = index + 1 == span.blocks;
        let start = if index == 0 { i64::from(span.start) } else { 0 };
        let end = if is_last { i64::from(span.end) } else { block_bytes };
        let end_known = self.files.size(span.file).filter(|_| !self.spans.is_placed(reference));
        let bytes = self.as_numbered(span.file, span.first + u64::from(index), block + start..block + end);
        let row = self.row(self.file_of(span.file), reference.component, write, hash, bytes);
        match end_known {
            None => row,
            // a request of unknown length beyond the file's end has no bytes that the file has
            Some(file_size) if file_size <= row.offset => SampleRow { file_size, length: UNKNOWN, ..row },
            Some(file_size) => SampleRow { file_size, ..row },
        }
    }
}

/// Fail for a truncation or sync of a part of a file, and for a request that states the file's size.
fn refuse_ranges(reference: Reference) -> Result<(), String> {
    let is_partial = match reference.operation {
        Operation::Read | Operation::Write => reference.file_size.is_some(),
        Operation::Truncate => reference.offset != Some(0),
        Operation::Sync => reference.offset.is_some(),
        Operation::Delete | Operation::Evict => false,
    };
    match is_partial {
        true => Err("sampled blocks that are numbered have no place in their file".to_owned()),
        false => Ok(()),
    }
}
