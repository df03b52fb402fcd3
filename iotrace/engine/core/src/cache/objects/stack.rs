//! The list of recent use of objects with sizes, for caches of every size that no object exceeds.
//!
//! A cache of some size holds the objects of the longest head of this list whose weights, holes included, sum to at most
//! that size. A depth never falls but by a request for the object itself, so what was evicted does not come back: where
//! weight leaves the list below its top, a hole takes its place, and the next weights fill holes from the top. In each
//! cache that contains the hole they take free space, and nothing is evicted.

use super::weights::Weights;
use crate::lists::{make_room, prefetch, prefetch_at};
use std::collections::binary_heap::PeekMut;
use std::collections::BinaryHeap;

/// The fewest slots.
const MINIMUM_SLOTS: usize = if cfg!(test) { 40 } else { 1 << 12 };
/// Slots for each that is in use after a compaction into new memory, and the fewest for which the former one is kept.
const ROOM: usize = 4;
const LEAST_ROOM: usize = 2;
/// How many objects ahead a slot is prefetched where all objects are looked at.
const AHEAD: u32 = 32;
/// The slot of an object that is not in the list.
const NO_SLOT: u32 = 0;
/// In `owners`: a slot that is a hole, and one that is nothing.
const HOLE: u32 = u32::MAX;
const NOBODY: u32 = u32::MAX - 1;

/// What is known of an object: its slot, and the size at its latest request.
#[derive(Debug, Clone, Copy, Default)]
struct Object {
    slot: u32,
    size: u64,
}

/// The list.
#[derive(Debug)]
pub struct Stack {
    objects: Vec<Object>,
    weights: Weights,
    /// The slots of holes, none of which weighs nothing.
    holes: BinaryHeap<u32>,
    in_list: usize,
    /// Whether each object weighs 1, whatever its size.
    unit_weights: bool,
}

impl Stack {
    /// An empty list.
    pub fn new(unit_weights: bool) -> Self {
        Stack {
            objects: Vec::new(),
            weights: Weights::new(MINIMUM_SLOTS),
            holes: BinaryHeap::new(),
            in_list: 0,
            unit_weights,
        }
    }

    /// Make room for object numbers below this.
    pub fn prepare(&mut self, objects: usize) {
        if objects > self.objects.len() {
            make_room(&mut self.objects, objects);
            self.objects.resize(objects, Object::default());
        }
    }

    /// The weight of an object of a size.
    #[inline(always)]
    pub fn weight(&self, size: u64) -> u64 {
        if self.unit_weights {
            1
        } else {
            size
        }
    }

    /// The size at an object's latest request; 0 where there was none.
    #[inline(always)]
    pub fn latest_size(&self, number: u32) -> u64 {
        self.objects[number as usize].size
    }

    /// The sum of all weights, with the holes.
    pub fn total(&self) -> u64 {
        self.weights.total()
    }

    /// Put an object on top of the list; return how deep it was, or None if it was not in the list.
    #[inline(always)]
    pub fn request(&mut self, number: u32, size: u64) -> Option<u64> {
        let Object { slot, size: former_size } = self.objects[number as usize];
        let (weight, former) = (self.weight(size), self.weight(former_size));
        let depth = if slot == NO_SLOT {
            self.in_list += 1;
            self.fill_holes(weight);
            None
        } else if self.holes.is_empty() && weight >= former {
            let total = self.weights.total();
            Some(total - self.weights.lower(slot, former))
        } else {
            let depth = self.weights.total() - self.weights.below(slot);
            self.add_hole(slot, former);
            self.fill_holes(weight);
            Some(depth)
        };
        if self.weights.is_full() {
            self.objects[number as usize].slot = NO_SLOT;
            self.compact();
        }
        self.objects[number as usize] = Object { slot: self.weights.next(), size };
        self.weights.push(weight);
        depth
    }

