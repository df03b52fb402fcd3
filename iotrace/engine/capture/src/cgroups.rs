//! The cgroups of processes, as the recorder sees them.

use crate::record::{Record, EXEC, EXIT, PROCESS_CGROUP};
use std::collections::HashSet;
use std::fs;

/// The threads that are recorded and were looked at.
#[derive(Debug, Default)]
pub struct Cgroups {
    seen: HashSet<u32>,
}

impl Cgroups {
    /// Look at the cgroup of a record's thread at its first record, and at the first one of another program; call `push`
    /// with a record of it. Of a thread that has ended since, it is not known.
    pub fn see(&mut self, record: &Record<'_>, push: impl FnOnce(&Record<'_>)) {
        let thread = record.thread;
        if matches!(record.number, EXIT | EXEC) {
            self.seen.remove(&thread);
            return;
        }
        if !self.seen.insert(thread) {
            return;
        }
        let text = fs::read_to_string(format!("/proc/{thread}/cgroup")).ok();
        if let Some(path) = text.as_deref().and_then(path) {
            push(&Record {
                number: PROCESS_CGROUP,
                thread,
                process: record.process,
                start_ns: record.end_ns(),
                has_start: true,
                name: path.as_bytes(),
                ..Record::default()
            });
        }
    }
}

/// The path in the text of /proc/PID/cgroup: that of version 2, or of the controller of memory where version 2 has none.
fn path(text: &str) -> Option<&str> {
    let groups = || {
        text.lines().filter_map(|line| {
            let mut parts = line.splitn(3, ':');
            Some((parts.next()?, parts.next()?, parts.next()?))
        })
    };
    let unified = groups().find(|(number, controllers, _)| *number == "0" && controllers.is_empty());
    let of_memory = groups().find(|(_, controllers, _)| controllers.split(',').any(|name| name == "memory"));
    unified.filter(|(.., path)| *path != "/").or(of_memory).or(unified).map(|(.., path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_of_version_2_or_of_memory() {
        assert_eq!(path("0::/user.slice/a:b\n"), Some("/user.slice/a:b"));
        assert_eq!(path("5:cpu,memory:/docker/1\n1:name=systemd:/x\n0::/\n"), Some("/docker/1"));
        assert_eq!(path("0::/\n"), Some("/"));
        assert_eq!(path("3:pids:/x\nbroken\n"), None);
    }

    #[test]
    fn a_thread_is_looked_at_once_for_each_program() {
        let mut seen = Vec::new();
        let mut cgroups = Cgroups::default();
        let own = std::process::id();
        // the number of no thread
        let ended = u32::MAX - 1;
        for (thread, number) in [(own, 1), (own, 2), (ended, 1), (own, EXEC), (own, 1), (own, 1), (own, EXIT)]
        {
            let record = Record { number, thread, ..Record::default() };
            cgroups.see(&record, |record| seen.push((record.thread, record.name.to_vec())));
        }
        let text = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let expected = path(&text).map(|path| (own, path.as_bytes().to_vec()));
        assert_eq!(seen, expected.map_or(vec![], |one| vec![one.clone(), one]));
    }
}
