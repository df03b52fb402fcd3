//! The order of records against a slow one, and a recording whose events are known.

use super::calls::Kept;
use super::order::{Moment, Order};
use super::Recording;
use crate::syscalls::call::{Event, EventSink};
use iotrace_capture::record::{Inode, Record, EXEC, EXIT, FORK, UNDER_WAY};
use iotrace_capture::recording::{BlockKind, Writer, MAGIC};
use proptest::prelude::*;
use std::fs::File;

fn kept(start_ns: u64, duration_ns: u64) -> Kept {
    Kept { start_ns, end_ns: start_ns + duration_ns, ..Kept::default() }
}

/// `=` for a whole record, `<` where it begins and `>` where it ends, with its times.
fn shown(moment: &Moment) -> (char, u64, u64) {
    match moment {
        Moment::Whole(kept) => ('=', kept.start_ns, kept.end_ns),
        Moment::Begins(kept, _) => ('<', kept.start_ns, kept.end_ns),
        Moment::Ends(kept) => ('>', kept.start_ns, kept.end_ns),
    }
}

/// The moments of all records by looking at all of them for each.
fn twin(records: &[(u64, u64)]) -> Vec<(char, u64, u64)> {
    let mut left: Vec<(u64, usize, bool)> =
        records.iter().enumerate().map(|(number, (start_ns, _))| (*start_ns, number, false)).collect();
    let mut moments = Vec::new();
    while let Some(&next) = left.iter().min() {
        left.retain(|one| *one != next);
        let (_, number, has_begun) = next;
        let (start_ns, end_ns) = (records[number].0, records[number].0 + records[number].1);
        let is_whole = left.iter().all(|(time_ns, ..)| end_ns <= *time_ns);
        if !has_begun && !is_whole {
            left.push((end_ns, number, true));
        }
        let kind = if has_begun {
            '>'
        } else if is_whole {
            '='
        } else {
            '<'
        };
        moments.push((kind, start_ns, end_ns));
    }
    moments
}

proptest! {
    #[test]
    fn records_have_the_order_of_time(records in prop::collection::vec((0..40_u64, 0..20_u64), 0..20)) {
        let mut order = Order::default();
        records.iter().for_each(|&(start_ns, duration_ns)| order.push(kept(start_ns, duration_ns)));
        let mut found = Vec::new();
        while let Some(moment) = order.next(u64::MAX) {
            found.push(shown(&moment));
        }
        prop_assert_eq!(found, twin(&records));
        prop_assert!(order.is_empty());
    }

    /// Parts that come later and begin later do not change the moments' times, only which records are whole.
    #[test]
    fn parts_have_the_same_times(records in prop::collection::vec((0..40_u64, 0..20_u64), 0..20), cut in 0..40_u64) {
        let mut order = Order::default();
        let mut times = Vec::new();
        let mut take = |order: &mut Order, horizon_ns: u64| {
            while let Some(moment) = order.next(horizon_ns) {
                times.push(match moment {
                    Moment::Whole(kept) | Moment::Begins(kept, _) => kept.start_ns,
                    Moment::Ends(kept) => kept.end_ns,
                });
            }
        };
        let (first, second): (Vec<_>, Vec<_>) = records.iter().partition(|(start_ns, _)| *start_ns < cut);
        first.iter().for_each(|&(start_ns, duration_ns)| order.push(kept(start_ns, duration_ns)));
        take(&mut order, cut);
        second.iter().for_each(|&(start_ns, duration_ns)| order.push(kept(start_ns, duration_ns)));
        take(&mut order, u64::MAX);
        prop_assert!(times.is_sorted());
    }
}

/// The events of a recording as text.
#[derive(Default)]
struct Shown(Vec<String>);

impl EventSink for Shown {
    fn event(&mut self, event: Event<'_>) {
        let text = |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        self.0.push(match event {
            Event::Ended(ended) => format!("{} ended {:?} {:?}", ended.thread, ended.how, ended.status),
            Event::Issued(call) => {
                format!("{} {} issued {:?}", call.thread, String::from_utf8_lossy(call.name), call.result)
            }
            Event::Returned(call) => {
                let fields = [
                    text(call.path),
                    text(call.path2),
                    text(call.arguments),
                    text(call.flags),
                    text(call.error),
                ];
                let shown: Vec<String> = fields.into_iter().flatten().collect();
                let numbers = [call.fd.map(i64::from), call.count, call.offset, call.size, call.result];
                let numbers: Vec<String> =
                    numbers.into_iter().flatten().map(|number| number.to_string()).collect();
                let named =
                    call.fd_path.map_or(String::new(), |named| text(Some(named.path)).unwrap_or_default());
                let name = String::from_utf8_lossy(call.name);
                format!("{} {name} {} {} {named}", call.thread, shown.join(" "), numbers.join(" "))
            }
        });
    }
}

