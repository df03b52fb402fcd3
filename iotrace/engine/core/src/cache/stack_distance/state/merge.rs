//! The state of two slices, one following the other.

use super::super::component::Component;
use super::super::counts::INFINITE;
use super::add::add_components;
use super::replay::{Former, Replay};
use super::{evict, fold, requests, reread, FirstUse, LastUse, State, Step, NONE};
use crate::error::Error;
use crate::lists::{filled, make_room, prefetch_at};
use rustc_hash::FxHashMap;

/// How many first uses ahead what is read of each is prefetched.
const AHEAD: usize = 16;

/// The right slice's first uses on their way into the left state.
struct Requests<'a> {
    left: &'a mut State,
    right_steps: FxHashMap<u32, Vec<Step>>,
    /// By place in `right.firsts`.
    formers: Vec<Former>,
    /// By place in `right.firsts`: the dirty level before the right slice's first write, where the left one wrote the
    /// block; where it does not have the block, the place in `left.firsts`.
    outcomes: Vec<u32>,
}

impl State {
    /// Add the slice that follows this one, for caches of at most `largest` blocks where that is given.
    ///
    /// # Errors
    /// Where what a request of the right slice touches depends on the left slice, or a state has a block twice; the state
    /// is then not usable.
    pub fn merge(mut self, right: State, largest: Option<u32>) -> Result<State, Error> {
        if largest.is_some() && right.files.look_back {
            let reason = "a request of unknown offset or length depends on the size of its file, which states cut at a";
            return Err(Error::of(format!("{reason} largest size do not keep")));
        }
        self.files.add(&right.files)?;
        add_components(&mut self.components, &right.components);
        let Replay { formers, is_touched } = Replay::of(&self, &right)?;
        let outcomes = filled(formers.len(), NONE);
        let further = formers.iter().filter(|former| former.distance().is_none()).count();
        let blocks = self.firsts.len() + further;
        make_room(&mut self.firsts, blocks);
        let mut replay = Requests { left: &mut self, right_steps: right.steps, formers, outcomes };
        let mut replayed = 0;
        for request in requests(&right.firsts) {
            replay.request(request, replayed);
            replayed += request.len();
        }
        let Requests { formers, outcomes, .. } = replay;
        drop(right.firsts); // before the other list grows
        self.append_lasts(&formers, &outcomes, &is_touched, right.lasts);
        self.is_short |= right.is_short;
        if let Some(largest) = largest {
            self.cut(largest);
        }
        Ok(self)
    }

    /// The left slice's blocks that the right one does not touch come first.
    fn append_lasts(
        &mut self,
        formers: &[Former],
        outcomes: &[u32],
        is_touched: &[bool],
        mut right: Vec<LastUse>,
    ) {
        let left = &mut self.lasts;
        for index in 0..right.len() {
            if let Some(ahead) = right.get(index + 2 * AHEAD) {
                prefetch_at(formers, ahead.first as usize);
                prefetch_at(outcomes, ahead.first as usize);
            }
            if let Some(ahead) = right.get(index + AHEAD) {
                formers
                    .get(ahead.first as usize)
                    .into_iter()
                    .for_each(|former| prefetch_at(left, former.place()));
            }
            let last = &mut right[index];
            let place = last.first as usize;
            let Some(former) = formers.get(place) else {
                continue; // the right slice wrote it
            };
            match left.get(former.place()) {
                Some(former) => {
                    last.level = if former.is_written() { outcomes[place] } else { 0 };
                    (last.writer, last.first) = (former.writer, former.first);
                }
                // not among the left slice's most recent: in no cache before this slice, and so not dirty
                None if self.is_short => last.first = NONE,
                None => last.first = outcomes[place],
            }
        }
        let mut is_touched = is_touched.iter();
        left.retain(|_| is_touched.next() == Some(&false));
        let blocks = left.len() + right.len();
        make_room(left, blocks);
        left.append(&mut right);
    }
}

