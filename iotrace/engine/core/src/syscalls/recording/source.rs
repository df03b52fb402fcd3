//! A recording being read.

use super::calls::Kept;
use super::fields::{self, Pointers, Scratch, StatOffsets};
use super::inherited::Inherited;
use super::order::{Moment, Order};
use super::under_calls::{self, Waiting};
use crate::recording::{self, RecordingError, RecordingReader};
use crate::syscalls::call::{
    Call, CallKind, DescriptorPath, End, Ended, Event, EventSink, FileKind, RECORDS_LOST,
};
use crate::syscalls::numbers::Numbers;
use crate::syscalls::roles::{makes_child, returns_descriptor};
use crate::syscalls::symbols;
use crate::syscalls::text;
use crate::syscalls::under_calls::Inode;
use iotrace_capture::record::{
    is_under_calls, kernels_device, Record, EXEC, EXIT, FORK, LOSSES, LOST_CALLS, UNDER_WAY,
};
use iotrace_capture::recording::{Block, Records, MAGIC};
use iotrace_capture::sample::FileSample;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::path::Path;
use std::str::FromStr;

/// A call of the machine that was recorded.
#[derive(Debug, Clone, Default)]
struct Known {
    kind: CallKind,
    name: Box<[u8]>,
    pointers: Pointers,
}

/// Processes from before a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Processes {
    /// Threads with their processes.
    pub threads: Vec<(i32, i32)>,
    /// Processes with their working directories.
    pub directories: Vec<(i32, Vec<u8>)>,
    /// Processes with the programs that they run.
    pub programs: Vec<(i32, Vec<u8>)>,
    /// Process, number, position in bytes, and whether it appends, of each descriptor of a regular file.
    pub descriptors: Vec<(i32, i32, Option<i64>, bool)>,
}

const O_APPEND: u32 = 0o2000;

/// A program that was started: when, and with which name and arguments.
#[derive(Debug)]
struct Started {
    time_ns: u64,
    name: Box<[u8]>,
    arguments: Option<Box<[u8]>>,
}

/// A call that has begun.
#[derive(Debug, Clone, Copy)]
struct Begun {
    seq: i64,
    /// That for [`Order::take`].
    number: u64,
}

/// A recording being read.
pub struct Recording {
    reader: RecordingReader,
    events: Events,
    sample: Option<FileSample>,
    /// Whether the late calls have been taken.
    has_begun: bool,
    is_finished: bool,
    read_bytes: u64,
    total_bytes: u64,
}

impl Recording {
    /// Open a recording. One that is compressed, or comes through a pipe, is copied to a temporary file of at most this
    /// size.
    pub fn open(path: &Path, most_unpacked_bytes: u64) -> Result<Recording, RecordingError> {
        let (reader, total_bytes) = recording::open(path, MAGIC, most_unpacked_bytes)?;
        let events = Events::new(&reader)?;
        let sample = sample_of(&reader)?;
        Ok(Recording {
            reader,
            events,
            sample,
            has_begun: false,
            is_finished: false,
            read_bytes: 0,
            total_bytes,
        })
    }

    /// Read a block and emit the events that are known to be next; false at the end.
    pub fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, RecordingError> {
        if self.is_finished {
            return Ok(false);
        }
        if !std::mem::replace(&mut self.has_begun, true) {
            let late = self.reader.take_late_calls();
            late.iter().for_each(|block| self.take(block));
        }
        let Some(block) = self.reader.next_calls()? else {
            self.is_finished = true;
            self.events.emit(u64::MAX, sink);
            return Ok(false);
        };
        self.read_bytes = self.reader.position()?;
        self.take(&block);
        self.events.emit(block.opened_ns, sink);
        Ok(true)
    }

    fn take(&mut self, block: &Block) {
        let mut records = Records::new(block);
        for record in &mut records {
            if is_under_calls(record.number) {
                self.events.push_under_calls(&record);
            } else {
                self.events.push(Kept::of(&record));
            }
        }
        if records.is_damaged() {
            self.reader.set_damage("a record cannot be read");
        }
    }

