//! Copy-back of neighbours together (Richardson 1994, 2.4.3).

use super::{CopiedBack, CopyBack, WriteBack};
use crate::cache::replacement::{Access, PortionedLru};
use crate::cache::replay::{DirtyBlocks, Neighbours, Request};
use crate::lists::One;

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiskWrites {
    /// Runs of neighbouring dirty blocks.
    pub runs: u64,
    /// The blocks of these.
    pub blocks: u64,
    /// Bytes of these blocks beyond their file's end.
    pub shortfall: u64,
    /// Blocks still dirty.
    pub dirty_at_end: u64,
}

/// An evicted dirty block is written together with the dirty blocks on both sides of it in its file, up to the first
/// that is not dirty or not in the last portion of the LRU stack; they stay in the cache, clean.
#[derive(Debug, Default)]
pub struct Coalesced {
    dirty: DirtyBlocks,
    /// What is dirty and written if each block is written alone.
    alone: CopyBack,
    /// A dirty block that was evicted and is to be written, and its bytes beyond its file's end.
    evicted: Option<(u32, u32)>,
    counting: bool,
    written: DiskWrites,
}

impl Coalesced {
    /// The counts so far.
    pub fn written(&self) -> DiskWrites {
        DiskWrites { dirty_at_end: self.dirty.count(), ..self.written }
    }

    /// The counts so far if each block is written alone.
    pub fn written_alone(&self) -> CopiedBack {
        self.alone.written()
    }

    /// The copy-back of each block alone, as that of this cache.
    fn alone(&mut self) -> &mut impl WriteBack<PortionedLru> {
        &mut self.alone
    }
}

impl WriteBack<PortionedLru> for Coalesced {
    fn prepare(&mut self, blocks: usize) {
        self.dirty.prepare(blocks);
        self.alone().prepare(blocks);
    }

    fn begin(&mut self, request: Request) {
        self.counting = request.counted;
        self.alone().begin(request);
    }

    fn write(&mut self, access: &Access<One>, shortfall: u32) {
        self.dirty.write(access.number, shortfall);
        self.alone().write(access, shortfall);
    }

    fn read(&mut self, block: u32, shortfall: u32) {
        self.dirty.read(block, shortfall);
        self.alone().read(block, shortfall);
    }

    fn evict(&mut self, block: u32) {
        self.evicted = self.dirty.clean(block).map(|shortfall| (block, shortfall));
        self.alone().evict(block);
    }

    fn write_out(&mut self, cached: &PortionedLru, neighbours: &Neighbours) {
        let Some((evicted, shortfall)) = self.evicted.take() else {
            return;
        };
        let (mut blocks, mut shortfall) = (1, u64::from(shortfall));
        for towards in [Neighbours::previous, Neighbours::next] {
            let mut adjoining = towards(neighbours, evicted);
            while let Some(block) = adjoining.filter(|&block| cached.is_in_last_portion(block)) {
                let Some(more) = self.dirty.clean(block) else {
                    break;
                };
                blocks += 1;
                shortfall += u64::from(more);
                adjoining = towards(neighbours, block);
            }
        }
        if self.counting {
            self.written.runs += 1;
            self.written.blocks += blocks;
            self.written.shortfall += shortfall;
        }
    }

    fn remove(&mut self, block: u32) {
        self.dirty.clean(block);
        self.alone().remove(block);
    }
}
