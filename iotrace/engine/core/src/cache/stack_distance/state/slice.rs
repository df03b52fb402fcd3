//! What is recorded of a slice while its references go through the caches.

use super::super::blocks::{Blocks, Place};
use super::super::component::{Component, Direction};
use super::super::counts::INFINITE;
use super::super::plan::{Detail, Touch};
use super::super::references::Reference;
use super::file_ends::FileEnds;
use super::{fold, reread, FirstUse, LastUse, State, Step};
use rustc_hash::FxHashMap;

/// What is known of a block of the slice.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Its place in `firsts` plus one; 0 where it was never touched.
    first: u32,
    is_written: bool,
    /// Bytes beyond the file's end at the last touch.
    shortfall: u32,
}

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
    firsts: Vec<FirstUse>,
    steps: FxHashMap<u32, Vec<Step>>,
    /// By block number.
    seen: Vec<Seen>,
    request: Request,
    /// Requests with first uses.
    requests: u32,
    files: FileEnds,
}

impl Slice {
    /// Note what a request says of its file's end.
    pub fn request(&mut self, reference: Reference) {
        self.files.request(reference);
    }

    /// Note that a file was truncated to a known length.
    pub fn truncate(&mut self, reference: Reference) {
        self.files.truncate(reference);
    }

    /// Take the next touch, in place of `RequestDistances`: its distance is `INFINITE` if it is the block's first.
    pub fn touch(&mut self, touch: Touch, detail: Detail, distance: u32, direction: &mut Direction) {
        if self.seen.len() <= touch.number() {
            self.seen.resize(touch.number() + 1, Seen::default());
        }
        self.request.touched += 1;
        if self.seen[touch.number()].first == 0 {
            self.first_use(touch, detail);
        } else {
            let largest = self.request.largest;
            self.request.largest = fold(largest, distance, |other| direction.others.count(other));
            self.use_again(touch, distance);
        }
        self.seen[touch.number()].shortfall = detail.shortfall;
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

    fn first_use(&mut self, touch: Touch, detail: Detail) {
        self.firsts.push(FirstUse {
            key: (detail.file, detail.block),
            request: self.requests,
            component: touch.component() as u32,
            is_write: touch.is_write(),
            largest: 0,
            is_first_piece: false,
            shortfall: detail.shortfall,
            reread: 0,
        });
        self.request.firsts += 1;
        let seen = &mut self.seen[touch.number()];
        seen.first = self.firsts.len() as u32;
        seen.is_written = touch.is_write();
    }

    fn use_again(&mut self, touch: Touch, distance: u32) {
        let seen = &mut self.seen[touch.number()];
        if !seen.is_written {
            let place = seen.first - 1;
            let again = Step { distance, shortfall: seen.shortfall };
            reread(&mut self.firsts[place as usize], place, &mut self.steps, again);
            seen.is_written = touch.is_write();
        }
    }

    fn end_request(&mut self, direction: &mut Direction) {
        let Request { touched, firsts, largest } = std::mem::take(&mut self.request);
        direction.requests += 1;
        direction.blocks += u64::from(touched);
        if touched > 1 {
            *direction.sizes.entry(touched).or_insert(0) += 1;
        }
        if firsts == 0 {
            direction.largest.count(largest);
            return;
        }
        self.requests += 1;
        let start = self.firsts.len() - firsts;
        self.firsts[start..].iter_mut().for_each(|first| first.largest = largest);
    }

    /// End the slice: `components` have its counts.
    pub fn finish(self, components: Vec<Component>, blocks: &Blocks, writers: &[u32]) -> State {
        let states = blocks.states.iter().enumerate();
        let mut slots: Vec<(u32, usize)> = states
            .filter_map(|(number, state)| match state.place() {
                Place::Slot(slot) => Some((slot, number)),
                _ => None,
            })
            .collect();
        slots.sort_unstable();
        let last_use = |&(_, number): &(u32, usize)| {
            let seen = self.seen[number];
            LastUse {
                key: self.firsts[seen.first as usize - 1].key,
                is_written: seen.is_written,
                level: blocks.states[number].dirty_level,
                writer: writers.get(number).copied().unwrap_or(0),
                shortfall: seen.shortfall,
            }
        };
        let lasts = slots.iter().map(last_use).collect();
        debug_assert!(self.firsts.iter().all(|first| first.largest != INFINITE));
        State {
            components,
            lasts,
            firsts: self.firsts,
            steps: self.steps,
            files: self.files,
            is_short: false,
        }
    }
}
