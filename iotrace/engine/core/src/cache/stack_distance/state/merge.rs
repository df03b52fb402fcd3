//! The state of two slices, one following the other.

use super::super::component::Component;
use super::super::counts::INFINITE;
use super::add::add_components;
use super::depths::Depths;
use super::{expel, fold, reread, FirstUse, Key, LastUse, State, Step};
use crate::error::Error;
use rustc_hash::FxHashMap;

/// The right slice's first uses on their way into the left state.
struct Replay<'a> {
    left: &'a mut State,
    /// The place in `left.lasts` of each of its blocks.
    places: FxHashMap<Key, u32>,
    /// The place in `left.firsts` of those that the left slice did not write.
    first_places: FxHashMap<Key, u32>,
    depths: Depths,
    /// By place in `left.lasts`: whether the right slice touches the block, and then its level without a write there.
    touched: Vec<Option<u32>>,
    requests: u32,
}

impl State {
    /// Add the slice that follows this one, for caches of at most `largest` blocks where that is given.
    ///
    /// # Errors
    /// Where what a request of the right slice touches depends on the left slice; the state is then not usable.
    pub fn merge(mut self, right: &State, largest: Option<u32>) -> Result<State, Error> {
        if largest.is_some() && right.files.look_back {
            let reason = "a request of unknown offset or length depends on the size of its file, which states cut at a";
            return Err(Error::of(format!("{reason} largest size do not keep")));
        }
        self.files.add(&right.files)?;
        add_components(&mut self.components, &right.components);
        let mut replay = Replay::new(&mut self);
        let mut replayed = 0;
        for request in right.firsts.chunk_by(|a, b| a.request == b.request) {
            replay.request(request, replayed, right);
            replayed += request.len() as u32;
        }
        let Replay { places, touched, .. } = replay;
        self.append_lasts(&places, &touched, right);
        self.is_short |= right.is_short;
        if let Some(largest) = largest {
            self.cut(largest);
        }
        Ok(self)
    }

    /// The left slice's blocks that the right one does not touch come first.
    fn append_lasts(&mut self, places: &FxHashMap<Key, u32>, touched: &[Option<u32>], right: &State) {
        let left = std::mem::take(&mut self.lasts);
        self.lasts.reserve(right.lasts.len());
        let untouched = left.iter().zip(touched).filter(|(_, touched)| touched.is_none());
        self.lasts.extend(untouched.map(|(last, _)| *last));
        for &last in &right.lasts {
            let place = places.get(&last.key).map(|&place| place as usize);
            let former = place.and_then(|place| Some((left[place], touched[place]?)));
            self.lasts.push(match former {
                Some((former, level)) if !last.is_written => {
                    LastUse { is_written: former.is_written, level, writer: former.writer, ..last }
                }
                // not among the left slice's most recent: in no cache before this slice, and so not dirty
                None if self.is_short => LastUse { is_written: true, ..last },
                _ => last,
            });
        }
    }
}

impl<'a> Replay<'a> {
    fn new(left: &'a mut State) -> Self {
        let lasts = left.lasts.iter().zip(0..);
        let places: FxHashMap<Key, u32> = lasts.map(|(last, place)| (last.key, place)).collect();
        let is_open =
            |key| places.get(key).is_some_and(|&place: &u32| !left.lasts[place as usize].is_written);
        let firsts = left.firsts.iter().zip(0..);
        let first_places = firsts
            .filter(|(first, _)| is_open(&first.key))
            .map(|(first, place)| (first.key, place))
            .collect();
        Replay {
            depths: Depths::new(left.lasts.len()),
            touched: vec![None; left.lasts.len()],
            requests: left.firsts.last().map_or(0, |first| first.request + 1),
            places,
            first_places,
            left,
        }
    }

    /// Replay the first uses of one request, before which there were `replayed` others.
    fn request(&mut self, request: &[FirstUse], replayed: u32, right: &State) {
        let [FirstUse { mut largest, component, is_write, .. }, ..] = *request else {
            return;
        };
        let component = component as usize;
        let start = self.left.firsts.len();
        let mut found = 0;
        for (first, place) in request.iter().zip(replayed..) {
            match self.distance(first.key, place) {
                Some(distance) => {
                    self.dirty(first, place, distance, right);
                    let component = &mut self.left.components[component];
                    if !is_write && first.shortfall != 0 && distance != INFINITE {
                        component.read_shortfalls.add(distance, i64::from(first.shortfall));
                    }
                    let others = &mut component.direction(is_write).others;
                    largest = fold(largest, distance, |other| others.count(other));
                    found = found.max(distance);
                }
                None => self.keep(first, place, right),
            }
            if first.is_first_piece {
                self.first_piece(component, is_write, place + 1, start, found);
            }
        }
        if start == self.left.firsts.len() {
            self.left.components[component].direction(is_write).largest.count(largest);
        } else {
            self.left.firsts[start..].iter_mut().for_each(|first| first.largest = largest);
            self.requests += 1;
        }
    }

    /// The distance of a first use, before which there were `replayed` others; None where it stays a first use.
    fn distance(&mut self, key: Key, replayed: u32) -> Option<u32> {
        match self.places.get(&key) {
            Some(&place) if self.touched[place as usize].is_none() => {
                self.touched[place as usize] = Some(0);
                Some(self.depths.take(place as usize) + replayed + 1)
            }
            _ => self.left.is_short.then_some(INFINITE),
        }
    }

    /// Follow a block's dirty level from the left slice through the touches of the right one up to its first write.
    fn dirty(&mut self, first: &FirstUse, place: u32, distance: u32, right: &State) {
        let Some(&left_place) = self.places.get(&first.key) else {
            return;
        };
        let last = self.left.lasts[left_place as usize];
        let now = Step { distance, shortfall: last.shortfall };
        let again = first.rereads(right.steps.get(&place)).filter(|_| !first.is_write);
        let mut steps = std::iter::once(now).chain(again);
        if let Some(&place) = self.first_places.get(&first.key) {
            let first = &mut self.left.firsts[place as usize];
            steps.for_each(|step| reread(first, place, &mut self.left.steps, step));
        } else if last.level != 0 {
            let component: &mut Component = &mut self.left.components[last.writer as usize];
            let level = steps.by_ref().fold(last.level, |level, step| expel(component, level, step));
            self.touched[left_place as usize] = Some(level);
        }
    }

    /// Keep a first use that the left slice does not resolve.
    fn keep(&mut self, first: &FirstUse, place: u32, right: &State) {
        if let Some(steps) = right.steps.get(&place) {
            self.left.steps.insert(self.left.firsts.len() as u32, steps.clone());
        }
        self.left.firsts.push(FirstUse { request: self.requests, is_first_piece: false, ..*first });
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
