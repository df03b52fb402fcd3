//! What is recorded under the calls: the scheduler, the page cache, disks and io_uring, each tried alone.

use crate::bpf::{attach, Link};
use crate::btf::Offsets;
use crate::programs::disk::{self, Requests, Stage};
use crate::programs::page_cache::{self, Inodes};
use crate::programs::scheduler::{self, Stack, Wait, Waits};
use crate::programs::uring::{self, Submitted};
use crate::programs::{Maps, MEMBERS};
use crate::record::{Record, OFF_PROCESSOR};
use crate::recording::text;
use std::io;

/// What to record besides calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Groups {
    /// When threads are off the processor.
    pub scheduler: bool,
    /// The stacks of those that are blocked.
    pub stacks: bool,
    /// Pages of the page cache, requests of io_uring, and memory.
    pub kernel: bool,
    /// Pages of the page cache, where the others of `kernel` are not recorded.
    pub page_cache: bool,
    /// Requests to disks.
    pub disks: bool,
}

/// Attached programs under the calls, with the reasons of those that are missing.
#[derive(Debug, Default)]
pub struct UnderCalls {
    links: Vec<Link>,
    waits: Option<Waits>,
    requests: Option<Requests>,
    /// The program of completed requests.
    completions: Option<Link>,
    recorded: Vec<&'static str>,
    missing: Vec<(&'static str, String)>,
}

/// Bits of a request's flags, as the recording names them.
const REQUEST_FLAGS: [(&str, &str); 5] = [
    ("synchronous", "__REQ_SYNC"),
    ("metadata", "__REQ_META"),
    ("forced", "__REQ_FUA"),
    ("flush_before", "__REQ_PREFLUSH"),
    ("read_ahead", "__REQ_RAHEAD"),
];

/// Look up all members, values and events that programs need.
pub fn offsets() -> io::Result<Offsets> {
    let mut members = MEMBERS.to_vec();
    members.extend(scheduler::MEMBERS);
    members.extend(page_cache::MEMBERS);
    members.push(page_cache::SEVERAL_PAGES);
    members.extend(disk::MEMBERS);
    members.extend(uring::MEMBERS);
    members.extend(REQUEST_FLAGS.map(|(_, name)| ("req_flag_bits", name)));
    Offsets::of_kernel(&members, &[uring::COMPLETION.0])
}

impl UnderCalls {
    /// Attach the programs of these groups that the kernel allows; those of the scheduler have `waits`.
    pub fn attach(maps: &Maps, offsets: &Offsets, groups: Groups, waits: Option<Waits>) -> UnderCalls {
        let mut under = UnderCalls::default();
        if let Some(waits) = waits {
            let attached = scheduler_programs(maps, offsets, &waits);
            under.waits = attached.is_ok().then_some(waits);
            under.take("scheduler", attached);
        }
        if groups.kernel || groups.page_cache {
            under.take("page_cache", page_cache_programs(maps, offsets));
        }
        if groups.kernel {
            under.take("io_uring", uring_programs(maps, offsets));
        }
        if groups.disks {
            let attached = Requests::new().and_then(|requests| {
                let links = disk_programs(maps, offsets, &requests)?;
                let completed = disk::completed(maps, &requests)?;
                under.completions = Some(attach("block_rq_complete", &completed)?);
                under.requests = Some(requests);
                Ok(links)
            });
            under.take("disks", attached);
        }
        under
    }

    /// Why a group that was asked for is missing; None if none is.
    pub fn missing(&self) -> Option<&str> {
        self.missing.first().map(|(_, why)| why.as_str())
    }

    fn take(&mut self, group: &'static str, attached: io::Result<Vec<Link>>) {
        match attached {
            Ok(links) => {
                self.links.extend(links);
                self.recorded.push(group);
            }
            Err(error) => self.missing.push((group, error.to_string())),
        }
    }

    /// Append what is recorded, what was asked for and is missing, and the bits of a request's flags.
    pub fn describe(&self, offsets: &Offsets, start: &mut Vec<u8>) {
        for group in &self.recorded {
            text::write(start, "recorded", group.as_bytes());
        }
        for (group, why) in &self.missing {
            text::write(start, "missing", format!("{group} {why}").as_bytes());
        }
        for (flag, name) in REQUEST_FLAGS {
            if let Ok(bit) = offsets.get("req_flag_bits", name) {
                text::write(start, "request_flag", format!("{flag} {bit}").as_bytes());
            }
        }
    }

