//! Which bytes of each block are dirty in which caches, for the data-overwrite policy (Richardson 4.1.3, figure 4.8).

use super::component::{Component, INFINITE};
use rustc_hash::FxHashMap;

/// Bytes of a block that were written since they were last clean everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    start: u32,
    end: u32,
    /// The bytes are dirty in caches of at least this many blocks: the largest distance at which their block was
    /// touched since they were last written.
    level: u32,
}

/// The dirty bytes of all blocks, by block number.
#[derive(Debug, Default)]
pub struct Coverage {
    blocks: FxHashMap<usize, Vec<Stretch>>,
}

impl Coverage {
    /// Note that a block was touched at a distance: smaller caches have loaded it anew, clean.
    pub fn touch(&mut self, number: usize, distance: u32) {
        if distance == INFINITE {
            self.forget(number);
        } else if let Some(stretches) = self.blocks.get_mut(&number) {
            stretches.iter_mut().for_each(|stretch| stretch.level = stretch.level.max(distance));
            join(stretches);
        }
    }

    /// Note that bytes of a block were written, after `touch` for the same reference, and count what they cover.
    pub fn write(&mut self, number: usize, start: u32, end: u32, counts: Option<&mut Component>) {
        let stretches = self.blocks.entry(number).or_default();
        if let Some(component) = counts {
            count_overwrites(stretches, start, end, component);
        }
        cut(stretches, start, end);
        let place = stretches.partition_point(|stretch| stretch.start < start);
        stretches.insert(place, Stretch { start, end, level: 1 });
        join(stretches);
    }

    /// Note that a block was dropped.
    pub fn forget(&mut self, number: usize) {
        self.blocks.remove(&number);
    }
}

fn count_overwrites(stretches: &[Stretch], start: u32, end: u32, component: &mut Component) {
    let mut lowest = INFINITE;
    for stretch in stretches.iter().filter(|stretch| stretch.start < end && start < stretch.end) {
        lowest = lowest.min(stretch.level);
        let bytes = stretch.end.min(end) - stretch.start.max(start);
        component.overwritten_bytes.add(stretch.level, i64::from(bytes));
    }
    if lowest != INFINITE {
        component.overwrites.count(lowest);
    }
}

/// Take the bytes from `start` to `end` out of all stretches.
fn cut(stretches: &mut Vec<Stretch>, start: u32, end: u32) {
    let mut kept = Vec::with_capacity(stretches.len() + 2);
    for &stretch in stretches.iter() {
        let before = Stretch { end: stretch.end.min(start), ..stretch };
        let after = Stretch { start: stretch.start.max(end), ..stretch };
        kept.extend([before, after].into_iter().filter(|part| part.start < part.end));
    }
    *stretches = kept;
}

/// Join neighbours of the same level.
fn join(stretches: &mut Vec<Stretch>) {
    stretches.dedup_by(|next, previous| {
        let joined = previous.end == next.start && previous.level == next.level;
        if joined {
            previous.end = next.end;
        }
        joined
    });
}
