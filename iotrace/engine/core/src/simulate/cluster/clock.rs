//! A machine with a clock: processes send requests, wait and compute; they queue for shared resources.

use super::costs::Components;
use super::event::{Event, Step};
use super::job::{Job, Jobs, MetadataRequest, Owner, Worker};
use super::link::Link;
use super::log::{Entry, Log};
use super::machine::{CacheId, Machine};
use super::program::{Process, ProgramRow};
use super::resources::{Network, Resource};
use super::settings::Admission;
use super::thread_pool::Threads;
use super::transfer::Operation;
use crate::error::Error;
use crate::simulate::events::Events;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

/// The global cache of some files: its queue, and its link if nodes have separate links.
#[derive(Clone, Debug, Default)]
pub(super) struct Server {
    pub queue: Resource,
    pub link: Link,
}

/// The times of a run, and the busy times of resources.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// When the last process ended, and when the last dirty block was written.
    pub execution_ns: i64,
    pub drained_ns: i64,
    /// Kind, number, resource, its busy time until the last process ended.
    pub resources: Vec<(&'static str, u32, Resource, i64)>,
    /// By process: the time of its end.
    pub ended_ns: Vec<i64>,
}

/// Processes on a machine.
#[derive(Debug)]
pub struct Clock {
    pub machine: Machine,
    pub log: Log,
    pub(super) costs: Components,
    pub(super) network: Network,
    pub(super) events: Events<Event>,
    pub(super) jobs: Jobs,
    pub(super) processes: Vec<Process>,
    own: Vec<VecDeque<ProgramRow>>,
    shared: Vec<VecDeque<ProgramRow>>,
    ended_ns: Vec<i64>,
    live: usize,
    at_end: Vec<(&'static str, u32, Resource, i64)>,
    execution_ns: i64,
    /// When the last write of a flusher, harvester or global cache arrived.
    pub(super) written_ns: i64,
    pub(super) nodes: Vec<Resource>,
    pub(super) links: Vec<Link>,
    pub(super) servers: FxHashMap<u32, Server>,
    pub(super) threads: Threads,
    pub(super) daemons: Vec<Resource>,
    pub(super) disks: Vec<Resource>,
    pub(super) metadata_server: Resource,
    /// By process: the open or close that it waits for.
    pub(super) metadata_requests: Vec<MetadataRequest>,
    /// Caches whose flusher is scheduled, and the flushers and harvesters at work, with the blocks that they may still
    /// write.
    pub(super) due: FxHashSet<CacheId>,
    pub(super) busy: FxHashMap<(CacheId, Worker), u32>,
}

impl Clock {
    pub fn new(machine: Machine, processes: Vec<Process>, costs: Components, network: Network) -> Self {
        let nodes = machine.settings.nodes as usize;
        let daemons = machine.settings.daemons as usize;
        let links = match network {
            Network::Hub => 1,
            Network::Switch => nodes,
        };
        let threads = Threads::new(machine.settings.global_threads);
        let applications = processes.iter().map(|one| one.application as usize + 1);
        Clock {
            log: Log::new(machine.settings.keeps_log),
            machine,
            costs,
            network,
            events: Events::default(),
            jobs: Jobs::default(),
            own: vec![VecDeque::new(); processes.len()],
            shared: vec![VecDeque::new(); applications.max().unwrap_or(0)],
            ended_ns: vec![0; processes.len()],
            metadata_requests: vec![MetadataRequest::default(); processes.len()],
            live: processes.len(),
            processes,
            at_end: Vec::new(),
            execution_ns: 0,
            written_ns: 0,
            nodes: vec![Resource::default(); nodes],
            links: vec![Link::default(); links],
            servers: FxHashMap::default(),
            daemons: vec![Resource::default(); daemons],
            disks: vec![Resource::default(); daemons],
            metadata_server: Resource::default(),
            threads,
            due: FxHashSet::default(),
            busy: FxHashMap::default(),
        }
    }

    /// Store a row for the process that executes it; false if its application has no process.
    pub fn take(&mut self, row: ProgramRow) -> bool {
        let list = match row.process {
            Some(process) => self.own.get_mut(process as usize),
            None => self.shared.get_mut(row.application as usize),
        };
        list.map(|list| list.push_back(row)).is_some()
    }

