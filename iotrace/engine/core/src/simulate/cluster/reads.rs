//! The steps of a read: the local look-up, the global one, the daemons' replies, their arrival.

use super::awaited::Awaited;
use super::frame::{joined, Frame};
use super::machine::{global_of, Global, Machine, Route};
use super::settings::Admission;
use super::transfer::{bytes_in_file, Item, Operation, Request, Transfer};

impl Machine {
    /// Look up a request's blocks in the node's cache, and route the missing ones.
    pub fn read_locally(&mut self, request: &Request, cell: u32, transfer: &mut Transfer) {
        let node = request.node;
        transfer.begin(node, request.application, request.file, cell, self.settings.daemons);
        transfer.operation = Operation::Read;
        let tally = self.tally(cell);
        tally.reads += 1;
        tally.read_bytes += request.length;
        if !self.has_caches() {
            let stripe_bytes = self.settings.stripe_bytes;
            let shares = &mut transfer.bypass_shares;
            shares.add(request.offset, request.end(), stripe_bytes);
            return;
        }
        let size = u64::from(self.settings.block_bytes);
        let local = Self::subject(request, false, false);
        let global = Self::subject(request, false, true);
        for in_file in request.offset / size..request.end().div_ceil(size) {
            let block = self.blocks.number(request.file, in_file);
            let segment = self.blocks.segment_in_file(in_file);
            let part = self.part(request, in_file);
            let is_local = self.settings.local_frames.is_some();
            let asks_local = is_local && self.bits.is_through(local, segment);
            if is_local && !asks_local {
                self.tallies[cell as usize].local_bypassed += 1;
            }
            if asks_local {
                transfer.is_looked_up = true;
                if self.is_hit_locally(request, block, part, cell)
                    || self.is_on_its_way(request, block, cell, transfer)
                {
                    transfer.local_hits += 1;
                    continue;
                }
            }
            let route = self.route(global, node, block, cell);
            let item = Item {
                block,
                version: 0,
                returned: self.blocks.versions[block as usize].returned,
                held: if asks_local { (0, self.settings.block_bytes) } else { part },
                is_local: asks_local,
                cell,
            };
            self.send(transfer, item, route);
        }
    }

    fn is_hit_locally(&mut self, request: &Request, block: u32, part: (u32, u32), cell: u32) -> bool {
        let cache = &mut self.locals[request.node as usize];
        let tally = &mut self.tallies[cell as usize];
        tally.local_look_ups += 1;
        let Some(frame) = cache.find(block) else {
            return false;
        };
        cache.touch(frame);
        let found = cache.frame(frame);
        if !found.holds(part) {
            return false;
        }
        tally.local_hits += 1;
        tally.local_hits_of_others += u64::from(found.application != request.application);
        let version = found.version;
        let returned = self.blocks.versions[block as usize].returned;
        self.judge_age(block, version, returned, cell);
        true
    }

    /// Wait for a block if another request of the node fetches it: a delayed hit.
    fn is_on_its_way(&mut self, request: &Request, block: u32, cell: u32, transfer: &mut Transfer) -> bool {
        let Some(fetch) = self.fetches.to_node(request.node, block) else {
            return false;
        };
        let versions = self.blocks.versions[block as usize];
        transfer.awaited.push(Awaited {
            fetch,
            block,
            returned: versions.returned,
            synchronized: versions.synchronized,
        });
        let tally = &mut self.tallies[cell as usize];
        tally.local_hits += 1;
        tally.local_delayed_hits += 1;
        tally.local_hits_of_others += u64::from(fetch.application != request.application);
        true
    }

    /// Deliver a block to a request that waited for it, in the version that arrived, merged with its node's writes.
    pub fn take_awaited(&mut self, node: u32, awaited: &Awaited, came: u32, cell: u32) {
        let cache = &mut self.locals[node as usize];
        let version = match cache.find(awaited.block) {
            Some(frame) => {
                cache.touch(frame);
                came.max(cache.frame(frame).version)
            }
            None => came,
        };
        self.judge(version, awaited.returned, awaited.synchronized, cell);
    }

    /// Count a block read that is older than a write elsewhere that had returned before the read was issued.
    fn judge_age(&mut self, block: u32, version: u32, returned: u32, cell: u32) {
        let synchronized = self.blocks.versions[block as usize].synchronized;
        self.judge(version, returned, synchronized, cell);
    }

    fn judge(&mut self, version: u32, returned: u32, synchronized: u32, cell: u32) {
        let tally = &mut self.tallies[cell as usize];
        tally.stale_reads += u64::from(version < returned);
        tally.stale_after_sync += u64::from(version < synchronized);
    }

    /// The same for a block that a node fetched, which is merged with the node's own writes.
    fn judge_fetched(&mut self, node: u32, item: Item) {
        let own = self.locals.get(node as usize).filter(|_| item.is_local);
        let written = own.and_then(|cache| Some(cache.frame(cache.find(item.block)?).version));
        let version = item.version.max(written.unwrap_or(0));
        self.judge_age(item.block, version, item.returned, item.cell);
    }

