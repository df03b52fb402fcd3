//! The queue of a disk, and the selection of the next operation.

use super::settings::Scheduler;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Read,
    /// A write-through.
    WriteThrough,
    /// An immediate purge, for which a write waits.
    Purge,
}

#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    pub purpose: Purpose,
    pub lbn: u64,
    pub blocks: u64,
    /// The request's number.
    pub stamp: u64,
    pub arrival_ns: i64,
    /// The disk's total time of writes at arrival.
    pub writing_before_ns: i64,
}

#[derive(Debug)]
pub struct Queue {
    waiting: VecDeque<Waiting>,
    scheduler: Scheduler,
    upwards: bool,
}

impl Queue {
    pub fn new(scheduler: Scheduler) -> Self {
        Queue { waiting: VecDeque::new(), scheduler, upwards: true }
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether the order depends on where an immediate purge would move the arm.
    pub fn places_a_purge(&self) -> bool {
        self.scheduler != Scheduler::Fifo && self.waiting.iter().any(|one| one.purpose == Purpose::Purge)
    }

    pub fn push(&mut self, waiting: Waiting) {
        self.waiting.push_back(waiting);
    }

    /// Take the next one. `cylinder_of` is the cylinder to which one would move the arm, `positioned_ns` the time at
    /// which it would begin; among equals the first arrival is next.
    pub fn pop(
        &mut self,
        arm: u32,
        cylinder_of: impl Fn(&Waiting) -> u32,
        positioned_ns: impl FnMut(&Waiting) -> i64,
    ) -> Option<Waiting> {
        if self.waiting.len() < 2 {
            let only = self.waiting.pop_front()?;
            self.note_direction(arm, cylinder_of(&only));
            return Some(only);
        }
        let cylinders = || self.waiting.iter().map(&cylinder_of);
        let least = |keys: &mut dyn Iterator<Item = (bool, i64)>| {
            keys.enumerate().min_by_key(|&(_, key)| key).map_or(0, |(at, _)| at)
        };
        let distance = |cylinder: u32| i64::from(cylinder.abs_diff(arm));
        let at = match self.scheduler {
            Scheduler::Fifo => 0,
            Scheduler::Sstf => least(&mut cylinders().map(|to| (false, distance(to)))),
            Scheduler::Sptf => {
                let starts = self.waiting.iter().map(positioned_ns);
                least(&mut starts.map(|start| (false, start)))
            }
            Scheduler::CLook => least(&mut cylinders().map(|to| (to < arm, i64::from(to)))),
            Scheduler::Look => {
                let upwards = self.upwards;
                let behind = move |to: u32| if upwards { to < arm } else { to > arm };
                least(&mut cylinders().map(|to| (behind(to), distance(to))))
            }
        };
        let chosen = self.waiting.remove(at)?;
        self.note_direction(arm, cylinder_of(&chosen));
        Some(chosen)
    }

    fn note_direction(&mut self, arm: u32, to: u32) {
        if to != arm {
            self.upwards = to > arm;
        }
    }
}
