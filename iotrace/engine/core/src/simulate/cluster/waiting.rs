//! Jobs that wait for blocks which other jobs fetch (`fetches`).

use super::clock::Clock;

impl Clock {
    /// Record the blocks that a request fetches for its node's cache, and the fetches that it waits for.
    pub(super) fn note_fetches(&mut self, number: u32) {
        let job = self.jobs.get(number);
        if job.transfer.is_write() {
            return;
        }
        self.machine.fetches.begin_local(number, &job.transfer);
        job.open_waits = job.transfer.awaited.len() as u32;
        for place in 0..job.open_waits as usize {
            let fetcher = self.jobs.get(number).transfer.awaited[place].fetch.job;
            self.jobs.get(fetcher).followers.push((number, place));
        }
    }

    /// A job's blocks have arrived at the node: deliver them to the jobs that wait for them.
    pub(super) fn release_followers(&mut self, number: u32) {
        for (follower, place) in std::mem::take(&mut self.jobs.get(number).followers) {
            let job = self.jobs.get(follower);
            job.open_waits -= 1;
            let (awaited, node, cell) = (job.transfer.awaited[place], job.transfer.node, job.transfer.cell);
            let position = awaited.fetch.position;
            let came = self.jobs.get(number).transfer.fetched_version(position);
            self.machine.take_awaited(node, &awaited, came, cell);
            self.gather(follower);
        }
    }

    /// The same for blocks that the global cache fetches for a job.
    pub(super) fn note_global_fetches(&mut self, number: u32) {
        let job = self.jobs.get(number);
        self.machine.fetches.begin_global(number, &job.transfer);
        let awaited = std::mem::take(&mut job.transfer.awaited_globally);
        let fetches_itself = u32::from(!job.transfer.missed.is_empty());
        job.open_global_waits = awaited.len() as u32 + fetches_itself;
        for &(fetch, position) in &awaited {
            let fetcher = self.jobs.get(fetch.job);
            fetcher.global_followers.push((number, position));
        }
        self.jobs.get(number).transfer.awaited_globally = awaited;
    }

    /// One of the fetches that the global cache waits for before its reply has arrived.
    pub(super) fn came_globally(&mut self, number: u32) {
        let job = self.jobs.get(number);
        job.open_global_waits -= 1;
        if job.open_global_waits == 0 {
            self.reply(number);
        }
    }

    /// The global cache has fetched a job's blocks: deliver them to the jobs that wait for them.
    pub(super) fn release_global_followers(&mut self, number: u32) {
        for (follower, position) in std::mem::take(&mut self.jobs.get(number).global_followers) {
            let transfer = &mut self.jobs.get(follower).transfer;
            self.machine.come_globally(transfer, position);
            self.came_globally(follower);
        }
    }
}
