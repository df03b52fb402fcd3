//! Least frequently used.

use super::policy::{Access, Replacement};
use crate::lists::{prefetch, Weight};

const NONE: u32 = u32::MAX;
/// The sentinel group, without blocks: before the least used and after the most used group.
const ENDS: u32 = 0;

/// A cached block's place in its group; `group` is `ENDS` if it is not cached.
#[derive(Debug, Clone, Copy)]
struct Node<W> {
    newer: u32,
    older: u32,
    group: u32,
    weight: W,
}

/// The blocks that were used equally often, from the oldest use to the newest.
#[derive(Debug, Clone, Copy)]
struct Group {
    uses: u64,
    oldest: u32,
    newest: u32,
    /// The groups of the next larger and of the next smaller number of uses.
    more: u32,
    fewer: u32,
}

/// LFU (Aho, Denning and Ullman, Principles of Optimal Page Replacement, Journal of the ACM 18(1), 1971; Coffman and
/// Denning 1973): the block replaced is the one that has been referenced least often; of several, the one that has
/// not been referenced for the longest time.
///
/// References are counted from the block's entry; the count is lost when it leaves. The structure is that of Shah,
/// Mitra and Matani (2010): blocks of equal count form a group, and the groups are linked in the order of their
/// counts, so that every operation takes constant time.
#[derive(Debug)]
pub struct Lfu<W> {
    size: u64,
    used: u64,
    nodes: Vec<Node<W>>,
    groups: Vec<Group>,
    free: Vec<u32>,
}

impl<W: Weight> Lfu<W> {
    /// An empty cache with this capacity.
    pub fn new(size: u64) -> Self {
        Lfu {
            size,
            used: 0,
            nodes: Vec::new(),
            groups: vec![Group { uses: 0, oldest: NONE, newest: NONE, more: ENDS, fewer: ENDS }],
            free: Vec::new(),
        }
    }

    fn group(&mut self, group: u32) -> &mut Group {
        &mut self.groups[group as usize]
    }

    /// The group of blocks used `uses` times, created after group `fewer` if it does not exist.
    #[inline(always)]
    fn group_after(&mut self, fewer: u32, uses: u64) -> u32 {
        let more = self.group(fewer).more;
        if self.group(more).uses == uses {
            return more;
        }
        let new = Group { uses, oldest: NONE, newest: NONE, more, fewer };
        let index = match self.free.pop() {
            Some(index) => {
                *self.group(index) = new;
                index
            }
            None => {
                self.groups.push(new);
                self.groups.len() as u32 - 1
            }
        };
        self.group(fewer).more = index;
        self.group(more).fewer = index;
        index
    }

    /// Put a block at the newest end of a group.
    #[inline(always)]
    fn put_in(&mut self, group: u32, block: u32) {
        let older = std::mem::replace(&mut self.group(group).newest, block);
        match self.nodes.get_mut(older as usize) {
            Some(node) => node.newer = block,
            None => self.group(group).oldest = block,
        }
        let node = &mut self.nodes[block as usize];
        (node.newer, node.older, node.group) = (NONE, older, group);
    }

    /// Remove a cached block from its group, and the group if it becomes empty.
    #[inline(always)]
    fn take_out(&mut self, block: u32) {
        let node = &mut self.nodes[block as usize];
        let Node { newer, older, .. } = *node;
        let group = std::mem::replace(&mut node.group, ENDS);
        match self.nodes.get_mut(newer as usize) {
            Some(node) => node.older = older,
            None => self.group(group).newest = older,
        }
        match self.nodes.get_mut(older as usize) {
            Some(node) => node.newer = newer,
            None => self.group(group).oldest = newer,
        }
        let Group { oldest, more, fewer, .. } = *self.group(group);
        if oldest == NONE {
            self.group(more).fewer = fewer;
            self.group(fewer).more = more;
            self.free.push(group);
        }
    }

    /// Move a cached block to the group of one more use.
    #[inline(always)]
    fn count(&mut self, block: u32) {
        let group = self.nodes[block as usize].group;
        let Group { uses, oldest, newest, more, .. } = *self.group(group);
        let alone = oldest == newest;
        if alone && self.group(more).uses != uses + 1 {
            self.group(group).uses += 1;
            return;
        }
        let next = self.group_after(group, uses + 1);
        self.take_out(block);
        self.put_in(next, block);
    }

    /// Evict until no more than `most` is cached.
    #[inline(always)]
    fn shrink(&mut self, most: u64, evicted: &mut impl FnMut(u32)) {
        while self.used > most {
            let least = self.group(ENDS).more;
            let victim = self.group(least).oldest;
            self.take_out(victim);
            self.used -= self.nodes[victim as usize].weight.get();
            evicted(victim);
        }
    }
}

impl<W: Weight> Replacement for Lfu<W> {
    type Weight = W;

    fn prepare(&mut self, numbers: usize) {
        if numbers > self.nodes.len() {
            let absent = Node { newer: NONE, older: NONE, group: ENDS, weight: W::default() };
            self.nodes.resize(numbers, absent);
        }
    }

    #[inline(always)]
    fn prefetch_entry(&self, number: u32) {
        if let Some(node) = self.nodes.get(number as usize) {
            prefetch(node);
        }
    }

    #[inline(always)]
    fn prefetch_links(&self, number: u32) {
        if let Some(node) = self.nodes.get(number as usize) {
            self.prefetch_entry(node.newer);
            self.prefetch_entry(node.older);
        }
    }

    #[inline(always)]
    fn contains(&self, number: u32) -> bool {
        self.nodes[number as usize].group != ENDS
    }

    #[inline(always)]
    fn hit(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        self.count(access.number);
        if !W::UNIT {
            let former = std::mem::replace(&mut self.nodes[access.number as usize].weight, access.weight);
            self.used = self.used - former.get() + access.weight.get();
            self.shrink(self.size, evicted);
        }
    }

    #[inline(always)]
    fn miss(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        self.shrink(self.size - access.weight.get(), evicted);
        self.used += access.weight.get();
        let once = self.group_after(ENDS, 1);
        self.put_in(once, access.number);
        self.nodes[access.number as usize].weight = access.weight;
    }

    fn remove(&mut self, number: u32) {
        if self.contains(number) {
            self.take_out(number);
            self.used -= self.nodes[number as usize].weight.get();
        }
    }
}
