//! The steps of a write: into the local cache if it has free frames, else on to the next level; the flusher;
//! `sync_write`.

use super::cache::{Frame, Held};
use super::machine::{global_of, Global, Machine, Route};
use super::settings::Placing;
use super::transfer::{bytes_in_file, Item, Operation, Request, Transfer};

/// The most bytes in one message of the flusher.
const MOST_FLUSHED_TOGETHER: usize = 64;

impl Machine {
    /// Buffer a write in the node's cache, if it is routed there and all of it fits; the result is what goes on to the
    /// next level. A write that would leave a gap in a block never read also goes on, since a frame holds one range of
    /// bytes.
    pub fn write_locally(&mut self, request: &Request, cell: u32, transfer: &mut Transfer) {
        let node = request.node;
        transfer.begin(node, request.application, request.file, cell, self.settings.daemons);
        transfer.operation = request.operation;
        self.count_write(request, cell);
        if !self.has_caches() {
            let stripe_bytes = self.settings.stripe_bytes;
            let shares = &mut transfer.round_shares;
            shares.add(request.offset, request.end(), stripe_bytes);
            return;
        }
        let size = u64::from(self.settings.block_bytes);
        let range = request.offset / size..request.end().div_ceil(size);
        let waits = self.finds_room(request, range.clone(), cell, transfer);
        for in_file in range.clone() {
            let item = self.written(request, in_file, cell);
            let is_local = self.asks_local(request, in_file);
            if !is_local || !waits {
                self.write_on(request, item, is_local, transfer);
            }
        }
        if waits {
            self.buffer_new(request, range, cell, transfer);
        }
    }

    fn count_write(&mut self, request: &Request, cell: u32) {
        let tally = self.tally(cell);
        match request.operation {
            Operation::SyncWrite => tally.sync_writes += 1,
            _ => tally.writes += 1,
        }
        tally.written_bytes += request.length;
    }

    fn asks_local(&self, request: &Request, in_file: u64) -> bool {
        let segment = self.blocks.segment_in_file(in_file);
        let subject = Self::subject(request, true, false);
        self.settings.local_frames.is_some() && self.bits.is_through(subject, segment)
    }

    /// Record that a block is written, and its bytes.
    fn written(&mut self, request: &Request, in_file: u64, cell: u32) -> Item {
        let block = self.blocks.number(request.file, in_file);
        let held = self.part(request, in_file);
        Item { block, version: 0, returned: 0, held, is_local: false, cell }
    }

    fn next_version(&mut self, block: u32, transfer: &mut Transfer) -> u32 {
        let versions = &mut self.blocks.versions[block as usize];
        versions.written += 1;
        transfer.written.push((block, versions.written));
        versions.written
    }

    /// A write has returned to its process: later reads that do not see it are stale.
    pub fn write_returned(&mut self, transfer: &Transfer) {
        for &(block, version) in &transfer.written {
            let versions = &mut self.blocks.versions[block as usize];
            versions.returned = versions.returned.max(version);
        }
    }

    /// Look up a write's blocks in the node's cache. If the others fit too, overwrite the cached ones and return true.
    fn finds_room(
        &mut self,
        request: &Request,
        range: std::ops::Range<u64>,
        cell: u32,
        transfer: &mut Transfer,
    ) -> bool {
        if self.settings.local_frames.is_none() {
            return false;
        }
        let (mut asked, mut there, mut clean) = (0, 0, 0);
        let mut leaves_gap = false;
        for in_file in range.clone() {
            if !self.asks_local(request, in_file) {
                self.tallies[cell as usize].local_bypassed += 1;
                continue;
            }
            asked += 1;
            let block = self.blocks.number(request.file, in_file);
            let cache = &self.locals[request.node as usize];
            if let Some(frame) = cache.find(block) {
                there += 1;
                let found = cache.frame(frame);
                clean += u32::from(found.is_clean());
                leaves_gap |= !meet(found.held, self.part(request, in_file));
            }
        }
        let tally = &mut self.tallies[cell as usize];
        tally.local_write_look_ups += asked;
        tally.local_write_hits += there;
        transfer.is_looked_up = asked > 0;
        transfer.local_hits = there;
        let room = u64::from(self.locals[request.node as usize].room() - clean);
        if asked == 0 || request.operation == Operation::SyncWrite {
            return false;
        }
        if asked - there > room || leaves_gap {
            tally.unbuffered_writes += 1;
            return false;
        }
        tally.buffered_writes += 1;
        for in_file in range {
            if self.asks_local(request, in_file) {
                self.overwrite(request, in_file, cell, transfer);
            }
        }
        true
    }

