//! Belady's optimum.

use super::policy::{Access, Replacement};
use super::time_set::TimeSet;
use crate::cache::replay::{Step, Tape};
use crate::error::Error;
use crate::lists::{Lists, One};
use std::sync::Arc;

/// The time of a next use that does not exist.
const NEVER: u32 = u32::MAX;
const NEVER_USED_AGAIN: u32 = 1;

/// A whole trace: the block touched at each time, counted in touches, and when it is touched next.
#[derive(Debug)]
pub struct Future {
    blocks: Vec<u32>,
    next_uses: Vec<u32>,
}

impl Future {
    /// Scan a tape that refers to `blocks` distinct blocks. A block that is dropped before its next touch is never
    /// used again. Fails for 2³² touches or more.
    pub fn new(tape: &Tape, blocks: usize) -> Result<Self, Error> {
        let touches = tape.touches_without_drops();
        if touches.len() >= NEVER as usize {
            return Err(Error::of("the optimum is limited to traces of less than 2^32 block references"));
        }
        let mut next_uses = vec![NEVER; touches.len()];
        let mut next_of = vec![NEVER; blocks];
        let (mut end, mut time) = (tape.touches.len(), touches.len());
        for step in tape.steps.iter().rev() {
            let from = end - step.blocks() as usize;
            for &block in tape.touches[from..end].iter().rev() {
                let next = &mut next_of[block as usize];
                if let Step::Request(_) = step {
                    time -= 1;
                    next_uses[time] = std::mem::replace(next, time as u32);
                } else {
                    *next = NEVER;
                }
            }
            end = from;
        }
        Ok(Future { blocks: touches, next_uses })
    }
}

/// OPT, or MIN (Belady, A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems Journal 5(2),
/// 1966; Mattson and others 1970): the block replaced is the one whose next reference lies farthest in the future. No
/// policy that brings in every block that misses has fewer block misses.
///
/// Of blocks that are never referenced again (or dropped first) the one whose last reference is the oldest goes. The
/// policy needs the whole trace in memory, 8 bytes a block reference. A cached block is identified by the time of its
/// next reference: if a block's is now, it is a hit.
#[derive(Debug)]
pub struct Opt {
    size: u64,
    now: u32,
    cached: u64,
    future: Arc<Future>,
    next_uses: TimeSet,
    lists: Lists,
}

impl Opt {
    /// An empty cache with a capacity of `size` blocks, at the start of a trace.
    pub fn new(size: u64, future: Arc<Future>) -> Self {
        Opt {
            size,
            now: 0,
            cached: 0,
            next_uses: TimeSet::new(future.blocks.len()),
            future,
            lists: Lists::default(),
        }
    }

    /// Record the next touch of the block that is touched now.
    #[inline(always)]
    fn keep(&mut self, block: u32) {
        match self.future.next_uses.get(self.now as usize) {
            Some(&next) if next != NEVER => self.next_uses.insert(next),
            _ => self.lists.put_in(NEVER_USED_AGAIN, block),
        }
        self.now += 1;
    }

    #[inline(always)]
    fn victim(&mut self) -> Option<u32> {
        if let Some(block) = self.lists.take_oldest(NEVER_USED_AGAIN) {
            return Some(block);
        }
        let farthest = self.next_uses.latest()?;
        self.next_uses.remove(farthest);
        self.future.blocks.get(farthest as usize).copied()
    }
}

impl Replacement for Opt {
    type Weight = One;

    fn prepare(&mut self, blocks: usize) {
        self.lists.prepare(blocks);
    }

    #[inline(always)]
    fn prefetch_entry(&self, _: u32) {}

    #[inline(always)]
    fn contains(&self, _: u32) -> bool {
        self.next_uses.contains(self.now)
    }

    #[inline(always)]
    fn hit(&mut self, access: &Access<One>, _: &mut impl FnMut(u32)) {
        self.next_uses.remove(self.now);
        self.keep(access.number);
    }

    #[inline(always)]
    fn miss(&mut self, access: &Access<One>, evicted: &mut impl FnMut(u32)) {
        if self.cached == self.size {
            self.victim().into_iter().for_each(evicted);
        } else {
            self.cached += 1;
        }
        self.keep(access.number);
    }

    fn remove(&mut self, block: u32) {
        if self.lists.list_of(block) == NEVER_USED_AGAIN {
            self.lists.take_out(block);
            self.cached -= 1;
        }
    }
}