    /// How deep an object is; None if it is not in the list.
    #[inline(always)]
    pub fn depth(&self, number: u32) -> Option<u64> {
        let Object { slot, .. } = self.objects[number as usize];
        (slot != NO_SLOT).then(|| self.weights.total() - self.weights.below(slot))
    }

    /// The objects in the list, and how deep they are.
    pub fn depths(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        (0..self.objects.len() as u32).filter_map(|number| {
            self.prefetch_links(number + AHEAD);
            Some((number, self.depth(number)?))
        })
    }

    /// Remove an object from the list, if it is there.
    pub fn remove(&mut self, number: u32) {
        let Object { slot, size } = self.objects[number as usize];
        if slot != NO_SLOT {
            self.add_hole(slot, self.weight(size));
            self.objects[number as usize].slot = NO_SLOT;
            self.in_list -= 1;
        }
    }

    /// The objects and weights in the cache of a size: the most recently used first.
    pub fn content(&self, size: u64) -> Vec<(u32, u64)> {
        let owners = self.owners();
        let mut content = Vec::new();
        let mut depth = 0_u64;
        for slot in (Weights::FIRST..self.weights.next()).rev() {
            depth += self.weights.at(slot);
            if depth > size {
                break;
            }
            let owner = owners[slot as usize];
            if owner < NOBODY {
                content.push((owner, self.weights.at(slot)));
            }
        }
        content
    }

    /// Prefetch an object.
    #[inline(always)]
    pub fn prefetch_entry(&self, number: u32) {
        if let Some(object) = self.objects.get(number as usize) {
            prefetch(object);
        }
    }

    /// Prefetch what is known of the slot of an object that has been prefetched.
    #[inline(always)]
    pub fn prefetch_links(&self, number: u32) {
        if let Some(object) = self.objects.get(number as usize) {
            self.weights.prefetch(object.slot);
        }
    }

    #[inline(always)]
    fn add_hole(&mut self, slot: u32, weight: u64) {
        if weight > 0 {
            self.holes.push(slot);
        }
    }

    /// Let a weight that comes in fill holes from the top.
    #[inline(always)]
    fn fill_holes(&mut self, mut weight: u64) {
        while weight > 0 {
            let Some(topmost) = self.holes.peek_mut() else {
                return;
            };
            let hole = self.weights.at(*topmost);
            let filled = hole.min(weight);
            self.weights.lower(*topmost, filled);
            weight -= filled;
            if filled == hole {
                PeekMut::pop(topmost);
            }
        }
    }

    /// Who has each slot.
    fn owners(&self) -> Vec<u32> {
        let mut owners = vec![NOBODY; self.weights.next() as usize];
        for (object, number) in self.objects.iter().zip(0..) {
            prefetch_at(&owners, object.slot as usize);
            if object.slot != NO_SLOT {
                owners[object.slot as usize] = number;
            }
        }
        for &hole in self.holes.iter() {
            owners[hole as usize] = HOLE;
        }
        owners
    }

    /// Move all slots that are in use together.
    #[cold]
    #[inline(never)]
    fn compact(&mut self) {
        let owners = self.owners();
        let used = self.in_list + self.holes.len() + 1;
        let mut former = None;
        if self.weights.len() < used * LEAST_ROOM {
            let larger = Weights::new(MINIMUM_SLOTS.max(used * ROOM));
            former = Some(std::mem::replace(&mut self.weights, larger));
        } else {
            self.weights.restart();
        }
        let mut holes = Vec::with_capacity(self.holes.len());
        for (&owner, slot) in owners.iter().zip(0..) {
            match owner {
                NOBODY => continue,
                HOLE => holes.push(self.weights.next()),
                number => self.objects[number as usize].slot = self.weights.next(),
            }
            // slots only move down, so that those to come still have their weights
            let weight = former.as_ref().unwrap_or(&self.weights).at(slot);
            self.weights.push(weight);
        }
        self.holes = holes.into();
    }
}
