//! Requests, flushes and demotions under way, in places that are used again.

use super::machine::Demotion;
use super::transfer::Transfer;

/// For whom a job is done.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner {
    Process {
        process: u32,
        row: u64,
        compute_ns: i64,
    },
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
    pub open_branches: u32,
    pub transfer: Transfer,
}

impl Job {
    /// One that no process waits for.
    pub fn background(owner: Owner, open_branches: u32) -> Self {
        Job {
            owner,
            begin_ns: 0,
            bytes: 0,
            stripes: 0,
            open_branches,
            transfer: Transfer::default(),
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
