//! Totals of what is recorded, by file, process and call, while it is recorded: for `iotrace top`.
//!
//! Descriptors are followed as the file table of a store does, but in the order in which calls return: a call is of what
//! its descriptor referred to as it began, which is not known if it was closed meanwhile.

mod files;
mod line;
mod processes;
#[cfg(test)]
mod tests;
mod totals;
mod uses;

use crate::record::{kernels_device, Inode, Record, EXEC, EXIT, FORK, PAGES_ADDED, UNDER_WAY};
use crate::recording::text;
use files::{joined, File, Files, Kind};
use processes::{Process, Slot};
use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::rc::Rc;
use totals::Totals;
use uses::{Class, Effect, Object, Use, CLASSES};

/// What has no path, or is not known.
const PIPE: &[u8] = b"(pipe)";
const SOCKET: &[u8] = b"(socket)";
const EVENT: &[u8] = b"(event)";
const NOT_FOUND: &[u8] = b"(not found)";
const NO_FILE: &[u8] = b"(no file)";
const UNKNOWN: &[u8] = b"(unknown)";

const ENOENT: i64 = -2;
const ENOTDIR: i64 = -20;

/// What a call works on.
struct Target {
    file: Option<Rc<File>>,
    /// None if it is not known, or a path names it.
    kind: Option<Kind>,
    is_named: bool,
}

/// Totals since the last interval.
#[derive(Debug)]
pub struct Live {
    uses: Vec<Option<Use>>,
    files: Files,
    processes: HashMap<u32, Process>,
    /// Processes that have ended in the interval and have totals.
    ended: Vec<(u32, Process)>,
    /// By number and class of the call.
    calls: Vec<Option<Box<Totals>>>,
    began_ns: u64,
    /// Calls that were lost before the interval, and calls of 32-bit programs.
    lost_before: [u64; 2],
}

impl Live {
    /// Totals from a time of the monotonic clock on.
    pub fn new(now_ns: u64) -> Live {
        let uses = uses::uses();
        let calls = vec![None; uses.len() * CLASSES.len()];
        Live {
            uses,
            files: Files::default(),
            processes: HashMap::new(),
            ended: Vec::new(),
            calls,
            began_ns: now_ns,
            lost_before: [0; 2],
        }
    }

    /// Begin the first interval.
    pub fn begin(&mut self, now_ns: u64) {
        self.began_ns = now_ns;
    }

    /// Take the processes that are there, as a recording has them.
    pub fn know(&mut self, processes: &[u8]) {
        for (key, value) in text::read(processes) {
            let mut words = value.splitn(2, |&byte| byte == b' ');
            let Some(number) = words.next().and_then(number) else { continue };
            let process = self.processes.entry(number).or_insert_with(|| met(number));
            match (key.as_str(), words.next()) {
                ("directory", Some(path)) => process.folder = path.into(),
                ("descriptor", Some(line)) => know_descriptor(&mut self.files, process, line),
                _ => {}
            }
        }
    }

    /// Take a record, in the order of the ring.
    pub fn see(&mut self, record: &Record<'_>) {
        match record.number {
            FORK => self.fork(record),
            EXEC => self.process(record.process).execute(record.name),
            EXIT if record.arguments[1] == 0 => self.end(record.process),
            PAGES_ADDED => self.add_pages(record),
            // it does not return
            UNDER_WAY => self.call(&Record { number: record.arguments[0] as u16, ..*record }),
            number if number < FORK => self.call(record),
            _ => {}
        }
    }

    fn process(&mut self, number: u32) -> &mut Process {
        self.processes.entry(number).or_insert_with(|| met(number))
    }

    fn fork(&mut self, record: &Record<'_>) {
        let child = record.arguments[1] as u32;
        if child != record.process {
            let made = self.process(record.process).child();
            self.end(child);
            self.processes.insert(child, made);
        }
    }

    fn end(&mut self, number: u32) {
        if let Some(process) = self.processes.remove(&number) {
            if has_totals(&process) {
                self.ended.push((number, process));
            }
        }
    }

    fn add_pages(&mut self, record: &Record<'_>) {
        let [device, inode, _, pages, ..] = record.arguments;
        let file = self.files.of_inode(device, inode).unwrap_or_else(|| self.files.named(UNKNOWN));
        self.files.add(&file, |totals| totals.missed_pages += pages);
        // others also add pages of the files of those that are recorded
        if let Some(process) = self.processes.get_mut(&record.process) {
            process.totals.missed_pages += pages;
        }
    }

