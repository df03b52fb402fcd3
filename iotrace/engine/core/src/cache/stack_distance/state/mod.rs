//! What a pass over a slice of the stream leaves, from which slices merge into the curve of the whole, exactly.
//!
//! A touch of a block whose former use lies in the slice has a known distance. The first use of each block has not: its
//! distance depends on earlier slices. So a state has the counts of what is known, the blocks in the order of their
//! first use and in the order of their last use, and the requests that touch a block for the first time. Let `merge`
//! join a left slice and the right slice that follows it.
//!
//! - Distance. Between the last use of a block in the left slice and its first use in the right, the distinct blocks
//!   touched are those used later than it in the left slice, and those first used earlier in the right; who is both
//!   counts once. So the first uses of the right slice, replayed in order against the left slice's order of last use,
//!   have the distances of one pass. A block that the left slice does not have stays a first use.
//! - Requests. The counts need the largest distance of a request's blocks and the multiset of the others. Both can be
//!   folded one distance at a time in any order, so a request waits with the largest distance so far.
//! - Pieces. A prefix of a request of s blocks hits as the first piece of a cache of s blocks if the largest distance of
//!   its blocks is s. If one of them is a first use, that can only be if the prefix has all blocks that the slice touched
//!   so far: a block touched in the slice before the first use and not in the prefix would lie above it. Then the s-th
//!   first use is in the prefix, and it alone bears the mark `is_first_piece`. So there is at most one such prefix for
//!   each first use.
//! - Dirty blocks. A block is dirty in caches of at least its level L: the largest distance at which it was touched since
//!   it was written. Touches at distances d₁, d₂, … up to the next write evict it from caches of [L, d₁), [max(L, d₁),
//!   d₂), …, which join to [L, max(d₁, d₂, …)). So a first use carries the largest distance at which its block was touched
//!   again up to the slice's first write of it (`reread`), and a last use the level. Where the bytes beyond the file's end
//!   change between those touches, `steps` has the joints, since each part has its own bytes.
//! - Largest size. For caches of at most C blocks, a distance beyond C is as good as any other. The first use number
//!   C + 1 and later ones lie beyond C, and so does any later use of a block that C others follow in the order of last
//!   use. So `cut` keeps C blocks of each order.
//!
//! A block that is dropped (deletions, no-allocate, eviction of a file) leaves a hole that depends on earlier slices,
//! and so do syncs of blocks that earlier slices wrote: the slice is refused.

mod add;
mod block_numbers;
mod cut;
mod file_ends;
mod merge;
mod parts;
mod replay;
mod slice;
mod table;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use slice::{Slice, OPEN};

use super::component::Component;
use super::counts::INFINITE;
use super::curve::{Curve, Pricing};
use super::options::WritePolicy;
use file_ends::FileEnds;
use rustc_hash::FxHashMap;

/// A block, in 12 bytes: there are millions of them.
#[derive(Debug, Clone, Copy, Default)]
#[repr(Rust, packed(4))]
pub struct Key {
    /// Its file's key.
    pub file: u32,
    /// Its place in the file.
    pub block: u64,
}

/// No place in a list.
const NONE: u32 = u32::MAX;

/// A block's first use in the slice, whose distance is not known.
#[derive(Debug, Clone, Copy)]
pub struct FirstUse {
    pub key: Key,
    /// Whether it is the first one of its request.
    pub begins: bool,
    pub component: u32,
    pub is_write: bool,
    /// The largest known distance of the request's blocks; 0 where none is known.
    pub largest: u32,
    /// Whether the request touches as many blocks as the slice did, before the next first use and its last block.
    pub is_first_piece: bool,
    /// Bytes of the block beyond the file's end.
    pub shortfall: u32,
    /// The largest distance at which it was touched again, up to its first write; 0 where it was not. Where there are
    /// steps, that of the touches before the bytes beyond the end changed.
    pub reread: u32,
}

/// A larger distance at which a block was touched again, with the bytes beyond the end until then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Step {
    pub distance: u32,
    pub shortfall: u32,
}

/// What a slice leaves of a block.
#[derive(Debug, Clone, Copy, Default)]
pub struct LastUse {
    pub key: Key,
    /// The dirty level; 0 where it is clean, or was not written in the slice.
    pub level: u32,
    /// The component that wrote it last.
    pub writer: u32,
    /// Bytes beyond the file's end.
    pub shortfall: u32,
    /// Where the slice did not write it: the place of its first use in `State::firsts`; else `NONE`.
    pub first: u32,
}

