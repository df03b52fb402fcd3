//! The pages of each file: what is cached where, and when what is not cached any more was evicted.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Pages of a node: as many as one of the kernel's.
pub const NODE_PAGES: u64 = 64;
const NOTHING: u32 = 0;
/// Evictions are counted modulo this power of two.
const AGE_BITS: u32 = 29;
/// The mask of their count.
pub const AGE_MASK: u32 = (1 << AGE_BITS) - 1;

/// What a page of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// Never cached, or forgotten.
    Empty,
    /// Cached, in this folio.
    Folio(u32),
    /// Evicted.
    Shadow(Shadow),
}

/// What is remembered of an evicted page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shadow {
    /// The age of the lists when it was evicted.
    pub age: u32,
    /// Whether it had been on the active list.
    pub workingset: bool,
    /// Whether a program had it mapped.
    pub mapped: bool,
}

impl Slot {
    fn unpacked(value: u32) -> Self {
        match value {
            NOTHING => Slot::Empty,
            _ if value & 1 == 0 => Slot::Folio((value >> 1) - 1),
            _ => Slot::Shadow(Shadow { age: value >> 3, workingset: value & 2 != 0, mapped: value & 4 != 0 }),
        }
    }

    fn packed(self) -> u32 {
        match self {
            Slot::Empty => NOTHING,
            Slot::Folio(folio) => (folio + 1) << 1,
            Slot::Shadow(shadow) => {
                shadow.age << 3 | u32::from(shadow.mapped) << 2 | u32::from(shadow.workingset) << 1 | 1
            }
        }
    }
}

#[derive(Debug, Clone)]
struct Node {
    slots: [u32; NODE_PAGES as usize],
    file: u32,
    number: u64,
    cached: u32,
    shadows: u32,
    /// When it came to hold shadows only; 0 where it does not.
    forgettable: u64,
}

/// The pages of all files.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    files: Vec<FxHashMap<u64, u32>>,
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// Nodes that hold shadows only, the oldest first, with those that no longer do.
    forgettable: VecDeque<(u32, u64)>,
    /// How many nodes hold shadows only.
    pub shadow_nodes: u64,
    stamps: u64,
    /// The node of the last look-up.
    last: Option<(u32, u64, u32)>,
}

impl Tree {
    fn node(&mut self, file: u32, number: u64) -> Option<u32> {
        if let Some((last_file, last_number, node)) = self.last {
            if (last_file, last_number) == (file, number) {
                return Some(node);
            }
        }
        let node = *self.files.get(file as usize)?.get(&number)?;
        self.last = Some((file, number, node));
        Some(node)
    }

    /// What a page is.
    #[inline]
    pub fn slot(&mut self, file: u32, page: u64) -> Slot {
        match self.node(file, page / NODE_PAGES) {
            Some(node) => Slot::unpacked(self.nodes[node as usize].slots[(page % NODE_PAGES) as usize]),
            None => Slot::Empty,
        }
    }

    /// The folio of a cached page.
    #[inline]
    pub fn folio(&mut self, file: u32, page: u64) -> Option<u32> {
        match self.slot(file, page) {
            Slot::Folio(folio) => Some(folio),
            Slot::Empty | Slot::Shadow(_) => None,
        }
    }

    /// Say what a page is from now on; return what it was.
    pub fn set(&mut self, file: u32, page: u64, slot: Slot) -> Slot {
        let number = page / NODE_PAGES;
        let id = match self.node(file, number) {
            Some(node) => node,
            None if slot == Slot::Empty => return Slot::Empty,
            None => self.new_node(file, number),
        };
        let node = &mut self.nodes[id as usize];
        let place = &mut node.slots[(page % NODE_PAGES) as usize];
        let was = Slot::unpacked(*place);
        *place = slot.packed();
        for (slot, is_more) in [(was, false), (slot, true)] {
            let count = match slot {
                Slot::Empty => continue,
                Slot::Folio(_) => &mut node.cached,
                Slot::Shadow(_) => &mut node.shadows,
            };
            *count = if is_more { *count + 1 } else { *count - 1 };
        }
        let (is_forgettable, is_empty) =
            (node.cached == 0 && node.shadows > 0, node.cached + node.shadows == 0);
        if is_forgettable != (node.forgettable != 0) {
            if is_forgettable {
                self.stamps += 1;
                node.forgettable = self.stamps;
                self.forgettable.push_back((id, self.stamps));
                self.shadow_nodes += 1;
            } else {
                node.forgettable = 0;
                self.shadow_nodes -= 1;
            }
        }
        if is_empty {
            self.remove_node(id);
        }
        was
    }

    fn new_node(&mut self, file: u32, number: u64) -> u32 {
        let node = Node {
            slots: [NOTHING; NODE_PAGES as usize],
            file,
            number,
            cached: 0,
            shadows: 0,
            forgettable: 0,
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
        };
        if self.files.len() <= file as usize {
            self.files.resize_with(file as usize + 1, FxHashMap::default);
        }
        self.files[file as usize].insert(number, id);
        self.last = Some((file, number, id));
        id
    }

    fn remove_node(&mut self, id: u32) {
        let Node { file, number, .. } = self.nodes[id as usize];
        self.files[file as usize].remove(&number);
        self.nodes[id as usize].forgettable = 0;
        self.free.push(id);
        self.last = None;
    }

    /// How many nodes and files there were at the same time.
    pub fn len(&self) -> usize {
        self.nodes.len() + self.files.len()
    }

    /// Forget the oldest nodes of shadows only, until there are `most` of them.
    pub fn forget(&mut self, most: u64) {
        while self.shadow_nodes > most {
            let Some((id, stamp)) = self.forgettable.pop_front() else { return };
            if self.nodes[id as usize].forgettable == stamp {
                self.shadow_nodes -= 1;
                self.remove_node(id);
            }
        }
        // Most of what is in front may no longer hold shadows only.
        while let Some(&(id, stamp)) = self.forgettable.front() {
            if self.nodes[id as usize].forgettable == stamp {
                break;
            }
            self.forgettable.pop_front();
        }
    }

    /// The pages of a file from `first` on that are cached or remembered, in order.
    pub fn pages_from(&self, file: u32, first: u64) -> Vec<u64> {
        let Some(nodes) = self.files.get(file as usize) else { return Vec::new() };
        let mut pages: Vec<u64> = nodes
            .iter()
            .filter(|&(&number, _)| number >= first / NODE_PAGES)
            .flat_map(|(&number, &id)| {
                let slots = self.nodes[id as usize].slots.iter().enumerate();
                slots
                    .filter(|&(_, &value)| value != NOTHING)
                    .map(move |(place, _)| number * NODE_PAGES + place as u64)
            })
            .filter(|&page| page >= first)
            .collect();
        pages.sort_unstable();
        pages
    }
}