    fn call(&mut self, record: &Record<'_>) {
        let number = usize::from(record.number);
        let Some(call) = self.uses.get(number).copied().flatten() else { return };
        if call.is_of_child(record) {
            return;
        }
        let process = self.processes.entry(record.process).or_insert_with(|| met(record.process));
        let files = &mut self.files;
        let before = target(files, process, &call, record);
        let Target { file, kind, is_named } = match record.result >= 0 {
            true => effect(files, process, &call, record).unwrap_or(before),
            false => before,
        };
        let class = call.class(record, kind, is_named);
        let duration_ns = record.has_start.then_some(record.duration_ns);
        let totals = self.calls[number * CLASSES.len() + class as usize].get_or_insert_default();
        totals.add(duration_ns);
        if class == Class::Waiting {
            process.waiting_ns += record.duration_ns;
        }
        let is_on_storage = matches!(class, Class::Storage | Class::Unknown);
        if is_on_storage {
            let file = file.unwrap_or_else(|| files.named(unnamed(kind, class)));
            files.add(&file, |totals| totals.add(duration_ns));
            process.totals.add(duration_ns);
        }
        let bytes = record.result.max(0) as u64;
        let mut read = |descriptor: Option<i32>| {
            if let Some(file) = moved(files, process, descriptor, record) {
                files.add(&file, |totals| totals.read_bytes += bytes);
                process.totals.read_bytes += bytes;
                totals.read_bytes += bytes;
            }
        };
        let argument = |place: u8| Some(record.arguments[usize::from(place)] as i32);
        match call.effect {
            _ if bytes == 0 => {}
            Effect::Reads => read(argument(0)),
            Effect::Writes | Effect::Copies(..) => {
                let mut target = 0;
                if let Effect::Copies(from, to) = call.effect {
                    read(argument(from));
                    target = to;
                }
                if let Some(file) = moved(files, process, argument(target), record) {
                    files.add(&file, |totals| totals.written_bytes += bytes);
                    process.totals.written_bytes += bytes;
                    totals.written_bytes += bytes;
                }
            }
            _ => {}
        }
    }
}

/// A process that is met, of which only its name and its folder are known.
fn met(number: u32) -> Process {
    let name = fs::read(format!("/proc/{number}/comm")).unwrap_or_default();
    let folder = fs::read_link(format!("/proc/{number}/cwd"));
    Process {
        name: String::from_utf8_lossy(name.trim_ascii_end()).into(),
        folder: folder.map_or_else(|_| Rc::default(), |path| path.as_os_str().as_bytes().into()),
        ..Process::default()
    }
}

fn has_totals(process: &Process) -> bool {
    !process.totals.is_empty() || process.waiting_ns > 0
}

/// `NUMBER POSITION FLAGS MODE DEVICE INODE PATH`, as a recording has it.
fn know_descriptor(files: &mut Files, process: &mut Process, line: &[u8]) {
    let words: Vec<&[u8]> = line.splitn(7, |&byte| byte == b' ').collect();
    let [descriptor, _, flags, mode, device, inode, path] = words[..] else { return };
    let octal = |word: &[u8]| u64::from_str_radix(std::str::from_utf8(word).ok()?, 8).ok();
    let (Some(descriptor), Some(mode)) = (number(descriptor), octal(mode)) else { return };
    let path = path.strip_suffix(b" (deleted)").unwrap_or(path);
    let kind = Kind::of(mode, path);
    let file = path.starts_with(b"/").then(|| files.named(path));
    if let (Some(file), Some(device), Some(inode)) = (&file, number(device), number(inode)) {
        files.bind(file, Inode { device: kernels_device(device), inode, ..Inode::default() });
    }
    let closes_on_exec = octal(flags).is_some_and(|flags| flags & libc::O_CLOEXEC as u64 != 0);
    process.set(descriptor, Some(Slot { file, kind: Some(kind), closes_on_exec, since_ns: 0, former: None }));
}

fn number<N: std::str::FromStr>(word: &[u8]) -> Option<N> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// What a call works on before it changes descriptors.
fn target(files: &mut Files, process: &Process, call: &Use, record: &Record<'_>) -> Target {
    if let Object::Path { second, folder } = call.object {
        let executed = call.name.starts_with("execve") && record.result == 0;
        let name = if executed { &process.program } else { record.path(second) };
        if !name.is_empty() {
            let start = folder.map(|argument| record.arguments[usize::from(argument)] as i32);
            let file = Some(named(files, process, start, name, record));
            return Target { file, kind: None, is_named: true };
        }
    }
    let slot = call.descriptor(record).and_then(|descriptor| process.slot_of_call(descriptor, record));
    let (file, kind) = slot.map_or((None, None), |slot| (slot.file.clone(), slot.kind));
    Target { file, kind, is_named: false }
}

/// The file of a path that starts in the folder of a descriptor, or in the working directory.
fn named(
    files: &mut Files,
    process: &Process,
    start: Option<i32>,
    name: &[u8],
    record: &Record<'_>,
) -> Rc<File> {
    if matches!(record.result, ENOENT | ENOTDIR) {
        return files.named(NOT_FOUND);
    }
    let start = start.filter(|&descriptor| descriptor != libc::AT_FDCWD);
    let path = match start {
        _ if name.starts_with(b"/") => joined(b"", name),
        None => joined(&process.folder, name),
        Some(descriptor) => match process.slot(descriptor).and_then(|slot| slot.file.as_ref()) {
            Some(folder) => joined(&folder.path, name),
            None => joined(b"", name),
        },
    };
    files.named(&path)
}

