//! A machine without a clock: each request completes before the next one begins, in the order of the rows.

use super::log::{Entry, Log};
use super::machine::{CacheId, Machine};
use super::program::{Process, ProgramRow};
use super::settings::Admission;
use super::transfer::{Operation, Request, Transfer};

/// Requests in sequence.
#[derive(Debug)]
pub struct Counting {
    pub machine: Machine,
    pub log: Log,
    processes: Vec<Process>,
    /// By application: the process that takes the next row assigned to no process.
    turns: Vec<usize>,
    transfer: Transfer,
    background: Transfer,
    requests: u64,
}

impl Counting {
    pub fn new(machine: Machine, processes: Vec<Process>) -> Self {
        Counting {
            log: Log::new(machine.settings.keeps_log),
            machine,
            processes,
            turns: Vec::new(),
            transfer: Transfer::default(),
            background: Transfer::default(),
            requests: 0,
        }
    }

    /// Execute a row; false if its application has no process.
    pub fn take(&mut self, row: &ProgramRow) -> bool {
        let Some(process) = row.process.or_else(|| self.next_process(row.application)) else {
            return false;
        };
        let node = self.processes[process as usize].node;
        let key = (row.application, node, row.phase, row.file);
        let cell = self.machine.cell(key);
        self.machine.tally(cell).compute_ns += row.compute_ns as u64;
        self.machine.tally(cell).metadata_requests += u64::from(row.is_metadata);
        if let Some(request) = row.request(node) {
            self.serve(&request, cell);
            self.log.push(Entry::of(row.number, &self.transfer, 0, 0));
            self.tick();
        }
        true
    }

    /// Have the rows so far only warm the caches: what is counted begins with the next.
    pub fn count_from_next(&mut self) {
        self.machine.count_from_next();
        self.log = Log::new(self.machine.settings.keeps_log);
    }

    fn next_process(&mut self, application: u32) -> Option<u32> {
        let index = application as usize;
        if index >= self.turns.len() {
            self.turns.resize(index + 1, 0);
        }
        let count = self.processes.len();
        let found = (0..count)
            .map(|step| (self.turns[index] + step) % count)
            .find(|&process| self.processes[process].application == application)?;
        self.turns[index] = (found + 1) % count;
        Some(found as u32)
    }

    fn serve(&mut self, request: &Request, cell: u32) {
        let (machine, transfer) = (&mut self.machine, &mut self.transfer);
        if request.operation == Operation::Read {
            machine.read_locally(request, cell, transfer);
            if transfer.asks_global() {
                machine.read_globally(transfer);
                machine.fill_globally(transfer);
            }
            if transfer.bypasses() {
                machine.read_round(transfer);
            }
            machine.arrive(transfer);
        } else {
            machine.write_locally(request, cell, transfer);
            send(machine, transfer);
            machine.write_returned(transfer);
        }
        self.demote();
        self.harvest();
    }

    /// Run the harvesters that have found dirty blocks.
    fn harvest(&mut self) {
        while let Some(id) = self.machine.take_harvests() {
            while self.machine.harvest(id, &mut self.background) > 0 {
                self.write(id);
            }
        }
    }

    /// A message of a flusher or harvester.
    fn write(&mut self, id: CacheId) {
        let (machine, transfer) = (&mut self.machine, &mut self.background);
        match id {
            CacheId::Node(_) => send(machine, transfer),
            CacheId::Global(_) => machine.write_back(transfer),
        }
        machine.end_writes(id, transfer);
        self.demote();
    }

    fn demote(&mut self) {
        if self.machine.settings.admission == Admission::Demoted {
            for demotion in std::mem::take(&mut self.machine.demotions) {
                self.machine.demote(&demotion);
            }
        }
    }

    /// Count a request; flush if the period is over.
    fn tick(&mut self) {
        self.requests += 1;
        let period = self.machine.settings.flusher_period.max(1);
        if self.requests % period == 0 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        for node in 0..self.machine.settings.nodes {
            self.flush_cache(CacheId::Node(node));
        }
        for number in self.machine.global_numbers() {
            self.flush_cache(CacheId::Global(number));
        }
    }

    fn flush_cache(&mut self, id: CacheId) {
        while self.machine.flush(id, u32::MAX, &mut self.background) > 0 {
            self.write(id);
            self.harvest();
        }
    }

    /// Write the remaining dirty blocks.
    pub fn finish(&mut self) {
        self.flush();
        self.demote();
        self.harvest();
    }
}

fn send(machine: &mut Machine, transfer: &mut Transfer) {
    if transfer.asks_global() {
        machine.write_globally(transfer);
    }
    if transfer.bypasses() {
        machine.write_round(transfer);
    }
}
