//! Flushers and harvesters with a clock: a flusher wakes at the end of its period, a harvester when it has found dirty
//! blocks; each sends one message at a time.

use super::clock::Clock;
use super::event::{Event, Step};
use super::job::{Job, Owner, Worker};
use super::machine::CacheId;
use std::collections::hash_map::Entry;

impl Clock {
    /// Wake a cache's flusher at the end of the period, if it is neither scheduled nor running.
    pub(super) fn note_dirty(&mut self, id: CacheId) {
        let is_awake = self.due.contains(&id) || self.busy.contains_key(&(id, Worker::Flusher));
        if is_awake || self.machine.dirty_blocks(id) == 0 {
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

    /// The period of a cache's flusher is over: it writes the blocks that are dirty now. What is written meanwhile waits
    /// for the next period.
    pub(super) fn flush(&mut self, id: CacheId) {
        self.due.remove(&id);
        let dirty = self.machine.dirty_blocks(id);
        self.wake(id, Worker::Flusher, dirty);
    }

    /// Wake the harvesters that have found dirty blocks.
    pub(super) fn harvest(&mut self) {
        while let Some(id) = self.machine.take_harvests() {
            self.wake(id, Worker::Harvester, u32::MAX);
        }
    }

    fn wake(&mut self, id: CacheId, worker: Worker, blocks: u32) {
        if let Entry::Vacant(entry) = self.busy.entry((id, worker)) {
            entry.insert(blocks);
            self.write_on(id, worker);
        }
    }

    /// Send the next message of a flusher or harvester; it sleeps if there is none.
    fn write_on(&mut self, id: CacheId, worker: Worker) {
        let number = self.jobs.take(Job::new(Owner::Worker(id, worker), 0));
        let transfer = &mut self.jobs.get(number).transfer;
        let left = self.busy.entry((id, worker)).or_default();
        let begun = match worker {
            Worker::Flusher => self.machine.flush(id, *left, transfer),
            Worker::Harvester => self.machine.harvest(id, transfer),
        };
        *left = left.saturating_sub(begun);
        if begun == 0 {
            self.jobs.give_back(number);
            self.busy.remove(&(id, worker));
            self.note_dirty(id);
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
        let (bytes, demoted) = (job.transfer.bypass_shares.bytes(), job.transfer.through_bytes);
        match job.owner {
            Owner::Worker(CacheId::Global(_), _) => self.over_server_link(number, bytes, Step::WrittenBack),
            Owner::Demotion(_) => self.over_node_link(number, demoted, Step::GlobalAsked),
            _ => self.launch(number),
        }
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
            self.written_ns = self.events.now_ns();
            self.jobs.give_back(number);
            self.demote();
            self.write_on(id, worker);
        }
    }
}
