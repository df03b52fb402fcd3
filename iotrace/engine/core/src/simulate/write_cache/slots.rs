//! The non-volatile memory's slots: the block of each, and whether it is dirty, being written to disk, or clean.

use super::groups::{Groups, Orders};
use crate::lists::{Links, NONE};
use rustc_hash::FxHashMap;

/// No block.
pub const VACANT: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Without a block, or with one identical to the disk's.
    Clean,
    Dirty,
    /// Being written to the disk, and not written again since that began.
    Flying,
}

/// A unit of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    pub disk: u32,
    pub group: u32,
}

#[derive(Clone, Debug)]
struct Slot {
    block: u64,
    /// The number of the request that wrote it last.
    stamp: u64,
    home: Home,
    state: State,
}

/// Counts of dirty blocks, whose balance every run checks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Balance {
    /// The number of times that a block became dirty.
    pub dirtied: u64,
    /// The number of times that a disk write of a dirty block began.
    pub launched: u64,
    /// Dirty blocks that were discarded, or overtaken by a write-through.
    pub dropped: u64,
}

#[derive(Debug)]
pub struct Slots {
    capacity: u32,
    /// Those in use so far: memory follows what is written, not the size of the cache.
    slots: Vec<Slot>,
    /// Links of dirty slots in their unit's list, and of others in the cache's order.
    pub links: Links,
    /// Units by disk, for disks that had dirty blocks.
    groups: FxHashMap<u32, Groups>,
    none_dirty: Groups,
    orders: Orders,
    /// The number of slots that are dirty or being written.
    unclean: u32,
    flying: u32,
    pub balance: Balance,
}

impl Slots {
    pub fn new(capacity: u32, orders: Orders) -> Self {
        Slots {
            capacity,
            slots: Vec::new(),
            links: Links::default(),
            groups: FxHashMap::default(),
            none_dirty: Groups::new(orders),
            orders,
            unclean: 0,
            flying: 0,
            balance: Balance::default(),
        }
    }

    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Whether there are slots that were never in use.
    pub fn has_unused(&self) -> bool {
        self.slots.len() < self.capacity as usize
    }

    /// A slot that was never in use, clean and without a block.
    pub fn add(&mut self) -> Option<u32> {
        if !self.has_unused() {
            return None;
        }
        self.slots.push(Slot {
            block: VACANT,
            stamp: 0,
            home: Home { disk: 0, group: NONE },
            state: State::Clean,
        });
        Some(self.links.add())
    }

    /// The number of blocks that differ from the disk's.
    pub fn unclean(&self) -> u32 {
        self.unclean
    }

    pub fn block(&self, slot: u32) -> u64 {
        self.slots[slot as usize].block
    }

    pub fn state(&self, slot: u32) -> State {
        self.slots[slot as usize].state
    }

    pub fn stamp(&self, slot: u32) -> u64 {
        self.slots[slot as usize].stamp
    }

    pub fn home(&self, slot: u32) -> Home {
        self.slots[slot as usize].home
    }

    pub fn groups(&self, disk: u32) -> &Groups {
        self.groups.get(&disk).unwrap_or(&self.none_dirty)
    }

    pub fn groups_mut(&mut self, disk: u32) -> &mut Groups {
        self.groups.entry(disk).or_insert_with(|| Groups::new(self.orders))
    }

    pub fn dirty_slots(&self, home: Home) -> impl Iterator<Item = u32> + '_ {
        self.links.items(self.groups(home.disk).slots(home.group))
    }

    /// Put a block that is identical to the disk's, or about to be written, into a clean slot; it counts as not
    /// written.
    pub fn hold(&mut self, slot: u32, block: u64, home: Home) {
        let held = &mut self.slots[slot as usize];
        held.block = block;
        held.stamp = 0;
        held.home = home;
    }

    /// Empty a clean slot.
    pub fn vacate(&mut self, slot: u32) {
        self.slots[slot as usize].block = VACANT;
    }

    /// Write the slot's block; a clean slot is in no list of these links.
    pub fn write(&mut self, slot: u32, stamp: u64) {
        let held = &mut self.slots[slot as usize];
        held.stamp = stamp;
        let (home, state) = (held.home, held.state);
        let groups = self.groups.entry(home.disk).or_insert_with(|| Groups::new(self.orders));
        match state {
            State::Dirty => return groups.rewritten(home.group),
            State::Flying => self.flying -= 1,
            State::Clean => self.unclean += 1,
        }
        self.slots[slot as usize].state = State::Dirty;
        self.balance.dirtied += 1;
        groups.insert(home.group, slot, &mut self.links);
    }

    /// The disk write of a dirty slot begins.
    pub fn launch(&mut self, slot: u32) {
        self.leave_group(slot);
        self.slots[slot as usize].state = State::Flying;
        self.flying += 1;
        self.balance.launched += 1;
    }

    /// A disk write has ended; returns whether it made the slot clean. Meanwhile its block may have been written again
    /// or discarded, and the slot may hold another disk's block.
    pub fn land(&mut self, slot: u32, disk: u32) -> bool {
        if self.state(slot) != State::Flying || self.home(slot).disk != disk {
            return false;
        }
        self.slots[slot as usize].state = State::Clean;
        self.flying -= 1;
        self.unclean -= 1;
        true
    }

    /// A dirty slot's block no longer needs to be written.
    pub fn drop_dirty(&mut self, slot: u32) {
        self.leave_group(slot);
        self.slots[slot as usize].state = State::Clean;
        self.unclean -= 1;
        self.balance.dropped += 1;
    }

    fn leave_group(&mut self, slot: u32) {
        let home = self.home(slot);
        if let Some(groups) = self.groups.get_mut(&home.disk) {
            groups.remove(home.group, slot, &mut self.links);
        }
    }

    /// Whether all blocks that became dirty are still dirty, were written or were dropped, and fit.
    pub fn balances(&self) -> bool {
        let Balance { dirtied, launched, dropped } = self.balance;
        dirtied == launched + dropped + u64::from(self.unclean - self.flying)
            && self.unclean <= self.capacity()
    }
}
