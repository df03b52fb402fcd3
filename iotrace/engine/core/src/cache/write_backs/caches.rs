//! LRU caches of several sizes on one stack.

use crate::cache::replay::{BlockSet, Neighbours, Request, Step, Stretch, TapeReader};
use crate::lists::{make_room, prefetch_at};

/// The most caches: a block has a bit for each.
pub const MOST_CACHES: usize = 32;
/// The node of the stack's end; a block's node is one above its number.
const END: u32 = 0;
/// Distance in touches at which a block's node is prefetched.
const AHEAD: usize = 8;

/// A block on the stack.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    newer: u32,
    older: u32,
    /// How many caches hold it: the largest ones. A block on the stack is in one at least.
    held: u32,
    /// The caches in which it is dirty, a bit for each.
    dirty: u32,
}

/// What one cache has written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Written {
    /// Disk writes: runs of neighbouring dirty blocks.
    pub disk_writes: u64,
    /// The blocks of these.
    pub blocks: u64,
}

/// LRU caches. All process the same requests, so that the blocks of each are the first of one stack, which has the most
/// recently used block first. A deletion leaves room in each cache that had the block.
#[derive(Debug)]
pub struct Caches {
    /// Their sizes in blocks, ascending.
    sizes: Vec<u32>,
    /// How many blocks each has.
    lengths: Vec<u32>,
    /// The node of the oldest block of each; `END` where it has none.
    oldest: Vec<u32>,
    nodes: Vec<Node>,
    written: Vec<Written>,
    honours_syncs: bool,
    counting: bool,
    /// The blocks of the sync under way.
    synced: BlockSet,
}

impl Caches {
    /// Empty caches of distinct sizes, ascending, at least one block each; `MOST_CACHES` at most.
    pub fn new(sizes: &[u32], honours_syncs: bool) -> Self {
        Caches {
            sizes: sizes.to_vec(),
            lengths: vec![0; sizes.len()],
            oldest: vec![END; sizes.len()],
            nodes: vec![Node::default()],
            written: vec![Written::default(); sizes.len()],
            honours_syncs,
            counting: false,
            synced: BlockSet::default(),
        }
    }

