//! The round trip of written events; examples of both versions are in tests/cases/ultrix.

use super::{list, recognises, Reader, Remark, Tally, Writer};
use crate::columns::Named;
use crate::syscalls::call::{Call, CallKind, End, Ended, Event, EventSink, FileKind};
use crate::syscalls::text::show_name;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Keeps events as text without positions, and the positions separately.
#[derive(Default)]
struct Collected {
    events: Vec<String>,
    places: Vec<(i64, i64)>,
}

impl EventSink for Collected {
    fn event(&mut self, event: Event<'_>) {
        let (place, shown) = match event {
            Event::Issued(call) => ((call.seq, call.seq_return), show("issued", call)),
            Event::Returned(call) => ((call.seq, call.seq_return), show("returned", call)),
            Event::Ended(ended) => ((ended.seq, ended.seq), format!("{:?}", Ended { seq: 0, ..ended })),
        };
        self.places.push(place);
        self.events.push(shown);
    }
}

fn show(what: &str, call: Call<'_>) -> String {
    format!("{what} {:?}", Call { seq: 0, seq_return: 0, ..call })
}

fn read(text: &[u8]) -> (Collected, Tally) {
    let (mut reader, mut sink) = (Reader::new(), Collected::default());
    reader.block(text, &mut sink);
    reader.finish(&mut sink);
    let tally = reader.tally().clone();
    let remarks = tally.remarks(Remark::Comment) + tally.remarks(Remark::Blank);
    assert_eq!(tally.lines, tally.parsed + tally.skipped_lines() + remarks);
    (sink, tally)
}

fn write(events: &[Event<'_>]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    events.iter().for_each(|event| writer.event(event.clone()));
    writer.finish().unwrap()
}

const EXAMPLES: &str = include_str!("../../../tests/cases/ultrix/extended.txt");

#[test]
fn the_documented_example_is_a_case_and_is_written_back() {
    let documented: String = include_str!("mod.rs")
        .lines()
        .skip_while(|line| !line.contains("```text"))
        .skip(1)
        .take_while(|line| !line.contains("```"))
        .map(|line| format!("{}\n", line.trim_start_matches("//! ")))
        .collect();
    let case: String = documented.lines().map(|line| format!("> {line}\n")).collect();
    assert!(EXAMPLES.contains(&case));
    let (mut reader, mut writer) = (Reader::new(), Writer::new(Vec::new()).unwrap());
    reader.block(documented.as_bytes(), &mut writer);
    reader.finish(&mut writer);
    assert_eq!(String::from_utf8(writer.finish().unwrap()).unwrap(), documented);
    assert!(recognises(documented.as_bytes()));
    assert!(!recognises(b"17 open(\"/etc/passwd\", O_RDONLY) = 3"));
}

#[test]
fn every_call_is_listed_once_and_the_classic_ones_are_marked() {
    let list = list();
    assert_eq!(list.len(), CallKind::ALL.len());
    let found = |name: &str| {
        let call = list.iter().find(|call| call.name == name).unwrap();
        (call.arguments.as_str(), call.classic)
    };
    assert_eq!(found("open"), ("path flags [mode]", true));
    assert_eq!(found("openat"), ("dirfd path flags [mode]", false));
    assert_eq!(list.iter().filter(|call| call.classic).count(), 25);
}

/// All fields of a call, owned.
#[derive(Debug, Clone)]
struct Fields {
    descriptors: [Option<i32>; 4],
    texts: [Option<Vec<u8>>; 5],
    numbers: [Option<i64>; 5],
    kind: Option<FileKind>,
    duration: Option<i64>,
}

fn shown(bytes: Vec<u8>) -> Vec<u8> {
    let mut shown = Vec::new();
    show_name(&bytes, &mut shown);
    shown
}

fn fields() -> impl Strategy<Value = Fields> {
    let byte = prop_oneof![any::<u8>(), proptest::sample::select(b"\\xa-%\"=# ".to_vec())];
    let name = || option::of(vec(byte.clone(), 0..6).prop_map(shown));
    let text = || option::of("[-%\"=#/a]{0,3}|.{0,4}".prop_map(String::into_bytes));
    (
        proptest::array::uniform4(option::of(any::<i32>())),
        (name(), name(), text(), text(), text()),
        proptest::array::uniform5(option::of(any::<i64>())),
        option::of(proptest::sample::select(FileKind::ALL.to_vec())),
        option::of(0..i64::MAX),
    )
        .prop_map(|(descriptors, (path, path2, flags, arguments, error), numbers, kind, duration)| {
            Fields { descriptors, texts: [path, path2, flags, arguments, error], numbers, kind, duration }
        })
}

impl Fields {
    fn returned(&self) -> Call<'_> {
        let text = |index: usize| self.texts[index].as_deref();
        Call {
            fd: self.descriptors[0],
            fd2: self.descriptors[1],
            dirfd: self.descriptors[2],
            dirfd2: self.descriptors[3],
            path: text(0),
            path2: text(1),
            flags: text(2),
            arguments: text(3),
            error: text(4),
            offset: self.numbers[0],
            offset2: self.numbers[4],
            count: self.numbers[1],
            result: self.numbers[2],
            size: self.numbers[3],
            file_kind: self.kind,
            duration_ns: self.duration,
            ..Call::default()
        }
    }

    /// The fields of a call's entry, without results of the kernel.
    fn issued(&self, kind: CallKind) -> Call<'_> {
        let call = Call {
            result: None,
            error: None,
            size: None,
            file_kind: None,
            duration_ns: None,
            ..self.returned()
        };
        match kind {
            CallKind::Readlink | CallKind::Readlinkat | CallKind::Getcwd => Call { path2: None, ..call },
            CallKind::Pipe | CallKind::Pipe2 | CallKind::Socketpair => Call { fd: None, fd2: None, ..call },
            _ => call,
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    /// Issue a call on a thread that has none open, or return its open call.
    Half(Fields),
    Whole(Fields),
    End(End, Option<i64>, Vec<u8>),
}

type Trace = Vec<(i32, Option<i64>, CallKind, Vec<u8>, Step)>;

fn trace() -> impl Strategy<Value = Trace> {
    let step = prop_oneof![
        4 => fields().prop_map(Step::Half),
        4 => fields().prop_map(Step::Whole),
        1 => (0..4usize, option::of(any::<i64>()), ".{0,4}".prop_map(String::into_bytes)).prop_map(|(how, status, signal)| {
            Step::End([End::Exited, End::Killed, End::Superseded, End::Detached][how], status, signal)
        }),
    ];
    let kind = proptest::sample::select([CallKind::ALL, &[CallKind::Other]].concat());
    let name = ".{0,5}"
        .prop_map(String::into_bytes)
        .prop_filter("a known call", |name| CallKind::from_name(name) == CallKind::Other);
    vec((0..3i32, option::of(any::<i64>()), kind, name, step), 0..20)
}

/// A well-formed sequence of events: a thread has at most one open call, and every call returns.
fn events(trace: &Trace) -> Vec<Event<'_>> {
    let mut open: BTreeMap<i64, Call<'_>> = BTreeMap::new();
    let mut events = Vec::new();
    for (seq, (thread, time_ns, kind, name, step)) in (0..).zip(trace) {
        let name = if *kind == CallKind::Other { name } else { kind.name().as_bytes() };
        let head = |call| Call {
            seq,
            seq_return: seq,
            thread: *thread,
            time_ns: *time_ns,
            kind: *kind,
            name,
            ..call
        };
        let pending = open.iter().find(|(_, call)| call.thread == *thread).map(|(seq, _)| *seq);
        let pending = pending.and_then(|seq| open.remove(&seq));
        match (step, pending) {
            (Step::Half(fields) | Step::Whole(fields), Some(call)) => {
                let Call { seq, thread, time_ns, kind, name, .. } = call;
                let call = Call { seq, seq_return: -1, thread, time_ns, kind, name, ..fields.returned() };
                events.push(Event::Returned(call));
            }
            (Step::Half(fields), None) => {
                let call = head(fields.issued(*kind));
                open.insert(seq, call.clone());
                events.push(Event::Issued(call));
            }
            (Step::Whole(fields), None) => events.push(Event::Returned(head(fields.returned()))),
            (Step::End(how, status, signal), pending) => {
                events.extend(pending.map(Event::Returned));
                events.push(Event::Ended(Ended {
                    seq,
                    time_ns: *time_ns,
                    thread: *thread,
                    how: *how,
                    status: status.filter(|_| matches!(how, End::Exited | End::Superseded)),
                    signal: Some(signal.as_slice()).filter(|_| *how == End::Killed),
                }));
            }
        }
    }
    events.extend(open.into_values().map(Event::Returned));
    events
}

