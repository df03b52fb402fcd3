//! The blocks of one request at each level, filled in as it proceeds.

use super::awaited::{Awaited, Fetch};
use super::blocks::Blocks;

/// A program's operations on a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    #[default]
    Read,
    Write,
    SyncWrite,
}

/// A request of a process.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub application: u32,
    pub node: u32,
    pub phase: Option<u32>,
    pub operation: Operation,
    pub file: u32,
    pub offset: u64,
    pub length: u64,
}

impl Request {
    pub fn end(&self) -> u64 {
        self.offset + self.length
    }
}

/// A block in transfer, and the version of its contents.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub block: u32,
    pub version: u32,
    /// For a read: the latest version whose write had returned when the read was issued.
    pub returned: u32,
    /// The bytes that the node receives or sends.
    pub held: (u32, u32),
    /// For a read: whether the local cache keeps it on arrival.
    pub is_local: bool,
    /// The cell in which it is counted.
    pub cell: u32,
}

/// The bytes of each daemon.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shares(pub Vec<u64>);

impl Shares {
    pub fn clear(&mut self, daemons: u32) {
        self.0.clear();
        self.0.resize(daemons as usize, 0);
    }

    /// Add the bytes `from..to` of a file.
    pub fn add(&mut self, from: u64, to: u64, stripe_bytes: u64) {
        let daemons = self.0.len() as u64;
        if daemons == 1 {
            self.0[0] += to - from;
            return;
        }
        let mut at = from;
        while at < to {
            let stripe = at / stripe_bytes;
            let end = to.min((stripe + 1).saturating_mul(stripe_bytes));
            self.0[(stripe % daemons) as usize] += end - at;
            at = end;
        }
    }

    /// The number of daemons with any bytes.
    pub fn messages(&self) -> u64 {
        self.0.iter().filter(|&&bytes| bytes > 0).count() as u64
    }

    pub fn bytes(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// A request or flush in progress.
#[derive(Clone, Debug, Default)]
pub struct Transfer {
    pub application: u32,
    pub node: u32,
    pub file: u32,
    pub cell: u32,
    pub operation: Operation,
    /// Whether the blocks were looked up in the local cache.
    pub is_looked_up: bool,
    /// Blocks found there.
    pub local_hits: u64,
    pub global_hits: u64,
    /// Blocks that a process writes, and their versions; a flush has none.
    pub written: Vec<(u32, u32)>,
    /// Blocks read from or written to the global cache, and their bytes at the node.
    pub through: Vec<Item>,
    pub through_bytes: u64,
    /// Those that missed there, and their bytes by daemon.
    pub missed: Vec<Item>,
    pub missed_shares: Shares,
    /// Blocks read from or written to the daemons, bypassing the global cache.
    pub bypass: Vec<Item>,
    pub bypass_shares: Shares,
    /// Blocks that were being fetched to the node's cache.
    pub awaited: Vec<Awaited>,
    /// Blocks of `through` that were being fetched to the global cache: the fetch, and their index.
    pub awaited_globally: Vec<(Fetch, usize)>,
    /// Messages to invalidate copies for a `sync_write`.
    pub invalidations: u64,
}

impl Transfer {
    /// Reset the transfer for a new request.
    pub fn begin(&mut self, node: u32, application: u32, file: u32, cell: u32, daemons: u32) {
        self.node = node;
        self.application = application;
        self.file = file;
        self.cell = cell;
        self.is_looked_up = false;
        self.local_hits = 0;
        self.global_hits = 0;
        self.written.clear();
        self.through.clear();
        self.through_bytes = 0;
        self.missed.clear();
        self.missed_shares.clear(daemons);
        self.bypass.clear();
        self.bypass_shares.clear(daemons);
        self.awaited.clear();
        self.awaited_globally.clear();
        self.invalidations = 0;
    }

    pub fn is_write(&self) -> bool {
        self.operation != Operation::Read
    }

    pub fn asks_global(&self) -> bool {
        !self.through.is_empty()
    }

    /// The messages that its node sends: one to the global cache, and one to each daemon asked directly.
    pub fn messages(&self) -> u64 {
        u64::from(self.asks_global()) + self.bypass_shares.messages()
    }

    /// Whether any part of it leaves the node.
    pub fn sends(&self) -> bool {
        self.asks_global() || self.bypasses()
    }

    /// Whether any part of it bypasses the global cache.
    pub fn bypasses(&self) -> bool {
        self.bypass_shares.0.iter().any(|&bytes| bytes > 0)
    }

    /// The version of a block that it fetched, by the index in a `Fetch`.
    pub fn fetched_version(&self, position: usize) -> u32 {
        let item = match self.through.get(position) {
            Some(item) => item,
            None => &self.bypass[position - self.through.len()],
        };
        item.version
    }

    /// Send a block through the global cache.
    pub fn send_through(&mut self, item: Item) {
        self.through_bytes += u64::from(item.held.1 - item.held.0);
        self.through.push(item);
    }

    /// Send a block past the global cache.
    pub fn send_bypassing(&mut self, item: Item, blocks: &Blocks, block_bytes: u32, stripe_bytes: u64) {
        let (from, to) = bytes_in_file(&item, blocks, block_bytes);
        self.bypass_shares.add(from, to, stripe_bytes);
        self.bypass.push(item);
    }
}

/// The offset of an item's bytes in its file.
pub fn bytes_in_file(item: &Item, blocks: &Blocks, block_bytes: u32) -> (u64, u64) {
    let start = blocks.place(item.block).block * u64::from(block_bytes);
    (start + u64::from(item.held.0), start + u64::from(item.held.1))
}
