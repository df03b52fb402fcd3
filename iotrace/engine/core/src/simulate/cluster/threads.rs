//! The threads of the global caches: each handles one request from its arrival to the reply.

use super::clock::Clock;
use super::event::{Event, Step};

impl Clock {
    /// A request has arrived at the global cache: a thread looks up its blocks, or it waits for one.
    pub(super) fn arrived_globally(&mut self, number: u32) {
        let cache = self.global_number(number);
        if self.threads.take(cache, number) {
            self.look_up_globally(number);
        }
    }

    /// The global cache has answered a request: its thread takes the next one.
    pub(super) fn answered_globally(&mut self, number: u32) {
        let cache = self.global_number(number);
        if let Some(next) = self.threads.give_back(cache) {
            self.look_up_globally(next);
        }
    }

    fn look_up_globally(&mut self, number: u32) {
        let (service_ns, now_ns) = (self.costs.look_up_ns(), self.now_ns());
        let ends_ns = self.server(number).queue.serve(now_ns, service_ns);
        self.schedule_at(ends_ns, Event::Step(number, Step::GlobalLookedUp));
    }

    pub(super) fn global_number(&mut self, number: u32) -> u32 {
        let file = self.jobs.get(number).transfer.file;
        self.machine.settings.global_number(file)
    }
}
