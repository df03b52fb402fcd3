//! One cache of volatile and non-volatile memory.

use super::acknowledged_syncs::AcknowledgedSyncs;
use super::risk::Risk;
use crate::cache::replay::{Follow, Request, Step, Tape};
use crate::lists::Lists;
use serde::Deserialize;

const CACHED: u32 = 1;
/// Dirty blocks in non-volatile memory, by their last write.
const SAFE: u32 = 1;
/// Dirty blocks in volatile memory, in the order in which they became at risk.
const AT_RISK: u32 = 2;
/// Dirty blocks in volatile memory whose data may be lost, in the order in which they became dirty.
const UNSECURED: u32 = 3;

/// When dirty blocks in volatile memory are written to the disk (Richardson 1994, 1.2); the serde names are the
/// options' values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WritePolicy {
    /// Only when they are expelled.
    CopyBack,
    /// Immediately; they stay in the cache, clean.
    WriteThrough,
    /// All of them at each multiple of an interval in ns from the trace's start.
    Periodic(i64),
    /// Each block this many ns after it became at risk.
    Deadline(i64),
}

/// A cache's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Blocks of volatile memory.
    pub volatile_blocks: u32,
    /// Blocks of non-volatile memory.
    pub nonvolatile_blocks: u32,
    /// Blocks of the volatile memory that each running process takes for itself.
    #[serde(default)]
    pub process_blocks: u32,
}

impl Memory {
    /// What `processes` processes leave of the volatile memory; the cache always has at least one block.
    fn volatile_left(&self, processes: u32) -> u32 {
        let taken = processes.saturating_mul(self.process_blocks);
        let least = u32::from(self.nonvolatile_blocks == 0);
        self.volatile_blocks.saturating_sub(taken).max(least)
    }
}

/// One cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Its memory.
    pub memory: Memory,
    /// When dirty blocks in volatile memory are written.
    pub write_policy: WritePolicy,
    /// Whether data that may be lost stay volatile, unsecured.
    #[serde(default)]
    pub spares_what_may_be_lost: bool,
}

/// Blocks written to the disk, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Expelled while dirty.
    pub expelled: u64,
    /// A periodic write or a deadline.
    pub flushed: u64,
    /// A sync, or a synchronous write.
    pub synced: u64,
    /// Write-through.
    pub through: u64,
}

/// Results of a cache.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Outcome {
    /// Block misses of reads and of writes.
    pub block_misses: [u64; 2],
    /// Request misses of reads and of writes.
    pub request_misses: [u64; 2],
    /// Blocks written.
    pub written: Written,
    /// Blocks written to the non-volatile memory.
    pub nonvolatile_writes: u64,
    /// Dirty blocks at the end: in non-volatile memory, at risk, and unsecured.
    pub dirty_at_end: [u64; 3],
    /// Unsecured blocks written to the disk, because they were expelled.
    pub unsecured_written: u64,
    /// The most unsecured blocks.
    pub most_unsecured: u64,
    /// Unsecured blocks times ns.
    pub unsecured_block_ns: i128,
    /// The least volatile memory, in blocks.
    pub least_volatile_blocks: u32,
    /// The most blocks that a crash would have lost.
    pub most_at_risk: u64,
    /// Blocks at risk times ns; divided by `counted_ns` this is the mean number at risk.
    pub at_risk_block_ns: i128,
    /// Time that was counted.
    pub counted_ns: i64,
    /// The longest time for which a block was at risk.
    pub longest_at_risk_ns: i64,
}

/// One LRU cache over all its memory. The most recently written dirty blocks are in the non-volatile part; when it is
/// full, the block with the oldest last write moves to the volatile part, still dirty, where the write-back policy
/// applies. Clean blocks may be in either part. A sync writes a file's blocks that are at risk; blocks in the
/// non-volatile part need not be written. Deleted and overwritten data are not written.
///
/// Data that may be lost stay in the volatile part, unsecured, until they are expelled: neither the write policy nor a
/// sync writes them. Where the volatile part is full of dirty blocks, they are treated as all others are.
#[derive(Debug)]
pub struct LimitedCache {
    settings: Settings,
    /// The volatile memory that processes leave now.
    volatile_blocks: u32,
    recency: Lists,
    dirty: Lists,
    risk: Risk,
    acknowledged_syncs: AcknowledgedSyncs,
    now_ns: i64,
    next_flush_ns: i64,
    counting: bool,
    /// The file of the next request.
    file: u32,
    outcome: Outcome,
}

impl LimitedCache {
    /// An empty cache.
    pub fn new(settings: Settings) -> Self {
        let volatile_blocks = settings.memory.volatile_left(0);
        LimitedCache {
            settings,
            volatile_blocks,
            recency: Lists::default(),
            dirty: Lists::default(),
            risk: Risk::default(),
            acknowledged_syncs: AcknowledgedSyncs::default(),
            now_ns: 0,
            next_flush_ns: match settings.write_policy {
                WritePolicy::Periodic(interval_ns) => interval_ns,
                _ => 0,
            },
            counting: false,
            file: 0,
            outcome: Outcome { least_volatile_blocks: settings.memory.volatile_blocks, ..Outcome::default() },
        }
    }