const START: &[u8] = b"machine x86_64\nrealtime_ns 1000\nmonotonic_ns 0\ndirectory /home\ncall 0 read 1\n\
    call 56 clone 1\ncall 59 execve 101\ncall 257 openat 200000201\ncall 89 readlink 2101\ncall 61 wait4 1\ncall 3 close 1\n";
const PROCESSES: &[u8] =
    b"process 10\nthread 10 11\ndirectory 10 /a b\nprogram 10 /bin/a b\ndescriptor 10 0 5 0 100644 1 2 /home/in\n";

fn call(
    number: u16,
    thread: u32,
    (start_ns, duration_ns): (u64, u64),
    arguments: [u64; 6],
    result: i64,
) -> Record<'static> {
    Record {
        number,
        thread,
        process: thread,
        start_ns,
        has_start: true,
        duration_ns,
        result,
        arguments,
        ..Record::default()
    }
}

#[test]
fn events_of_a_recording() -> std::io::Result<()> {
    let path = std::env::temp_dir().join(format!("iotrace-test-{}.iorec", std::process::id()));
    let mut writer = Writer::new(File::create(&path)?, MAGIC, 0)?;
    writer.text(BlockKind::Start, 0, [0; 6], START)?;
    writer.text(BlockKind::Processes, 0, [0; 6], PROCESSES)?;
    let inode = Some(Inode { device: 1, inode: 2, mode: 0o100_644, size_bytes: 3 });
    let records = [
        Record {
            name: b"/bin/a",
            data: Some(b"a\0-b \"c\"\0"),
            ..call(EXEC, 10, (5, 0), [10, 0, 0, 0, 0, 0], 0)
        },
        call(59, 10, (1, 9), [0; 6], 0),
        Record { name: b"in", inode, ..call(257, 10, (11, 1), [(-100_i64) as u64, 7, 0x80000, 0, 0, 0], 3) },
        Record { name: b"no", ..call(257, 10, (13, 1), [(-100_i64) as u64, 7, 0, 0, 0, 0], -2) },
        call(0, 10, (15, 1), [0, 9, 100, 0, 0, 0], 60),
        Record {
            name: b"l",
            second_name: b"target and more",
            ..call(89, 10, (17, 1), [1, 2, 100, 0, 0, 0], 6)
        },
        call(FORK, 10, (21, 0), [2011, 2011, 0, 0, 0, 0], 0),
        // in a PID namespace, where the child has another number
        call(56, 10, (20, 8), [17, 0, 0, 0, 0, 0], 11),
        Record { process: 2011, ..call(56, 2011, (22, 0), [17, 0, 0, 0, 0, 0], 0) },
        Record { process: 2011, ..call(0, 2011, (24, 1), [0, 9, 100, 0, 0, 0], 0) },
        Record { process: 2011, ..call(EXIT, 2011, (26, 0), [0x300, 0, 0, 0, 0, 0], 0) },
        call(3, 10, (29, 1), [0; 6], 0),
        call(0, 10, (31, 1), [0, 9, 100, 0, 0, 0], -9),
        call(UNDER_WAY, 10, (33, 9), [61, 0, 0, 0, 0, 0], 0),
    ];
    records.iter().for_each(|record| writer.push(record, 0));
    writer.flush(50, [0; 6])?;
    let mut shown = Shown::default();
    let mut recording = Recording::open(&path, u64::MAX).map_err(std::io::Error::other)?;
    while recording.advance(&mut shown).map_err(std::io::Error::other)? {}
    std::fs::remove_file(&path)?;
    let expected = [
        "10 execve /bin/a [\"a\", \"-b \\\"c\\\"\"] 0 ",
        "10 openat in O_RDONLY|O_CLOEXEC 3 ",
        "10 openat no O_RDONLY ENOENT -1 ",
        "10 read  0 100 60 /home/in",
        "10 readlink l target 100 6 ",
        "10 clone issued None",
        "10 clone SIGCHLD 2011 ",
        "2011 read  0 100 0 /home/in",
        "2011 ended Exited Some(3)",
        "10 close  0 0 /home/in",
        "10 read EBADF 0 100 -1 ",
        "10 wait4 issued None",
        "10 wait4   ",
    ];
    assert_eq!(shown.0, expected);
    assert_eq!(recording.start_directory(), Some(b"/home".as_slice()));
    let processes = recording.processes();
    assert_eq!(processes.descriptors, [(10, 0, Some(5), false)]);
    assert_eq!(processes.directories, [(10, b"/a b".to_vec())]);
    assert_eq!(processes.programs, [(10, b"/bin/a b".to_vec())]);
    assert_eq!(processes.threads, [(11, 10)]);
    assert!(recording.damage(&path).is_some());
    Ok(())
}