impl LastUse {
    /// Whether the slice wrote it, so that its level does not depend on earlier slices.
    pub fn is_written(&self) -> bool {
        self.first == NONE
    }
}

// what a block takes in a state
const _: () = assert!(size_of::<FirstUse>() + size_of::<LastUse>() == 60);

/// The state of a slice.
#[derive(Debug, Default)]
pub struct State {
    components: Vec<Component>,
    /// In the order of their touches; those of a request are neighbours.
    firsts: Vec<FirstUse>,
    /// By place in `firsts`: further distances, ascending.
    steps: FxHashMap<u32, Vec<Step>>,
    /// From the least to the most recently used.
    lasts: Vec<LastUse>,
    files: FileEnds,
    /// Whether blocks were left out since there are more than the largest size.
    is_short: bool,
}

impl State {
    /// Distinct blocks that were kept.
    pub fn distinct_blocks(&self) -> u64 {
        self.firsts.len() as u64
    }

    /// Whether blocks were left out: there are more than the largest size.
    pub fn is_short(&self) -> bool {
        self.is_short
    }

    /// Whether what some request touches depends on a file's size from an earlier slice.
    pub fn looks_back(&self) -> bool {
        self.files.look_back
    }

    /// Take the slice for the whole stream: what is a first use now is cold. The counts remain, and no blocks.
    pub fn end(&mut self) {
        for request in requests(&self.firsts) {
            let [first, ..] = request else { continue };
            let direction = self.components[first.component as usize].direction(first.is_write);
            direction.cold_requests += 1;
            if first.largest != 0 {
                direction.others.count(first.largest);
            }
        }
        for (last, depth) in self.lasts.iter().rev().zip(1..) {
            if last.level != 0 {
                let component = &mut self.components[last.writer as usize];
                component.evict(last.level, depth, last.shortfall);
                component.dirty_at_end.count(last.level.max(depth));
            }
        }
        (self.firsts, self.lasts) = (Vec::new(), Vec::new());
        self.steps.clear();
    }

    /// End the stream, unless that was done, and return the curve's counts.
    pub fn finish(mut self, block_bytes: u32, pricing: Pricing) -> Curve {
        self.end();
        Curve::new(self.components, block_bytes, WritePolicy::Allocate, pricing)
    }
}

/// The first uses of each request.
fn requests(firsts: &[FirstUse]) -> impl Iterator<Item = &[FirstUse]> {
    firsts.chunk_by(|_, next| !next.begins)
}

/// Fold a distance into the largest of a request, 0 where there is none yet, and count the smaller of both.
fn fold(largest: u32, distance: u32, mut count_other: impl FnMut(u32)) -> u32 {
    if largest != 0 {
        count_other(largest.min(distance));
    }
    largest.max(distance)
}

/// Count the expulsions of a dirty block from caches of at least `level` and less than `distance`, and return its level
/// after a touch at that distance.
fn evict(component: &mut Component, level: u32, step: Step) -> u32 {
    if level < step.distance {
        match step.distance {
            INFINITE => component.evict_from(level, step.shortfall),
            distance => component.evict(level, distance, step.shortfall),
        }
    }
    level.max(step.distance)
}

impl FirstUse {
    /// Its distances up to the first write after it, with the bytes beyond the end until then, ascending.
    fn rereads<'a>(&self, steps: Option<&'a Vec<Step>>) -> impl Iterator<Item = Step> + use<'a> {
        let first = Step { distance: self.reread, shortfall: self.shortfall };
        std::iter::once(first).chain(steps.into_iter().flatten().copied())
    }
}

/// Note that the block of a first use, not written since, is touched again.
fn reread(first: &mut FirstUse, place: u32, steps: &mut FxHashMap<u32, Vec<Step>>, again: Step) {
    let further = steps.get(&place).and_then(|steps| steps.last());
    let until = further.copied().unwrap_or(Step { distance: first.reread, shortfall: first.shortfall });
    if again.distance <= until.distance {
        return;
    }
    if again.shortfall != until.shortfall {
        steps.entry(place).or_default().push(again);
    } else if let Some(last) = steps.get_mut(&place).and_then(|steps| steps.last_mut()) {
        last.distance = again.distance;
    } else {
        first.reread = again.distance;
    }
}
