//! One LRU cache of objects with weights, alone.

use super::events::{Event, Kind};
use super::tally::Hits;
use crate::lists::{make_room, prefetch};

/// How many events ahead an object's node is prefetched.
const AHEAD: usize = 24;
/// The link of an object that is not in the cache.
const ABSENT: u32 = u32::MAX;
/// The node that is both ends of the list.
const ENDS: usize = 0;

#[derive(Debug, Clone, Copy)]
struct Node {
    newer: u32,
    older: u32,
    weight: u64,
}

/// A cache that does not admit objects larger than itself.
#[derive(Debug)]
pub struct SmallCache {
    size: u64,
    used: u64,
    /// The ends of the list, then the objects by number.
    nodes: Vec<Node>,
    /// Hits since it is simulated alone, and before.
    hits: Hits,
}

impl SmallCache {
    /// A cache with this content, the most recently used first, and hits.
    pub fn new(size: u64, content: &[(u32, u64)], hits: Hits) -> Self {
        let ends = Node { newer: ENDS as u32, older: ENDS as u32, weight: 0 };
        let mut cache = SmallCache { size, used: 0, nodes: vec![ends], hits };
        for &(number, weight) in content.iter().rev() {
            cache.prepare(number as usize + 1);
            cache.put_in(number as usize + 1, weight);
        }
        cache
    }

    /// Make room for object numbers below this.
    pub fn prepare(&mut self, objects: usize) {
        if objects >= self.nodes.len() {
            make_room(&mut self.nodes, objects + 1);
            self.nodes.resize(objects + 1, Node { newer: ABSENT, older: ABSENT, weight: 0 });
        }
    }

    /// Its hits.
    pub fn hits(&self) -> &Hits {
        &self.hits
    }

    /// Follow events whose weights are `weight` of their sizes.
    pub fn follow(&mut self, events: &[Event], weight: impl Fn(u64) -> u64) {
        for (place, event) in events.iter().enumerate() {
            if let Some(ahead) = events.get(place + AHEAD) {
                prefetch(&self.nodes[ahead.number as usize + 1]);
            }
            let node = event.number as usize + 1;
            let was_there = self.nodes[node].newer != ABSENT;
            if was_there {
                self.take_out(node);
            }
            if event.kind == Kind::Removal {
                continue;
            }
            if was_there && event.kind == Kind::Request {
                self.hits.count(event.tenant, event.size);
            }
            let weight = weight(event.size);
            if weight <= self.size {
                self.put_in(node, weight);
                self.evict();
            }
        }
    }

    fn evict(&mut self) {
        while self.used > self.size {
            self.take_out(self.nodes[ENDS].newer as usize);
        }
    }

    #[inline(always)]
    fn take_out(&mut self, node: usize) {
        let Node { newer, older, weight } = self.nodes[node];
        self.nodes[newer as usize].older = older;
        self.nodes[older as usize].newer = newer;
        self.nodes[node].newer = ABSENT;
        self.used -= weight;
    }

    #[inline(always)]
    fn put_in(&mut self, node: usize, weight: u64) {
        let newest = std::mem::replace(&mut self.nodes[ENDS].older, node as u32);
        self.nodes[newest as usize].newer = node as u32;
        self.nodes[node] = Node { newer: ENDS as u32, older: newest, weight };
        self.used += weight;
    }
}