    /// Run all processes to completion, and until no block is dirty.
    pub fn run(&mut self, stops: &AtomicBool) -> Result<(), Error> {
        for id in self.machine.cache_ids() {
            self.note_dirty(id);
        }
        for process in 0..self.processes.len() as u32 {
            self.events.schedule(0, Event::Process(process));
        }
        while let Some(event) = self.events.advance() {
            if stops.load(Ordering::Relaxed) {
                return Err(Error::stopped());
            }
            if self.events.now_ns() == i64::MAX {
                return Err(Error::of("the simulated time is 2^63 ns or more"));
            }
            match event {
                Event::Process(process) => self.go_on(process),
                Event::Flush(id) => self.flush(id),
                Event::Step(job, step) => self.step(job, step),
                Event::Turn(link) => self.end_turn(link),
                Event::Metadata(process, passed) => self.ask_on(process, passed),
            }
            self.harvest();
        }
        Ok(())
    }

    pub(super) fn now_ns(&self) -> i64 {
        self.events.now_ns()
    }

    pub(super) fn schedule_at(&mut self, at_ns: i64, event: Event) {
        let delay_ns = at_ns - self.now_ns();
        self.events.schedule(delay_ns, event);
    }

    /// Start the next row of a process: one assigned to it, else one for any process of its application.
    fn go_on(&mut self, process: u32) {
        let Process { application, node } = self.processes[process as usize];
        loop {
            let own = self.own[process as usize].pop_front();
            let Some(row) = own.or_else(|| self.shared[application as usize].pop_front()) else {
                self.end(process);
                return;
            };
            let key = (application, node, row.phase, row.file);
            let cell = self.machine.cell(key);
            let compute_ns = row.compute_ns;
            self.machine.tally(cell).compute_ns += compute_ns as u64;
            if row.is_metadata {
                self.ask_metadata(process, cell, compute_ns);
                return;
            }
            if row.operation.is_some() {
                self.begin(&row, process, node, cell);
                return;
            }
            if compute_ns > 0 {
                self.events.schedule(compute_ns, Event::Process(process));
                return;
            }
        }
    }

    fn end(&mut self, process: u32) {
        let now_ns = self.now_ns();
        self.ended_ns[process as usize] = now_ns;
        self.live -= 1;
        if self.live == 0 {
            self.execution_ns = now_ns;
            self.at_end = self.resources(now_ns);
        }
    }

    fn resources(&self, at_ns: i64) -> Vec<(&'static str, u32, Resource, i64)> {
        let servers = {
            let mut numbers: Vec<_> = self.servers.keys().copied().collect();
            numbers.sort_unstable();
            numbers
        };
        let of = |kind, all: &[Resource]| {
            let each = all.iter().enumerate();
            each.map(|(number, one)| (kind, number as u32, *one, one.busy_until_ns(at_ns)))
                .collect::<Vec<_>>()
        };
        let medium = match self.network {
            Network::Hub => "medium",
            Network::Switch => "node link",
        };
        let mut found = of("node", &self.nodes);
        for (number, link) in self.links.iter().enumerate() {
            let (resource, busy_ns) = link.times(at_ns);
            found.push((medium, number as u32, resource, busy_ns));
        }
        for number in servers {
            let Server { queue, link } = &self.servers[&number];
            found.push(("global server", number, *queue, queue.busy_until_ns(at_ns)));
            if self.network == Network::Switch {
                let (resource, busy_ns) = link.times(at_ns);
                found.push(("server link", number, resource, busy_ns));
            }
        }
        found.extend(of("daemon", &self.daemons));
        found.extend(of("disk", &self.disks));
        if self.metadata_server.served > 0 {
            found.extend(of("metadata server", &[self.metadata_server]));
        }
        found
    }

    pub fn times(&self) -> Times {
        Times {
            execution_ns: self.execution_ns,
            drained_ns: self.execution_ns.max(self.written_ns),
            resources: self.at_end.clone(),
            ended_ns: self.ended_ns.clone(),
        }
    }

