//! Flushers and harvesters with a clock: a flusher wakes at the end of its period, a harvester when it has found dirty
//! blocks; each sends one message at a time.

use super::clock::{Clock, Event, Step};
use super::job::{Job, Owner};
use super::machine::CacheId;

/// What flushers and harvesters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Worker {
    Flusher,
    Harvester,
}

impl Clock {
    /// Wake a cache's flusher at the end of the period, if it is neither scheduled nor running.
    pub(super) fn note_dirty(&mut self, id: CacheId) {
        if self.due.contains(&id) || self.busy.contains(&(id, Worker::Flusher)) || !self.machine.has_dirty(id)
        {
            return;
        }
        self.due.insert(id);
        let period_ns = i64::try_from(self.machine.settings.flusher_period).unwrap_or(i64::MAX);
        let delay_ns = match period_ns {
            0 => 0,
            period_ns => period_ns - self.now_ns() % period_ns,
        };
        self.events.schedule(delay_ns, Event::Flush(id));
    }

    /// The period of a cache's flusher is over.
    pub(super) fn flush(&mut self, id: CacheId) {
        self.due.remove(&id);
        self.wake(id, Worker::Flusher);
    }

    /// Wake the harvesters that have found dirty blocks.
    pub(super) fn harvest(&mut self) {
        while let Some(id) = self.machine.take_harvests() {
            self.wake(id, Worker::Harvester);
        }
    }

    fn wake(&mut self, id: CacheId, worker: Worker) {
        if self.busy.insert((id, worker)) {
            self.write_on(id, worker);
        }
    }

    /// Send the next message of a flusher or harvester; it sleeps if there is none.
    fn write_on(&mut self, id: CacheId, worker: Worker) {
        let number = self.jobs.take(Job::new(Owner::Worker(id, worker), 0));
        let transfer = &mut self.jobs.get(number).transfer;
        let is_any = match worker {
            Worker::Flusher => self.machine.flush(id, transfer),
            Worker::Harvester => self.machine.harvest(id, transfer),
        };
        if !is_any {
            self.jobs.give_back(number);
            self.busy.remove(&(id, worker));
            return;
        }
        let messages = transfer.messages();
        match id {
            CacheId::Node(_) => self.send_messages(number, messages),
            CacheId::Global(_) => {
                let made_ns = self.messages_of_server(number, messages);
                self.schedule_at(made_ns, Event::Step(number, Step::MessagesSent));
            }
        }
    }

    /// Make messages on the processor of a job's node.
    pub(super) fn send_messages(&mut self, number: u32, count: u64) {
        let node = self.jobs.get(number).transfer.node;
        let (now_ns, service_ns) = (self.now_ns(), self.costs.messages_ns(count));
        let made_ns = self.nodes[node as usize].serve(now_ns, service_ns);
        self.schedule_at(made_ns, Event::Step(number, Step::MessagesSent));
    }

    /// The messages have been made: the data follow.
    pub(super) fn messages_sent(&mut self, number: u32) {
        let job = self.jobs.get(number);
        let node = job.transfer.node;
        let (bytes, demoted) = (job.transfer.round_shares.bytes(), job.transfer.through_bytes);
        let (came_ns, step) = match job.owner {
            Owner::Worker(CacheId::Global(_), _) => {
                let service_ns = self.costs.network_ns(bytes);
                (self.over_server_link(number, service_ns), Step::WrittenBack)
            }
            Owner::Demotion(_) => {
                let service_ns = self.costs.network_ns(demoted);
                (self.over_node_link(node, service_ns), Step::GlobalAsked)
            }
            _ => {
                self.launch(number);
                return;
            }
        };
        self.schedule_at(came_ns, Event::Step(number, step));
    }

    /// The daemons have what a global cache wrote back.
    pub(super) fn written_back(&mut self, number: u32) {
        self.machine.write_back(&self.jobs.get(number).transfer);
        self.gather_written(number);
    }

    /// A message of a flusher or harvester has been answered: it sends the next one.
    pub(super) fn gather_written(&mut self, number: u32) {
        let job = self.jobs.get(number);
        if let Owner::Worker(id, worker) = job.owner {
            self.machine.end_writes(id, &job.transfer);
            self.jobs.give_back(number);
            self.demote();
            self.write_on(id, worker);
        }
    }
}
