//! The steps of a job outside its node: the stages of the cost model, each on its resource.

use super::clock::{Clock, Server};
use super::event::{Event, Step};
use super::job::{Job, Owner};
use super::machine::CacheId;
use super::settings::GlobalWrites;
use super::transfer::Operation;

impl Clock {
    /// A step of a job has ended: start the next one.
    pub(super) fn step(&mut self, number: u32, step: Step) {
        match step {
            Step::Begun => self.launch(number),
            Step::GlobalAsked => self.arrived_globally(number),
            Step::GlobalLookedUp => self.looked_up(number),
            Step::DaemonsBefore(daemon) => self.daemons_in_turn(number, daemon),
            Step::MessagesSent => self.messages_sent(number),
            Step::ForwardMade => self.forward_made(number),
            Step::Forwarded => {
                self.written_ns = self.now_ns();
                self.jobs.give_back(number);
            }
            Step::MissedCame => {
                let transfer = &mut self.jobs.get(number).transfer;
                self.machine.fill_globally(transfer);
                self.machine.fetches.end_global(transfer);
                self.came_globally(number);
                self.release_global_followers(number);
            }
            Step::DaemonsAsked => self.daemons_in_parallel(number),
            Step::DaemonsServed => {
                let transfer = &mut self.jobs.get(number).transfer;
                self.machine.read_round(transfer);
                let bytes = transfer.bypass_shares.bytes();
                self.over_node_link(number, bytes, Step::Branch);
            }
            Step::WrittenBypassing => {
                let transfer = &mut self.jobs.get(number).transfer;
                self.machine.write_round(transfer);
                self.tell_others(number, Step::Branch);
            }
            Step::WrittenOn => self.tell_others(number, Step::GlobalAnswered),
            Step::WrittenBack => self.written_back(number),
            Step::GlobalAnswered => {
                self.answered_globally(number);
                self.end_branch(number);
            }
            Step::Branch => self.end_branch(number),
            Step::Ended => self.finish(number),
        }
    }

    fn end_branch(&mut self, number: u32) {
        let job = self.jobs.get(number);
        job.open_branches -= 1;
        if job.open_branches == 0 {
            self.answered(number);
        }
    }

    /// Send a job's requests or data, through the global cache and bypassing it in parallel.
    pub(super) fn launch(&mut self, number: u32) {
        let job = self.jobs.get(number);
        let transfer = &job.transfer;
        let (asks, bypasses) = (transfer.asks_global(), transfer.bypasses());
        job.open_branches = u32::from(asks) + u32::from(bypasses);
        let is_write = transfer.is_write();
        let (through, bypass) = (transfer.through_bytes, transfer.bypass_shares.bytes());
        let written = |bytes| if is_write { bytes } else { 0 };
        if !(asks || bypasses) {
            // all missing blocks are being fetched by others
            self.gather(number);
            return;
        }
        if asks {
            self.over_node_link(number, written(through), Step::GlobalAsked);
        }
        if bypasses {
            let step = if is_write { Step::WrittenBypassing } else { Step::DaemonsAsked };
            self.over_node_link(number, written(bypass), step);
        }
    }

    /// The global cache has looked up a job's blocks, or received them.
    fn looked_up(&mut self, number: u32) {
        let job = self.jobs.get(number);
        if matches!(job.owner, Owner::Demotion(_)) {
            self.schedule_at(self.now_ns(), Event::Step(number, Step::GlobalAnswered));
            return;
        }
        let transfer = &mut job.transfer;
        if transfer.is_write() {
            self.write_globally(number);
            return;
        }
        self.machine.read_globally(transfer);
        if transfer.missed.is_empty() && transfer.awaited_globally.is_empty() {
            self.reply(number);
            return;
        }
        self.note_global_fetches(number);
        let transfer = &self.jobs.get(number).transfer;
        if transfer.missed.is_empty() {
            return;
        }
        let messages = transfer.missed_shares.messages();
        let asked_ns = self.messages_of_server(number, messages);
        self.schedule_at(asked_ns, Event::Step(number, Step::DaemonsBefore(0)));
    }

    /// Make messages on the processor of a job's global cache; return when they are made.
    pub(super) fn messages_of_server(&mut self, number: u32, count: u64) -> i64 {
        let (now_ns, service_ns) = (self.now_ns(), self.costs.messages_ns(count));
        self.server(number).queue.serve(now_ns, service_ns)
    }

    /// Return a job that sends bytes of a write on after the write has been answered.
    fn forward(&mut self, number: u32, bytes: u64) -> u32 {
        let transfer = &self.jobs.get(number).transfer;
        let (file, cell) = (transfer.file, transfer.cell);
        let sender = self.jobs.take(Job { bytes, ..Job::new(Owner::Forward, 0) });
        let daemons = self.machine.settings.daemons;
        self.jobs.get(sender).transfer.begin(0, 0, file, cell, daemons);
        sender
    }

    /// The global cache has made the messages of a write that it sends on.
    fn forward_made(&mut self, number: u32) {
        let job = self.jobs.get(number);
        let is_answered = matches!(job.owner, Owner::Forward);
        let bytes = if is_answered { job.bytes } else { job.transfer.missed_shares.bytes() };
        let step = if is_answered { Step::Forwarded } else { Step::WrittenOn };
        self.over_server_link(number, bytes, step);
    }

