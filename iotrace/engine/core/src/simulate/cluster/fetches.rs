//! Blocks being fetched to a cache: requests for them wait for the same fetch, as with miss-status holding registers
//! (delayed hits; Atre et al., SIGCOMM 2020). Without a clock no fetch is ever in progress.

use super::awaited::Fetch;
use super::transfer::{Item, Transfer};
use rustc_hash::FxHashMap;

/// All fetches in progress that later requests may wait for.
#[derive(Debug, Default)]
pub struct Fetches {
    /// By node and block.
    local: FxHashMap<(u32, u32), Fetch>,
    /// By block: a file has one global cache.
    global: FxHashMap<u32, Fetch>,
}

impl Fetches {
    pub fn to_node(&self, node: u32, block: u32) -> Option<Fetch> {
        self.local.get(&(node, block)).copied()
    }

    pub fn to_global(&self, block: u32) -> Option<Fetch> {
        self.global.get(&block).copied()
    }

    /// Record the blocks that a read fetches for its node's cache.
    pub fn begin_local(&mut self, job: u32, transfer: &Transfer) {
        for (position, item) in local_items(transfer) {
            let fetch = Fetch { job, application: transfer.application, position };
            self.local.insert((transfer.node, item.block), fetch);
        }
    }

    pub fn end_local(&mut self, job: u32, transfer: &Transfer) {
        for (_, item) in local_items(transfer) {
            let key = (transfer.node, item.block);
            if self.local.get(&key).is_some_and(|fetch| fetch.job == job) {
                self.local.remove(&key);
            }
        }
    }

    /// Record the blocks that the global cache fetches from the daemons.
    pub fn begin_global(&mut self, job: u32, transfer: &Transfer) {
        for item in &transfer.missed {
            let fetch = Fetch { job, application: transfer.application, position: 0 };
            self.global.insert(item.block, fetch);
        }
    }

    pub fn end_global(&mut self, transfer: &Transfer) {
        for item in &transfer.missed {
            self.global.remove(&item.block);
        }
    }

    /// A write overtook a block that a node fetches: later reads at the node do not wait for it.
    pub fn overtake(&mut self, node: u32, block: u32) {
        self.local.remove(&(node, block));
    }
}

fn local_items(transfer: &Transfer) -> impl Iterator<Item = (usize, &Item)> {
    let all = transfer.through.iter().chain(&transfer.bypass);
    all.enumerate().filter(|(_, item)| item.is_local)
}