    /// How many requests to disks are not recorded, as the kernel left out the program of their completion.
    pub fn lost_requests(&self) -> u64 {
        self.completions.as_ref().map_or(0, Link::left_out)
    }

    /// How many requests to disks were completed whose beginning was not seen, and of how many the end was not.
    pub fn cut_requests(&self) -> (u64, u64) {
        self.requests.as_ref().and_then(|requests| requests.cut().ok()).unwrap_or_default()
    }

    /// The stack of a number of the kernel; None if it is not recorded.
    pub fn stack(&self, number: u32) -> Option<Stack> {
        self.waits.as_ref()?.stack(number)
    }

    /// Records of the threads that are off the processor at a time.
    pub fn under_way(&self, now_ns: u64) -> Vec<Record<'static>> {
        let waits = self.waits.as_ref().and_then(|waits| waits.under_way().ok()).unwrap_or_default();
        waits.into_iter().map(|wait| of_wait(wait, now_ns)).collect()
    }
}

fn of_wait(wait: Wait, now_ns: u64) -> Record<'static> {
    let duration_ns = now_ns.saturating_sub(wait.start_ns);
    let still_blocked = wait.state != 0 && wait.blocked_ns == 0;
    let blocked_ns = if still_blocked { duration_ns } else { wait.blocked_ns };
    Record {
        number: OFF_PROCESSOR,
        thread: wait.thread,
        process: wait.process,
        start_ns: wait.start_ns,
        has_start: true,
        duration_ns,
        arguments: [blocked_ns, u64::from(wait.state), u64::from(wait.call), u64::from(wait.stack), 0, 0],
        ..Record::default()
    }
}

fn scheduler_programs(maps: &Maps, offsets: &Offsets, waits: &Waits) -> io::Result<Vec<Link>> {
    Ok(vec![
        attach("sched_switch", &scheduler::switches(maps, waits, offsets)?)?,
        attach("sched_wakeup", &scheduler::wakes(waits, offsets)?)?,
    ])
}

fn page_cache_programs(maps: &Maps, offsets: &Offsets) -> io::Result<Vec<Link>> {
    let inodes = Inodes::new()?;
    let mut links = vec![
        attach("mm_filemap_add_to_page_cache", &page_cache::added(maps, &inodes, offsets)?)?,
        attach("mm_filemap_delete_from_page_cache", &page_cache::removed(maps, &inodes, offsets)?)?,
    ];
    // later kernels have these
    links.extend(attach("mm_filemap_fault", &page_cache::fault(maps, &inodes, offsets)?));
    links.extend(attach("mm_filemap_map_pages", &page_cache::mapped(maps, &inodes, offsets)?));
    Ok(links)
}

fn uring_programs(maps: &Maps, offsets: &Offsets) -> io::Result<Vec<Link>> {
    let (event, arguments) = uring::COMPLETION;
    if offsets.arguments(event) != Some(arguments) {
        return Err(io::Error::other("this kernel's event of completions has other arguments"));
    }
    let submitted = Submitted::new()?;
    Ok(vec![
        attach("io_uring_submit_req", &uring::submitted(maps, &submitted, offsets)?)?,
        attach("io_uring_complete", &uring::completed(maps, &submitted, offsets)?)?,
    ])
}

fn disk_programs(maps: &Maps, offsets: &Offsets, requests: &Requests) -> io::Result<Vec<Link>> {
    let mut links = vec![
        attach("block_bio_queue", &disk::queued(requests)?)?,
        attach("block_rq_insert", &disk::begins(maps, requests, offsets, Stage::Inserted)?)?,
        attach("block_rq_issue", &disk::begins(maps, requests, offsets, Stage::Issued)?)?,
        attach("block_rq_requeue", &disk::requeued(requests)?)?,
    ];
    // later kernels have it
    links.extend(attach("block_rq_merge", &disk::merged(requests)?));
    Ok(links)
}