    /// The global cache has received a write: it sends on what it does not keep.
    fn write_globally(&mut self, number: u32) {
        let transfer = &mut self.jobs.get(number).transfer;
        self.machine.write_globally(transfer);
        let (messages, bytes) = (transfer.missed_shares.messages(), transfer.missed_shares.bytes());
        let is_through = self.machine.settings.global_writes == GlobalWrites::Through;
        let is_answered = messages == 0 || (is_through && transfer.operation != Operation::SyncWrite);
        let now_ns = self.now_ns();
        if messages > 0 {
            let sender = if is_answered { self.forward(number, bytes) } else { number };
            let made_ns = self.messages_of_server(number, messages);
            self.schedule_at(made_ns, Event::Step(sender, Step::ForwardMade));
        }
        if is_answered {
            self.schedule_at(now_ns, Event::Step(number, Step::GlobalAnswered));
        }
        let cache = self.global_number(number);
        self.note_dirty(CacheId::Global(cache));
    }

    /// The global cache sends the requested blocks to a node.
    pub(super) fn reply(&mut self, number: u32) {
        let bytes = self.jobs.get(number).transfer.through_bytes;
        self.over_node_link(number, bytes, Step::GlobalAnswered);
    }

    /// The global cache collects the blocks from one daemon after the other (section 3.3).
    fn daemons_in_turn(&mut self, number: u32, from: u32) {
        let shares = &self.jobs.get(number).transfer.missed_shares;
        let next = (from as usize..shares.0.len()).find(|&daemon| shares.0[daemon] > 0);
        let bytes = shares.bytes();
        let Some(daemon) = next else {
            self.over_server_link(number, bytes, Step::MissedCame);
            return;
        };
        let part = shares.0[daemon];
        let cell = self.jobs.get(number).transfer.cell;
        let ends_ns = self.list_at(daemon, part, cell);
        let step = Step::DaemonsBefore(daemon as u32 + 1);
        self.schedule_at(ends_ns, Event::Step(number, step));
    }

    fn daemons_in_parallel(&mut self, number: u32) {
        let transfer = &mut self.jobs.get(number).transfer;
        let shares = std::mem::take(&mut transfer.bypass_shares);
        let (cell, is_list) = (transfer.cell, transfer.is_looked_up);
        let bytes = shares.bytes();
        let mut ends_ns = self.now_ns();
        for (daemon, &part) in shares.0.iter().enumerate() {
            let read_ns = match is_list {
                true if part > 0 => self.list_at(daemon, part, cell),
                true => continue,
                false => self.stream_at(daemon, part, bytes),
            };
            // daemons that are not asked read ahead for the requests that follow
            ends_ns = if part > 0 { ends_ns.max(read_ns) } else { ends_ns };
        }
        self.jobs.get(number).transfer.bypass_shares = shares;
        self.schedule_at(ends_ns, Event::Step(number, Step::DaemonsServed));
    }

    /// Queue for a daemon's disk, to read its part of a list of blocks.
    fn list_at(&mut self, daemon: usize, part: u64, cell: u32) -> i64 {
        let now_ns = self.now_ns();
        let is_without_disk = self.costs.is_read_ahead(part);
        self.machine.tally(cell).daemon_reads_without_disk += u64::from(is_without_disk);
        self.disks[daemon].serve(now_ns, self.costs.list_ns(part))
    }

    /// Queue for a daemon and then for its disk, which reads its share of a stream; since nothing else uses the disk,
    /// both times are known immediately.
    fn stream_at(&mut self, daemon: usize, part: u64, bytes: u64) -> i64 {
        let (now_ns, daemons) = (self.now_ns(), self.machine.settings.daemons);
        let asked_ns = self.daemons[daemon].serve(now_ns, self.costs.stream_daemon_ns(part));
        self.disks[daemon].serve(asked_ns, self.costs.stream_disk_ns(bytes, daemons))
    }

    /// A `sync_write` has arrived at the daemons: invalidate the copies of other nodes.
    fn tell_others(&mut self, number: u32, next: Step) {
        let transfer = &mut self.jobs.get(number).transfer;
        let count = std::mem::take(&mut transfer.invalidations);
        let daemon = transfer.bypass_shares.0.iter().position(|&part| part > 0);
        let told_ns = match (next, daemon) {
            (Step::Branch, Some(daemon)) => {
                let (now_ns, service_ns) = (self.now_ns(), self.costs.messages_ns(count));
                self.daemons[daemon].serve(now_ns, service_ns)
            }
            _ => self.messages_of_server(number, count),
        };
        self.schedule_at(told_ns, Event::Step(number, next));
    }

    pub(super) fn server(&mut self, number: u32) -> &mut Server {
        let key = self.server_key(number);
        self.servers.entry(key).or_default()
    }

    pub(super) fn server_key(&mut self, number: u32) -> u32 {
        let file = self.jobs.get(number).transfer.file;
        match self.machine.settings.global_servers {
            0 => file,
            servers => file % servers,
        }
    }
}
