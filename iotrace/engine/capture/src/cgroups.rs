//! The cgroups of processes, as the recorder sees them.

use crate::record::{Record, EXEC, EXIT, FORK, PROCESS_CGROUP};
use std::collections::HashMap;
use std::fs;

/// The cgroup of each thread that is recorded: its own where it was seen in time, else that of the thread that made it.
#[derive(Debug, Default)]
pub struct Cgroups {
    known: HashMap<u32, String>,
    /// Of threads that have not been looked at, as they began or start another program.
    before: HashMap<u32, String>,
}

impl Cgroups {
    /// Look at the cgroup of a record's thread at its first record, and at the first one of another program; call `push`
    /// with a record of it.
    pub fn see(&mut self, record: &Record<'_>, push: impl FnOnce(&Record<'_>)) {
        let thread = record.thread;
        match record.number {
            EXIT => {
                self.known.remove(&thread);
                self.before.remove(&thread);
                return;
            }
            EXEC => {
                if let Some(known) = self.known.remove(&thread) {
                    self.before.insert(thread, known);
                }
                return;
            }
            _ => {}
        }
        if !self.known.contains_key(&thread) {
            let before = self.before.remove(&thread);
            let text = fs::read_to_string(format!("/proc/{thread}/cgroup")).ok();
            if let Some(seen) = text.as_deref().and_then(path).map(str::to_owned).or(before) {
                push(&Record {
                    number: PROCESS_CGROUP,
                    thread,
                    process: record.process,
                    start_ns: record.end_ns(),
                    has_start: true,
                    name: seen.as_bytes(),
                    ..Record::default()
                });
                self.known.insert(thread, seen);
            }
        }
        if let (FORK, Some(own)) = (record.number, self.known.get(&thread)) {
            self.before.insert(record.arguments[0] as u32, own.clone());
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
    fn a_thread_that_has_ended_has_the_cgroup_of_the_one_that_made_it() {
        let mut seen = Vec::new();
        let mut cgroups = Cgroups::default();
        let own = std::process::id();
        // the number of no thread
        let child = u32::MAX - 1;
        let made = [child.into(), child.into(), 0, 0, 0, 0];
        let of_child = |number| Record { number, thread: child, ..Record::default() };
        let records = [
            Record { number: FORK, thread: own, arguments: made, ..Record::default() },
            of_child(1),
            of_child(1),
            of_child(EXEC),
            of_child(1),
            of_child(EXIT),
            of_child(1),
        ];
        for record in records {
            cgroups.see(&record, |record| seen.push((record.thread, record.name.to_vec())));
        }
        let text = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let expected = path(&text).map(|path| path.as_bytes().to_vec());
        let threads = [own, child, child];
        assert_eq!(
            seen,
            expected.map_or(vec![], |path| threads.map(|thread| (thread, path.clone())).to_vec())
        );
    }
}
