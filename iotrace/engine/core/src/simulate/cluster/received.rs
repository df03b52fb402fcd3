//! The steps of a write beyond its node: at the global cache, and at the daemons.

use super::frame::{joined, Frame};
use super::machine::{global_of, CacheId, Global, Machine, Route};
use super::settings::{Admission, GlobalWrites};
use super::transfer::{bytes_in_file, Item, Operation, Transfer};

impl Machine {
    /// Receive a write at the global cache, which keeps what it can until its flusher or harvester writes it, and
    /// sends the rest on to the daemons. With `GlobalWrites::Through`, or for a `sync_write`, it sends all of it on.
    pub fn write_globally(&mut self, transfer: &mut Transfer) {
        self.tally(transfer.cell).global_requests += 1;
        transfer.missed_shares.clear(self.settings.daemons);
        for position in 0..transfer.through.len() {
            let item = transfer.through[position];
            let (from, to) = bytes_in_file(&item, &self.blocks, self.settings.block_bytes);
            let tally = &mut self.tallies[item.cell as usize];
            tally.global_write_look_ups += 1;
            tally.node_to_global_bytes += to - from;
            if self.is_overtaken(item) {
                continue;
            }
            self.overtake_fetches(item, transfer);
            if self.update_globally(item, transfer) {
                self.tallies[item.cell as usize].global_buffered_blocks += 1;
                continue;
            }
            let stripe_bytes = self.settings.stripe_bytes;
            transfer.missed_shares.add(from, to, stripe_bytes);
            let tally = &mut self.tallies[item.cell as usize];
            tally.global_to_daemon_bytes += to - from;
            tally.daemon_written_bytes += to - from;
            self.store(item, transfer);
            self.invalidate_copies(item, transfer, Route::Through);
        }
        let messages = transfer.missed_shares.messages();
        self.tally(transfer.cell).daemon_writes += messages;
    }

    /// Update the global cache's copy, or place one; true if it is dirty there, and the daemons get it later.
    fn update_globally(&mut self, item: Item, transfer: &Transfer) -> bool {
        let is_back = self.settings.global_writes == GlobalWrites::Back;
        let is_buffered = is_back && transfer.operation != Operation::SyncWrite;
        let segment = self.blocks.place(item.block).segment;
        let Global { cache, knowledge } = global_of(&mut self.globals, &self.settings, transfer.file);
        knowledge.request(item.block, segment);
        let found = cache.find(item.block);
        knowledge.outcome(found.map(|_| true));
        let Some(frame) = found else {
            return self.place_written(item, transfer, is_buffered);
        };
        self.tallies[item.cell as usize].global_write_hits += 1;
        cache.touch(frame);
        let found = cache.frame_mut(frame);
        // a flush may overwrite a write that has returned
        found.version = match transfer.written.is_empty() {
            true => item.version,
            false => found.version.max(item.version),
        };
        let held = found.held;
        found.held = joined(held, item.held).unwrap_or(held);
        let is_covered = item.held.0 <= held.0 && held.1 <= item.held.1;
        if is_buffered && joined(held, item.held).is_some() {
            cache.make_dirty(frame);
            return true;
        }
        if is_covered {
            cache.make_clean(frame);
        }
        false
    }

    /// Place a block written that the global cache does not have; true if it is dirty there.
    fn place_written(&mut self, item: Item, transfer: &Transfer, is_buffered: bool) -> bool {
        // where the daemons get it too, a partial block is not kept
        let is_whole = item.held == (0, self.settings.block_bytes);
        if self.settings.admission == Admission::Demoted || !(is_buffered || is_whole) {
            return false;
        }
        let frame = match is_buffered {
            true => Frame::written(item.block, item.version, item.held, transfer.application, item.cell),
            false => {
                let bytes = self.settings.block_bytes;
                Frame::whole(item.block, item.version, bytes, transfer.application)
            }
        };
        let is_kept = self.place_globally(transfer.node, transfer.file, frame, item.cell);
        let tally = &mut self.tallies[item.cell as usize];
        tally.global_placed += u64::from(is_kept);
        tally.global_not_placed += u64::from(!is_kept);
        is_kept && is_buffered
    }

