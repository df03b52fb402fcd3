//! Lists of blocks or weighted objects, linked by index: each is in at most one list, and every operation takes constant
//! time.

use super::prefetch;
use super::weight::{One, Weight};

/// Number of list ends, and the index of the first block's node; the nodes before it are the lists' ends.
const ENDS: u32 = 8;
/// The list number of blocks that are in no list.
pub const NOWHERE: u32 = 0;

/// A block's position. The oldest and the newest block of a list are linked to its end.
#[derive(Debug, Clone, Copy, Default)]
struct Node<W> {
    newer: u32,
    older: u32,
    list: u32,
    mark: u32,
    weight: W,
}

/// Lists numbered from 1 to 7, each from its oldest block to its newest.
#[derive(Debug)]
pub struct Lists<W = One> {
    nodes: Vec<Node<W>>,
    sums: [u64; ENDS as usize],
}

impl<W: Weight> Default for Lists<W> {
    fn default() -> Self {
        let end = |list| Node { newer: list, older: list, ..Node::default() };
        Lists { nodes: (0..ENDS).map(end).collect(), sums: [0; ENDS as usize] }
    }
}

impl Lists {
    /// The number of blocks in a list.
    #[inline(always)]
    pub fn len(&self, list: u32) -> u32 {
        self.sum(list) as u32
    }
}

impl<W: Weight> Lists<W> {
    /// Grow the tables for block numbers below `blocks`.
    pub fn prepare(&mut self, blocks: usize) {
        let nodes = blocks + ENDS as usize;
        if nodes > self.nodes.len() {
            self.nodes.resize(nodes, Node::default());
        }
    }

    /// Prefetch a block's node.
    #[inline(always)]
    pub fn prefetch_entry(&self, block: u32) {
        if let Some(node) = self.nodes.get((block + ENDS) as usize) {
            prefetch(node);
        }
    }

    /// Prefetch the nodes of a block's neighbours.
    #[inline(always)]
    pub fn prefetch_links(&self, block: u32) {
        if let Some(node) = self.nodes.get((block + ENDS) as usize) {
            prefetch(&self.nodes[node.newer as usize]);
            prefetch(&self.nodes[node.older as usize]);
        }
    }

    #[inline(always)]
    fn node(&mut self, index: u32) -> &mut Node<W> {
        &mut self.nodes[index as usize]
    }

    /// The list that a block is in, or `NOWHERE`.
    #[inline(always)]
    pub fn list_of(&self, block: u32) -> u32 {
        self.nodes[(block + ENDS) as usize].list
    }

    /// A value per block for the policy to use; initially 0.
    #[inline(always)]
    pub fn mark(&mut self, block: u32) -> &mut u32 {
        &mut self.node(block + ENDS).mark
    }

    /// What the blocks of a list weigh together.
    #[inline(always)]
    pub fn sum(&self, list: u32) -> u64 {
        self.sums[list as usize]
    }

    /// What a block weighs.
    #[inline(always)]
    pub fn weight(&self, block: u32) -> W {
        self.nodes[(block + ENDS) as usize].weight
    }

    /// Set what a block weighs, whether it is in a list or not; return what it weighed before.
    #[inline(always)]
    pub fn weigh(&mut self, block: u32, weight: W) -> W {
        if W::UNIT {
            return weight;
        }
        let node = self.node(block + ENDS);
        let former = std::mem::replace(&mut node.weight, weight);
        let list = node.list;
        if list != NOWHERE {
            let sum = &mut self.sums[list as usize];
            *sum = *sum - former.get() + weight.get();
        }
        former
    }

    /// The block that has been in a list for the longest time.
    #[inline(always)]
    pub fn oldest(&self, list: u32) -> Option<u32> {
        self.nodes[list as usize].newer.checked_sub(ENDS)
    }

    /// The next newer block of a block's list.
    #[inline(always)]
    pub fn newer(&self, block: u32) -> Option<u32> {
        self.nodes[(block + ENDS) as usize].newer.checked_sub(ENDS)
    }

    /// Remove a block from its list, if it is in one.
    #[inline(always)]
    pub fn take_out(&mut self, block: u32) {
        let list = self.list_of(block);
        if list != NOWHERE {
            self.sums[list as usize] -= self.weight(block).get();
            self.unlink(block + ENDS);
            self.node(block + ENDS).list = NOWHERE;
        }
    }

    /// Put a block that is in no list at a list's newest end.
    #[inline(always)]
    pub fn put_in(&mut self, list: u32, block: u32) {
        self.sums[list as usize] += self.weight(block).get();
        self.link(list, block + ENDS);
        self.node(block + ENDS).list = list;
    }

    /// Remove the newest block of a list.
    pub fn take_newest(&mut self, list: u32) -> Option<u32> {
        let block = self.nodes[list as usize].older.checked_sub(ENDS)?;
        self.take_out(block);
        Some(block)
    }

    /// Put a block that is in no list at a list's oldest end.
    pub fn put_in_oldest(&mut self, list: u32, block: u32) {
        self.sums[list as usize] += self.weight(block).get();
        let oldest = self.nodes[list as usize].newer;
        self.link(oldest, block + ENDS);
        self.node(block + ENDS).list = list;
    }

    /// Move a block that is in some list to a list's newest end.
    #[inline(always)]
    pub fn move_to(&mut self, list: u32, block: u32) {
        self.take_out(block);
        self.put_in(list, block);
    }

    /// Move a block to the newest end of its list.
    #[inline(always)]
    pub fn renew(&mut self, block: u32) {
        let list = self.list_of(block);
        self.unlink(block + ENDS);
        self.link(list, block + ENDS);
    }

    /// Remove the oldest block of a list.
    #[inline(always)]
    pub fn take_oldest(&mut self, list: u32) -> Option<u32> {
        let block = self.oldest(list)?;
        self.take_out(block);
        let next = self.nodes[list as usize].newer;
        prefetch(&self.nodes[self.nodes[next as usize].newer as usize]);
        Some(block)
    }

    /// Remove a list's oldest blocks until the others weigh no more than `most`, and pass each to `removed`. If all weigh
    /// 1, that is one block at most.
    #[inline(always)]
    pub fn shrink(&mut self, list: u32, most: u64, mut removed: impl FnMut(u32)) {
        while self.sum(list) > most {
            let Some(oldest) = self.take_oldest(list) else { break };
            removed(oldest);
            if W::UNIT {
                break;
            }
        }
    }

    #[inline(always)]
    fn unlink(&mut self, index: u32) {
        let Node { newer, older, .. } = self.nodes[index as usize];
        self.node(newer).older = older;
        self.node(older).newer = newer;
    }

    /// Link a node before (on the older side of) another, or at the newest end if that is a list's end.
    #[inline(always)]
    fn link(&mut self, newer: u32, index: u32) {
        let older = std::mem::replace(&mut self.node(newer).older, index);
        self.node(older).newer = index;
        let node = self.node(index);
        (node.newer, node.older) = (newer, older);
    }
}
