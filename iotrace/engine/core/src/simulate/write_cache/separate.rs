//! A volatile LRU read cache and a non-volatile write cache (sections 2 and 3.2 of the paper).

use super::block_map::{BlockMap, Cached};
use super::groups::Orders;
use super::memory::{CacheLookUp, Memory};
use super::settings::WriteEffect;
use super::slots::{Home, Slots, State, VACANT};
use crate::lists::{Links, List, NONE};
use std::ops::Range;

#[derive(Debug)]
pub struct Separate {
    map: BlockMap,
    read: ReadCache,
    slots: Slots,
    /// Slots that lost their block, the last one first. Slots of `slots` that were never in use come next, then `clean`.
    vacated: List,
    /// Slots that became clean, the oldest first.
    clean: List,
    effect: WriteEffect,
}

impl Separate {
    pub fn new(read: u32, write: u32, effect: WriteEffect, orders: Orders) -> Self {
        Separate {
            map: BlockMap::default(),
            read: ReadCache::new(read),
            slots: Slots::new(write, orders),
            vacated: List::EMPTY,
            clean: List::EMPTY,
            effect,
        }
    }

    /// Insert a block into the read cache, or count a use there; optionally not if it is in the write cache.
    fn use_in_read_cache(&mut self, block: u64, unless_written: bool) {
        if self.read.capacity() == 0 {
            return;
        }
        let cached = self.map.entry(block);
        if unless_written && cached.write != NONE {
            return;
        }
        if cached.read != NONE {
            return self.read.touch(cached.read);
        }
        let (slot, old) = self.read.take_place(block);
        cached.read = slot;
        if old != VACANT {
            self.map.clear_read(old);
        }
    }

    fn leave_read_cache(&mut self, block: u64, slot: u32) {
        if slot != NONE {
            self.read.remove(slot);
            self.map.clear_read(block);
        }
    }

    fn affect_read_cache(&mut self, block: u64, slot: u32) {
        match self.effect {
            WriteEffect::Purge => self.leave_read_cache(block, slot),
            WriteEffect::Allocate => self.use_in_read_cache(block, false),
            WriteEffect::Update if slot != NONE => self.read.touch(slot),
            WriteEffect::Update => (),
        }
    }

    /// Take a slot that is not dirty.
    fn take_slot(&mut self) -> Option<u32> {
        let from = match self.vacated.is_empty() {
            true if self.slots.has_unused() => return self.slots.add(),
            true => &mut self.clean,
            false => &mut self.vacated,
        };
        let slot = from.first;
        if slot == NONE {
            return None;
        }
        self.slots.links.remove(from, slot);
        Some(slot)
    }

    fn free(&mut self, block: u64, slot: u32) {
        match self.slots.state(slot) {
            State::Flying => return,
            State::Dirty => self.slots.drop_dirty(slot),
            State::Clean => self.slots.links.remove(&mut self.clean, slot),
        }
        self.slots.links.push_first(&mut self.vacated, slot);
        self.slots.vacate(slot);
        self.map.clear_write(block);
    }
}

impl Memory for Separate {
    const PLACES_FILLS: bool = false;

    fn slots(&self) -> &Slots {
        &self.slots
    }

    fn slots_mut(&mut self) -> &mut Slots {
        &mut self.slots
    }

    fn read(&mut self, block: u64) -> CacheLookUp {
        let cached = self.map.get(block);
        if cached.read != NONE {
            self.read.touch(cached.read);
        }
        match (cached.write, cached.read) {
            (NONE, NONE) => CacheLookUp::Miss,
            (NONE, _) => CacheLookUp::ReadCache,
            _ => CacheLookUp::WriteCache,
        }
    }

    fn holds(&self, block: u64) -> bool {
        let cached = self.map.get(block);
        cached.read != NONE || cached.write != NONE
    }

    fn is_dirty(&self, block: u64) -> bool {
        let slot = self.map.get(block).write;
        slot != NONE && self.slots.state(slot) != State::Clean
    }

    fn fill(&mut self, block: u64, _home: Home) -> bool {
        self.use_in_read_cache(block, true);
        true
    }

    fn write(&mut self, block: u64, home: Home, stamp: u64) -> bool {
        let Cached { read, write: slot, .. } = self.map.get(block);
        if slot != NONE {
            if self.slots.state(slot) == State::Clean {
                self.slots.links.remove(&mut self.clean, slot);
            }
            self.slots.write(slot, stamp);
        } else {
            let Some(free) = self.take_slot() else {
                return false;
            };
            self.map.set_write(block, free);
            let old = self.slots.block(free);
            if old != VACANT {
                self.map.clear_write(old);
            }
            self.slots.hold(free, block, home);
            self.slots.write(free, stamp);
        }
        self.affect_read_cache(block, read);
        true
    }

    fn overtake(&mut self, block: u64, stamp: u64) {
        let cached = self.map.get(block);
        if cached.write != NONE && self.slots.stamp(cached.write) < stamp {
            self.free(block, cached.write);
        }
        self.affect_read_cache(block, cached.read);
    }

    fn discard(&mut self, blocks: Range<u64>) {
        for block in self.map.candidates(blocks) {
            let cached = self.map.get(block);
            self.leave_read_cache(block, cached.read);
            if cached.write != NONE {
                self.free(block, cached.write);
            }
        }
    }

    fn launch(&mut self, slot: u32) {
        self.slots.launch(slot);
    }

    fn land(&mut self, slot: u32, disk: u32) {
        if self.slots.land(slot, disk) {
            self.slots.links.push_last(&mut self.clean, slot);
        }
    }
}

/// An LRU list of blocks.
#[derive(Debug)]
struct ReadCache {
    capacity: usize,
    /// The block of each place in use so far.
    blocks: Vec<u64>,
    links: Links,
    /// The least recently used first.
    used: List,
    vacant: Vec<u32>,
}

impl ReadCache {
    fn new(blocks: u32) -> Self {
        ReadCache {
            capacity: blocks as usize,
            blocks: Vec::new(),
            links: Links::default(),
            used: List::EMPTY,
            vacant: Vec::new(),
        }
    }

    fn touch(&mut self, slot: u32) {
        if self.used.last != slot {
            self.links.remove(&mut self.used, slot);
            self.links.push_last(&mut self.used, slot);
        }
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    /// Give a new block a slot, evicting the least recently used block if needed; returns the slot and the evicted
    /// block.
    fn take_place(&mut self, block: u64) -> (u32, u64) {
        let (slot, old) = match self.vacant.pop() {
            Some(slot) => (slot, VACANT),
            None if self.blocks.len() < self.capacity => {
                self.blocks.push(VACANT);
                (self.links.add(), VACANT)
            }
            None => {
                let slot = self.used.first;
                self.links.remove(&mut self.used, slot);
                (slot, self.blocks[slot as usize])
            }
        };
        self.blocks[slot as usize] = block;
        self.links.push_last(&mut self.used, slot);
        (slot, old)
    }

    fn remove(&mut self, slot: u32) {
        self.links.remove(&mut self.used, slot);
        self.vacant.push(slot);
    }
}