    /// Write to a block that is in the node's cache, if it is: it becomes dirty.
    fn overwrite(&mut self, request: &Request, in_file: u64, cell: u32, transfer: &mut Transfer) {
        let block = self.blocks.number(request.file, in_file);
        let part = self.part(request, in_file);
        let Some(frame) = self.locals[request.node as usize].find(block) else {
            return;
        };
        let version = self.next_version(block, transfer);
        let cache = &mut self.locals[request.node as usize];
        cache.touch(frame);
        cache.make_dirty(frame);
        let found = cache.frame_mut(frame);
        found.held = joined(found.held, part);
        found.version = version;
        found.writer = cell;
        self.register_writer(request, in_file, block);
    }

    /// Buffer those blocks of a write that are not in the node's cache.
    fn buffer_new(
        &mut self,
        request: &Request,
        range: std::ops::Range<u64>,
        cell: u32,
        transfer: &mut Transfer,
    ) {
        for in_file in range {
            let block = self.blocks.number(request.file, in_file);
            let is_there = self.locals[request.node as usize].find(block).is_some();
            if is_there || !self.asks_local(request, in_file) {
                continue;
            }
            let version = self.next_version(block, transfer);
            let part = self.part(request, in_file);
            let frame = Frame::written(block, version, part, request.application, cell);
            self.keep_locally(request.node, frame, cell);
            self.register_writer(request, in_file, block);
        }
    }

    /// Record a node that buffers a write in the directory of the level that the write will go to.
    fn register_writer(&mut self, request: &Request, in_file: u64, block: u32) {
        if self.directory.is_some() {
            let segment = self.blocks.segment_in_file(in_file);
            let subject = Self::subject(request, true, true);
            let is_through = self.settings.global_frames.is_some() && self.bits.is_through(subject, segment);
            let route = if is_through { Route::Through } else { Route::Round };
            self.register(block, request.node, route);
        }
    }

    /// Send an unbuffered block on, and update the node's own copy.
    fn write_on(&mut self, request: &Request, mut item: Item, is_local: bool, transfer: &mut Transfer) {
        item.version = self.next_version(item.block, transfer);
        if let Some(cache) = self.locals.get_mut(request.node as usize) {
            if let Some(frame) = cache.find(item.block) {
                if is_local {
                    cache.touch(frame);
                }
                let is_covered = {
                    let found = cache.frame_mut(frame);
                    found.version = item.version;
                    let is_covered = item.held.0 <= found.held.0 && found.held.1 <= item.held.1;
                    found.held = joined(found.held, item.held);
                    is_covered
                };
                if is_covered {
                    cache.make_clean(frame);
                }
                item.is_local = true;
            }
        }
        let subject = Self::subject(request, true, true);
        let route = self.route(subject, request.node, item.block, item.cell);
        self.send(transfer, item, route);
    }

    /// Receive a write at the global cache, which forwards it to the daemons.
    pub fn write_globally(&mut self, transfer: &mut Transfer) {
        let block_bytes = self.settings.block_bytes;
        self.tally(transfer.cell).global_requests += 1;
        transfer.missed_shares.clear(self.settings.daemons);
        for position in 0..transfer.through.len() {
            let item = transfer.through[position];
            let (from, to) = bytes_in_file(&item, &self.blocks, block_bytes);
            let stripe_bytes = self.settings.stripe_bytes;
            transfer.missed_shares.add(from, to, stripe_bytes);
            let tally = &mut self.tallies[item.cell as usize];
            tally.global_write_look_ups += 1;
            tally.node_to_global_bytes += to - from;
            tally.global_to_daemon_bytes += to - from;
            tally.daemon_written_bytes += to - from;
            if !self.store(item, transfer, Route::Through) {
                continue;
            }
            self.update_globally(item, transfer);
        }
        let messages = transfer.missed_shares.messages();
        self.tally(transfer.cell).daemon_writes += messages;
    }

    /// Update the global cache's copy, or place one.
    fn update_globally(&mut self, item: Item, transfer: &Transfer) {
        let segment = self.blocks.place(item.block).segment;
        let Global { cache, knowledge } = global_of(&mut self.globals, &self.settings, transfer.file);
        knowledge.request(item.block, segment);
        let found = cache.find(item.block);
        knowledge.outcome(found.map(|_| true));
        if let Some(frame) = found {
            cache.touch(frame);
            let found = cache.frame_mut(frame);
            found.version = match transfer.written.is_empty() {
                true => item.version,
                false => found.version.max(item.version),
            };
            self.tallies[item.cell as usize].global_write_hits += 1;
            return;
        }
        // a partial block could not be read from the cache
        if item.held != (0, self.settings.block_bytes) || self.settings.placing == Placing::Demoted {
            return;
        }
        let is_kept = self.place_globally(
            transfer.node,
            transfer.file,
            item.block,
            item.version,
            transfer.application,
            item.cell,
        );
        let tally = &mut self.tallies[item.cell as usize];
        tally.global_placed += u64::from(is_kept);
        tally.global_not_placed += u64::from(!is_kept);
    }