    /// Records read so far.
    pub fn records(&self) -> u64 {
        self.events.records
    }

    /// Whether records were read whose events are still to come.
    pub fn holds_records(&self) -> bool {
        !self.events.order.is_empty()
    }

    /// Bytes read, and those of the file.
    pub fn progress(&self) -> (u64, Option<u64>) {
        (self.read_bytes, Some(self.total_bytes))
    }

    /// Why the end of the recording at `path` is missing.
    pub fn damage(&self, path: &Path) -> Option<String> {
        recording::damage(&self.reader, path)
    }

    /// What was lost, by kind.
    pub fn lost(&self) -> [u64; LOSSES] {
        self.reader.lost()
    }

    /// The time of the first event, since 1970.
    pub fn first_ns(&self) -> Option<i64> {
        self.events.first_ns
    }

    /// What was recorded under the calls: the names of groups as reports have them.
    pub fn groups(&self) -> impl Iterator<Item = &'static str> + '_ {
        const NAMES: [(&[u8], &str); 4] = [
            (b"scheduler", "recorded_scheduler"),
            (b"page_cache", "recorded_page_cache"),
            (b"io_uring", "recorded_io_uring"),
            (b"disks", "recorded_disks"),
        ];
        let groups = self.reader.start_values("recorded");
        groups.filter_map(|group| NAMES.iter().find(|(name, _)| *name == group).map(|(_, shown)| *shown))
    }

    /// The files of which it has the calls; None if it has all.
    pub fn sample(&self) -> Option<FileSample> {
        self.sample
    }

    /// What was asked for under the calls and could not be recorded, a sentence each.
    pub fn missing(&self) -> impl Iterator<Item = String> + '_ {
        self.reader.start_values("missing").map(|line| {
            let line = String::from_utf8_lossy(line);
            let (group, why) = line.split_once(' ').unwrap_or((&line, "no reason is known"));
            format!("{} not recorded: {why}", group.replace('_', " "))
        })
    }

    /// The folder in which the command was started.
    pub fn start_directory(&self) -> Option<&[u8]> {
        self.reader.start_values("directory").next()
    }

    /// The processes from before the recording.
    pub fn processes(&self) -> Processes {
        let mut processes = Processes::default();
        for (key, value) in self.reader.processes() {
            let line = String::from_utf8_lossy(value);
            let words: Vec<&str> = line.split(' ').collect();
            match (key.as_str(), words.as_slice()) {
                ("thread", [process, thread]) => {
                    processes.threads.extend(thread.parse().ok().zip(process.parse().ok()))
                }
                (key @ ("directory" | "program"), [process, ..]) => {
                    let path = value.splitn(2, |&byte| byte == b' ').nth(1);
                    let of_process = process.parse().ok().zip(path.map(<[u8]>::to_vec));
                    match key {
                        "program" => processes.programs.extend(of_process),
                        _ => processes.directories.extend(of_process),
                    }
                }
                ("descriptor", [process, number, position, flags, mode, ..]) => {
                    let mode = u64::from_str_radix(mode, 8).unwrap_or(0);
                    let is_regular = symbols::kind_of_mode(mode) == Some(FileKind::Regular);
                    let flags = u32::from_str_radix(flags, 8).unwrap_or(0);
                    if let (Ok(process), Ok(number), true) = (process.parse(), number.parse(), is_regular) {
                        let appends = flags & O_APPEND != 0;
                        processes.descriptors.push((process, number, position.parse().ok(), appends));
                    }
                }
                _ => {}
            }
        }
        processes
    }
}

/// Makes events of records.
struct Events {
    calls: FxHashMap<u16, Known>,
    /// What the monotonic clock is behind the time of day.
    epoch_ns: i64,
    stat: StatOffsets,
    order: Order,
    under_calls: Waiting,
    inherited: Inherited,
    /// Programs that threads started, until their calls return.
    started: FxHashMap<i32, VecDeque<Started>>,
    /// The call that each thread has begun.
    begun: FxHashMap<i32, Begun>,
    numbers: Numbers,
    scratch: Scratch,
    next_seq: i64,
    records: u64,
    first_ns: Option<i64>,
}

