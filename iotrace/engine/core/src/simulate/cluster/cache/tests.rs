//! A cache equals its slow twin: the same rules over plain lists.

use super::*;
use proptest::prelude::*;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
enum Act {
    Read(u32),
    Write(u32),
    Touch(u32),
    MakeClean(u32),
    Flush,
    Harvest,
    /// The oldest write in progress ends.
    End,
    Drop(u32),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let block = 0u32..12;
    let act = prop_oneof![
        3 => block.clone().prop_map(Act::Read),
        4 => block.clone().prop_map(Act::Write),
        2 => block.clone().prop_map(Act::Touch),
        1 => block.clone().prop_map(Act::MakeClean),
        2 => Just(Act::Flush),
        3 => Just(Act::Harvest),
        4 => Just(Act::End),
        1 => block.prop_map(Act::Drop),
    ];
    prop::collection::vec(act, 0..200)
}

/// A frame as a list has it.
#[derive(Clone, Debug, PartialEq)]
struct Slow {
    block: u32,
    version: u32,
    referenced: bool,
    state: State,
}

/// The same cache as lists: frames in second-chance order, then those that are freed once written.
#[derive(Debug, Default)]
struct Twin {
    size: usize,
    low: usize,
    high: usize,
    order: Vec<Slow>,
    soon: Vec<Slow>,
    dirty: Vec<u32>,
    queue: Vec<u32>,
}

impl Twin {
    fn free(&self) -> usize {
        self.size - self.order.len() - self.soon.len()
    }

    fn get(&mut self, block: u32) -> Option<&mut Slow> {
        self.order.iter_mut().chain(&mut self.soon).find(|one| one.block == block)
    }

    fn stay(&mut self, block: u32) {
        let at = self.soon.iter().position(|one| one.block == block).unwrap();
        let one = self.soon.remove(at);
        self.order.push(one);
    }

    fn give_up(&mut self, mut one: Slow) {
        match one.state {
            State::Clean => return,
            State::Dirty => {
                self.dirty.retain(|&block| block != one.block);
                self.queue.push(one.block);
                one.state = State::Harvested;
            }
            State::Leaving { version, .. } => one.state = State::Leaving { version, is_freed: true },
            State::Harvested => unreachable!(),
        }
        one.referenced = false;
        self.soon.push(one);
    }

    fn free_until(&mut self, wanted: usize) {
        while self.free() + self.soon.len() < wanted && !self.order.is_empty() {
            let mut one = self.order.remove(0);
            if std::mem::take(&mut one.referenced) {
                self.order.push(one);
            } else {
                self.give_up(one);
            }
        }
    }

    fn insert(&mut self, one: Slow) -> bool {
        while self.free() == 0 {
            let Some(at) = self.order.iter().position(|one| one.state == State::Clean) else {
                self.free_until(1);
                break;
            };
            let mut victim = self.order.remove(at);
            if std::mem::take(&mut victim.referenced) {
                self.order.push(victim);
            }
        }
        let is_kept = self.free() > 0;
        if is_kept {
            self.dirty.extend((one.state == State::Dirty).then_some(one.block));
            self.order.push(one);
        }
        if self.free() < self.low {
            self.free_until(self.high);
        }
        is_kept
    }

    fn write(&mut self, block: u32, version: u32) {
        let one = self.get(block).unwrap();
        one.version = version;
        match std::mem::replace(&mut one.state, State::Dirty) {
            old @ (State::Dirty | State::Harvested) => one.state = old,
            State::Leaving { is_freed: true, .. } => {
                self.stay(block);
                self.dirty.push(block);
            }
            _ => self.dirty.push(block),
        }
    }

    fn make_clean(&mut self, block: u32) {
        match self.get(block).unwrap().state {
            State::Dirty => self.dirty.retain(|&one| one != block),
            State::Harvested => self.stay(block),
            _ => return,
        }
        self.queue.retain(|&one| one != block);
        self.get(block).unwrap().state = State::Clean;
    }

    fn begin(&mut self, is_harvester: bool) -> Option<(u32, u32)> {
        let list = if is_harvester { &mut self.queue } else { &mut self.dirty };
        if list.is_empty() {
            return None;
        }
        let block = list.remove(0);
        let one = self.get(block).unwrap();
        one.state = State::Leaving { version: one.version, is_freed: is_harvester };
        Some((block, one.version))
    }

