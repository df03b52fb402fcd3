//! The medium of the hub, and links: senders share one in turn, a block at a time, as the frames of several senders
//! alternate. A message of many blocks delays a short one by a few blocks, not by all of them.

use super::clock::{Clock, Event, Step};
use super::resources::{Network, Resource};
use std::collections::VecDeque;

/// The bytes that a sender sends in its turn.
const TURN_BYTES: u64 = 4096;

/// A link of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkId {
    /// The medium, or a node's link.
    Node(u32),
    /// The link of a server of the global cache.
    Server(u32),
}

/// Data on their way over a link: a job, and its step when they have arrived.
#[derive(Clone, Copy, Debug)]
struct Flow {
    job: u32,
    step: Step,
    since_ns: i64,
    service_ns: i64,
    left_ns: i64,
}

/// One link: the flow whose turn it is, and the others.
#[derive(Clone, Debug, Default)]
pub(super) struct Link {
    current: Option<Flow>,
    turn_ends_ns: i64,
    others: VecDeque<Flow>,
    busy_ns: i64,
    waited_ns: i64,
    served: u64,
}

impl Link {
    /// Its times so far, and its busy time up to now.
    pub fn times(&self, now_ns: i64) -> (Resource, i64) {
        let rest_ns = if self.current.is_some() { self.turn_ends_ns - now_ns } else { 0 };
        (Resource::of(self.busy_ns, self.waited_ns, self.served), self.busy_ns - rest_ns)
    }

    /// Begin the next turn; return how long it is.
    fn turn(&mut self, now_ns: i64, most_ns: i64) -> Option<i64> {
        let mut flow = self.others.pop_front()?;
        let turn_ns = most_ns.min(flow.left_ns);
        flow.left_ns -= turn_ns;
        self.busy_ns = self.busy_ns.saturating_add(turn_ns);
        self.turn_ends_ns = now_ns.saturating_add(turn_ns);
        self.current = Some(flow);
        Some(turn_ns)
    }

    /// End a turn; return the flow if all of its data have arrived.
    fn end_turn(&mut self, now_ns: i64) -> Option<Flow> {
        let flow = self.current.take()?;
        if flow.left_ns > 0 {
            self.others.push_back(flow);
            return None;
        }
        self.waited_ns = self.waited_ns.saturating_add(now_ns - flow.since_ns - flow.service_ns);
        self.served += 1;
        Some(flow)
    }
}

impl Clock {
    /// Send a job's data over the medium, or its node's link; the step follows when they have arrived.
    pub(super) fn over_node_link(&mut self, number: u32, bytes: u64, step: Step) {
        let node = self.jobs.get(number).transfer.node;
        let link = match self.network {
            Network::Hub => LinkId::Node(0),
            Network::Switch => LinkId::Node(node),
        };
        self.over(link, number, bytes, step);
    }

    /// The same between the global cache and the daemons.
    pub(super) fn over_server_link(&mut self, number: u32, bytes: u64, step: Step) {
        let link = match self.network {
            Network::Hub => LinkId::Node(0),
            Network::Switch => LinkId::Server(self.server_key(number)),
        };
        self.over(link, number, bytes, step);
    }

    fn over(&mut self, id: LinkId, job: u32, bytes: u64, step: Step) {
        let (now_ns, service_ns) = (self.now_ns(), self.costs.network_ns(bytes));
        if service_ns == 0 {
            self.schedule_at(now_ns, Event::Step(job, step));
            return;
        }
        let flow = Flow { job, step, since_ns: now_ns, service_ns, left_ns: service_ns };
        let link = self.link(id);
        link.others.push_back(flow);
        if link.current.is_none() {
            self.begin_turn(id);
        }
    }

    fn begin_turn(&mut self, id: LinkId) {
        let (now_ns, most_ns) = (self.now_ns(), self.costs.network_ns(TURN_BYTES).max(1));
        if let Some(turn_ns) = self.link(id).turn(now_ns, most_ns) {
            self.events.schedule(turn_ns, Event::Turn(id));
        }
    }

    /// A turn on a link has ended.
    pub(super) fn end_turn(&mut self, id: LinkId) {
        let now_ns = self.now_ns();
        let arrived = self.link(id).end_turn(now_ns);
        self.begin_turn(id);
        if let Some(flow) = arrived {
            self.step(flow.job, flow.step);
        }
    }

    fn link(&mut self, id: LinkId) -> &mut Link {
        match id {
            LinkId::Node(number) => &mut self.links[number as usize],
            LinkId::Server(key) => &mut self.servers.entry(key).or_default().link,
        }
    }
}
