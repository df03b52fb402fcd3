//! The settings of a parallel file system. Python passes the same names; enum values have their serde names.

use super::blocks::touched;
use super::program::{Program, LONGEST_NS};
use crate::error::Error;
use crate::simulate::disk::Drive;
use serde::Deserialize;
use std::sync::Arc;

/// When a dirty buffer is written to disk (section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum WritePolicy {
    /// Each write request of a process starts a disk write.
    WriteThru,
    /// When another block needs a buffer: the search of the free list from its head to the first clean buffer queues a
    /// write of every dirty one that it passes.
    WriteBack,
    /// When the buffer enters the free list.
    WriteFree,
    /// When as many bytes as the buffer holds were written to it, counted since the block was brought in or last
    /// written to disk.
    WriteFull,
}

/// The buffer that is reused for another block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replacement {
    /// The one that has been free the longest; each process keeps its most recently used block (section 3.3).
    #[serde(rename = "toss")]
    TossImmediately,
    /// The least recently used; a process keeps a block only during an access.
    Lru,
    /// The one that has held its block the longest; a process keeps a block only during an access.
    Fifo,
}

/// Read-ahead. A portion is a maximal run of reads of contiguous records in a list of records, of one process or
/// shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prefetch {
    None,
    /// An access to a block of a portion starts the read of the portion's next one.
    OneBlock,
    /// The first access to a portion starts the reads of all its blocks, as buffers allow; later ones continue it.
    Portion,
}

/// Which of the processes that wait for a buffer retries first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimOrder {
    /// A random one, including new ones; then another, until one gets none.
    Random,
    /// The one that has waited the longest (FIFO); new ones wait for their turn.
    Fifo,
    /// The one that has waited the shortest (LIFO); new ones look at once.
    Lifo,
    /// The one with the lowest number; new ones look at once.
    Lowest,
}

/// The first disk of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FirstDisk {
    Zero,
    /// The file's number, modulo the number of disks.
    File,
}

/// The service time of a disk for a block.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "i64")]
pub enum Service {
    Constant {
        service_ns: i64,
    },
    /// That of a simulated drive; the blocks of files are consecutive on it.
    Drive(Arc<Drive>),
}

impl From<i64> for Service {
    fn from(service_ns: i64) -> Self {
        Service::Constant { service_ns }
    }
}

/// Delays in ns, each the mean of a random time; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default = "Overheads::base", deny_unknown_fields)]
pub struct Overheads {
    /// Before the access to a record, to avoid lockstep of processes.
    pub jitter_ns: i64,
    /// With a cache, for each access to a block, between releasing the last buffer and looking up this one's.
    pub read_management_ns: i64,
    pub write_management_ns: i64,
    /// Before each disk operation for which the process waits.
    pub disk_request_ns: i64,
    /// With a cache, after each disk write that a process starts, to start it; the disk has the request at once.
    pub write_start_ns: i64,
    /// Per 1024 bytes, to copy between the record and a buffer, one process at a time per buffer; without a cache, for
    /// the record's part of a block after its disk operations.
    pub copy_ns_per_kbyte: i64,
    /// Bytes after which a copying process yields to others that wait for the same buffer; 0 is never.
    pub copy_piece_bytes: u64,
    /// Half the width of each uniform distribution, in thousandths of the mean.
    pub spread_permille: u32,
}

impl Overheads {
    /// Only a jitter of 10 µs (section 4.1).
    fn base() -> Self {
        Overheads { jitter_ns: 10_000, copy_piece_bytes: 256, spread_permille: 500, ..Overheads::default() }
    }

    fn all(&self) -> [i64; 6] {
        [
            self.jitter_ns,
            self.read_management_ns,
            self.write_management_ns,
            self.disk_request_ns,
            self.write_start_ns,
            self.copy_ns_per_kbyte,
        ]
    }

    /// Mean time to copy `bytes` bytes of a block, in ns; the settings have been checked.
    pub(super) fn copy_ns(&self, bytes: u64) -> i64 {
        self.copy_ns_per_kbyte.saturating_mul(bytes as i64) / 1024
    }

    /// The longest of the mean times in ns, for blocks of `block_bytes` bytes.
    fn most_ns(&self, block_bytes: u64) -> i64 {
        let most_ns = self.all().into_iter().max().unwrap_or(0);
        let copy_ns = i128::from(self.copy_ns_per_kbyte) * i128::from(block_bytes) / 1024;
        most_ns.max(i64::try_from(copy_ns).unwrap_or(i64::MAX))
    }
}

