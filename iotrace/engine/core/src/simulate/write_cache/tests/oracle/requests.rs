//! The effects of requests at arrival and at completion.

use super::{Oracle, Purpose, State, Write};
use crate::simulate::write_cache::controller::{Operation, Request};
use crate::simulate::write_cache::settings::{Admission, Forced, Replay};

impl Oracle<'_> {
    pub fn request(&mut self, request: &Request) {
        let arrival = match self.settings.replay {
            Replay::Open => request.time_ns,
            Replay::Closed => {
                while self.unanswered > 0 {
                    self.end_next();
                }
                self.answered + request.time_ns
            }
        };
        while self.next_end().is_some_and(|(end, _)| end <= arrival) {
            self.end_next();
        }
        self.now = arrival;
        self.requests += 1;
        let (disk, cache) = (request.disk as usize, self.cache_of(request.disk as usize));
        let keys = self.key(disk, request.lbn)..self.key(disk, request.lbn) + request.blocks;
        match request.operation {
            Operation::Flush => self.answered = self.now,
            Operation::Discard => {
                for key in keys {
                    self.caches[cache].read.retain(|&other| other != key);
                    if self.caches[cache].held.contains_key(&key) {
                        self.free(cache, key);
                    }
                }
                self.note(cache);
                self.answered = self.now;
                self.resume(cache);
            }
            Operation::Read => self.read(disk, cache, request),
            Operation::ForcedWrite if self.settings.forced == Forced::Through => {
                self.unanswered += 1;
                self.enqueue(disk, Purpose::Through, request.lbn, request.blocks);
            }
            Operation::Write | Operation::ForcedWrite
                if request.blocks > self.caches[cache].capacity as u64 =>
            {
                self.unanswered += 1;
                self.enqueue(disk, Purpose::Through, request.lbn, request.blocks);
            }
            Operation::Write | Operation::ForcedWrite => {
                self.unanswered += 1;
                let is_first = self.caches[cache].stalled.is_empty();
                let write =
                    Write { first: keys.start, end: keys.end, stamp: self.requests, arrival: self.now };
                match self.enter(cache, write, is_first) {
                    None => self.answer(1, self.now),
                    Some(rest) => {
                        self.count("stalled_writes", 1);
                        self.caches[cache].stalled.push_back(rest);
                        if is_first {
                            self.enqueue_purge(cache);
                        }
                    }
                }
            }
        }
        self.adapt(request);
        self.start_all();
    }

    fn read(&mut self, disk: usize, cache: usize, request: &Request) {
        let mut missed = false;
        for key in self.key(disk, request.lbn)..self.key(disk, request.lbn) + request.blocks {
            let in_read = self.caches[cache].read.contains(&key);
            self.caches[cache].touch_read(key, false);
            self.touch(cache, key);
            match self.caches[cache].held.get(&key) {
                Some(held) if self.is_single() && held.state == State::Clean => {
                    self.count("read_cache_hits", 1)
                }
                Some(_) => self.count("write_cache_hits", 1),
                None if in_read => self.count("read_cache_hits", 1),
                None => missed = true,
            }
        }
        self.unanswered += 1;
        if missed {
            self.enqueue(disk, Purpose::Read, request.lbn, request.blocks);
        } else {
            self.answer(0, self.now);
        }
    }

    /// The number of blocks of a write that are not dirty in the cache.
    pub(super) fn needed(&self, cache: usize, write: Write) -> u64 {
        let is_dirty = |key: &u64| {
            let held = self.caches[cache].held.get(key);
            held.is_some_and(|held| held.state != State::Clean)
        };
        (write.first..write.end).filter(|key| !is_dirty(key)).count() as u64
    }

    /// Enter a write's blocks, if allowed; returns those that did not enter.
    fn enter(&mut self, cache: usize, write: Write, is_first: bool) -> Option<Write> {
        let needed = self.needed(cache, write);
        if self.settings.admission == Admission::Whole
            && needed > 0
            && (!is_first || needed > self.caches[cache].room())
        {
            return Some(write);
        }
        for key in write.first..write.end {
            if let Some(held) = self.caches[cache].held.get(&key) {
                if held.state == State::Clean {
                    self.caches[cache].available.retain(|&one| one != Some(key));
                }
                self.touch(cache, key);
            } else if self.room(cache) {
                self.hold(cache, key);
            } else {
                self.note(cache);
                return Some(Write { first: key, ..write });
            }
            self.mark_dirty(cache, key, write.stamp);
            self.affect_read_cache(cache, key);
            self.note(cache);
        }
        None
    }

    pub(super) fn answer(&mut self, kind: usize, arrival: i64) {
        self.responses[kind].push(self.now - arrival);
        self.unanswered -= 1;
        self.answered = self.now;
    }

    pub(super) fn resume(&mut self, cache: usize) {
        while let Some(write) = self.caches[cache].stalled.pop_front() {
            if let Some(rest) = self.enter(cache, write, true) {
                self.caches[cache].stalled.push_front(rest);
                return self.enqueue_purge(cache);
            }
            self.count("wait", self.now - write.arrival);
            self.answer(1, write.arrival);
        }
    }
}
