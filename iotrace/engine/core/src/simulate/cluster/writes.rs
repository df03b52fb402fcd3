//! The steps of a write at its node: into the local cache if it has free frames, else on to the next level.

use super::frame::{joined, Frame};
use super::machine::{Machine, Route};
use super::transfer::{Item, Operation, Request, Transfer};

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
            let shares = &mut transfer.bypass_shares;
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
                leaves_gap |= joined(found.held, self.part(request, in_file)).is_none();
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
        found.held = joined(found.held, part).unwrap_or(found.held);
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
            let route = if is_through { Route::Through } else { Route::Bypass };
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
                    found.held = joined(found.held, item.held).unwrap_or(found.held);
                    is_covered
                };
                if is_covered {
                    cache.make_clean(frame);
                }
            }
        }
        let subject = Self::subject(request, true, true);
        let route = self.route(subject, request.node, item.block, item.cell);
        self.send(transfer, item, route);
    }
}