    /// Look up a transfer's blocks in the global cache, and collect the missing ones. Blocks being fetched there count
    /// as hits.
    pub fn read_globally(&mut self, transfer: &mut Transfer) {
        let cell = transfer.cell;
        let block_bytes = self.settings.block_bytes;
        let mut through = std::mem::take(&mut transfer.through);
        let tally = self.tally(cell);
        tally.global_requests += 1;
        tally.global_look_ups += through.len() as u64;
        tally.global_to_node_bytes += transfer.through_bytes;
        for (position, item) in through.iter_mut().enumerate() {
            let segment = self.blocks.place(item.block).segment;
            let Global { cache, knowledge } = global_of(&mut self.globals, &self.settings, transfer.file);
            knowledge.request(item.block, segment);
            // what a write left in part is fetched like what is missing
            let found = cache.find(item.block).filter(|&frame| cache.frame(frame).holds(item.held));
            let on_its_way = self.fetches.to_global(item.block);
            knowledge.outcome(Some(found.is_some() || on_its_way.is_some()));
            if let (None, Some(fetch)) = (found, on_its_way) {
                transfer.awaited_globally.push((fetch, position));
                transfer.global_hits += 1;
                let tally = &mut self.tallies[cell as usize];
                tally.global_hits += 1;
                tally.global_delayed_hits += 1;
                tally.global_hits_of_others += u64::from(fetch.application != transfer.application);
                continue;
            }
            let Some(frame) = found else {
                let whole = Item { held: (0, block_bytes), ..*item };
                let (from, to) = bytes_in_file(&whole, &self.blocks, block_bytes);
                transfer.missed_shares.add(from, to, self.settings.stripe_bytes);
                transfer.missed.push(*item);
                continue;
            };
            cache.touch(frame);
            let found = *cache.frame(frame);
            // only the global cache has what is dirty there
            if self.settings.admission == Admission::Demoted && item.is_local && found.is_clean() {
                cache.remove(frame);
            }
            item.version = found.version;
            transfer.global_hits += 1;
            let tally = &mut self.tallies[cell as usize];
            tally.global_hits += 1;
            tally.global_hits_of_others += u64::from(found.application != transfer.application);
            self.judge_fetched(transfer.node, *item);
            if item.is_local {
                self.register(item.block, transfer.node, Route::Through);
            }
        }
        let tally = self.tally(cell);
        tally.daemon_reads += transfer.missed_shares.messages();
        let bytes = transfer.missed_shares.bytes();
        tally.daemon_read_bytes += bytes;
        tally.daemon_to_global_bytes += bytes;
        transfer.through = through;
    }

    /// Receive the daemons' blocks at the global cache, and keep those that are admitted.
    pub fn fill_globally(&mut self, transfer: &mut Transfer) {
        let cell = transfer.cell;
        let mut filled = 0;
        for position in 0..transfer.through.len() {
            let block = transfer.through[position].block;
            let next = transfer.missed.get(filled);
            if next.is_none_or(|item| item.block != block) {
                continue;
            }
            filled += 1;
            let version = self.come_globally(transfer, position);
            let whole = Frame::whole(block, version, self.settings.block_bytes, transfer.application);
            let is_kept = self.place_globally(transfer.node, transfer.file, whole, cell);
            let tally = &mut self.tallies[cell as usize];
            tally.global_placed += u64::from(is_kept);
            tally.global_not_placed += u64::from(!is_kept);
        }
    }

    /// Deliver a block that the daemons sent to the global cache to a read, and return its version.
    pub fn come_globally(&mut self, transfer: &mut Transfer, position: usize) -> u32 {
        let item = &mut transfer.through[position];
        let cache = &self.global(transfer.file).cache;
        let written = cache.find(item.block).map_or(0, |frame| cache.frame(frame).version);
        item.version = self.blocks.versions[item.block as usize].stored.max(written);
        let item = *item;
        self.judge_fetched(transfer.node, item);
        if item.is_local {
            self.register(item.block, transfer.node, Route::Through);
        }
        item.version
    }

    /// Keep a block in the global cache, if it is admitted; one that was written meanwhile is filled.
    pub(super) fn place_globally(&mut self, node: u32, file: u32, frame: Frame, cell: u32) -> bool {
        let Frame { block, version, .. } = frame;
        let segment = self.blocks.place(block).segment;
        let Global { cache, knowledge } = global_of(&mut self.globals, &self.settings, file);
        if let Some(there) = cache.find(block) {
            let found = cache.frame_mut(there);
            found.held = joined(found.held, frame.held).unwrap_or(found.held);
            found.version = found.version.max(version);
            return true;
        }
        if self.settings.admission == Admission::Demoted || !knowledge.is_placed(node, block, segment) {
            return false;
        }
        if version < self.blocks.versions[block as usize].synchronized {
            return false;
        }
        self.keep_globally(file, frame, cell)
    }

    /// Receive the daemons' blocks at the node.
    pub fn read_round(&mut self, transfer: &mut Transfer) {
        let cell = transfer.cell;
        let tally = self.tally(cell);
        let bytes = transfer.bypass_shares.bytes();
        tally.daemon_reads += transfer.bypass_shares.messages();
        tally.daemon_read_bytes += bytes;
        tally.daemon_to_node_bytes += bytes;
        for position in 0..transfer.bypass.len() {
            let block = transfer.bypass[position].block;
            let version = self.blocks.versions[block as usize].stored;
            transfer.bypass[position].version = version;
            self.judge_fetched(transfer.node, transfer.bypass[position]);
            if transfer.bypass[position].is_local {
                self.register(block, transfer.node, Route::Bypass);
            }
        }
    }

    /// Insert the blocks that arrived into the node's cache.
    pub fn arrive(&mut self, transfer: &Transfer) {
        let block_bytes = self.settings.block_bytes;
        for item in transfer.through.iter().chain(&transfer.bypass) {
            let synchronized = self.blocks.versions[item.block as usize].synchronized;
            if !item.is_local || item.version < synchronized {
                continue;
            }
            let cache = &mut self.locals[transfer.node as usize];
            match cache.find(item.block) {
                Some(frame) => {
                    let found = cache.frame_mut(frame);
                    found.held = (0, block_bytes);
                    found.version = found.version.max(item.version);
                }
                None => {
                    let frame = Frame::whole(item.block, item.version, block_bytes, transfer.application);
                    self.keep_locally(transfer.node, frame, transfer.cell);
                }
            }
        }
    }
}
