//! The units of one disk that have dirty blocks, in the orders in which they may be purged.

use super::settings::{Purge, Settings, Victim};
use crate::lists::{Links, List, NONE};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A unit with dirty blocks.
#[derive(Debug)]
struct Unit {
    group: u32,
    slots: List,
    count: u32,
    /// Whether it was written again since the hand of wise ordering last passed (Gill and Modha 2005).
    is_recent: bool,
}

/// The orders of units that the choice of what to purge needs; a tree or a list is kept for each.
#[derive(Clone, Copy, Debug)]
pub struct Orders {
    by_write: bool,
    by_place: bool,
}

impl Orders {
    pub fn of(settings: &Settings) -> Self {
        let by_place = matches!(settings.victim, Victim::Nearest | Victim::Wow);
        Orders {
            by_write: settings.victim == Victim::Lrw,
            by_place: by_place || matches!(settings.purge, Purge::Linear),
        }
    }
}

/// The dirty blocks of one disk by unit (track or cylinder). The blocks' links are stored elsewhere, since several
/// disks share them. Memory depends on the number of dirty units, not on the size of the disk.
#[derive(Debug)]
pub struct Groups {
    orders: Orders,
    /// The units with dirty blocks; entries in `vacant` are free.
    units: Vec<Unit>,
    vacant: Vec<u32>,
    places: FxHashMap<u32, u32>,
    /// Links of entries in the lists of `by_count`.
    links: Links,
    /// Entries by their unit's number of dirty blocks; for equal numbers, the one that reached it first precedes.
    by_count: Vec<List>,
    most: usize,
    /// Entries by their unit's last write, the oldest first; maintained if `orders` requires it.
    by_write: List,
    write_links: Links,
    /// The units with dirty blocks in the order of the disk; likewise.
    occupied: BTreeSet<u32>,
    hand: u32,
}

impl Groups {
    pub fn new(orders: Orders) -> Self {
        Groups {
            orders,
            units: Vec::new(),
            vacant: Vec::new(),
            places: FxHashMap::default(),
            links: Links::default(),
            by_count: vec![List::EMPTY],
            most: 0,
            by_write: List::EMPTY,
            write_links: Links::default(),
            occupied: BTreeSet::new(),
            hand: 0,
        }
    }

    fn unit(&self, group: u32) -> Option<&Unit> {
        let place = self.places.get(&group)?;
        Some(&self.units[*place as usize])
    }

    pub fn count(&self, group: u32) -> u32 {
        self.unit(group).map_or(0, |unit| unit.count)
    }

    pub fn slots(&self, group: u32) -> &List {
        self.unit(group).map_or(&List::EMPTY, |unit| &unit.slots)
    }

    /// The largest number of dirty blocks in a unit.
    pub fn most(&self) -> u32 {
        self.most as u32
    }

    pub fn insert(&mut self, group: u32, slot: u32, links: &mut Links) {
        let place = match self.places.get(&group) {
            Some(&place) => {
                let unit = &mut self.units[place as usize];
                unit.is_recent = true;
                self.links.remove(&mut self.by_count[unit.count as usize], place);
                if self.orders.by_write {
                    self.write_links.remove(&mut self.by_write, place);
                }
                place
            }
            None => self.settle(group),
        };
        let unit = &mut self.units[place as usize];
        links.push_last(&mut unit.slots, slot);
        unit.count += 1;
        if self.orders.by_write {
            self.write_links.push_last(&mut self.by_write, place);
        }
        self.enter(place);
    }

    /// A dirty slot of this unit is no longer dirty.
    pub fn remove(&mut self, group: u32, slot: u32, links: &mut Links) {
        let Some(&place) = self.places.get(&group) else {
            return;
        };
        let unit = &mut self.units[place as usize];
        links.remove(&mut unit.slots, slot);
        self.links.remove(&mut self.by_count[unit.count as usize], place);
        unit.count -= 1;
        match unit.count {
            0 => {
                self.places.remove(&group);
                if self.orders.by_place {
                    self.occupied.remove(&group);
                }
                if self.orders.by_write {
                    self.write_links.remove(&mut self.by_write, place);
                }
                self.vacant.push(place);
            }
            _ => self.enter(place),
        }
        while self.most > 0 && self.by_count[self.most].is_empty() {
            self.most -= 1;
        }
    }