    fn blocks(&self) -> u32 {
        self.volatile_blocks + self.settings.memory.nonvolatile_blocks
    }

    /// Dirty blocks in volatile memory.
    fn dirty_volatile(&self) -> u32 {
        self.dirty.len(AT_RISK) + self.dirty.len(UNSECURED)
    }

    /// The results so far, including the blocks that are dirty now.
    pub fn outcome(&mut self) -> Outcome {
        let mut block = self.dirty.oldest(AT_RISK);
        while let Some(at_risk) = block {
            self.risk.end(at_risk, self.now_ns, self.counting);
            block = self.dirty.newer(at_risk);
        }
        Outcome {
            dirty_at_end: [SAFE, AT_RISK, UNSECURED].map(|list| u64::from(self.dirty.len(list))),
            longest_at_risk_ns: self.risk.longest_ns,
            ..self.outcome
        }
    }

    /// Process a request, in pieces of the cache's size if it is larger.
    fn request(&mut self, request: Request, touches: &[u32]) {
        if request.counted && !self.counting {
            self.counting = true;
            self.outcome.most_at_risk = u64::from(self.dirty.len(AT_RISK));
            self.outcome.most_unsecured = u64::from(self.dirty.len(UNSECURED));
        }
        let way = usize::from(request.write);
        let may_be_lost = self.settings.spares_what_may_be_lost && request.component > 0;
        for piece in touches.chunks(self.blocks() as usize) {
            let mut missed = 0;
            for &block in piece {
                missed += u64::from(!self.touch(block));
                if request.write {
                    self.write(block, may_be_lost);
                }
            }
            if request.counted {
                self.outcome.block_misses[way] += missed;
                self.outcome.request_misses[way] += u64::from(missed > 0);
            }
        }
        if request.write && request.synchronous {
            self.sync(touches);
        }
    }

    fn touch(&mut self, block: u32) -> bool {
        let hit = self.recency.list_of(block) == CACHED;
        if hit {
            self.recency.renew(block);
            return true;
        }
        if self.recency.len(CACHED) == self.blocks() {
            self.expel_oldest();
        }
        self.recency.put_in(CACHED, block);
        false
    }

    fn expel_oldest(&mut self) {
        if let Some(expelled) = self.recency.take_oldest(CACHED) {
            self.write_out(expelled);
        }
    }

    /// A block leaves the memory; it is written to the disk if it is dirty.
    fn write_out(&mut self, block: u32) {
        let unsecured = self.dirty.list_of(block) == UNSECURED;
        if self.clean(block) {
            self.count(|written| &mut written.expelled);
            self.outcome.unsecured_written += u64::from(unsecured && self.counting);
        }
    }

    /// The processes that run now leave more of the volatile memory than before, or less.
    fn resize(&mut self, processes: u32) {
        self.volatile_blocks = self.settings.memory.volatile_left(processes);
        self.outcome.least_volatile_blocks = self.outcome.least_volatile_blocks.min(self.volatile_blocks);
        while self.recency.len(CACHED) > self.blocks() {
            self.expel_oldest();
        }
        while self.dirty_volatile() > self.volatile_blocks {
            let Some(block) = self.dirty.oldest(AT_RISK).or_else(|| self.dirty.oldest(UNSECURED)) else {
                break;
            };
            self.write_out(block);
        }
    }

    /// Write a block that may be lost; return whether it stays unsecured. What was to be secured before still is.
    fn leave_unsecured(&mut self, block: u32) -> bool {
        match self.dirty.list_of(block) {
            UNSECURED => true,
            SAFE | AT_RISK => false,
            _ if self.dirty_volatile() >= self.volatile_blocks => false,
            _ => {
                self.dirty.put_in(UNSECURED, block);
                if self.counting {
                    let unsecured = u64::from(self.dirty.len(UNSECURED));
                    self.outcome.most_unsecured = self.outcome.most_unsecured.max(unsecured);
                }
                true
            }
        }
    }

    /// A cached block is written.
    fn write(&mut self, block: u32, may_be_lost: bool) {
        if may_be_lost && self.leave_unsecured(block) {
            return;
        }
        self.risk.note_write(block, self.file);
        self.acknowledged_syncs.write(block);
        if self.settings.memory.nonvolatile_blocks == 0 {
            return self.endanger(block);
        }
        self.clean(block);
        self.dirty.put_in(SAFE, block);
        self.outcome.nonvolatile_writes += u64::from(self.counting);
        if self.dirty.len(SAFE) > self.settings.memory.nonvolatile_blocks {
            if let Some(displaced) = self.dirty.take_oldest(SAFE) {
                if self.acknowledged_syncs.covers(displaced) {
                    self.count(|written| &mut written.synced);
                } else {
                    self.endanger(displaced);
                }
            }
        }
    }