    /// Begin a request: its caches are looked up immediately, then it queues for its node's processor.
    fn begin(&mut self, row: &ProgramRow, process: u32, node: u32, cell: u32) {
        let Some(request) = row.request(node) else {
            return;
        };
        let now_ns = self.now_ns();
        let owner = Owner::Process { process, row: row.number, compute_ns: row.compute_ns };
        let number = self.jobs.take(Job { bytes: request.length, ..Job::new(owner, now_ns) });
        let transfer = &mut self.jobs.get(number).transfer;
        match request.operation {
            Operation::Read => self.machine.read_locally(&request, cell, transfer),
            _ => self.machine.write_locally(&request, cell, transfer),
        }
        self.note_fetches(number);
        let transfer = &self.jobs.get(number).transfer;
        let before_ns = self.costs.before_ns(transfer.is_looked_up, transfer.messages());
        let stays = !transfer.sends() && transfer.awaited.is_empty();
        if transfer.is_write() {
            self.demote();
            self.note_dirty(CacheId::Node(node));
        }
        // a request served locally keeps the processor until its end
        let (service_ns, step) = match stays {
            true => (before_ns + self.after_ns(number), Step::Ended),
            false => (before_ns, Step::Begun),
        };
        let ends_ns = self.nodes[node as usize].serve(now_ns, service_ns);
        self.schedule_at(ends_ns, Event::Step(number, step));
    }

    /// The work of the node's processor at a request's end.
    fn after_ns(&mut self, number: u32) -> i64 {
        let daemons = self.machine.settings.daemons;
        let job = self.jobs.get(number);
        let transfer = &job.transfer;
        if !transfer.is_looked_up {
            return 0;
        }
        let is_read_hit = !transfer.sends() && !transfer.is_write();
        self.costs.after_ns(job.bytes, daemons, is_read_hit)
    }

    /// All messages of a job have been answered: the blocks read enter the node's cache.
    pub(super) fn answered(&mut self, number: u32) {
        let job = self.jobs.get(number);
        if job.transfer.is_write() || !matches!(job.owner, Owner::Process { .. }) {
            self.gather(number);
            return;
        }
        self.machine.arrive(&job.transfer);
        self.machine.fetches.end_local(number, &job.transfer);
        self.demote();
        self.gather(number);
        self.release_followers(number);
    }

    /// Continue a job if all blocks that it needs have arrived.
    pub(super) fn gather(&mut self, number: u32) {
        let job = self.jobs.get(number);
        if job.open_branches > 0 || job.open_waits > 0 {
            return;
        }
        let node = job.transfer.node;
        match job.owner {
            Owner::Process { .. } => {
                let after_ns = self.after_ns(number);
                let now_ns = self.now_ns();
                let ends_ns = self.nodes[node as usize].serve(now_ns, after_ns);
                self.schedule_at(ends_ns, Event::Step(number, Step::Ended));
            }
            Owner::Worker(..) => self.gather_written(number),
            Owner::Forward => {}
            Owner::Demotion(demotion) => {
                self.machine.demote(&demotion);
                self.jobs.give_back(number);
            }
        }
    }

    /// A request is answered: its process computes, and continues.
    pub(super) fn finish(&mut self, number: u32) {
        let now_ns = self.now_ns();
        let job = self.jobs.get(number);
        if let Owner::Process { process, row, compute_ns } = job.owner {
            let cell = job.transfer.cell;
            self.machine.write_returned(&job.transfer);
            self.machine.tally(cell).io_ns += (now_ns - job.begin_ns) as u64;
            self.log.push(Entry::of(row, &job.transfer, job.begin_ns, now_ns));
            self.events.schedule(compute_ns, Event::Process(process));
        }
        self.jobs.give_back(number);
    }

    /// Send the blocks demoted by local caches.
    pub(super) fn demote(&mut self) {
        if self.machine.settings.admission != Admission::Demoted {
            return;
        }
        for demotion in std::mem::take(&mut self.machine.demotions) {
            let number = self.jobs.take(Job::new(Owner::Demotion(demotion), 0));
            let transfer = &mut self.jobs.get(number).transfer;
            let daemons = self.machine.settings.daemons;
            transfer.begin(demotion.node, 0, demotion.file, demotion.cell, daemons);
            let bytes = u64::from(self.machine.settings.block_bytes);
            self.jobs.get(number).transfer.through_bytes = bytes;
            self.send_messages(number, 1);
        }
    }
}