impl Events {
    fn new(reader: &RecordingReader) -> Result<Events, RecordingError> {
        let value = |key: &'static str| reader.start_values(key).next().unwrap_or_default();
        let epoch_ns = recording::epoch_ns(reader)?;
        let stat = match value("machine") {
            b"x86_64" => fields::STAT_X86_64,
            b"aarch64" => fields::STAT_AARCH64,
            other => {
                let machine = other.escape_ascii();
                return Err(RecordingError::Refused(format!("is of a machine that is not known: {machine}")));
            }
        };
        let mut inherited = Inherited::default();
        for (key, value) in reader.processes() {
            if key == "descriptor" {
                insert_inherited(value, &mut inherited);
            }
        }
        Ok(Events {
            calls: reader.start_values("call").filter_map(known).collect(),
            epoch_ns,
            stat,
            order: Order::default(),
            under_calls: Waiting::new(reader.start_values("request_flag")),
            inherited,
            started: FxHashMap::default(),
            begun: FxHashMap::default(),
            numbers: Numbers::default(),
            scratch: Scratch::default(),
            next_seq: 0,
            records: 0,
            first_ns: None,
        })
    }

    fn push(&mut self, kept: Kept) {
        self.records += 1;
        let is_of_child =
            kept.result == 0 && self.calls.get(&kept.number).is_some_and(|known| makes_child(known.kind));
        if is_of_child {
            return;
        }
        if kept.number == EXEC {
            let [name, _] = kept.names.clone();
            let started = Started { time_ns: kept.start_ns, name, arguments: kept.data.clone() };
            self.started.entry(kept.thread).or_default().push_back(started);
            if kept.arguments[0] as i32 == kept.thread {
                return;
            }
        }
        self.order.push(kept);
    }

    fn push_under_calls(&mut self, record: &Record<'_>) {
        self.records += 1;
        let calls = &self.calls;
        self.under_calls.push(record, |number| Some(calls.get(&number)?.name.clone()));
    }

    /// Emit what happened before this time under the calls.
    fn emit_under_calls(&mut self, horizon_ns: u64, sink: &mut dyn EventSink) {
        while let Some((time_ns, mut happened)) = self.under_calls.next(horizon_ns) {
            happened.time_ns = self.time_ns(time_ns);
            sink.under_calls(happened);
        }
    }

    /// Emit what happened before this time.
    fn emit(&mut self, horizon_ns: u64, sink: &mut dyn EventSink) {
        self.emit_calls(horizon_ns, sink);
        self.emit_under_calls(horizon_ns, sink);
    }

    fn emit_calls(&mut self, horizon_ns: u64, sink: &mut dyn EventSink) {
        while let Some(moment) = self.order.next(horizon_ns) {
            let now_ns = match &moment {
                Moment::Whole(kept) | Moment::Begins(kept, _) => kept.start_ns,
                Moment::Ends(kept) => kept.end_ns,
            };
            self.emit_under_calls(now_ns, sink);
            let first_ns = self.time_ns(now_ns);
            self.first_ns.get_or_insert(first_ns);
            match moment {
                Moment::Whole(kept) => self.whole(&kept, sink),
                Moment::Begins(kept, number) => self.begins(&kept, number, sink),
                Moment::Ends(kept) => self.ends(&kept, sink),
            }
        }
    }

    /// Something that took no time, or in whose time nothing else happened.
    fn whole(&mut self, kept: &Kept, sink: &mut dyn EventSink) {
        match kept.number {
            FORK => self.fork(kept, sink),
            EXEC => self.supersede(kept, sink),
            EXIT => self.exit(kept, sink),
            LOST_CALLS => self.lost(kept, sink),
            UNDER_WAY => {
                self.begins(kept, 0, sink);
                self.ends(kept, sink);
            }
            _ => {
                let seq = self.take_seq();
                self.returned(kept, seq, seq, kept.result, sink);
            }
        }
    }

