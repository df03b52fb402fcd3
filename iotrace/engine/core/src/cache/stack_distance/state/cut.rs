//! States for caches up to a largest size.

use super::super::component::{Component, Direction};
use super::super::counts::{Counts, INFINITE};
use super::add::add;
use super::{fold, requests, State, NONE};

impl State {
    /// Leave out what caches of at most `largest` blocks do not need: at most `largest` blocks remain in each list. What
    /// is left out for good is whether a block was ever used before, and the bytes beyond files' ends.
    pub fn cut(&mut self, largest: u32) {
        let blocks = largest as usize;
        self.is_short |= self.firsts.len() > blocks;
        let open = self.drop_lasts(largest);
        self.drop_firsts(blocks);
        self.forget_shortfalls();
        for first in &mut self.firsts {
            let beyond = |distance: u32| if distance > largest { INFINITE } else { distance };
            first.reread = beyond(first.reread);
            first.largest = beyond(first.largest);
        }
        for place in open {
            if let Some(first) = self.firsts.get_mut(place as usize) {
                first.reread = INFINITE;
            }
        }
        for last in self.lasts.iter_mut().filter(|last| last.level > largest) {
            last.level = 0;
        }
        self.components.iter_mut().for_each(|component| cut_component(component, largest));
    }

    /// Leave out the least recently used blocks, which caches have evicted; return the first uses of those that were not
    /// written, whose dirty level depends on earlier slices.
    fn drop_lasts(&mut self, largest: u32) -> Vec<u32> {
        let dropped = self.lasts.len().saturating_sub(largest as usize);
        let mut open = Vec::new();
        for last in self.lasts.drain(..dropped) {
            if last.level != 0 {
                self.components[last.writer as usize].expulsions.count(last.level);
            }
            if !last.is_written() {
                open.push(last.first);
            }
        }
        open
    }

    /// Leave out the first uses after as many others, which are beyond all caches: their blocks are in none before, and so
    /// their dirty levels do not depend on earlier slices.
    fn drop_firsts(&mut self, blocks: usize) {
        if self.firsts.len() <= blocks {
            return;
        }
        let dropped = self.firsts.split_off(blocks);
        for last in self.lasts.iter_mut().filter(|last| last.first as usize >= blocks) {
            last.first = NONE;
        }
        for request in requests(&dropped) {
            let [first, ..] = request else { continue };
            let direction = self.components[first.component as usize].direction(first.is_write);
            fold(first.largest, INFINITE, |other| direction.others.count(other));
        }
        if dropped.first().is_some_and(|first| !first.begins) {
            let start = self.firsts.iter().rposition(|kept| kept.begins).unwrap_or(0);
            self.firsts[start..].iter_mut().for_each(|kept| kept.largest = INFINITE);
        }
    }

    fn forget_shortfalls(&mut self) {
        for (place, steps) in std::mem::take(&mut self.steps) {
            if let (Some(first), Some(last)) = (self.firsts.get_mut(place as usize), steps.last()) {
                first.reread = last.distance;
            }
        }
        self.firsts.iter_mut().for_each(|first| first.shortfall = 0);
        self.lasts.iter_mut().for_each(|last| last.shortfall = 0);
        self.files.files.clear();
    }
}

fn cut_component(component: &mut Component, largest: u32) {
    component.read_shortfall = 0;
    component.read_shortfalls = Counts::default();
    component.expulsion_shortfalls = Counts::default();
    component.sync_shortfalls = Counts::default();
    cut_direction(&mut component.reads, largest);
    cut_direction(&mut component.writes, largest);
    cut_counts(&mut component.expulsions, largest);
    cut_counts(&mut component.syncs, largest);
}

fn cut_direction(direction: &mut Direction, largest: u32) {
    cut_counts(&mut direction.largest, largest);
    cut_counts(&mut direction.others, largest);
    cut_counts(&mut direction.first_pieces, largest);
    fold_sizes(direction, largest);
}

/// Count the pieces of requests larger than all caches by the caches' sizes, of which there are fewer than requests may
/// have. A piece that misses is the opposite of a first piece that hits, and is counted with those.
fn fold_sizes(direction: &mut Direction, largest: u32) {
    let mut beyond = Vec::new();
    direction.sizes.retain(|&blocks, &mut requests| {
        if blocks > largest {
            beyond.push((blocks, requests));
        }
        blocks <= largest
    });
    for (blocks, requests) in beyond {
        for size in 1..=largest {
            let further_pieces = i64::from(blocks.div_ceil(size)) - 1;
            add(&mut direction.first_pieces, size, -further_pieces * requests as i64);
        }
    }
}

fn cut_counts(counts: &mut Counts, largest: u32) {
    let mut kept = Counts::default();
    let near = counts.entries().take_while(|&(distance, _)| distance <= largest);
    near.for_each(|(distance, count)| add(&mut kept, distance, count));
    *counts = kept;
}
