//! Requests, flushes and demotions under way, in places that are used again.

use super::machine::Demotion;
use super::transfer::Transfer;

/// For whom a job is done.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner {
    Process { process: u32, row: u64, compute_ns: i64 },
    Flusher,
    Demotion(Demotion),
}

/// One of them.
#[derive(Debug)]
pub(super) struct Job {
    pub owner: Owner,
    pub begin_ns: i64,
    pub bytes: u64,
    /// The stripe units that it touches.
    pub stripes: u64,
    /// What it sent and has no answer to, and before it is sent, 1.
    pub open_branches: u32,
    /// Blocks on their way to the node's cache that it still waits for.
    pub open_waits: u32,
    /// What the global cache still waits for before it replies: its own fetch, and blocks that others fetch.
    pub open_global_waits: u32,
    pub transfer: Transfer,
    /// The jobs that wait for what this one fetches for the node's cache: which of their awaited blocks.
    pub followers: Vec<(u32, usize)>,
    /// And for what it fetches for the global cache: the place in their `through`.
    pub global_followers: Vec<(u32, usize)>,
}

impl Job {
    pub fn new(owner: Owner, begin_ns: i64) -> Self {
        Job {
            owner,
            begin_ns,
            bytes: 0,
            stripes: 0,
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
    /// Take a place; the transfer of the job that had it before is kept for its memory.
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

/// How far an open or close has come.
#[derive(Clone, Copy, Debug)]
pub(super) enum MetadataStage {
    Node,
    MediumThere,
    Server,
    MediumBack,
}