    fn end(&mut self, block: u32, version: u32) {
        let Some(one) = self.get(block) else { return };
        let State::Leaving { version: left, is_freed } = one.state else { return };
        if left != version {
            return;
        }
        one.state = State::Clean;
        let is_kept = is_freed && std::mem::take(&mut one.referenced);
        if is_freed {
            self.stay(block);
            if !is_kept {
                self.order.pop();
            }
        }
    }

    fn drop(&mut self, block: u32) {
        self.order.retain(|one| one.block != block);
        self.soon.retain(|one| one.block != block);
        self.dirty.retain(|&one| one != block);
        self.queue.retain(|&one| one != block);
    }
}

fn begin(cache: &mut Cache, block: Option<u32>) -> Option<(u32, u32)> {
    cache.begin_write(block?).map(|frame| (frame.block, frame.version))
}

proptest! {
    #[test]
    fn equals_its_slow_twin(
        size in 0u32..9, low in 0u32..600, more in 0u32..400, acts in acts(),
    ) {
        let mut cache = Cache::new(size, low, low + more);
        let mark = |thousandths: u32| (size * thousandths / 1000) as usize;
        let (low, high) = (mark(low), mark(low + more));
        let mut twin = Twin { size: size as usize, low, high, ..Twin::default() };
        let (mut writing, mut gone) = (VecDeque::new(), Vec::new());
        for (version, act) in (1..).zip(acts) {
            match act {
                Act::Read(block) | Act::Write(block) if cache.find(block).is_none() => {
                    let is_write = matches!(act, Act::Write(_));
                    let frame = match is_write {
                        true => Frame::written(block, version, (0, 8), 0, 0),
                        false => Frame::whole(block, version, 8, 0),
                    };
                    cache.make_room(None, &mut gone);
                    let is_kept = cache.insert(frame);
                    cache.harvest(None, &mut gone);
                    let slow = Slow { block, version, referenced: false, state: frame.state };
                    prop_assert_eq!(is_kept, twin.insert(slow));
                }
                Act::Read(_) => {}
                Act::Write(block) => {
                    let frame = cache.find(block).unwrap();
                    cache.frame_mut(frame).version = version;
                    cache.make_dirty(frame);
                    twin.write(block, version);
                }
                Act::Touch(block) => {
                    if let Some(frame) = cache.find(block) {
                        cache.touch(frame);
                        twin.get(block).unwrap().referenced = true;
                    }
                }
                Act::MakeClean(block) => {
                    if let Some(frame) = cache.find(block) {
                        cache.make_clean(frame);
                        twin.make_clean(block);
                    }
                }
                Act::Flush => {
                    let next = cache.first_dirty();
                    let begun = begin(&mut cache, next);
                    prop_assert_eq!(begun, twin.begin(false));
                    writing.extend(begun);
                }
                Act::Harvest => {
                    let next = cache.first_harvested();
                    let begun = begin(&mut cache, next);
                    prop_assert_eq!(begun, twin.begin(true));
                    writing.extend(begun);
                }
                Act::End => {
                    if let Some((block, version)) = writing.pop_front() {
                        cache.end_write(block, version);
                        twin.end(block, version);
                    }
                }
                Act::Drop(block) => {
                    if let Some(frame) = cache.find(block) {
                        cache.remove(frame);
                        twin.drop(block);
                    }
                }
            }
            let order: Vec<Slow> = cache
                .order_links
                .items(&cache.order)
                .map(|number| {
                    let Frame { block, version, state, is_referenced, .. } = *cache.frame(number);
                    Slow { block, version, referenced: is_referenced, state }
                })
                .collect();
            prop_assert_eq!(&order, &twin.order);
            prop_assert_eq!(cache.free() as usize, twin.free());
            prop_assert_eq!(cache.soon_free as usize, twin.soon.len());
            let clean = twin.order.iter().filter(|one| one.state == State::Clean).count();
            prop_assert_eq!(cache.room() as usize, twin.free() + clean);
            prop_assert_eq!(cache.dirty_blocks() as usize, twin.dirty.len());
            for one in &twin.soon {
                let frame = cache.frame(cache.find(one.block).unwrap());
                prop_assert_eq!((frame.state, frame.is_referenced), (one.state, one.referenced));
            }
        }
    }
}
