//! The interface of the caches for the controller.

use super::slots::{Home, Slots};
use std::ops::Range;

/// The cache in which a block was found, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheLookUp {
    ReadCache,
    WriteCache,
    Miss,
}

/// Caches with block granularity. Block numbers are unique over all disks.
pub trait Memory {
    /// Whether `fill` uses the block's location.
    const PLACES_FILLS: bool;

    fn slots(&self) -> &Slots;
    fn slots_mut(&mut self) -> &mut Slots;

    /// Read a block; if it is cached this counts as a use.
    fn read(&mut self, block: u64) -> CacheLookUp;

    /// Whether a block is cached; does not count as a use.
    fn holds(&self, block: u64) -> bool;

    /// Insert a block read from the disk; false if there was no space.
    fn fill(&mut self, block: u64, home: Home) -> bool;

    /// Write a block, by the request with number `stamp`; false without any effect if there is no space.
    fn write(&mut self, block: u64, home: Home, stamp: u64) -> bool;

    /// A block was written through to the disk by the request with number `stamp`.
    fn overtake(&mut self, block: u64, stamp: u64);

    /// Discard these blocks. A disk write in progress continues.
    fn discard(&mut self, blocks: Range<u64>);

    /// The disk write of a dirty slot begins.
    fn launch(&mut self, slot: u32);

    /// The disk write of a slot has ended.
    fn land(&mut self, slot: u32, disk: u32);

    /// The unit to purge immediately, if the caches select it.
    fn urgent(&self, _disk: u32) -> Option<u32> {
        None
    }

    /// The disk whose purge would free space, if the caches select it.
    fn urgent_disk(&self) -> Option<u32> {
        None
    }

    /// A unit to purge as soon as the disk is idle, if the caches select one.
    fn target(&mut self, _disk: u32) -> Option<u32> {
        None
    }

    /// Whether a block is dirty, so that writing it again takes no space.
    fn is_dirty(&self, block: u64) -> bool;

    /// The number of slots that are not dirty.
    fn room(&self) -> u32 {
        self.slots().capacity() - self.slots().unclean()
    }

    /// Whether all of these blocks, no more than there are slots, could be written now.
    fn has_room_for(&self, blocks: Range<u64>) -> bool {
        let room = u64::from(self.room());
        blocks.end - blocks.start <= room
            || blocks.filter(|&block| !self.is_dirty(block)).count() as u64 <= room
    }
}