    /// Receive a write that bypasses the global cache at the daemons.
    pub fn write_round(&mut self, transfer: &mut Transfer) {
        let block_bytes = self.settings.block_bytes;
        if transfer.round.is_empty() {
            let bytes = transfer.round_shares.bytes();
            let tally = self.tally(transfer.cell);
            tally.node_to_daemon_bytes += bytes;
            tally.daemon_written_bytes += bytes;
        }
        for position in 0..transfer.round.len() {
            let item = transfer.round[position];
            let (from, to) = bytes_in_file(&item, &self.blocks, block_bytes);
            let tally = &mut self.tallies[item.cell as usize];
            tally.node_to_daemon_bytes += to - from;
            tally.daemon_written_bytes += to - from;
            self.store(item, transfer, Route::Round);
        }
        let messages = transfer.round_shares.messages();
        self.tally(transfer.cell).daemon_writes += messages;
    }

    /// Store a written block at the daemons; false if a later `sync_write` has arrived before. A `sync_write`
    /// invalidates other copies.
    fn store(&mut self, item: Item, transfer: &mut Transfer, route: Route) -> bool {
        let versions = &mut self.blocks.versions[item.block as usize];
        if item.version < versions.synchronized {
            self.tallies[item.cell as usize].overtaken_writes += 1;
            return false;
        }
        // of two concurrent writes the one that began later wins; a flush may overwrite a write that has returned
        versions.stored = match transfer.written.is_empty() {
            true => item.version,
            false => versions.stored.max(item.version),
        };
        let is_sync = transfer.operation == Operation::SyncWrite;
        let cache = self.locals.get(transfer.node as usize);
        if is_sync || cache.is_some_and(|cache| cache.find(item.block).is_none()) {
            // blocks being fetched may be older than this write, and are not merged with copies of it
            self.fetches.overtake(transfer.node, item.block);
        }
        if is_sync {
            versions.synchronized = item.version;
            self.invalidate(item, transfer, route);
        }
        true
    }

    fn invalidate(&mut self, item: Item, transfer: &mut Transfer, route: Route) {
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
        if route == Route::Round && self.settings.global_frames.is_some() {
            let cache = &mut self.global(transfer.file).cache;
            if let Some(frame) = cache.find(item.block) {
                cache.remove(frame);
                transfer.invalidations += 1;
                let tally = &mut self.tallies[item.cell as usize];
                tally.invalidations += 1;
                tally.invalidated_copies += 1;
            }
        }
        if item.is_local {
            self.register(item.block, transfer.node, route);
        }
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
        tally.dropped_dirty += u64::from(dropped.is_dirty);
    }

    pub fn has_dirty(&self, node: u32) -> bool {
        let cache = self.locals.get(node as usize);
        cache.is_some_and(|cache| cache.dirty_frames() > 0)
    }

    /// Begin to flush a node's longest dirty blocks: those of one file, up to the size of one message. The bits are
    /// those of the phase in which the blocks were last written.
    pub fn flush(&mut self, node: u32, transfer: &mut Transfer) -> bool {
        let Some(first) = self.first_dirty(node) else {
            return false;
        };
        let file = self.blocks.place(first.block).file;
        let daemons = self.settings.daemons;
        transfer.begin(node, first.application, file, first.writer, daemons);
        transfer.operation = Operation::Write;
        for _ in 0..MOST_FLUSHED_TOGETHER {
            let is_same = |frame: &Frame| self.blocks.place(frame.block).file == file;
            if !self.first_dirty(node).as_ref().is_some_and(is_same) {
                break;
            }
            let Some(frame) = self.locals[node as usize].begin_flush() else {
                break;
            };
            self.tallies[frame.writer as usize].flushed_blocks += 1;
            let request = Request {
                application: frame.application,
                node,
                phase: self.key(frame.writer).2,
                operation: Operation::Write,
                file,
                offset: 0,
                length: 0,
            };
            let item = Item {
                block: frame.block,
                version: frame.version,
                returned: 0,
                held: frame.held,
                is_local: true,
                cell: frame.writer,
            };
            let subject = Self::subject(&request, true, true);
            let route = self.route(subject, node, frame.block, frame.writer);
            self.send(transfer, item, route);
        }
        true
    }

    /// A flush has arrived: its blocks are clean.
    pub fn end_flush(&mut self, transfer: &Transfer) {
        let cache = &mut self.locals[transfer.node as usize];
        for item in transfer.through.iter().chain(&transfer.round) {
            cache.end_flush(item.block);
        }
    }

    fn first_dirty(&self, node: u32) -> Option<Frame> {
        self.locals.get(node as usize)?.first_dirty()
    }
}

/// Whether two ranges have no gap between them.
fn meet(held: Held, part: Held) -> bool {
    part.0 <= held.1 && held.0 <= part.1
}

/// The bytes that a frame holds after a write: the union, if they have no gap.
fn joined(held: Held, part: Held) -> Held {
    if meet(held, part) {
        (held.0.min(part.0), held.1.max(part.1))
    } else {
        held
    }
}