    /// Add an entry for a unit that had no dirty blocks.
    fn settle(&mut self, group: u32) -> u32 {
        let unit = Unit { group, slots: List::EMPTY, count: 0, is_recent: false };
        let place = match self.vacant.pop() {
            Some(place) => {
                self.units[place as usize] = unit;
                place
            }
            None => {
                self.units.push(unit);
                self.write_links.add();
                self.links.add()
            }
        };
        self.places.insert(group, place);
        if self.orders.by_place {
            self.occupied.insert(group);
        }
        place
    }

    fn enter(&mut self, place: u32) {
        let count = self.units[place as usize].count as usize;
        if count == self.by_count.len() {
            self.by_count.push(List::EMPTY);
        }
        self.links.push_last(&mut self.by_count[count], place);
        self.most = self.most.max(count);
    }

    /// A dirty block of this unit was written again.
    pub fn rewritten(&mut self, group: u32) {
        if let Some(&place) = self.places.get(&group) {
            self.units[place as usize].is_recent = true;
            if self.orders.by_write {
                self.write_links.remove(&mut self.by_write, place);
                self.write_links.push_last(&mut self.by_write, place);
            }
        }
    }

    fn set_recent(&mut self, group: u32, is_recent: bool) {
        if let Some(&place) = self.places.get(&group) {
            self.units[place as usize].is_recent = is_recent;
        }
    }

    fn is_recent(&self, group: u32) -> bool {
        self.unit(group).is_some_and(|unit| unit.is_recent)
    }

    pub fn most_dirty(&self) -> Option<u32> {
        let place = self.by_count[self.most].first;
        (self.most > 0 && place != NONE).then(|| self.units[place as usize].group)
    }

    pub fn least_recently_written(&self) -> Option<u32> {
        let place = self.by_write.first;
        (place != NONE).then(|| self.units[place as usize].group)
    }

    /// The nearest unit and its distance in cylinders, for `units` units per cylinder.
    pub fn nearest(&self, cylinder: u32, units: u32) -> Option<(u32, u32)> {
        let above = self.occupied.range(cylinder * units..).next();
        let below = self.occupied.range(..cylinder * units).next_back();
        let above = above.map(|group| group / units);
        let below = below.map(|group| group / units);
        let chosen = match (above, below) {
            (Some(above), Some(below)) if cylinder - below <= above - cylinder => below,
            (Some(above), _) => above,
            (None, below) => below?,
        };
        let tracks = self.occupied.range(chosen * units..(chosen + 1) * units);
        let most = tracks.max_by_key(|&&group| (self.count(group), u32::MAX - group))?;
        Some((*most, chosen.abs_diff(cylinder)))
    }

    /// The next unit in wise order: the first one from the hand on that was not written again, or else the first one
    /// from the hand on.
    pub fn next_in_order(&self) -> Option<u32> {
        let first = self.after_hand(self.hand)?;
        let mut group = first;
        while self.is_recent(group) {
            group = self.after_hand(group + 1)?;
            if group == first {
                break;
            }
        }
        Some(group)
    }

    /// Move the hand past a unit, the next in order; the units passed over have used their second chance.
    pub fn pass(&mut self, group: u32) {
        while let Some(passed) = self.after_hand(self.hand) {
            self.hand = passed + 1;
            let was_recent = self.is_recent(passed);
            self.set_recent(passed, false);
            if passed == group && !was_recent {
                return;
            }
        }
    }

    fn after_hand(&self, hand: u32) -> Option<u32> {
        let ahead = self.occupied.range(hand..).next();
        ahead.or_else(|| self.occupied.first()).copied()
    }
}
