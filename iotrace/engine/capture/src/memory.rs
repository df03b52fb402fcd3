//! Samples of the memory of a process's cgroup, or of the machine where no cgroup counts memory.

use crate::record::{Record, MEMORY};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Between samples: short programs are sampled as they run, too.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// In place of a number that is not known.
const UNKNOWN: u64 = u64::MAX;

/// Where memory is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Counted {
    /// A cgroup of version 2, or 1.
    Group(PathBuf),
    FormerGroup(PathBuf),
    Machine,
}

/// Takes samples.
#[derive(Debug)]
pub struct Sampler {
    counted: Counted,
    process: u32,
    /// The cgroups of the process, and the mounts, as last read; empty where neither may change.
    groups: String,
    mounts: String,
    last: Option<Instant>,
    pause: Duration,
}

impl Sampler {
    /// Sample the memory of the cgroup of a process, also where it moves to another one.
    pub fn of_process(process: u32) -> Sampler {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let mut sampler = Sampler { process, mounts, ..Sampler::of_machine() };
        sampler.find();
        sampler
    }

    /// Find where the process's memory is counted; once it has ended, that stays.
    fn find(&mut self) {
        let groups = fs::read_to_string(format!("/proc/{}/cgroup", self.process)).unwrap_or_default();
        if groups.is_empty() || groups == self.groups {
            return;
        }
        let found = counted(&groups, &self.mounts).into_iter().find(|counted| sample(counted).is_some());
        self.counted = found.unwrap_or(Counted::Machine);
        self.groups = groups;
    }

    /// Sample the memory of a cgroup of version 2.
    pub fn of_cgroup(folder: &Path) -> Sampler {
        let group = Counted::Group(folder.to_owned());
        let counted = if sample(&group).is_some() { group } else { Counted::Machine };
        Sampler { counted, ..Sampler::of_machine() }
    }

    /// Sample the machine's memory.
    pub fn of_machine() -> Sampler {
        Sampler {
            counted: Counted::Machine,
            process: 0,
            groups: String::new(),
            mounts: String::new(),
            last: None,
            pause: FIRST_PAUSE,
        }
    }

    /// A sample, if one is due.
    pub fn due(&mut self, now_ns: u64) -> Option<Record<'static>> {
        if let Some(last) = self.last {
            if last.elapsed() < self.pause {
                return None;
            }
            self.pause = (2 * self.pause).min(LONGEST_PAUSE);
        }
        self.last = Some(Instant::now());
        if !self.mounts.is_empty() {
            self.find();
        }
        let [page_cache, anonymous, slab, limit] = sample(&self.counted)?;
        let scope = match self.counted {
            Counted::Machine => 0,
            Counted::Group(_) => 1,
            Counted::FormerGroup(_) => 2,
        };
        Some(Record {
            number: MEMORY,
            thread: self.process,
            process: self.process,
            start_ns: now_ns,
            has_start: true,
            arguments: [page_cache, anonymous, slab, limit, scope, processors()],
            ..Record::default()
        })
    }
}

/// The cgroups that may count a process's memory, by /proc/PID/cgroup and /proc/self/mountinfo.
fn counted(groups: &str, mounts: &str) -> Vec<Counted> {
    let mount = |is_it: &dyn Fn(&str, &str) -> bool| {
        mounts.lines().find_map(|line| {
            let (front, back) = line.split_once(" - ")?;
            let mut back = back.split(' ');
            let (kind, options) = (back.next()?, back.nth(1)?);
            is_it(kind, options).then(|| front.split(' ').nth(4)).flatten()
        })
    };
    let place = |folder: &str, path: &str| Path::new(folder).join(path.trim_start_matches('/'));
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(number), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        if number == "0" && controllers.is_empty() {
            let folder = mount(&|kind, _| kind == "cgroup2");
            found.extend(folder.map(|folder| Counted::Group(place(folder, path))));
        } else if controllers.split(',').any(|controller| controller == "memory") {
            let is_memory = |kind: &str, options: &str| {
                kind == "cgroup" && options.split(',').any(|option| option == "memory")
            };
            let folder = mount(&is_memory);
            found.extend(folder.map(|folder| Counted::FormerGroup(place(folder, path))));
        }
    }
    found
}

/// Bytes of the page cache without shared memory, of anonymous and shared memory, and of slab, and the limit, 0 for none.
/// Reclaim cannot evict shared memory without swap, as it cannot evict anonymous memory.
fn sample(counted: &Counted) -> Option<[u64; 4]> {
    match counted {
        Counted::Group(folder) => {
            let stat = fs::read_to_string(folder.join("memory.stat")).ok()?;
            let value = |key: &str| field(&stat, key);
            let shared = value("shmem").unwrap_or(0);
            Some([
                value("file")?.saturating_sub(shared),
                value("anon")? + shared,
                value("slab").unwrap_or(UNKNOWN),
                limit(folder, "memory.max"),
            ])
        }
        Counted::FormerGroup(folder) => {
            let stat = fs::read_to_string(folder.join("memory.stat")).ok()?;
            let value = |key: &str| field(&stat, key);
            let limit = limit(folder, "memory.limit_in_bytes");
            let kernel = fs::read_to_string(folder.join("memory.kmem.usage_in_bytes"));
            let kernel = kernel.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(UNKNOWN);
            let shared = value("total_shmem").unwrap_or(0);
            let page_cache = value("total_cache")?.saturating_sub(shared);
            Some([page_cache, value("total_rss")? + shared, kernel, limit])
        }
        Counted::Machine => {
            let text = fs::read_to_string("/proc/meminfo").ok()?;
            let value = |key: &str| field(&text, key).map(|kib| kib * 1024);
            let shared = value("Shmem:").unwrap_or(0);
            let page_cache = (value("Cached:")? + value("Buffers:")?).saturating_sub(shared);
            Some([page_cache, value("AnonPages:")? + shared, value("Slab:")?, value("MemTotal:")?])
        }
    }
}

/// How many processors the machine has.
fn processors() -> u64 {
    // SAFETY: sysconf reads no memory of ours.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) }).unwrap_or(0)
}

/// The number after a word at the start of a line.
fn field(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next()? == key).then(|| words.next()?.parse().ok()).flatten()
    })
}

/// No limit is `max`, or a number near the largest.
fn limit(folder: &Path, name: &str) -> u64 {
    const LARGEST: u64 = 1 << 60;
    let text = fs::read_to_string(folder.join(name)).unwrap_or_default();
    text.trim().parse().ok().filter(|&bytes| bytes < LARGEST).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_found() {
        let mounts = "30 23 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                      31 23 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n";
        let found = counted("4:memory:/a/b\n1:name=systemd:/x\n0::/c\n", mounts);
        let expected = [
            Counted::FormerGroup("/sys/fs/cgroup/memory/a/b".into()),
            Counted::Group("/sys/fs/cgroup/unified/c".into()),
        ];
        assert_eq!(found, expected);
        assert_eq!(counted("0::/c\n", ""), []);
    }

    #[test]
    fn the_machine_has_memory() {
        let [page_cache, anonymous, slab, all] = sample(&Counted::Machine).unwrap_or_default();
        assert!(all > 0 && page_cache + anonymous + slab < 2 * all);
    }
}
