//! Memory of which a part may be non-volatile: what reaches the disk and when, and what a crash would lose
//! (Richardson 1994, 1.2 and 6.2.3; Baker and others 1992).
//!
//! - `risk` has the blocks that a crash would lose, `acknowledged_syncs` the syncs that non-volatile memory answers.

mod acknowledged_syncs;
mod risk;

use super::WriteBack;
use crate::cache::replacement::{Access, Lru};
use crate::cache::replay::Request;
use crate::lists::{Lists, One};
use acknowledged_syncs::AcknowledgedSyncs;
use risk::Risk;
use serde::Deserialize;

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
    /// Only when they are evicted.
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
    /// All of it in blocks; None from 2^32 on.
    pub fn blocks(&self) -> Option<u32> {
        self.volatile_blocks.checked_add(self.nonvolatile_blocks)
    }

    /// What `processes` processes leave of the volatile memory; the cache always has at least one block.
    fn volatile_left(&self, processes: u32) -> u32 {
        let taken = processes.saturating_mul(self.process_blocks);
        let least = u32::from(self.nonvolatile_blocks == 0);
        self.volatile_blocks.saturating_sub(taken).max(least)
    }
}

/// The settings of one cache.
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
    /// Evicted while dirty.
    pub evicted: u64,
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
    /// Blocks written.
    pub written: Written,
    /// Blocks written to the non-volatile memory.
    pub nonvolatile_writes: u64,
    /// Dirty blocks at the end: in non-volatile memory, at risk, and unsecured.
    pub dirty_at_end: [u64; 3],
    /// Unsecured blocks written to the disk, because they were evicted.
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

/// The dirty blocks of one LRU cache over all its memory. The most recently written ones are in the non-volatile part;
/// when it is full, the block with the oldest last write moves to the volatile part, still dirty, where the write-back
/// policy applies. Clean blocks may be in either part. A sync writes a file's blocks that are at risk; blocks in the
/// non-volatile part need not be written. Deleted and overwritten data are not written.
///
/// Data that may be lost stay in the volatile part, unsecured, until they are evicted: neither the write policy nor a
/// sync writes them. Where the volatile part is full of dirty blocks, they are treated as all others are.
#[derive(Debug)]
pub struct Nonvolatile {
    settings: Settings,
    /// The volatile memory that processes leave now.
    volatile_blocks: u32,
    dirty: Lists,
    risk: Risk,
    acknowledged_syncs: AcknowledgedSyncs,
    now_ns: i64,
    next_flush_ns: i64,
    counting: bool,
    /// Whether the data of the present request may be lost.
    may_be_lost: bool,
    outcome: Outcome,
}

impl Nonvolatile {
    /// Memory without dirty blocks.
    pub fn new(settings: Settings) -> Self {
        Nonvolatile {
            settings,
            volatile_blocks: settings.memory.volatile_left(0),
            dirty: Lists::default(),
            risk: Risk::default(),
            acknowledged_syncs: AcknowledgedSyncs::default(),
            now_ns: 0,
            next_flush_ns: match settings.write_policy {
                WritePolicy::Periodic(interval_ns) => interval_ns,
                _ => 0,
            },
            counting: false,
            may_be_lost: false,
            outcome: Outcome { least_volatile_blocks: settings.memory.volatile_blocks, ..Outcome::default() },
        }
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

    /// A cached block is written whose data are to be secured.
    #[inline(always)]
    fn secure(&mut self, block: u32, file: u32) {
        self.risk.note_write(block, file);
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
    #[inline(always)]
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
    #[inline(always)]
    fn clean(&mut self, block: u32) -> bool {
        let list = self.dirty.list_of(block);
        if list == AT_RISK {
            self.risk.end(block, self.now_ns, self.counting);
        }
        self.dirty.take_out(block);
        matches!(list, SAFE | AT_RISK | UNSECURED)
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

impl WriteBack<Lru<One>> for Nonvolatile {
    fn prepare(&mut self, blocks: usize) {
        self.dirty.prepare(blocks);
        self.risk.prepare(blocks);
        self.acknowledged_syncs.prepare(blocks);
    }

    fn begin(&mut self, request: Request) {
        if request.counted && !self.counting {
            self.counting = true;
            self.outcome.most_at_risk = u64::from(self.dirty.len(AT_RISK));
            self.outcome.most_unsecured = u64::from(self.dirty.len(UNSECURED));
        }
        self.may_be_lost = self.settings.spares_what_may_be_lost && request.component > 0;
    }

    #[inline(always)]
    fn write(&mut self, access: &Access<One>, _: u32) {
        if !(self.may_be_lost && self.leave_unsecured(access.number)) {
            self.secure(access.number, access.file.unwrap_or_default());
        }
    }

    fn read(&mut self, _: u32, _: u32) {}

    /// The block is written to the disk if it is dirty.
    #[inline(always)]
    fn evict(&mut self, block: u32) {
        let unsecured = self.dirty.list_of(block) == UNSECURED;
        if self.clean(block) {
            self.count(|written| &mut written.evicted);
            self.outcome.unsecured_written += u64::from(unsecured && self.counting);
        }
    }

    fn end(&mut self, request: Request, blocks: &[u32]) {
        if request.write && request.synchronous {
            self.sync_blocks(blocks);
        }
    }

    fn remove(&mut self, block: u32) {
        self.clean(block);
    }

    /// Write what is due until then.
    fn wait(&mut self, time_ns: i64) {
        let to_ns = time_ns.max(self.now_ns);
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

    /// The processes leave more of the volatile memory than before, or less.
    fn resize(&mut self, processes: u32, cached: &mut Lru<One>) -> Option<u64> {
        self.volatile_blocks = self.settings.memory.volatile_left(processes);
        self.outcome.least_volatile_blocks = self.outcome.least_volatile_blocks.min(self.volatile_blocks);
        let blocks = u64::from(self.volatile_blocks + self.settings.memory.nonvolatile_blocks);
        cached.resize(blocks, |evicted| self.evict(evicted));
        while self.dirty_volatile() > self.volatile_blocks {
            let Some(block) = self.dirty.oldest(AT_RISK).or_else(|| self.dirty.oldest(UNSECURED)) else {
                break;
            };
            self.evict(block);
        }
        Some(blocks)
    }

    fn sync(&mut self, file: Option<u32>) {
        if let Some(file) = file {
            let blocks = self.risk.take_file(file);
            return self.sync_blocks(&blocks);
        }
        self.acknowledged_syncs.acknowledge_all();
        while let Some(block) = self.dirty.oldest(AT_RISK) {
            self.sync_blocks(&[block]);
        }
    }

    /// Write the blocks at risk; the others are to be written before they become at risk.
    fn sync_blocks(&mut self, blocks: &[u32]) {
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
}
