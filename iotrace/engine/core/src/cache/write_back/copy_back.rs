//! Copy-back: a dirty block is written when it is evicted, and alone.

use super::WriteBack;
use crate::cache::replacement::Access;
use crate::cache::replay::{DirtyBlocks, Request};
use crate::lists::One;

/// What was written back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CopiedBack {
    /// Dirty blocks written back.
    pub blocks: u64,
    /// Bytes of these blocks beyond their file's end.
    pub shortfall: u64,
    /// Blocks still dirty.
    pub dirty_at_end: u64,
    /// Dirty blocks that syncs wrote, which are not among `blocks`; these caches ignore syncs, and so have none.
    pub synced: u64,
}

/// Copy-back.
#[derive(Debug, Default)]
pub struct CopyBack {
    dirty: DirtyBlocks,
    counting: bool,
    written: CopiedBack,
}

impl CopyBack {
    /// The counts so far.
    pub fn written(&self) -> CopiedBack {
        CopiedBack { dirty_at_end: self.dirty.count(), ..self.written }
    }
}

impl<R> WriteBack<R> for CopyBack {
    fn prepare(&mut self, blocks: usize) {
        self.dirty.prepare(blocks);
    }

    #[inline(always)]
    fn begin(&mut self, request: Request) {
        self.counting = request.counted;
    }

    #[inline(always)]
    fn write(&mut self, access: &Access<One>, shortfall: u32) {
        self.dirty.write(access.number, shortfall);
    }

    #[inline(always)]
    fn read(&mut self, block: u32, shortfall: u32) {
        self.dirty.read(block, shortfall);
    }

    #[inline(always)]
    fn evict(&mut self, block: u32) {
        if let Some(shortfall) = self.dirty.clean(block) {
            if self.counting {
                self.written.blocks += 1;
                self.written.shortfall += u64::from(shortfall);
            }
        }
    }

    fn remove(&mut self, block: u32) {
        self.dirty.clean(block);
    }
}