    fn begins(&mut self, kept: &Kept, number: u64, sink: &mut dyn EventSink) {
        let is_under_way = kept.number == UNDER_WAY;
        let number_of_call = if is_under_way { kept.arguments[0] as u16 } else { kept.number };
        let Some(known) = self.calls.get(&number_of_call) else { return };
        let seq = self.next_seq;
        let mut scratch = std::mem::take(&mut self.scratch);
        let call = match is_under_way {
            true => Call { kind: known.kind, ..Call::default() },
            false => fields::call(kept, known.kind, known.pointers, self.stat, false, &mut scratch),
        };
        let time_ns = Some(self.time_ns(kept.start_ns));
        let call = Call { seq, seq_return: seq, thread: kept.thread, time_ns, name: &known.name, ..call };
        sink.event(Event::Issued(call));
        self.scratch = scratch;
        self.next_seq += 1;
        self.begun.insert(kept.thread, Begun { seq, number });
    }

    fn ends(&mut self, kept: &Kept, sink: &mut dyn EventSink) {
        // a call that made a child has returned as the child began
        let Some(Begun { seq, .. }) = self.begun.remove(&kept.thread) else { return };
        let seq_return = self.take_seq();
        if kept.number == UNDER_WAY {
            return self.abandon(kept, seq, seq_return, sink);
        }
        self.returned(kept, seq, seq_return, kept.result, sink);
    }

    /// A call that had not returned at the end of the recording.
    fn abandon(&mut self, kept: &Kept, seq: i64, seq_return: i64, sink: &mut dyn EventSink) {
        let Some(known) = self.calls.get(&(kept.arguments[0] as u16)) else { return };
        let time_ns = Some(self.time_ns(kept.start_ns));
        let (thread, kind, name) = (kept.thread, known.kind, &*known.name);
        sink.event(Event::Returned(Call { seq, seq_return, thread, time_ns, kind, name, ..Call::default() }));
    }

