//! One link: senders share it in turn, a block at a time, as the frames of several senders alternate. A message of many
//! blocks delays a short one by a few blocks, not by all of them.

use super::event::Step;
use super::resources::Resource;
use std::collections::VecDeque;

/// Data on their way over a link: a job, and its step when they have arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    pub job: u32,
    pub step: Step,
    since_ns: i64,
    service_ns: i64,
    left_ns: i64,
}

impl Flow {
    /// Data sent at a time, which take this long alone.
    pub fn new(job: u32, step: Step, now_ns: i64, service_ns: i64) -> Self {
        Flow { job, step, since_ns: now_ns, service_ns, left_ns: service_ns }
    }
}

/// One link: the flow whose turn it is, and the others.
#[derive(Clone, Debug, Default)]
pub(super) struct Link {
    current: Option<Flow>,
    turn_ends_ns: i64,
    others: VecDeque<Flow>,
    busy_ns: i64,
    waited_ns: i128,
    served: u64,
}

impl Link {
    /// Its times so far, and its busy time up to now.
    pub fn times(&self, now_ns: i64) -> (Resource, i64) {
        let rest_ns = if self.current.is_some() { self.turn_ends_ns - now_ns } else { 0 };
        (Resource::of(self.busy_ns, self.waited_ns, self.served), self.busy_ns - rest_ns)
    }

    /// Add data that come after the others in turn; return whether the link was idle.
    pub fn send(&mut self, flow: Flow) -> bool {
        self.others.push_back(flow);
        self.current.is_none()
    }

    /// Begin the next turn; return how long it is.
    pub fn turn(&mut self, now_ns: i64, most_ns: i64) -> Option<i64> {
        let mut flow = self.others.pop_front()?;
        let turn_ns = most_ns.min(flow.left_ns);
        flow.left_ns -= turn_ns;
        self.busy_ns = self.busy_ns.saturating_add(turn_ns);
        self.turn_ends_ns = now_ns.saturating_add(turn_ns);
        self.current = Some(flow);
        Some(turn_ns)
    }

    /// End a turn; return the flow if all of its data have arrived.
    pub fn end_turn(&mut self, now_ns: i64) -> Option<Flow> {
        let flow = self.current.take()?;
        if flow.left_ns > 0 {
            self.others.push_back(flow);
            return None;
        }
        self.waited_ns += i128::from(now_ns - flow.since_ns - flow.service_ns);
        self.served += 1;
        Some(flow)
    }
}
