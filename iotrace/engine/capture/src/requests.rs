//! Recording the requests to disks alone: no program of calls is attached.

use crate::btf::Offsets;
use crate::command::{give_up_rights, started, Started};
use crate::json::quoted;
use crate::plan::{Outcome, Plan, Refusal, Rotation, Subject};
use crate::programs::{Maps, Met};
use crate::record::{self, Record};
use crate::recording::{text, BlockKind, Writer, REQUESTS_MAGIC};
use crate::ring::Ring;
use crate::session::{clock, ended, greeting_descriptor, lost, now_ns, start_of, why, Run, Taker};
use crate::under_calls::{self, Groups, UnderCalls};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The mode of a file that other users cannot read.
const PRIVATE: u32 = 0o600;

/// A disk, or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The disk as the kernel has it: the major number from bit 20 on.
    pub disk: u64,
    /// The first of its blocks of 512 bytes, and how many there are.
    pub first: u64,
    pub blocks: u64,
}

impl Part {
    /// Whether a request is for it. A flush is for a whole disk: its place, which the kernel does not set, is in no part.
    fn has(&self, disk: u64, sector: u64) -> bool {
        self.disk == disk && (self.is_whole() || sector.wrapping_sub(self.first) < self.blocks)
    }

    fn is_whole(&self) -> bool {
        self.first == 0 && self.blocks == u64::MAX
    }
}

/// Record the requests to parts of disks, or to all disks if none are given.
pub fn record(plan: &Plan, parts: &[Part], file: File) -> Result<Outcome, Refusal> {
    let not_here = |error: io::Error| Refusal::NotHere(why(&error));
    let offsets = under_calls::offsets().map_err(not_here)?;
    let maps = Maps::new(plan.ring_bytes, Met::None).map_err(not_here)?;
    let mut ring = Ring::new(&maps.ring, plan.ring_bytes as usize).map_err(not_here)?;
    let groups = Groups { disks: true, ..Groups::default() };
    let programs = UnderCalls::attach(&maps, &offsets, groups);
    if let Some(why) = programs.missing() {
        return Err(Refusal::NotHere(format!("the kernel refuses it: {why}")));
    }
    let begun = |file, lost| begun(plan, &offsets, &programs, file, lost);
    let writer = begun(file, [0; record::LOSSES]).map_err(Refusal::Output)?;
    let mut child = Started::default();
    if let Subject::Command(words) = &plan.subject {
        child.child = Some(started(words, plan.user, greeting_descriptor())?);
    }
    give_up_rights(plan.user, &maps);
    let began = Instant::now();
    let mut run = Run { plan, maps: &maps, under_calls: &programs, writer, child, began, failure: None };
    let rotating = plan.rotation.as_ref().map(|rotation| {
        let counted = || (lost(&maps, &programs), programs.cut_requests().0);
        Rotating {
            rotation,
            begun: &begun,
            counted,
            next: began + rotation.every,
            last: State::default(),
            former: None,
            late: 0,
            failure: None,
            number: 1,
        }
    });
    let mut requests = Requests { parts, rotating };
    run.until_over(&mut ring, &mut requests);
    let Some(mut rotating) = requests.rotating else { return run.finish() };
    rotating.end_former();
    if let Some(error) = rotating.failure {
        return Err(Refusal::Output(error));
    }
    let (path, before) = (rotating.path(), rotating.last);
    let outcome = run.finish()?;
    let unseen_beginnings = outcome.unseen_beginnings - before.unseen + rotating.late;
    let recorded_ns = match before.began_ns {
        0 => outcome.recorded_ns,
        began_ns => now_ns() - began_ns,
    };
    let recorder_ns = outcome.recorder_ns - before.recorder_ns;
    let outcome = Outcome { unseen_beginnings, recorded_ns, recorder_ns, ..outcome };
    told(&path, &outcome).map_err(Refusal::Output)?;
    Ok(outcome)
}

/// Begin a recording in a file, before which this was lost.
fn begun(
    plan: &Plan,
    offsets: &Offsets,
    programs: &UnderCalls,
    file: File,
    lost: [u64; record::LOSSES],
) -> io::Result<Writer<File>> {
    let mut writer = Writer::new(file, REQUESTS_MAGIC, now_ns())?;
    writer.begin_after(lost);
    let mut start = start_of(plan);
    programs.describe(offsets, &mut start);
    for (number, name) in disks() {
        text::write(&mut start, "disk", format!("{number} {name}").as_bytes());
    }
    writer.text(BlockKind::Start, now_ns(), lost, &start)?;
    Ok(writer)
}

/// Print which recording is whole, and what it has.
fn told(path: &Path, outcome: &Outcome) -> io::Result<()> {
    let mut output = io::stdout().lock();
    let place = quoted(path.as_os_str().as_bytes());
    writeln!(output, "{{\"file\": {place}, \"outcome\": {}}}", outcome.json())?;
    output.flush()
}

/// Requests that take longer than this after the end of their recording are left out of it.
const LONGEST: Duration = Duration::from_secs(30);

/// What is counted up to the beginning of a recording.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    began_ns: u64,
    unseen: u64,
    recorder_ns: u64,
}

/// The recording before this one, which takes the requests that began in it.
struct Former {
    writer: Writer<File>,
    path: PathBuf,
    began_ns: u64,
    cut_ns: u64,
    until: Instant,
    lost: [u64; record::LOSSES],
    outcome: Outcome,
}

/// Begins a new recording after each time: a request is in the one in which it began.
struct Rotating<'p, B, C> {
    rotation: &'p Rotation,
    begun: &'p B,
    /// What was lost, and the requests whose beginning was not seen.
    counted: C,
    next: Instant,
    last: State,
    former: Option<Former>,
    /// Requests that ended after the recording in which they began.
    late: u64,
    failure: Option<io::Error>,
    number: u32,
}

