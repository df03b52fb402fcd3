//! The non-volatile memory's slots: which block each holds, and whether it is dirty, on its way to the disk, or clean.

use super::groups::{Groups, Orders};
use crate::lists::{Links, NONE};
use rustc_hash::FxHashMap;

/// The number of no block.
pub const VACANT: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Without a block, or with one that is as on the disk.
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

/// What became of blocks that were dirty, for the balance that every run is held to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Balance {
    /// Times that a block became dirty.
    pub dirtied: u64,
    /// Times that a write to the disk of a dirty block began.
    pub launched: u64,
    /// Dirty blocks that were discarded, or overtaken by a write that went straight to the disk.
    pub dropped: u64,
}

#[derive(Debug)]
pub struct Slots {
    slots: Vec<Slot>,
    /// Of dirty slots in their unit's list, and of others as the cache's own order wants.
    pub links: Links,
    /// By disk, of those that had dirty blocks here.
    groups: FxHashMap<u32, Groups>,
    none_dirty: Groups,
    orders: Orders,
    /// Dirty or flying.
    unclean: u32,
    flying: u32,
    pub balance: Balance,
}

impl Slots {
    pub fn new(slots: u32, orders: Orders) -> Self {
        let empty =
            Slot { block: VACANT, stamp: 0, home: Home { disk: 0, group: NONE }, state: State::Clean };
        Slots {
            slots: vec![empty; slots as usize],
            links: Links::new(slots as usize),
            groups: FxHashMap::default(),
            none_dirty: Groups::new(orders),
            orders,
            unclean: 0,
            flying: 0,
            balance: Balance::default(),
        }
    }

    pub fn capacity(&self) -> u32 {
        self.slots.len() as u32
    }

    /// How many blocks are not on the disk as they are here.
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

    /// Put a block that is as on the disk, or about to be written, in a clean slot; it counts as never written here.
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

    /// The slot's block is written; a clean slot is in no list of these links.
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

    /// The write to the disk of a dirty slot begins.
    pub fn launch(&mut self, slot: u32) {
        self.leave_group(slot);
        self.slots[slot as usize].state = State::Flying;
        self.flying += 1;
        self.balance.launched += 1;
    }

    /// The write to a disk ended; says whether the slot became clean by it. Meanwhile its block may have been written
    /// again, or discarded, and the slot may hold another disk's block.
    pub fn land(&mut self, slot: u32, disk: u32) -> bool {
        if self.state(slot) != State::Flying || self.home(slot).disk != disk {
            return false;
        }
        self.slots[slot as usize].state = State::Clean;
        self.flying -= 1;
        self.unclean -= 1;
        true
    }

    /// A dirty slot's block need not be written any more.
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

    /// Whether all that became dirty is dirty still, was sent to the disk, or was dropped, and fits.
    pub fn balances(&self) -> bool {
        let Balance { dirtied, launched, dropped } = self.balance;
        dirtied == launched + dropped + u64::from(self.unclean - self.flying)
            && self.unclean <= self.capacity()
    }
}