    /// A block in volatile memory becomes dirty.
    fn endanger(&mut self, block: u32) {
        if self.settings.write_policy == WritePolicy::WriteThrough {
            self.clean(block);
            return self.count(|written| &mut written.through);
        }
        if self.dirty.list_of(block) == AT_RISK {
            return;
        }
        self.clean(block);
        self.dirty.put_in(AT_RISK, block);
        self.risk.begin(block, self.now_ns);
        if self.counting {
            let at_risk = u64::from(self.dirty.len(AT_RISK));
            self.outcome.most_at_risk = self.outcome.most_at_risk.max(at_risk);
        }
    }

    /// A block is no longer dirty in this memory; return whether it was.
    fn clean(&mut self, block: u32) -> bool {
        let list = self.dirty.list_of(block);
        if list == AT_RISK {
            self.risk.end(block, self.now_ns, self.counting);
        }
        self.dirty.take_out(block);
        matches!(list, SAFE | AT_RISK | UNSECURED)
    }

    /// Complete a sync of these blocks: write those at risk; the others are to be written before they become at risk.
    fn sync(&mut self, blocks: &[u32]) {
        for &block in blocks {
            match self.dirty.list_of(block) {
                AT_RISK => {
                    self.clean(block);
                    self.count(|written| &mut written.synced);
                }
                SAFE => self.acknowledged_syncs.acknowledge(block),
                _ => {}
            }
        }
    }

    fn sync_all(&mut self) {
        self.acknowledged_syncs.acknowledge_all();
        while let Some(block) = self.dirty.oldest(AT_RISK) {
            self.sync(&[block]);
        }
    }

    /// Advance the time to `to_ns`, and write what is due by then.
    fn wait(&mut self, to_ns: i64) {
        while let Some(due_ns) = self.next_due_ns(to_ns) {
            self.pass(due_ns);
            while let Some(block) = self.dirty.oldest(AT_RISK) {
                if let WritePolicy::Deadline(interval_ns) = self.settings.write_policy {
                    if self.risk.since_ns(block).saturating_add(interval_ns) > due_ns {
                        break;
                    }
                }
                self.clean(block);
                self.count(|written| &mut written.flushed);
            }
        }
        self.pass(to_ns);
    }

    /// When the next write is due with something to write, if not after `end_ns`.
    fn next_due_ns(&mut self, end_ns: i64) -> Option<i64> {
        let due_ns = match self.settings.write_policy {
            WritePolicy::CopyBack | WritePolicy::WriteThrough => return None,
            WritePolicy::Deadline(interval_ns) => {
                let oldest = self.dirty.oldest(AT_RISK)?;
                self.risk.since_ns(oldest).saturating_add(interval_ns)
            }
            WritePolicy::Periodic(interval_ns) => {
                let due_ns = self.next_flush_ns;
                if due_ns <= end_ns {
                    let periods =
                        if self.dirty.len(AT_RISK) > 0 { due_ns / interval_ns } else { end_ns / interval_ns };
                    self.next_flush_ns = (periods + 1).saturating_mul(interval_ns);
                }
                due_ns
            }
        };
        (due_ns <= end_ns && self.dirty.len(AT_RISK) > 0).then_some(due_ns)
    }

    fn pass(&mut self, to_ns: i64) {
        let passed_ns = to_ns - self.now_ns;
        if self.counting {
            let at_risk = i128::from(self.dirty.len(AT_RISK));
            let unsecured = i128::from(self.dirty.len(UNSECURED));
            self.outcome.at_risk_block_ns += at_risk * i128::from(passed_ns);
            self.outcome.unsecured_block_ns += unsecured * i128::from(passed_ns);
            self.outcome.counted_ns += passed_ns;
        }
        self.now_ns = to_ns;
    }

    fn count(&mut self, of: impl Fn(&mut Written) -> &mut u64) {
        if self.counting {
            *of(&mut self.outcome.written) += 1;
        }
    }
}

impl Follow for LimitedCache {
    fn follow(&mut self, tape: &Tape, blocks: usize) {
        self.recency.prepare(blocks);
        self.dirty.prepare(blocks);
        self.risk.prepare(blocks);
        self.acknowledged_syncs.prepare(blocks);
        let mut rest = tape.touches.as_slice();
        for step in &tape.steps {
            let (touched, after) = rest.split_at(step.blocks() as usize);
            rest = after;
            match *step {
                Step::Request(request) => self.request(request, touched),
                Step::Drop(_) => {
                    for &block in touched {
                        self.clean(block);
                        self.recency.take_out(block);
                    }
                }
                Step::Time(time_ns) => self.wait(time_ns.max(self.now_ns)),
                Step::Processes(processes) => self.resize(processes),
                Step::File(file) => self.file = file,
                Step::Surroundings { .. } => {}
                Step::SyncBlocks(_) => self.sync(touched),
                Step::Sync(None) => self.sync_all(),
                Step::Sync(Some(file)) => {
                    let blocks = self.risk.take_file(file);
                    self.sync(&blocks);
                }
            }
        }
    }
}