impl Requests<'_> {
    /// Replay the first uses of one request, before which there were `replayed` others.
    fn request(&mut self, request: &[FirstUse], replayed: usize) {
        let [FirstUse { mut largest, component, is_write, .. }, ..] = *request else {
            return;
        };
        let component = component as usize;
        let start = self.left.firsts.len();
        let mut found = 0;
        for (first, place) in request.iter().zip(replayed..) {
            self.prefetch(place, component, is_write);
            match self.formers[place].distance() {
                Some(distance) => {
                    self.dirty(first, place, distance);
                    let component = &mut self.left.components[component];
                    if !is_write && first.shortfall != 0 && distance != INFINITE {
                        component.read_shortfalls.add(distance, i64::from(first.shortfall));
                    }
                    let others = &mut component.direction(is_write).others;
                    largest = fold(largest, distance, |other| others.count(other));
                    found = found.max(distance);
                }
                None => self.keep(first, place, start),
            }
            if first.is_first_piece {
                self.first_piece(component, is_write, place as u32 + 1, start, found);
            }
        }
        if start == self.left.firsts.len() {
            self.left.components[component].direction(is_write).largest.count(largest);
        } else {
            self.left.firsts[start..].iter_mut().for_each(|first| first.largest = largest);
        }
    }

    /// Prefetch what is read of the first uses after that at `place`, and what they count if they are of the same
    /// component and direction.
    #[inline(always)]
    fn prefetch(&mut self, place: usize, component: usize, is_write: bool) {
        if let Some(former) = self.formers.get(place + 2 * AHEAD) {
            prefetch_at(&self.left.lasts, former.place());
        }
        let Some(former) = self.formers.get(place + AHEAD) else {
            return;
        };
        if let Some(last) = self.left.lasts.get(former.place()) {
            prefetch_at(&self.left.firsts, last.first as usize);
        }
        if let Some(distance) = former.distance() {
            self.left.components[component].direction(is_write).largest.prefetch(distance);
        }
    }

    /// Follow a block's dirty level from the left slice through the touches of the right one up to its first write.
    fn dirty(&mut self, first: &FirstUse, place: usize, distance: u32) {
        let Some(&last) = self.left.lasts.get(self.formers[place].place()) else {
            return;
        };
        let now = Step { distance, shortfall: last.shortfall };
        let again = first.rereads(self.right_steps.get(&(place as u32))).filter(|_| !first.is_write);
        let mut steps = std::iter::once(now).chain(again);
        if !last.is_written() {
            if let Some(first) = self.left.firsts.get_mut(last.first as usize) {
                steps.for_each(|step| reread(first, last.first, &mut self.left.steps, step));
            }
        } else if last.level != 0 {
            let component: &mut Component = &mut self.left.components[last.writer as usize];
            self.outcomes[place] =
                steps.by_ref().fold(last.level, |level, step| evict(component, level, step));
        } else {
            self.outcomes[place] = 0;
        }
    }

    /// Keep a first use that the left slice does not resolve; `start` is where those of its request start.
    fn keep(&mut self, first: &FirstUse, place: usize, start: usize) {
        let kept = self.left.firsts.len() as u32;
        if let Some(steps) = self.right_steps.remove(&(place as u32)) {
            self.left.steps.insert(kept, steps);
        }
        self.outcomes[place] = kept;
        let begins = self.left.firsts.len() == start;
        self.left.firsts.push(FirstUse { begins, is_first_piece: false, ..*first });
    }

    /// Settle a prefix of `blocks` blocks; `start` is where the request's first uses start that remain, `found` the
    /// largest distance of the others.
    fn first_piece(&mut self, component: usize, is_write: bool, blocks: u32, start: usize, found: u32) {
        let firsts = &mut self.left.firsts;
        if firsts.len() == start {
            if found <= blocks {
                self.left.components[component].direction(is_write).first_pieces.count(blocks);
            }
        } else if firsts.len() == blocks as usize {
            firsts.last_mut().into_iter().for_each(|first| first.is_first_piece = true);
        }
    }
}
