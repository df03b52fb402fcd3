//! Requests, flushes and demotions in progress, in reused slots.

use super::machine::{CacheId, Demotion};
use super::transfer::Transfer;

/// What flushers and harvesters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Worker {
    Flusher,
    Harvester,
}

/// The originator of a job.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner {
    Process {
        process: u32,
        row: u64,
        compute_ns: i64,
    },
    /// A flusher or harvester.
    Worker(CacheId, Worker),
    Demotion(Demotion),
    /// A global cache that sends on a write that it has answered.
    Forward,
}

/// A request, flush or demotion in progress.
#[derive(Debug)]
pub(super) struct Job {
    pub owner: Owner,
    pub begin_ns: i64,
    pub bytes: u64,
    /// The number of unanswered branches; 1 before they are sent.
    pub open_branches: u32,
    /// The number of blocks being fetched by others to the node's cache that it still waits for.
    pub open_waits: u32,
    /// The number of fetches that the global cache waits for before it replies: its own, and those of others.
    pub open_global_waits: u32,
    pub transfer: Transfer,
    /// The jobs that wait for this one's fetches for the node's cache, and the index in their `awaited`.
    pub followers: Vec<(u32, usize)>,
    /// The jobs that wait for its fetches for the global cache, and the index in their `through`.
    pub global_followers: Vec<(u32, usize)>,
}

impl Job {
    pub fn new(owner: Owner, begin_ns: i64) -> Self {
        Job {
            owner,
            begin_ns,
            bytes: 0,
            open_branches: 1,
            open_waits: 0,
            open_global_waits: 0,
            transfer: Transfer::default(),
            followers: Vec::new(),
            global_followers: Vec::new(),
        }
    }
}

/// All jobs, by number.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    jobs: Vec<Job>,
    unused: Vec<u32>,
}

impl Jobs {
    /// Take a slot; the transfer of the slot's previous job is kept to reuse its memory.
    pub fn take(&mut self, job: Job) -> u32 {
        match self.unused.pop() {
            Some(number) => {
                let place = &mut self.jobs[number as usize];
                let transfer = std::mem::take(&mut place.transfer);
                *place = Job { transfer, ..job };
                number
            }
            None => {
                self.jobs.push(job);
                (self.jobs.len() - 1) as u32
            }
        }
    }

    pub fn get(&mut self, number: u32) -> &mut Job {
        &mut self.jobs[number as usize]
    }

    pub fn give_back(&mut self, number: u32) {
        self.unused.push(number);
    }
}

/// An open or close that a process waits for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MetadataRequest {
    pub begin_ns: i64,
    /// How long the process computes after the answer.
    pub compute_ns: i64,
    pub cell: u32,
}

/// The stages of an open or close.
#[derive(Clone, Copy, Debug)]
pub(super) enum MetadataStage {
    Node,
    Server,
}
