//! What flushers and harvesters do: each cache, local or global, has both. A flusher sends dirty blocks on after a
//! period, a harvester those whose frames it frees.

use super::cache::Cache;
use super::machine::{CacheId, Machine};
use super::transfer::{bytes_in_file, Item, Operation, Request, Transfer};

/// The most blocks in one message of a flusher or harvester.
const MOST_TOGETHER: u32 = 64;

/// The next block to be written, if any.
type Next = fn(&Cache) -> Option<u32>;

impl Machine {
    /// The number of blocks that a cache's flusher has to write.
    pub fn dirty_blocks(&mut self, id: CacheId) -> u32 {
        self.cache(id).map_or(0, |cache| cache.dirty_blocks())
    }

    /// Begin to flush a cache's longest dirty blocks, at most this many: those of one file, up to the size of one
    /// message. Returns how many. The bits are those of the phase in which the blocks were last written.
    pub fn flush(&mut self, id: CacheId, most: u32, transfer: &mut Transfer) -> u32 {
        self.begin_writes(id, |cache| cache.first_dirty(), most.min(MOST_TOGETHER), transfer)
    }

    /// The same for the blocks that the harvester found dirty.
    pub fn harvest(&mut self, id: CacheId, transfer: &mut Transfer) -> u32 {
        self.begin_writes(id, |cache| cache.first_harvested(), MOST_TOGETHER, transfer)
    }

    fn begin_writes(&mut self, id: CacheId, next: Next, most: u32, transfer: &mut Transfer) -> u32 {
        let Some(first) = self.next_of(id, next) else {
            return 0;
        };
        let file = self.blocks.place(first).file;
        let mut begun = 0;
        for _ in 0..most {
            let block = self.next_of(id, next);
            let Some(block) = block.filter(|&block| self.blocks.place(block).file == file) else {
                break;
            };
            let Some(frame) = self.cache(id).and_then(|cache| cache.begin_write(block)) else {
                break;
            };
            if begun == 0 {
                let (node, daemons) = (id.node(), self.settings.daemons);
                transfer.begin(node, frame.application, file, frame.writer, daemons);
                transfer.operation = Operation::Write;
            }
            begun += 1;
            let item = Item {
                block: frame.block,
                version: frame.version,
                returned: 0,
                held: frame.held,
                is_local: false,
                cell: frame.writer,
            };
            self.send_on(id, item, frame.application, transfer);
        }
        begun
    }

    fn next_of(&mut self, id: CacheId, next: Next) -> Option<u32> {
        next(self.cache(id)?)
    }

    fn send_on(&mut self, id: CacheId, item: Item, application: u32, transfer: &mut Transfer) {
        let CacheId::Node(node) = id else {
            self.tallies[item.cell as usize].global_flushed_blocks += 1;
            transfer.send_bypassing(
                item,
                &self.blocks,
                self.settings.block_bytes,
                self.settings.stripe_bytes,
            );
            return;
        };
        self.tallies[item.cell as usize].flushed_blocks += 1;
        let request = Request {
            application,
            node,
            phase: self.key(item.cell).2,
            operation: Operation::Write,
            file: transfer.file,
            offset: 0,
            length: 0,
        };
        let subject = Self::subject(&request, true, true);
        let route = self.route(subject, node, item.block, item.cell);
        self.send(transfer, item, route);
    }

    /// Receive blocks that the global cache has written back at the daemons.
    pub fn write_back(&mut self, transfer: &Transfer) {
        for &item in &transfer.bypass {
            let (from, to) = bytes_in_file(&item, &self.blocks, self.settings.block_bytes);
            let tally = &mut self.tallies[item.cell as usize];
            tally.global_to_daemon_bytes += to - from;
            tally.daemon_written_bytes += to - from;
            if !self.is_overtaken(item) {
                self.store(item, transfer);
            }
        }
        let messages = transfer.bypass_shares.messages();
        self.tally(transfer.cell).daemon_writes += messages;
    }

    /// The blocks of a flusher or harvester are at the next level.
    pub fn end_writes(&mut self, id: CacheId, transfer: &Transfer) {
        let mut gone = std::mem::take(&mut self.gone);
        for item in transfer.through.iter().chain(&transfer.bypass) {
            let freed = self.cache(id).and_then(|cache| cache.end_write(item.block, item.version));
            gone.extend(freed);
        }
        match id {
            CacheId::Node(node) => {
                self.gone = gone;
                self.give_up(node, transfer.cell);
            }
            CacheId::Global(_) => {
                self.tally(transfer.cell).global_evictions += gone.len() as u64;
                gone.clear();
                self.gone = gone;
            }
        }
    }

    fn cache(&mut self, id: CacheId) -> Option<&mut Cache> {
        match id {
            CacheId::Node(node) => self.locals.get_mut(node as usize),
            CacheId::Global(number) => self.globals.get_mut(&number).map(|global| &mut global.cache),
        }
    }
}
