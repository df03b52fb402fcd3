//! One non-volatile LRU cache for reads and writes (section 4.7 of the paper).

use super::block_map::BlockMap;
use super::groups::Orders;
use super::memory::{CacheLookUp, Memory};
use super::slots::{Home, Slots, State};
use crate::lists::{Links, List, NONE};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

#[derive(Debug)]
pub struct Single {
    map: BlockMap,
    slots: Slots,
    /// All blocks, the least recently used first.
    chain: List,
    chain_links: Links,
    vacant: Vec<u32>,
    /// The last use of each slot, as a count of uses.
    used: Vec<u64>,
    uses: u64,
    /// Slots by their last use or an earlier one; each clean slot is present once.
    clean: BinaryHeap<Reverse<(u64, u32)>>,
    is_in_clean: Vec<bool>,
    /// Per disk, the dirty slots that were found to be the least recently used, with the finding's number.
    targets: FxHashMap<u32, VecDeque<(u32, u64)>>,
    /// Per slot, the number of the valid finding, or 0.
    found: Vec<u64>,
    findings: u64,
}

impl Single {
    pub fn new(blocks: u32, orders: Orders) -> Self {
        Single {
            map: BlockMap::default(),
            slots: Slots::new(blocks, orders),
            chain: List::EMPTY,
            chain_links: Links::default(),
            vacant: Vec::new(),
            used: Vec::new(),
            uses: 0,
            clean: BinaryHeap::new(),
            is_in_clean: Vec::new(),
            targets: FxHashMap::default(),
            found: Vec::new(),
            findings: 0,
        }
    }

    fn touch(&mut self, slot: u32) {
        self.chain_links.remove(&mut self.chain, slot);
        self.append(slot);
    }

    fn append(&mut self, slot: u32) {
        self.chain_links.push_last(&mut self.chain, slot);
        self.uses += 1;
        self.used[slot as usize] = self.uses;
    }

    fn became_clean(&mut self, slot: u32) {
        if !self.is_in_clean[slot as usize] {
            self.is_in_clean[slot as usize] = true;
            self.clean.push(Reverse((self.used[slot as usize], slot)));
        }
    }

    /// Take a slot for a new block; a least recently used block that is dirty becomes a target.
    fn take_slot(&mut self) -> Option<u32> {
        if let Some(slot) = self.vacant.pop().or_else(|| self.add_slot()) {
            return Some(slot);
        }
        let last = self.chain.first;
        if last != NONE && self.slots.state(last) == State::Dirty && self.found[last as usize] == 0 {
            self.findings += 1;
            self.found[last as usize] = self.findings;
            let disk = self.slots.home(last).disk;
            let targets = self.targets.entry(disk).or_default();
            targets.push_back((last, self.findings));
        }
        let slot = self.least_recently_used_clean()?;
        self.chain_links.remove(&mut self.chain, slot);
        self.map.clear_write(self.slots.block(slot));
        Some(slot)
    }

    fn add_slot(&mut self) -> Option<u32> {
        let slot = self.slots.add()?;
        self.chain_links.add();
        self.used.push(0);
        self.is_in_clean.push(false);
        self.found.push(0);
        Some(slot)
    }

    fn least_recently_used_clean(&mut self) -> Option<u32> {
        while let Some(Reverse((used, slot))) = self.clean.pop() {
            let now = self.used[slot as usize];
            let is_clean =
                self.slots.state(slot) == State::Clean && self.slots.block(slot) != super::slots::VACANT;
            if is_clean && used != now {
                self.clean.push(Reverse((now, slot)));
                continue;
            }
            self.is_in_clean[slot as usize] = false;
            if is_clean {
                return Some(slot);
            }
        }
        None
    }

    fn put(&mut self, slot: u32, block: u64, home: Home) {
        self.slots.hold(slot, block, home);
        self.map.set_write(block, slot);
        self.append(slot);
    }

    fn free(&mut self, block: u64, slot: u32) {
        match self.slots.state(slot) {
            State::Flying => return,
            State::Dirty => self.slots.drop_dirty(slot),
            State::Clean => (),
        }
        self.found[slot as usize] = 0;
        self.chain_links.remove(&mut self.chain, slot);
        self.slots.vacate(slot);
        self.map.clear_write(block);
        self.vacant.push(slot);
    }

    fn least_recently_used_dirty(&self, disk: Option<u32>) -> Option<Home> {
        let slots = self.chain_links.items(&self.chain);
        let mut dirty = slots.filter(|&slot| self.slots.state(slot) == State::Dirty);
        let homes = dirty.by_ref().map(|slot| self.slots.home(slot));
        homes.into_iter().find(|home| disk.is_none_or(|disk| disk == home.disk))
    }
}

impl Memory for Single {
    const PLACES_FILLS: bool = true;

    fn slots(&self) -> &Slots {
        &self.slots
    }

    fn slots_mut(&mut self) -> &mut Slots {
        &mut self.slots
    }

    fn read(&mut self, block: u64) -> CacheLookUp {
        match self.map.get(block).write {
            NONE => CacheLookUp::Miss,
            slot => {
                self.touch(slot);
                match self.slots.state(slot) {
                    State::Clean => CacheLookUp::ReadCache,
                    _ => CacheLookUp::WriteCache,
                }
            }
        }
    }

    fn holds(&self, block: u64) -> bool {
        self.map.get(block).write != NONE
    }

    fn is_dirty(&self, block: u64) -> bool {
        let slot = self.map.get(block).write;
        slot != NONE && self.slots.state(slot) != State::Clean
    }

    fn fill(&mut self, block: u64, home: Home) -> bool {
        match self.map.get(block).write {
            NONE => match self.take_slot() {
                None => return false,
                Some(slot) => {
                    self.put(slot, block, home);
                    self.became_clean(slot);
                }
            },
            slot => self.touch(slot),
        }
        true
    }

    fn write(&mut self, block: u64, home: Home, stamp: u64) -> bool {
        let mut slot = self.map.get(block).write;
        if slot != NONE {
            self.touch(slot);
        } else {
            match self.take_slot() {
                None => return false,
                Some(taken) => slot = taken,
            }
            self.put(slot, block, home);
        }
        self.slots.write(slot, stamp);
        true
    }

    fn overtake(&mut self, block: u64, stamp: u64) {
        let slot = self.map.get(block).write;
        if slot != NONE && self.slots.stamp(slot) < stamp {
            self.free(block, slot);
        }
    }

    fn discard(&mut self, blocks: Range<u64>) {
        for block in self.map.candidates(blocks) {
            let slot = self.map.get(block).write;
            if slot != NONE {
                self.free(block, slot);
            }
        }
    }

    fn launch(&mut self, slot: u32) {
        self.found[slot as usize] = 0;
        self.slots.launch(slot);
    }

    fn land(&mut self, slot: u32, disk: u32) {
        if self.slots.land(slot, disk) {
            self.became_clean(slot);
        }
    }

    fn urgent(&self, disk: u32) -> Option<u32> {
        self.least_recently_used_dirty(Some(disk)).map(|home| home.group)
    }

    fn urgent_disk(&self) -> Option<u32> {
        self.least_recently_used_dirty(None).map(|home| home.disk)
    }

    fn target(&mut self, disk: u32) -> Option<u32> {
        let targets = self.targets.get_mut(&disk)?;
        while let Some(&(slot, finding)) = targets.front() {
            if self.found[slot as usize] == finding {
                return Some(self.slots.home(slot).group);
            }
            targets.pop_front();
        }
        None
    }
}