    /// Each cache's size in blocks, and what it has written.
    pub fn written(&self) -> impl Iterator<Item = (u32, Written)> + '_ {
        self.sizes.iter().copied().zip(self.written.iter().copied())
    }

    fn prepare(&mut self, blocks: usize) {
        make_room(&mut self.nodes, blocks + 1);
        self.nodes.resize(self.nodes.len().max(blocks + 1), Node::default());
        self.synced.prepare(blocks);
    }

    /// The smallest cache that holds a block of which this is the node.
    fn smallest(&self, node: Node) -> usize {
        self.sizes.len() - node.held as usize
    }

    /// Process a request.
    fn process(&mut self, request: Request, blocks: &[u32], neighbours: &Neighbours) {
        self.counting |= request.counted;
        let all = u32::MAX >> (MOST_CACHES - self.sizes.len());
        for &block in blocks {
            self.touch(block, neighbours);
            if request.write {
                self.nodes[block as usize + 1].dirty = all;
            }
        }
        if request.write && request.synchronous && self.honours_syncs {
            self.sync(blocks, neighbours);
        }
    }

    /// Make a block the most recently used one of all caches.
    #[inline(always)]
    fn touch(&mut self, block: u32, neighbours: &Neighbours) {
        let index = block + 1;
        let node = self.nodes[index as usize];
        let smallest = self.smallest(node);
        for cache in 0..smallest {
            if self.lengths[cache] == self.sizes[cache] {
                self.evict_oldest(cache, neighbours);
            } else {
                self.lengths[cache] += 1;
            }
        }
        if node.held > 0 {
            self.unlink(index, smallest);
        }
        let newest = std::mem::replace(&mut self.nodes[END as usize].older, index);
        self.nodes[newest as usize].newer = index;
        let held = self.sizes.len() as u32;
        let node = &mut self.nodes[index as usize];
        (node.newer, node.older, node.held) = (END, newest, held);
        for oldest in &mut self.oldest {
            *oldest = if *oldest == END { index } else { *oldest };
        }
    }

    /// Evict the oldest block of a cache; no smaller cache holds it.
    #[inline(always)]
    fn evict_oldest(&mut self, cache: usize, neighbours: &Neighbours) {
        let index = self.oldest[cache];
        let node = &mut self.nodes[index as usize];
        node.held -= 1;
        let (newer, held, dirty) = (node.newer, node.held, node.dirty);
        self.oldest[cache] = newer;
        prefetch_at(&self.nodes, newer as usize);
        neighbours.prefetch(newer.wrapping_sub(1));
        if dirty & (1 << cache) != 0 {
            self.write_out(cache, index - 1, neighbours);
        }
        if held == 0 {
            self.unlink(index, self.sizes.len());
        }
    }

    /// Take a block out of the stack; the caches from `smallest` on have it.
    #[inline(always)]
    fn unlink(&mut self, index: u32, smallest: usize) {
        let Node { newer, older, .. } = self.nodes[index as usize];
        self.nodes[newer as usize].older = older;
        self.nodes[older as usize].newer = newer;
        for oldest in &mut self.oldest[smallest..] {
            *oldest = if *oldest == index { newer } else { *oldest };
        }
    }

    /// Write a dirty block of a cache together with the dirty blocks on both sides of it, which stay there, clean.
    #[inline(never)]
    fn write_out(&mut self, cache: usize, block: u32, neighbours: &Neighbours) {
        let bit = 1 << cache;
        self.nodes[block as usize + 1].dirty &= !bit;
        let mut blocks = 1;
        for towards in [Neighbours::previous, Neighbours::next] {
            let mut adjoining = towards(neighbours, block);
            while let Some(block) = adjoining.filter(|&block| self.dirty(block) & bit != 0) {
                self.nodes[block as usize + 1].dirty &= !bit;
                blocks += 1;
                adjoining = towards(neighbours, block);
            }
        }
        if self.counting {
            self.written[cache].disk_writes += 1;
            self.written[cache].blocks += blocks;
        }
    }

    /// The caches in which a block is dirty.
    fn dirty(&self, block: u32) -> u32 {
        self.nodes[block as usize + 1].dirty
    }

    /// Write those of some blocks that are dirty, neighbours among them together.
    #[cold]
    fn sync(&mut self, blocks: &[u32], neighbours: &Neighbours) {
        for &block in blocks {
            self.synced.insert(block);
        }
        for &block in blocks.iter().filter(|_| self.counting) {
            let before = neighbours.previous(block).filter(|&before| self.synced.contains(before));
            let continued = before.map_or(0, |before| self.dirty(before));
            let dirty = self.dirty(block);
            for (cache, written) in self.written.iter_mut().enumerate() {
                written.blocks += u64::from(dirty >> cache & 1);
                written.disk_writes += u64::from((dirty & !continued) >> cache & 1);
            }
        }
        for &block in blocks {
            self.nodes[block as usize + 1].dirty = 0;
            self.synced.remove(block);
        }
    }

    /// Drop a block from all caches, dirty or not.
    fn drop_out(&mut self, block: u32) {
        let node = self.nodes[block as usize + 1];
        if node.held == 0 {
            return;
        }
        let smallest = self.smallest(node);
        self.lengths[smallest..].iter_mut().for_each(|length| *length -= 1);
        self.unlink(block + 1, smallest);
        self.nodes[block as usize + 1] = Node::default();
    }
}

impl TapeReader for Caches {
    fn follow(&mut self, stretch: Stretch) {
        let Stretch { tape, blocks, neighbours } = stretch;
        self.prepare(blocks);
        let mut first = 0;
        for step in &tape.steps {
            let after = first + step.blocks() as usize;
            let touched = &tape.touches[first..after];
            for &block in tape.touches.iter().skip(first + AHEAD).take(touched.len()) {
                prefetch_at(&self.nodes, block as usize + 1);
            }
            first = after;
            match *step {
                Step::Request(request) => self.process(request, touched, neighbours),
                Step::Drop(_) => touched.iter().for_each(|&block| self.drop_out(block)),
                Step::SyncBlocks(_) => self.sync(touched, neighbours),
                Step::Time(_)
                | Step::Processes(_)
                | Step::File(_)
                | Step::Sync(_)
                | Step::Surroundings { .. } => {}
            }
        }
    }
}
