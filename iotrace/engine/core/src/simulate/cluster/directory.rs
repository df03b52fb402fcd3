//! Which nodes have a copy of each block, as known to the global cache and to the daemons (section 3.2).

/// Sets of nodes by block: those that got it through the global cache, and those that bypassed it.
///
/// Nodes do not report evictions: a node stays in the set until a `sync_write` empties it.
#[derive(Debug)]
pub struct Directory {
    words: usize,
    through: Vec<u64>,
    bypass: Vec<u64>,
}

impl Directory {
    /// A directory for node numbers below `nodes`.
    pub fn new(nodes: u32) -> Self {
        Directory { words: (nodes as usize).div_ceil(64), through: Vec::new(), bypass: Vec::new() }
    }

    /// Record that a node has a copy.
    pub fn note(&mut self, block: u32, node: u32, is_through: bool) {
        let words = self.words;
        let set = if is_through { &mut self.through } else { &mut self.bypass };
        let first = block as usize * words;
        if set.len() < first + words {
            set.resize(first + words, 0);
        }
        set[first + node as usize / 64] |= 1 << (node % 64);
    }

    /// Empty both sets of a block, and add their nodes, except one, to `nodes`.
    pub fn take_others(&mut self, block: u32, but: u32, nodes: &mut Vec<u32>) {
        let first = block as usize * self.words;
        for word in 0..self.words {
            let of = |set: &mut Vec<u64>| set.get_mut(first + word).map_or(0, std::mem::take);
            let mut merged = of(&mut self.through) | of(&mut self.bypass);
            while merged != 0 {
                let node = word as u32 * 64 + merged.trailing_zeros();
                if node != but {
                    nodes.push(node);
                }
                merged &= merged - 1;
            }
        }
    }
}