/// A file system and its cache.
#[derive(Clone, Debug, Deserialize)]
#[serde(default = "Settings::base", deny_unknown_fields)]
pub struct Settings {
    pub block_bytes: u64,
    pub disks: u32,
    /// The number of consecutive blocks on one disk.
    pub stripe_blocks: u64,
    pub first_disk: FirstDisk,
    #[serde(rename = "service_ns")]
    pub service: Service,
    /// The number of one-block buffers of each cache; 0: no cache.
    pub buffers: u32,
    /// Whether one cache is shared over all files; otherwise each file has its own (section 3.3).
    pub shared_cache: bool,
    pub write_policy: WritePolicy,
    pub replacement: Replacement,
    pub claim_order: ClaimOrder,
    pub prefetch: Prefetch,
    /// Whether a process may write to a buffer that is being written to disk; otherwise it waits for the disk.
    pub writes_while_writing: bool,
    /// Whether every block has contents on disk at the start, so that a partial write reads it first; otherwise only
    /// blocks read or written before have contents.
    pub files_exist: bool,
    pub overheads: Overheads,
    pub seed: u64,
    /// The number of equal windows of the time series; 0 is none.
    pub windows: u32,
    /// Whether all events are logged.
    pub log: bool,
}

/// Largest numbers of windows, disks and buffers, and longest delay, that are accepted.
const MOST_WINDOWS: u32 = 1 << 20;
pub const MOST_DISKS: u32 = 1 << 20;
pub const MOST_BUFFERS: u32 = 1 << 24;
const LONGEST_DELAY_NS: i64 = 1_000_000_000_000_000;

impl Settings {
    /// The base of section 4.1: 20 disks of 30 ms, blocks of 1 KB, 80 buffers, WriteBack, and a jitter of 10 µs.
    pub fn base() -> Self {
        Settings {
            block_bytes: 1024,
            disks: 20,
            stripe_blocks: 1,
            first_disk: FirstDisk::Zero,
            service: Service::Constant { service_ns: 30_000_000 },
            buffers: 80,
            shared_cache: false,
            write_policy: WritePolicy::WriteBack,
            replacement: Replacement::TossImmediately,
            claim_order: ClaimOrder::Random,
            prefetch: Prefetch::None,
            writes_while_writing: true,
            files_exist: false,
            overheads: Overheads::base(),
            seed: 1,
            windows: 0,
            log: false,
        }
    }

    /// Check the settings, alone and for a program.
    pub(super) fn check(&self, program: &Program) -> Result<(), Error> {
        let processes = program.processes();
        let needs_one_each = self.replacement == Replacement::TossImmediately;
        if self.buffers > 0 && needs_one_each && self.buffers < processes {
            let buffers = self.buffers;
            return refused(format!(
                "{processes} processes but {buffers} buffers: the policy needs one buffer per process"
            ));
        }
        for (what, count) in [
            ("block_bytes", self.block_bytes),
            ("disks", u64::from(self.disks)),
            ("stripe_blocks", self.stripe_blocks),
        ] {
            if count == 0 {
                return refused(format!("{what} is 0"));
            }
        }
        for (what, count, most) in [
            ("windows", self.windows, MOST_WINDOWS),
            ("disks", self.disks, MOST_DISKS),
            ("buffers", self.buffers, MOST_BUFFERS),
            ("spread_permille", self.overheads.spread_permille, 1000),
        ] {
            if count > most {
                return refused(format!("{what} is {count}, more than {most}"));
            }
        }
        let mut longest_ns = self.overheads.most_ns(self.block_bytes);
        if let Service::Constant { service_ns } = self.service {
            if service_ns < 1 {
                return refused(format!("a disk's service time is {service_ns} ns"));
            }
            longest_ns = longest_ns.max(service_ns);
        }
        if self.overheads.all().iter().any(|&mean_ns| mean_ns < 0) {
            return refused("an overhead is below 0".to_string());
        }
        if longest_ns > LONGEST_DELAY_NS {
            return refused("a delay is longer than eleven days".to_string());
        }
        // an access has at most three disk operations, and at most two of each overhead
        let accesses = i128::from(touched(program, self.block_bytes)) + program.records() as i128;
        if accesses * i128::from(longest_ns) * 8 > i128::from(LONGEST_NS) {
            return refused("the run would last for more than seventy years".to_string());
        }
        Ok(())
    }
}

fn refused(reason: String) -> Result<(), Error> {
    Err(Error::of(reason))
}