    fn returned(&mut self, kept: &Kept, seq: i64, seq_return: i64, result: i64, sink: &mut dyn EventSink) {
        let Some(known) = self.calls.get(&kept.number) else { return };
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut call = fields::call(kept, known.kind, known.pointers, self.stat, true, &mut scratch);
        let (shown_result, error) = self.numbers.outcome(result);
        let kind = known.kind;
        let started = match kind {
            CallKind::Execve | CallKind::Execveat if result == 0 => self.take_started(kept),
            _ => None,
        };
        let (mut shown_name, mut shown_arguments) = (Vec::new(), Vec::new());
        if let Some(started) = &started {
            text::show_name(&started.name, &mut shown_name);
            call.path = Some(&shown_name);
            if let Some(arguments) = &started.arguments {
                list(arguments, &mut shown_arguments);
                call.arguments = Some(&shown_arguments);
            }
        }
        let name_of = |number: Option<i32>| self.inherited.name(kept.process, number?);
        let names = [call.fd, call.fd2, call.dirfd, call.dirfd2].map(name_of);
        let mut shown: [Vec<u8>; 4] = Default::default();
        let mut paths: [Option<DescriptorPath<'_>>; 4] = [None; 4];
        for ((name, shown), path) in names.iter().zip(&mut shown).zip(&mut paths) {
            *path = name.as_deref().map(|name| descriptor_path(name, shown));
        }
        let is_known = !matches!(kind, CallKind::Dup2 | CallKind::Dup3);
        let known = &self.calls[&kept.number];
        let call = Call {
            seq,
            seq_return,
            thread: kept.thread,
            time_ns: Some(self.time_ns(kept.start_ns)),
            duration_ns: kept.has_start.then(|| kept.end_ns.saturating_sub(kept.start_ns) as i64),
            name: &known.name,
            result: shown_result,
            error: error.as_deref(),
            fd_path: paths[0],
            fd2_path: paths[1].filter(|_| is_known),
            dirfd_path: paths[2],
            dirfd2_path: paths[3],
            ..call
        };
        let (fd, fd2) = (call.fd, call.fd2);
        let is_done = error.is_none();
        sink.event(Event::Returned(call));
        let opened =
            under_calls::file_of(kept.inode).or_else(|| self.inherited.take_inode(kept.process, fd?));
        if let Some(file) = opened {
            sink.opened(seq, file);
        }
        self.scratch = scratch;
        if is_done {
            self.forget(kept, kind, result, fd, fd2);
        }
    }

    /// Descriptors from before the recording that the call closed, or made refer to something else.
    fn forget(&mut self, kept: &Kept, kind: CallKind, result: i64, fd: Option<i32>, fd2: Option<i32>) {
        let process = kept.process;
        match (kind, fd, fd2) {
            (CallKind::Close, Some(fd), _) => self.inherited.remove(process, fd),
            (CallKind::CloseRange, Some(first), Some(last)) => {
                self.inherited.remove_range(process, first, last);
            }
            _ if returns_descriptor(kind) => {
                if let Ok(descriptor) = i32::try_from(result) {
                    self.inherited.remove(process, descriptor);
                }
            }
            _ => {}
        }
    }

    /// The program that a thread's call started.
    fn take_started(&mut self, kept: &Kept) -> Option<Started> {
        let started = self.started.get_mut(&kept.thread)?;
        while started.front().is_some_and(|started| started.time_ns < kept.start_ns) && started.len() > 1 {
            started.pop_front();
        }
        let is_it = started.front().is_some_and(|started| started.time_ns <= kept.end_ns);
        if is_it {
            started.pop_front()
        } else {
            None
        }
    }

    /// A child begins, so that the call that made it is known to return its number.
    fn fork(&mut self, kept: &Kept, sink: &mut dyn EventSink) {
        let (child, process) = (kept.arguments[0] as i32, kept.arguments[1] as i32);
        self.inherited.fork(kept.process, process);
        let Some(&Begun { seq, number }) = self.begun.get(&kept.thread) else { return };
        let Some(call) = self.order.take(number) else { return };
        self.begun.remove(&kept.thread);
        let seq_return = self.take_seq();
        self.returned(&call, seq, seq_return, i64::from(child), sink);
    }

    /// The exec of another thread of the process ends its first one, whose number it takes.
    fn supersede(&mut self, kept: &Kept, sink: &mut dyn EventSink) {
        let seq = self.take_seq();
        let status = Some(kept.arguments[0] as i64);
        let time_ns = Some(self.time_ns(kept.start_ns));
        let ended = Ended { seq, time_ns, thread: kept.thread, how: End::Superseded, status, signal: None };
        sink.event(Event::Ended(ended));
    }

    fn exit(&mut self, kept: &Kept, sink: &mut dyn EventSink) {
        let seq = self.take_seq();
        let [code, threads, ..] = kept.arguments;
        let signal = (code & 0x7f) as i32;
        let name = signal_name(signal);
        let (how, status, signal) = match signal {
            0 => (End::Exited, Some((code >> 8 & 0xff) as i64), None),
            _ => (End::Killed, None, Some(name.as_bytes())),
        };
        let time_ns = Some(self.time_ns(kept.start_ns));
        sink.event(Event::Ended(Ended { seq, time_ns, thread: kept.thread, how, status, signal }));
        if threads == 0 {
            self.inherited.end(kept.process);
        }
    }

    fn lost(&mut self, kept: &Kept, sink: &mut dyn EventSink) {
        let seq = self.take_seq();
        let name = RECORDS_LOST.as_bytes();
        let result = Some(kept.arguments[0] as i64);
        let time_ns = Some(self.time_ns(kept.start_ns));
        let call = Call { seq, seq_return: seq, time_ns, name, result, ..Call::default() };
        sink.event(Event::Returned(call));
    }

    fn time_ns(&self, monotonic_ns: u64) -> i64 {
        self.epoch_ns.saturating_add(i64::try_from(monotonic_ns).unwrap_or(i64::MAX))
    }

    fn take_seq(&mut self) -> i64 {
        self.next_seq += 1;
        self.next_seq - 1
    }
}

/// The sample of files that a recording is of; None if it is of all files.
fn sample_of(reader: &RecordingReader) -> Result<Option<FileSample>, RecordingError> {
    let Some(value) = reader.start_values("sampled_files_per_million").next() else { return Ok(None) };
    match number(value).and_then(FileSample::new) {
        None => Err(RecordingError::Refused("is damaged: its start has no share of files".to_owned())),
        sample => Ok(sample),
    }
}

/// A call of the recording's table: its number, its name, and the word of its shape.
fn known(line: &[u8]) -> Option<(u16, Known)> {
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split(' ');
    let (number, name, word) = (words.next()?, words.next()?, words.next()?);
    let known = Known {
        kind: CallKind::from_name(name.as_bytes()),
        name: name.as_bytes().into(),
        pointers: Pointers::of_word(u64::from_str_radix(word, 16).ok()?),
    };
    Some((number.parse().ok()?, known))
}

/// `PROCESS NUMBER POSITION FLAGS MODE DEVICE INODE PATH`
fn insert_inherited(line: &[u8], inherited: &mut Inherited) {
    let words: Vec<&[u8]> = line.splitn(8, |&byte| byte == b' ').collect();
    let [process, descriptor, _, _, _, device, inode, path] = words[..] else { return };
    let (Some(process), Some(descriptor)) = (number(process), number(descriptor)) else { return };
    let file = number(device).zip(number(inode));
    let file = file.map(|(device, inode)| Inode { device: kernels_device(device) as i64, inode });
    inherited.insert(process, descriptor, path, file);
}

fn number<N: FromStr>(word: &[u8]) -> Option<N> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

fn descriptor_path<'a>(name: &'a [u8], shown: &'a mut Vec<u8>) -> DescriptorPath<'a> {
    let (path, deleted) = match name.strip_suffix(b" (deleted)") {
        Some(path) => (path, true),
        None => (name, false),
    };
    text::show_name(path, shown);
    DescriptorPath { path: shown, deleted }
}

/// A program's arguments as strace lists them: `["sh", "-c", "true"]`.
fn list(arguments: &[u8], out: &mut Vec<u8>) {
    let whole = arguments.strip_suffix(&[0]);
    let words = whole.unwrap_or(arguments).split(|&byte| byte == 0);
    out.push(b'[');
    for (number, word) in words.enumerate() {
        out.extend_from_slice(if number == 0 { b"\"" } else { b", \"" });
        for (place, &byte) in word.iter().enumerate() {
            let is_before_digit = word.get(place + 1).is_some_and(|next| (b'0'..=b'7').contains(next));
            match byte {
                b'"' | b'\\' => out.extend([b'\\', byte]),
                b'\n' => out.extend(b"\\n"),
                b'\t' => out.extend(b"\\t"),
                b'\r' => out.extend(b"\\r"),
                0x0b => out.extend(b"\\v"),
                0x0c => out.extend(b"\\f"),
                b' '..=b'~' => out.push(byte),
                _ if is_before_digit => out.extend(format!("\\{byte:03o}").bytes()),
                _ => out.extend(format!("\\{byte:o}").bytes()),
            }
        }
        out.push(b'"');
    }
    out.extend_from_slice(if whole.is_some() { b"]" } else { b"...]" });
}

/// The name of a signal of Linux; those of real time by number.
fn signal_name(number: i32) -> String {
    const NAMES: [&str; 31] = [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE",
        "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ",
        "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
    ];
    match usize::try_from(number - 1).ok().and_then(|place| NAMES.get(place)) {
        Some(name) => format!("SIG{name}"),
        None => format!("SIGRT_{}", number - 32),
    }
}
