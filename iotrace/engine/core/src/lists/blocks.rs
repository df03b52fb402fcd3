//! Lists of blocks, linked by index: a block is in at most one list, and every operation takes constant time.

use super::prefetch;

/// Number of list ends, and the index of the first block's node; the nodes before it are the lists' ends.
const ENDS: u32 = 8;
/// The list number of blocks that are in no list.
pub const NOWHERE: u32 = 0;

/// A block's position. The oldest and the newest block of a list are linked to its end.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    newer: u32,
    older: u32,
    list: u32,
    mark: u32,
}

/// Lists numbered from 1 to 7, each from its oldest block to its newest.
#[derive(Debug)]
pub struct Lists {
    nodes: Vec<Node>,
    lengths: [u32; ENDS as usize],
}

impl Default for Lists {
    fn default() -> Self {
        let end = |list| Node { newer: list, older: list, ..Node::default() };
        Lists { nodes: (0..ENDS).map(end).collect(), lengths: [0; ENDS as usize] }
    }
}

impl Lists {
    /// Grow the tables for block numbers below `blocks`.
    pub fn prepare(&mut self, blocks: usize) {
        let nodes = blocks + ENDS as usize;
        if nodes > self.nodes.len() {
            self.nodes.resize(nodes, Node::default());
        }
    }

    /// Prefetch a block's node.
    #[inline(always)]
    pub fn look_ahead(&self, block: u32) {
        if let Some(node) = self.nodes.get((block + ENDS) as usize) {
            prefetch(node);
        }
    }

    /// Prefetch the nodes of a block's neighbours.
    #[inline(always)]
    pub fn look_around(&self, block: u32) {
        if let Some(node) = self.nodes.get((block + ENDS) as usize) {
            prefetch(&self.nodes[node.newer as usize]);
            prefetch(&self.nodes[node.older as usize]);
        }
    }

    #[inline(always)]
    fn node(&mut self, index: u32) -> &mut Node {
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

    /// The number of blocks in a list.
    #[inline(always)]
    pub fn len(&self, list: u32) -> u32 {
        self.lengths[list as usize]
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
            self.lengths[list as usize] -= 1;
            self.unlink(block + ENDS);
            self.node(block + ENDS).list = NOWHERE;
        }
    }

    /// Put a block that is in no list at a list's newest end.
    #[inline(always)]
    pub fn put_in(&mut self, list: u32, block: u32) {
        self.lengths[list as usize] += 1;
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
        self.lengths[list as usize] += 1;
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