    /// Receive a write that bypasses the global cache at the daemons.
    pub fn write_round(&mut self, transfer: &mut Transfer) {
        let block_bytes = self.settings.block_bytes;
        if transfer.bypass.is_empty() {
            let bytes = transfer.bypass_shares.bytes();
            let tally = self.tally(transfer.cell);
            tally.node_to_daemon_bytes += bytes;
            tally.daemon_written_bytes += bytes;
        }
        for position in 0..transfer.bypass.len() {
            let item = transfer.bypass[position];
            let (from, to) = bytes_in_file(&item, &self.blocks, block_bytes);
            let tally = &mut self.tallies[item.cell as usize];
            tally.node_to_daemon_bytes += to - from;
            tally.daemon_written_bytes += to - from;
            if self.is_overtaken(item) {
                continue;
            }
            self.overtake_fetches(item, transfer);
            self.store(item, transfer);
            self.invalidate_copies(item, transfer, Route::Bypass);
        }
        let messages = transfer.bypass_shares.messages();
        self.tally(transfer.cell).daemon_writes += messages;
    }

    /// Whether a later `sync_write` has arrived before a write.
    pub(super) fn is_overtaken(&mut self, item: Item) -> bool {
        let is_overtaken = item.version < self.blocks.versions[item.block as usize].synchronized;
        self.tallies[item.cell as usize].overtaken_writes += u64::from(is_overtaken);
        is_overtaken
    }

    /// Blocks being fetched may be older than a write that has arrived, and are not merged with copies of it.
    fn overtake_fetches(&mut self, item: Item, transfer: &Transfer) {
        let cache = self.locals.get(transfer.node as usize);
        let is_without_copy = cache.is_some_and(|cache| cache.find(item.block).is_none());
        if transfer.operation == Operation::SyncWrite || is_without_copy {
            self.fetches.overtake(transfer.node, item.block);
        }
    }

    /// Store a written block at the daemons.
    pub(super) fn store(&mut self, item: Item, transfer: &Transfer) {
        let versions = &mut self.blocks.versions[item.block as usize];
        // of two concurrent writes the one that began later wins; a flush may overwrite a write that has returned
        versions.stored = match transfer.written.is_empty() {
            true => item.version,
            false => versions.stored.max(item.version),
        };
    }

    /// Invalidate the other copies of a block, if it is the block of a `sync_write`.
    fn invalidate_copies(&mut self, item: Item, transfer: &mut Transfer, route: Route) {
        if transfer.operation != Operation::SyncWrite {
            return;
        }
        self.blocks.versions[item.block as usize].synchronized = item.version;
        let Some(directory) = &mut self.directory else {
            return;
        };
        let mut others = std::mem::take(&mut self.others);
        directory.take_others(item.block, transfer.node, &mut others);
        transfer.invalidations += others.len() as u64;
        for &node in &others {
            self.invalidate_at(node, item, route);
        }
        others.clear();
        self.others = others;
        if route == Route::Bypass && self.settings.global_frames.is_some() {
            self.invalidate_globally(item, transfer);
        }
        self.keep_own_copy(item, transfer.node, route);
    }

    /// The writer's node keeps its copy, but one that it fetched while the write was on its way.
    fn keep_own_copy(&mut self, item: Item, node: u32, route: Route) {
        let Some(cache) = self.locals.get_mut(node as usize) else {
            return;
        };
        let Some(frame) = cache.find(item.block) else {
            return;
        };
        if cache.frame(frame).version < item.version {
            cache.remove(frame);
        } else {
            self.register(item.block, node, route);
        }
    }

    fn invalidate_globally(&mut self, item: Item, transfer: &mut Transfer) {
        let cache = &mut self.global(transfer.file).cache;
        let Some(frame) = cache.find(item.block) else {
            return;
        };
        let dropped = cache.remove(frame);
        transfer.invalidations += 1;
        let tally = &mut self.tallies[item.cell as usize];
        tally.invalidations += 1;
        tally.invalidated_copies += 1;
        tally.dropped_dirty += u64::from(dropped.is_dirty());
    }

    fn invalidate_at(&mut self, node: u32, item: Item, route: Route) {
        self.tallies[item.cell as usize].invalidations += 1;
        self.fetches.overtake(node, item.block);
        let Some(cache) = self.locals.get_mut(node as usize) else {
            return;
        };
        let Some(frame) = cache.find(item.block) else {
            return;
        };
        if cache.frame(frame).version > item.version {
            self.register(item.block, node, route);
            return;
        }
        let dropped = cache.remove(frame);
        let tally = &mut self.tallies[item.cell as usize];
        tally.invalidated_copies += 1;
        tally.dropped_dirty += u64::from(dropped.is_dirty());
    }

    /// The caches whose harvesters have blocks to write, in order.
    pub fn take_harvests(&mut self) -> Option<CacheId> {
        self.harvests.pop_first()
    }
}
