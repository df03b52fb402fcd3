//! Processes as they are when recording begins, from /proc.

use crate::recording::text;
use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A descriptor of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    pub number: i32,
    pub position: u64,
    /// The flags of open, as a number.
    pub flags: u32,
    /// The kind and rights of the file.
    pub mode: u32,
    pub device: u64,
    pub inode: u64,
    /// The kernel's name of what it refers to.
    pub path: Vec<u8>,
}

/// The descriptors of a process; none if it may not be looked at.
pub fn descriptors(process: &Path) -> Vec<Descriptor> {
    let mut found: Vec<Descriptor> =
        numbers(&process.join("fd")).filter_map(|number| descriptor(process, number)).collect();
    found.sort_by_key(|descriptor| descriptor.number);
    found
}

/// The descriptor of a number among those of `descriptors`, which are in the order of their numbers.
fn with_number(descriptors: &[Descriptor], number: i32) -> Option<&Descriptor> {
    let place = descriptors.binary_search_by_key(&number, |descriptor| descriptor.number).ok()?;
    descriptors.get(place)
}

fn descriptor(process: &Path, number: u32) -> Option<Descriptor> {
    let link = process.join(format!("fd/{number}"));
    let path = fs::read_link(&link).ok()?.as_os_str().as_bytes().to_vec();
    let file = fs::metadata(&link).ok()?;
    let text = fs::read_to_string(process.join(format!("fdinfo/{number}"))).ok()?;
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    Some(Descriptor {
        number: i32::try_from(number).ok()?,
        position: field("pos:")?.parse().ok()?,
        flags: u32::from_str_radix(field("flags:")?, 8).ok()?,
        mode: file.mode(),
        device: file.dev(),
        inode: file.ino(),
        path,
    })
}

/// The threads of a process.
pub fn threads(process: &Path) -> Vec<u32> {
    numbers(&process.join("task")).collect()
}

/// All processes but those of the kernel.
pub fn processes() -> Vec<u32> {
    let has_program = |process: &u32| fs::read_link(format!("/proc/{process}/exe")).is_ok();
    numbers(Path::new("/proc")).filter(has_program).collect()
}

/// The processes of a cgroup and of the cgroups in it.
pub fn processes_of_cgroup(folder: &Path) -> Vec<u32> {
    let text = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
    let mut found: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for inner in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        found.extend(processes_of_cgroup(&inner.path()));
    }
    found
}

/// The call that a thread is in, if it may be looked at.
pub fn call_under_way(thread: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{thread}/syscall")).ok()?;
    text.split(' ').next()?.trim().parse().ok()
}

/// The process of a thread; None if it has ended.
pub fn process_of(thread: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

/// A process to describe.
#[derive(Debug)]
pub struct Process {
    /// Its folder in /proc.
    pub folder: PathBuf,
    /// The number by which programs know it; another one than that of /proc in a PID namespace.
    pub known_as: u32,
    /// Its descriptors before it was recorded, in the order of their numbers.
    pub before: Vec<Descriptor>,
}

/// Append what is known of processes. A position is known if it is the same as before, and no other descriptor, which
/// may share it, has the file open. Descriptors of before that are closed now are there, too.
pub fn write(text: &mut Vec<u8>, processes: &[Process]) {
    let all: Vec<Vec<Descriptor>> = processes.iter().map(|process| descriptors(&process.folder)).collect();
    let mut opened: HashMap<(u64, u64), u32> = HashMap::new();
    for descriptor in all.iter().flatten() {
        *opened.entry((descriptor.device, descriptor.inode)).or_default() += 1;
    }
    for (Process { folder, known_as, before }, descriptors) in processes.iter().zip(&all) {
        text::write(text, "process", known_as.to_string().as_bytes());
        for thread in threads(folder) {
            text::write(text, "thread", format!("{known_as} {thread}").as_bytes());
        }
        for (key, link) in [("directory", "cwd"), ("root", "root"), ("program", "exe")] {
            if let Ok(path) = fs::read_link(folder.join(link)) {
                let line = [format!("{known_as} ").as_bytes(), path.as_os_str().as_bytes()].concat();
                text::write(text, key, &line);
            }
        }
        for now in descriptors {
            let is_known =
                with_number(before, now.number) == Some(now) && opened[&(now.device, now.inode)] == 1;
            write_descriptor(text, *known_as, now, is_known);
        }
        // closed since then: calls before that may be recorded
        for closed in before.iter().filter(|before| with_number(descriptors, before.number).is_none()) {
            write_descriptor(text, *known_as, closed, false);
        }
    }
}

/// Append the descriptors that a command inherits from this process.
pub fn write_inherited(text: &mut Vec<u8>, known_as: u32, inherited: &[Descriptor]) {
    text::write(text, "process", known_as.to_string().as_bytes());
    for descriptor in inherited {
        write_descriptor(text, known_as, descriptor, true);
    }
}

/// The descriptors of this process that a command inherits.
pub fn inherited() -> Vec<Descriptor> {
    let mut all = descriptors(Path::new("/proc/self"));
    all.retain(|descriptor| descriptor.flags & libc::O_CLOEXEC as u32 == 0);
    all
}

/// `PROCESS NUMBER POSITION FLAGS MODE DEVICE INODE PATH`, with flags and mode as octal numbers, and `?` for a position
/// that is not known.
fn write_descriptor(text: &mut Vec<u8>, process: u32, descriptor: &Descriptor, is_position_known: bool) {
    let Descriptor { number, position, flags, mode, device, inode, path } = descriptor;
    let position = if is_position_known { position.to_string() } else { "?".to_owned() };
    let numbers = format!("{process} {number} {position} {flags:o} {mode:o} {device} {inode} ");
    text::write(text, "descriptor", &[numbers.as_bytes(), path].concat());
}

fn numbers(folder: &Path) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}