impl<B, C> Rotating<'_, B, C>
where
    B: Fn(File, [u64; record::LOSSES]) -> io::Result<Writer<File>>,
    C: Fn() -> ([u64; record::LOSSES], u64),
{
    /// The file of the recording under way.
    fn path(&self) -> PathBuf {
        self.numbered(self.number)
    }

    fn numbered(&self, number: u32) -> PathBuf {
        let mut name = self.rotation.output.clone().into_os_string();
        if number > 1 {
            name.push(format!("-{number}"));
        }
        name.into()
    }

    /// Where a request is written: to the recording in which it began, none if that has ended.
    fn choose<'w>(&'w mut self, start_ns: u64, writer: &'w mut Writer<File>) -> Option<&'w mut Writer<File>> {
        match &mut self.former {
            Some(former) if (former.began_ns..former.cut_ns).contains(&start_ns) => Some(&mut former.writer),
            _ if start_ns < self.last.began_ns => {
                self.late += 1;
                None
            }
            _ => Some(writer),
        }
    }

    fn rotate(&mut self, writer: &mut Writer<File>) -> io::Result<()> {
        self.end_former();
        let (lost, unseen) = (self.counted)();
        let path = self.path();
        let file = loop {
            self.number += 1;
            let place = self.path();
            match OpenOptions::new().read(true).write(true).create_new(true).mode(PRIVATE).open(place) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                opened => break opened?,
            }
        };
        let (cut_ns, recorder_ns) = (now_ns(), clock(libc::CLOCK_PROCESS_CPUTIME_ID));
        let outcome = Outcome {
            unseen_beginnings: unseen - self.last.unseen + std::mem::take(&mut self.late),
            recorded_ns: self.rotation.every.as_nanos() as u64,
            recorder_ns: recorder_ns - self.last.recorder_ns,
            ..Outcome::default()
        };
        let writer = std::mem::replace(writer, (self.begun)(file, lost)?);
        let until = Instant::now() + LONGEST.min(self.rotation.every / 2);
        self.former =
            Some(Former { writer, path, began_ns: self.last.began_ns, cut_ns, until, lost, outcome });
        self.last = State { began_ns: cut_ns, unseen, recorder_ns };
        self.next += self.rotation.every;
        Ok(())
    }

    /// Write the end of the recording before this one, and say that it is whole.
    fn end_former(&mut self) {
        let Some(Former { mut writer, path, lost, outcome, .. }) = self.former.take() else { return };
        let Outcome { unseen_beginnings, recorded_ns, recorder_ns, .. } = outcome;
        let ended = ended(&mut writer, lost, (unseen_beginnings, 0), 0)
            .and_then(|outcome| told(&path, &Outcome { recorded_ns, recorder_ns, ..outcome }));
        self.failure = self.failure.take().or(ended.err());
    }
}

/// The disks that there are: their numbers and names.
fn disks() -> Vec<(u64, String)> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let disk = |entry: fs::DirEntry| {
        let text = fs::read_to_string(entry.path().join("dev")).ok()?;
        let (major, minor) = text.trim().split_once(':')?;
        // a / in a name is a ! there
        let name = entry.file_name().to_str()?.replace('!', "/");
        Some((number_of(major.parse().ok()?, minor.parse().ok()?), name))
    };
    entries.filter_map(disk).collect()
}

/// A device's number as the kernel has it.
pub fn number_of(major: u32, minor: u32) -> u64 {
    u64::from(major) << 20 | u64::from(minor)
}

/// Takes the requests to parts of disks.
struct Requests<'p, B, C> {
    parts: &'p [Part],
    rotating: Option<Rotating<'p, B, C>>,
}

impl<B, C> Taker for Requests<'_, B, C>
where
    B: Fn(File, [u64; record::LOSSES]) -> io::Result<Writer<File>>,
    C: Fn() -> ([u64; record::LOSSES], u64),
{
    fn take(&mut self, record: &Record<'_>, _: u64, writer: Option<&mut Writer<File>>) {
        let [disk, _, sector, ..] = record.arguments;
        let is_asked_for = self.parts.is_empty() || self.parts.iter().any(|part| part.has(disk, sector));
        if let (true, Some(writer)) = (is_asked_for, writer) {
            let writer = match &mut self.rotating {
                Some(rotating) => rotating.choose(record.start_ns, writer),
                None => Some(writer),
            };
            if let Some(writer) = writer {
                writer.push(record, 0);
            }
        }
    }

    fn add(&mut self, writer: &mut Writer<File>) {
        let Some(rotating) = &mut self.rotating else { return };
        let now = Instant::now();
        if rotating.former.as_ref().is_some_and(|former| now >= former.until) {
            rotating.end_former();
        }
        if now >= rotating.next && rotating.failure.is_none() {
            rotating.failure = rotating.rotate(writer).err();
        }
    }

    fn tell(&mut self, _run: &Run<'_>) -> bool {
        self.rotating.as_ref().is_some_and(|rotating| rotating.failure.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::Part;

    #[test]
    fn a_request_is_for_the_part_in_which_it_begins() {
        let whole = Part { disk: 8, first: 0, blocks: u64::MAX };
        assert!(whole.has(8, 0) && whole.has(8, u64::MAX) && !whole.has(9, 0));
        let part = Part { disk: 8, first: 2048, blocks: 10 };
        let places = [0, 2047, 2048, 2057, 2058, u64::MAX].map(|sector| part.has(8, sector));
        assert_eq!(places, [false, false, true, true, false, false]);
        assert!(!part.has(9, 2048));
    }
}