/// Take what a call that succeeded did; returns what it works on if that is the descriptor that it made.
fn effect(files: &mut Files, process: &mut Process, call: &Use, record: &Record<'_>) -> Option<Target> {
    let [first, second, third, ..] = record.arguments;
    let since_ns = record.end_ns();
    let closes_on_exec = call.closes_on_exec(record);
    let slot = |file, kind| Slot { file, kind, closes_on_exec, since_ns, former: None };
    let made = i32::try_from(record.result).unwrap_or(-1);
    let number = |value: u64| usize::try_from(value as u32).unwrap_or(usize::MAX);
    match call.effect {
        Effect::Opens => {
            let Target { file, is_named, .. } = target(files, process, call, record);
            if let (Some(file), Some(inode)) = (&file, record.inode) {
                files.bind(file, inode);
            }
            let path: &[u8] = file.as_ref().map_or(b"", |file| &file.path);
            let kind = Some(record.inode.map_or(Kind::Storage, |inode| Kind::of(inode.mode, path)));
            process.set(made, Some(slot(file.clone(), kind)));
            return Some(Target { file, kind, is_named });
        }
        Effect::Makes(kind) => {
            let inode = record.inode;
            let kind = kind.or_else(|| inode.map(|inode| Kind::of(inode.mode, b"")));
            let file = inode.and_then(|inode| files.of_inode(inode.device, inode.inode));
            let file = file.filter(|_| call.name != "memfd_create");
            process.set(made, Some(slot(file.clone(), kind)));
            return Some(Target { file, kind, is_named: false });
        }
        Effect::MakesPair(kind) => {
            let pair = record.word(0)?;
            process.set(pair as u32 as i32, Some(slot(None, Some(kind))));
            process.set((pair >> 32) as i32, Some(slot(None, Some(kind))));
        }
        Effect::Closes => process.close(number(first), number(first), record),
        Effect::ClosesRange => match third & libc::CLOSE_RANGE_CLOEXEC as u64 {
            0 => process.close(number(first), number(second), record),
            _ => process.close_on_exec(number(first), number(second), true),
        },
        Effect::Duplicates | Effect::DuplicatesInto => {
            duplicate(process, first as i32, made, closes_on_exec, since_ns);
        }
        Effect::Controls => match second as i32 {
            libc::F_DUPFD => duplicate(process, first as i32, made, false, since_ns),
            libc::F_DUPFD_CLOEXEC => duplicate(process, first as i32, made, true, since_ns),
            libc::F_SETFD => {
                let closes = third & libc::FD_CLOEXEC as u64 != 0;
                process.close_on_exec(number(first), number(first), closes);
            }
            _ => {}
        },
        Effect::ChangesFolder => process.folder = joined(&process.folder, record.name).into(),
        Effect::ChangesFolderByDescriptor => {
            let file = process.slot(first as i32).and_then(|slot| slot.file.clone());
            process.folder = file.map_or_else(Rc::default, |file| (*file.path).into());
        }
        Effect::TellsFolder => process.folder = record.name.into(),
        Effect::Nothing | Effect::Reads | Effect::Writes | Effect::Copies(..) | Effect::MakesChild => {}
    }
    None
}

fn duplicate(process: &mut Process, from: i32, to: i32, closes_on_exec: bool, since_ns: u64) {
    if from != to {
        let slot =
            process.slot(from).map(|slot| Slot { closes_on_exec, since_ns, former: None, ..slot.clone() });
        process.set(to, slot);
    }
}

/// The file whose data a call moves; None for what is not on storage.
fn moved(
    files: &mut Files,
    process: &Process,
    descriptor: Option<i32>,
    record: &Record<'_>,
) -> Option<Rc<File>> {
    match process.slot_of_call(descriptor?, record) {
        Some(Slot { file, kind: Some(Kind::Storage), .. }) => {
            Some(file.clone().unwrap_or_else(|| files.named(NO_FILE)))
        }
        Some(Slot { kind: Some(_), .. }) => None,
        Some(Slot { kind: None, .. }) | None => Some(files.named(UNKNOWN)),
    }
}

/// The name of what has no path.
fn unnamed(kind: Option<Kind>, class: Class) -> &'static [u8] {
    match kind {
        Some(Kind::Pipe) => PIPE,
        Some(Kind::Socket) => SOCKET,
        Some(Kind::Anonymous) => EVENT,
        None if class == Class::Unknown => UNKNOWN,
        _ => NO_FILE,
    }
}
