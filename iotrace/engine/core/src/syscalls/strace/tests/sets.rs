//! Sets of logs, as strace -ff writes them.

use super::{accounted, Kept};
use crate::input::InputError;
use crate::syscalls::call::Event;
use crate::syscalls::strace::{Log, Order, SetError, TimeBase};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A directory that is removed at the end of its test.
struct Directory(PathBuf);

impl Directory {
    fn new(test: &str, files: &[(&str, &str)]) -> Directory {
        let path = std::env::temp_dir().join(format!("iotrace-sets-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        for (name, content) in files {
            std::fs::write(path.join(name), content).unwrap();
        }
        Directory(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn read(log: &mut Log) -> (Vec<Event<'static>>, Vec<InputError>) {
    let mut kept = Kept::default();
    let mut damage = Vec::new();
    loop {
        match log.advance(&mut kept) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => damage.push(error),
        }
    }
    accounted(log.scanner());
    (kept.0, damage)
}

/// Thread and name of each event, `<` for an issued call.
fn order(events: &[Event<'_>]) -> Vec<String> {
    let shown = events.iter().map(|event| match event {
        Event::Issued(call) => format!("{}<{}", call.thread, String::from_utf8_lossy(call.name)),
        Event::Returned(call) => format!("{} {}", call.thread, String::from_utf8_lossy(call.name)),
        Event::Ended(ended) => format!("{} end", ended.thread),
    });
    shown.collect()
}

fn open(path: &Path) -> Result<Log, SetError> {
    Log::open(&[path.to_path_buf()], Order::Time)
}

const PARENT: &str = "1795225281.000000 vfork() = 8 <0.500000>\n1795225281.600000 wait4(8, NULL, 0, NULL) = 8 <0.300000>\n1795225281.950000 +++ exited with 0 +++\n";
const CHILD: &str =
    "1795225281.100000 read(3, \"\", 5) = 0 <0.600000>\n1795225281.800000 +++ exited with 0 +++\n";

#[test]
fn logs_are_merged_by_time_and_calls_return_in_their_time() {
    let directory = Directory::new("merge", &[("log.7", PARENT), ("log.8", CHILD), ("notes.txt", "x")]);
    let mut log = open(&directory.0).unwrap();
    let (events, damage) = read(&mut log);
    assert!(damage.is_empty());
    assert_eq!(order(&events), ["7 vfork", "8<read", "7<wait4", "8 read", "8 end", "7 wait4", "7 end"]);
    let Event::Returned(read) = &events[3] else { panic!() };
    assert_eq!(
        (read.seq, read.seq_return, read.result, read.duration_ns),
        (1, 3, Some(0), Some(600_000_000))
    );
    let Event::Issued(wait) = &events[2] else { panic!() };
    assert_eq!((wait.result, wait.duration_ns), (None, None));
    let total = (PARENT.len() + CHILD.len()) as u64;
    assert_eq!((log.progress().read_bytes(), log.progress().total_bytes()), (total, Some(total)));
    assert_eq!(log.scanner().first_time_ns(), Some(1_795_225_281_000_000_000));
}

#[test]
fn a_list_of_files_is_a_set() {
    let directory = Directory::new("list", &[("log.7", PARENT), ("log.8", CHILD)]);
    let paths = [directory.0.join("log.8"), directory.0.join("log.7")];
    let (events, _) = read(&mut Log::open(&paths, Order::Time).unwrap());
    assert_eq!(events.len(), 7);
}

#[test]
fn exec_of_a_thread_that_is_not_the_first() {
    let first = "00:00:01.0 clone3({flags=CLONE_VM|CLONE_THREAD}, 88) = 8\n00:00:03.1 +++ superseded by execve in pid 8 +++\n00:00:03.2 <... execve resumed>) = 0\n";
    let second = "00:00:03.0 execve(\"/bin/true\", [\"true\"], 0x7ffd /* 3 vars */ <pid changed to 7 ...>\n";
    let directory = Directory::new("exec", &[("log.7", first), ("log.8", second)]);
    let (events, _) = read(&mut open(&directory.0).unwrap());
    assert_eq!(order(&events), ["7 clone3", "8<execve", "7 end", "7 execve"]);
}

#[test]
fn without_times_only_concatenation_will_do() {
    let directory = Directory::new(
        "concatenate",
        &[("log.12", "close(1) = 0\n"), ("log.9", "close(2) = 0\nclose(3) = 0\n")],
    );
    let refused = open(&directory.0).err().unwrap();
    assert!(refused.to_string().contains("-ff -ttt"), "{refused}");
    let mut log = Log::open(std::slice::from_ref(&directory.0), Order::Concatenate).unwrap();
    let (events, _) = read(&mut log);
    assert_eq!(order(&events), ["9 close", "9 close", "12 close"]);
}

#[test]
fn relative_times_of_several_threads_cannot_be_compared() {
    let directory = Directory::new(
        "relative",
        &[("log.1", "     0.000000 close(1) = 0\n"), ("log.2", "     0.000000 close(2) = 0\n")],
    );
    assert!(matches!(open(&directory.0), Err(SetError::NoTimes(_))));
    let mut log = Log::open(std::slice::from_ref(&directory.0), Order::Concatenate).unwrap();
    let (events, _) = read(&mut log);
    assert!(events.iter().all(|event| matches!(event, Event::Returned(call) if call.time_ns.is_none())));
}

#[test]
fn a_trace_over_midnight() {
    let files = [
        ("log.1", "23:59:59.5 vfork() = 2\n00:00:02.0 close(1) = 0\n"),
        ("log.2", "00:00:01.0 close(2) = 0\n"),
    ];
    let directory = Directory::new("midnight", &files);
    let mut log = open(&directory.0).unwrap();
    let (events, _) = read(&mut log);
    assert_eq!(order(&events), ["1 vfork", "2 close", "1 close"]);
    assert_eq!(log.scanner().time_base(), TimeBase::OfDay);
}

#[test]
fn equal_times_are_counted() {
    let files =
        [("log.1", "00:00:01 close(1) = 0\n00:00:01 close(2) = 0\n"), ("log.2", "00:00:01 close(3) = 0\n")];
    let directory = Directory::new("ties", &files);
    let mut log = open(&directory.0).unwrap();
    let (events, _) = read(&mut log);
    assert_eq!(order(&events).len(), 3);
    assert!(log.tied_lines() > 0);
}

#[test]
fn what_is_no_set() {
    let empty = Directory::new("empty", &[("notes.txt", "x")]);
    assert!(matches!(open(&empty.0), Err(SetError::Empty(_))));
    let several = Directory::new("several", &[("a.1", "x"), ("b.1", "x")]);
    assert!(matches!(open(&several.0), Err(SetError::SeveralTraces(..))));
    let other = Directory::new("other", &[("a.2", "x")]);
    let two_hosts = [several.0.join("a.1"), other.0.join("a.2")];
    assert!(matches!(Log::open(&two_hosts, Order::Time), Err(SetError::SeveralTraces(..))));
    let twice = Directory::new("twice", &[("a.1", "x"), ("a.1.gz", "x")]);
    assert!(matches!(open(&twice.0), Err(SetError::SameThread(_, _, 1))));
    let names = [several.0.join("a.1"), several.0.join("notes.txt")];
    assert!(matches!(Log::open(&names, Order::Time), Err(SetError::NoNumber(_))));
    assert!(matches!(open(&several.0.join("missing")), Err(SetError::Input(_))));
    let packed = several.0.join("hosts.tar");
    std::fs::write(&packed, archive(&[("one/a.1", PARENT), ("other/a.2", CHILD)])).unwrap();
    assert!(matches!(open(&packed), Err(SetError::SeveralTraces(..))));
}

#[test]
fn damage_in_one_log_does_not_end_the_others() {
    let directory = Directory::new("damage", &[("log.7", PARENT)]);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(CHILD.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    std::fs::write(directory.0.join("log.8.gz"), &packed[..packed.len() - 6]).unwrap();
    let mut log = open(&directory.0).unwrap();
    let (events, damage) = read(&mut log);
    assert_eq!(events.len(), 7, "{:?}", order(&events));
    assert_eq!(damage.len(), 1);
}

/// A tar archive of these files, as GNU and POSIX agree on it.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, content) in files {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[156] = b'0';
        header[257..263].copy_from_slice(b"ustar\0");
        archive.extend(header);
        archive.extend(content.as_bytes());
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.extend([0; 1024]);
    archive
}

#[test]
fn an_archive_is_a_set() {
    let directory = Directory::new("archive", &[]);
    let packed = archive(&[("run/log.7", PARENT), ("run/log.8", CHILD)]);
    for (name, bytes) in [("a.tar", packed.clone()), ("a", zstd::encode_all(packed.as_slice(), 1).unwrap())] {
        let path = directory.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        let (events, damage) = read(&mut open(&path).unwrap());
        assert_eq!((events.len(), damage.len()), (7, 0));
    }
}