/// A call that returns immediately has one event.
fn joined<'a>(events: &[Event<'a>]) -> Vec<Event<'a>> {
    let mut joined: Vec<Event<'_>> = Vec::new();
    for event in events {
        let directly = match (joined.last(), event) {
            (Some(Event::Issued(issued)), Event::Returned(call)) => issued.thread == call.thread,
            _ => false,
        };
        if directly {
            joined.pop();
        }
        joined.push(event.clone());
    }
    joined
}

proptest! {
    #[test]
    fn what_is_written_reads_back(trace in trace()) {
        let events = events(&trace);
        let mut expected = Collected::default();
        joined(&events).into_iter().for_each(|event| expected.event(event));
        let text = write(&events);
        let (read, tally) = read(&text);
        prop_assert_eq!(tally.skipped_lines(), 0);
        prop_assert_eq!(&read.events, &expected.events, "{}", String::from_utf8_lossy(&text));
        let returns: Vec<i64> = read.places.iter().map(|(_, returned)| *returned).collect();
        prop_assert_eq!(returns, (0..).take(read.places.len()).collect::<Vec<i64>>());
    }

    #[test]
    fn names_keep_apart(names in vec(vec(any::<u8>(), 0..4), 2)) {
        let encoded: Vec<Vec<u8>> = names.iter().map(|name| {
            let mut out = Vec::new();
            super::name::encode(Some(name), &mut out);
            out
        }).collect();
        prop_assert_eq!(names[0] == names[1], encoded[0] == encoded[1]);
        prop_assert!(encoded[0].is_ascii() && encoded[0] != b"-");
    }

    #[test]
    fn any_bytes_are_read_or_counted(text in vec(any::<u8>(), 0..400)) {
        read(&text);
    }

    #[test]
    fn any_columns_are_read_or_counted(
        columns in vec("[0-9]{1,2}|-|[CRE]|open|read|exit|process_exited|fd=1|type=f|size=|path=%|\"\"|\n", 0..60),
        version in "[123]"
    ) {
        read(format!("# iotrace ultrix-calls {version}\n{}", columns.join(" ")).as_bytes());
    }
}
