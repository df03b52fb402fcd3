//! The units of one disk that have dirty blocks, in the orders in which they may be purged.

use super::lists::{Links, List, NONE};
use super::number_set::NumberSet;

/// The dirty blocks of one disk by unit (track or cylinder). The blocks' links are not here: blocks of several disks
/// share them.
#[derive(Debug)]
pub struct Groups {
    slots: Vec<List>,
    counts: Vec<u32>,
    links: Links,
    /// Units by their number of dirty blocks; within a number, the one that has had it the longest is first.
    by_count: Vec<List>,
    most: usize,
    occupied: NumberSet,
    /// Units written again since wise ordering last passed (Gill and Modha 2005).
    recent: NumberSet,
    hand: u32,
}

impl Groups {
    pub fn new(groups: u32) -> Self {
        let groups = groups as usize;
        Groups {
            slots: vec![List::EMPTY; groups],
            counts: vec![0; groups],
            links: Links::new(groups),
            by_count: vec![List::EMPTY],
            most: 0,
            occupied: NumberSet::new(groups),
            recent: NumberSet::new(groups),
            hand: 0,
        }
    }

    pub fn count(&self, group: u32) -> u32 {
        self.counts[group as usize]
    }

    pub fn slots(&self, group: u32) -> &List {
        &self.slots[group as usize]
    }

    /// The largest number of dirty blocks in a unit.
    pub fn most(&self) -> u32 {
        self.most as u32
    }

    pub fn insert(&mut self, group: u32, slot: u32, links: &mut Links) {
        links.push_last(&mut self.slots[group as usize], slot);
        let count = self.counts[group as usize] as usize;
        if count == 0 {
            self.occupied.insert(group);
            self.recent.remove(group);
        } else {
            self.recent.insert(group);
            self.links.remove(&mut self.by_count[count], group);
        }
        self.enter(group, count + 1);
    }

    pub fn remove(&mut self, group: u32, slot: u32, links: &mut Links) {
        links.remove(&mut self.slots[group as usize], slot);
        let count = self.counts[group as usize] as usize;
        self.links.remove(&mut self.by_count[count], group);
        self.enter(group, count - 1);
        if count == 1 {
            self.occupied.remove(group);
        }
        while self.most > 0 && self.by_count[self.most].is_empty() {
            self.most -= 1;
        }
    }

    fn enter(&mut self, group: u32, count: usize) {
        self.counts[group as usize] = count as u32;
        if count == 0 {
            return;
        }
        if count == self.by_count.len() {
            self.by_count.push(List::EMPTY);
        }
        self.links.push_last(&mut self.by_count[count], group);
        self.most = self.most.max(count);
    }

    /// A dirty block of this unit was written again.
    pub fn rewritten(&mut self, group: u32) {
        self.recent.insert(group);
    }

    pub fn most_dirty(&self) -> Option<u32> {
        let group = self.by_count[self.most].first;
        (self.most > 0 && group != NONE).then_some(group)
    }

    /// The unit fewest cylinders away from one, where a cylinder has so many units, and its distance.
    pub fn nearest(&self, cylinder: u32, units: u32) -> Option<(u32, u32)> {
        let above = self.occupied.at_or_after(cylinder * units);
        let below = self.occupied.before(cylinder * units);
        let above = above.map(|group| group / units);
        let below = below.map(|group| group / units);
        let chosen = match (above, below) {
            (Some(above), Some(below)) if cylinder - below <= above - cylinder => below,
            (Some(above), _) => above,
            (None, below) => below?,
        };
        let tracks = chosen * units..(chosen + 1) * units;
        let most = tracks.max_by_key(|&group| (self.count(group), u32::MAX - group))?;
        Some((most, chosen.abs_diff(cylinder)))
    }

    /// The next unit in wise order: the first from the hand on that was not written again, or the first at all.
    pub fn next_in_order(&self) -> Option<u32> {
        let first = self.after_hand(self.hand)?;
        let mut group = first;
        while self.recent.contains(group) {
            group = self.after_hand(group + 1)?;
            if group == first {
                break;
            }
        }
        Some(group)
    }

    /// Move the hand past a unit, the next in order; those passed over have their second chance behind them.
    pub fn pass(&mut self, group: u32) {
        while let Some(passed) = self.after_hand(self.hand) {
            self.hand = passed + 1;
            let was_recent = self.recent.contains(passed);
            self.recent.remove(passed);
            if passed == group && !was_recent {
                return;
            }
        }
    }

    fn after_hand(&self, hand: u32) -> Option<u32> {
        let ahead = self.occupied.at_or_after(hand);
        ahead.or_else(|| self.occupied.at_or_after(0))
    }
}
