//! The medium of the hub, and links: what is sent over which, and in turns of how much.

use super::clock::Clock;
use super::event::{Event, Step};
use super::link::{Flow, Link};
use super::resources::{LinkId, Network};

/// The bytes that a sender sends in its turn.
const TURN_BYTES: u64 = 4096;

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
        if self.link(id).send(Flow::new(job, step, now_ns, service_ns)) {
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
