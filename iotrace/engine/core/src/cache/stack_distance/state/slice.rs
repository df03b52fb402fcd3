//! What is recorded of a slice while its references go through the caches.

use super::super::block::{Block, StackPosition};
use super::super::blocks::Blocks;
use super::super::component::{Component, Direction};
use super::super::plan::Touch;
use super::super::recency::Ranks;
use super::super::references::Reference;
use super::file_ends::FileEnds;
use super::{fold, reread, FirstUse, Key, LastUse, State, Step, NONE};
use crate::lists::{filled, make_room, prefetch_at};
use rustc_hash::FxHashMap;

/// Marks the dirty level of a block that the slice has not written: the rest is the largest distance at which it was
/// touched again.
pub const OPEN: u32 = 1 << 31;
/// How many blocks ahead a walk through all of them prefetches what it reads of each.
const AHEAD: usize = 16;

/// The request whose blocks are being touched.
#[derive(Debug, Default)]
struct Request {
    touched: u32,
    /// How many of its blocks are first uses.
    firsts: usize,
    largest: u32,
}

/// A slice so far.
#[derive(Debug, Default)]
pub struct Slice {
    /// Their keys are known at the end.
    firsts: Vec<FirstUse>,
    steps: FxHashMap<u32, Vec<Step>>,
    /// By block number: the place of its first use in `firsts`.
    places: Vec<u32>,
    /// By block number: bytes beyond the file's end at the last touch. Empty as long as no block had any.
    shortfalls: Vec<u32>,
    request: Request,
    files: FileEnds,
}

impl Slice {
    /// Note what a request says of its file's end.
    pub fn request(&mut self, reference: Reference) {
        self.files.request(reference);
    }

    /// Note requests for known bytes of a file that do not state its size; `end` is the largest end of one.
    pub fn ranges(&mut self, file: u32, end: i64) {
        self.files.ranges(file, end);
    }

    /// Note that a file was truncated to a known length.
    pub fn truncate(&mut self, reference: Reference) {
        self.files.truncate(reference);
    }

    /// Whether no block had bytes beyond its file's end yet.
    pub fn has_no_shortfalls(&self) -> bool {
        self.shortfalls.is_empty()
    }

    /// Make room for this many block numbers.
    #[inline(always)]
    pub fn make_room(&mut self, numbers: usize) {
        if self.places.len() < numbers {
            make_room(&mut self.places, numbers);
            make_room(&mut self.firsts, numbers);
            self.places.resize(numbers, NONE);
        }
    }

    /// Take the first use of a block; `touch` must follow.
    #[inline(always)]
    pub fn first_use(&mut self, touch: Touch, shortfall: u32) {
        self.places[touch.number()] = self.firsts.len() as u32;
        self.firsts.push(FirstUse {
            key: Key::default(),
            begins: self.request.firsts == 0,
            component: touch.component() as u32,
            is_write: touch.is_write(),
            largest: 0,
            is_first_piece: false,
            shortfall,
            reread: 0,
        });
    }

    /// Take a further use of a block that the slice has not written, whose level was `level`, where it is written or
    /// there are shortfalls.
    pub fn use_again(&mut self, number: usize, level: u32, distance: u32) {
        let shortfall = self.shortfalls.get(number).copied().unwrap_or(0);
        self.touched_again(number, level, Step { distance, shortfall });
    }

    fn touched_again(&mut self, number: usize, level: u32, again: Step) {
        let place = self.places[number];
        let first = &mut self.firsts[place as usize];
        // touches that left their distance in the level alone are older than the first shortfall
        reread(first, place, &mut self.steps, Step { distance: level & !OPEN, shortfall: 0 });
        reread(first, place, &mut self.steps, again);
    }

    /// Note the bytes of a block beyond the file's end after a touch.
    pub fn note_shortfall(&mut self, number: usize, shortfall: u32) {
        if self.shortfalls.is_empty() && shortfall == 0 {
            return;
        }
        if self.shortfalls.len() <= number {
            self.shortfalls.resize(self.places.len().max(number + 1), 0);
        }
        self.shortfalls[number] = shortfall;
    }

    /// Take the next touch, in place of `RequestDistances`.
    #[inline(always)]
    pub fn touch(&mut self, touch: Touch, is_first: bool, distance: u32, direction: &mut Direction) {
        if touch.is_last() && self.request.touched == 0 {
            direction.requests += 1;
            direction.blocks += 1;
            if !is_first {
                direction.largest.count(distance);
            }
            return;
        }
        self.touch_next(touch, is_first, distance, direction);
    }

    /// `touch` for a request of several blocks.
    fn touch_next(&mut self, touch: Touch, is_first: bool, distance: u32, direction: &mut Direction) {
        self.request.touched += 1;
        if is_first {
            self.request.firsts += 1;
        } else {
            let largest = self.request.largest;
            self.request.largest = fold(largest, distance, |other| direction.others.count(other));
        }
        if touch.is_last() {
            self.end_request(direction);
        } else if self.request.firsts == 0 {
            if self.request.largest == self.request.touched {
                direction.first_pieces.count(self.request.touched);
            }
        } else if self.firsts.len() == self.request.touched as usize {
            self.firsts.last_mut().into_iter().for_each(|first| first.is_first_piece = true);
        }
    }

    fn end_request(&mut self, direction: &mut Direction) {
        let Request { touched, firsts, largest } = std::mem::take(&mut self.request);
        direction.requests += 1;
        direction.blocks += u64::from(touched);
        *direction.sizes.entry(touched).or_insert(0) += 1;
        if firsts == 0 {
            direction.largest.count(largest);
            return;
        }
        let start = self.firsts.len() - firsts;
        self.firsts[start..].iter_mut().for_each(|first| first.largest = largest);
    }

    /// End the slice: `components` have its counts.
    pub fn finish(
        mut self,
        components: Vec<Component>,
        blocks: &Blocks,
        ranks: &Ranks,
        writers: &[u32],
    ) -> State {
        let keys = blocks.keys();
        let mut lasts = filled(self.firsts.len(), LastUse::default());
        for (number, (&state, &key)) in blocks.states.iter().zip(&keys).enumerate() {
            if let Some(&place) = self.places.get(number + AHEAD) {
                prefetch_at(&self.firsts, place as usize);
            }
            if let Some(StackPosition::Slot(slot)) =
                blocks.states.get(number + AHEAD).map(|state| state.position())
            {
                ranks.prefetch(slot);
            }
            if let StackPosition::Slot(slot) = state.position() {
                let writer = writers.get(number).copied().unwrap_or(0);
                lasts[ranks.below(slot) as usize] = self.last_use(number, state, key, writer);
            }
        }
        State {
            components,
            lasts,
            firsts: self.firsts,
            steps: self.steps,
            files: self.files,
            is_short: false,
        }
    }

    /// The last use of a block; its first use gets the key and what is known of it.
    fn last_use(
        &mut self,
        number: usize,
        block: Block,
        (file, block_of_file): (u32, u64),
        writer: u32,
    ) -> LastUse {
        let key = Key { file, block: block_of_file };
        let (place, level) = (self.places[number], block.dirty_level);
        self.firsts[place as usize].key = key;
        let is_written = level & OPEN == 0;
        if !is_written {
            self.touched_again(number, level, Step::default());
        }
        LastUse {
            key,
            level: if is_written { level } else { 0 },
            writer,
            shortfall: self.shortfalls.get(number).copied().unwrap_or(0),
            first: if is_written { NONE } else { place },
        }
    }
}
