//! Lines of perf trace in the order of time.

use super::calls::{Entry, Outcome};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A part of a log.
#[derive(Debug)]
pub(super) struct Step {
    pub time_ns: i64,
    /// The number of its line, from 1.
    pub line: u64,
    pub what: What,
}

/// What happens then.
#[derive(Debug)]
pub(super) enum What {
    /// A call is issued, and returns later.
    Issued(Entry),
    /// A call is issued and returns.
    Whole(Entry, Outcome),
    /// A call returns whose entry is elsewhere.
    Returned(Box<[u8]>, Outcome),
    /// This number of records was lost.
    Lost(i64),
    /// The return of the thread's last call, which was held, is due.
    Due,
}

/// Steps of threads, each of which has its own in order.
///
/// perf trace reads the buffers of processors one after the other, so that lines of different threads may be out of
/// order. A call that others interrupted is at its beginning here, not where its return is printed.
#[derive(Debug, Default)]
pub(super) struct Queue {
    threads: FxHashMap<i32, VecDeque<Step>>,
    /// The time of each thread's next step.
    heads: BinaryHeap<Reverse<(i64, i32)>>,
    length: usize,
    /// Steps with the same time as another thread's next.
    pub ties: u64,
}

impl Queue {
    /// How many steps there are.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Add a thread's next step.
    pub fn push(&mut self, thread: i32, step: Step) {
        let steps = self.threads.entry(thread).or_default();
        if steps.is_empty() {
            self.heads.push(Reverse((step.time_ns, thread)));
        }
        steps.push_back(step);
        self.length += 1;
    }

    /// Take the earliest step, with its thread and the time of another thread's next; [`Queue::proceed`] follows.
    pub fn pop(&mut self) -> Option<(i32, Step, Option<i64>)> {
        let Reverse((time_ns, thread)) = self.heads.pop()?;
        let step = self.threads.get_mut(&thread)?.pop_front()?;
        self.length -= 1;
        let others_ns = self.heads.peek().map(|Reverse((others_ns, _))| *others_ns);
        self.ties += u64::from(others_ns == Some(time_ns));
        Some((thread, step, others_ns))
    }

    /// Go on with a thread, after a step was taken whose return is due later if so.
    pub fn proceed(&mut self, thread: i32, due_ns: Option<i64>, line: u64) {
        let Some(steps) = self.threads.get_mut(&thread) else { return };
        if let Some(time_ns) = due_ns {
            steps.push_front(Step { time_ns, line, what: What::Due });
            self.length += 1;
        }
        match steps.front() {
            Some(step) => self.heads.push(Reverse((step.time_ns, thread))),
            None => drop(self.threads.remove(&thread)),
        }
    }
}
