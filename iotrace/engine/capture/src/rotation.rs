//! Recordings that follow each other, in files with numbers; of requests to disks: a request is in the one in which it began.

use crate::clocks::{clock, now_ns};
use crate::command::{become_for_files, take_rights_back};
use crate::json::quoted;
use crate::plan::{Outcome, Refusal, Rotation};
use crate::record;
use crate::recording::Writer;
use crate::run::ended;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The mode of a file that other users cannot read.
const PRIVATE: u32 = 0o600;

/// Requests that take longer than this after the end of their recording are left out of it.
const LONGEST: Duration = Duration::from_secs(30);

/// The files of recordings that follow each other.
pub(crate) struct Files<'p> {
    rotation: &'p Rotation,
    user: Option<u32>,
    next: Instant,
    number: u32,
    former: u32,
}

impl<'p> Files<'p> {
    /// Begin with the first one, which is there; the others are this user's, if not the recorder's.
    pub fn new(rotation: &'p Rotation, user: Option<u32>, began: Instant) -> Files<'p> {
        Files { rotation, user, next: began + rotation.every, number: 1, former: 1 }
    }

    /// The file of the recording under way, and that of the one before.
    pub fn path(&self) -> PathBuf {
        self.of(self.number)
    }

    pub fn former(&self) -> PathBuf {
        self.of(self.former)
    }

    fn of(&self, number: u32) -> PathBuf {
        let mut name = self.rotation.output.clone().into_os_string();
        if number > 1 {
            name.push(format!("-{number}"));
        }
        name.into()
    }

    /// Whether it is time for the next one.
    pub fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Make the next one.
    pub fn create(&mut self) -> io::Result<File> {
        self.next += self.rotation.every;
        self.former = self.number;
        become_for_files(self.user);
        let made = loop {
            self.number += 1;
            let path = self.path();
            match OpenOptions::new().read(true).write(true).create_new(true).mode(PRIVATE).open(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                opened => break opened,
            }
        };
        take_rights_back(self.user);
        made
    }
}

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
pub(crate) struct Rotating<'p, B, C> {
    files: Files<'p>,
    begun: B,
    counted: C,
    last: State,
    former: Option<Former>,
    /// Requests that ended after the recording in which they began.
    late: u64,
    failure: Option<io::Error>,
}

impl<'p, B, C> Rotating<'p, B, C>
where
    B: Fn(File, [u64; record::LOSSES]) -> io::Result<Writer<File>>,
    C: Fn() -> ([u64; record::LOSSES], u64),
{
    /// Begin with the first recording; `begun` begins one in a file, and `counted` is what was lost so far, and how many
    /// requests had a beginning that was not seen.
    pub fn new(files: Files<'p>, begun: B, counted: C) -> Self {
        Rotating { files, begun, counted, last: State::default(), former: None, late: 0, failure: None }
    }

    /// Where a request is written: to the recording in which it began, none if that has ended.
    pub fn choose<'w>(
        &'w mut self,
        start_ns: u64,
        writer: &'w mut Writer<File>,
    ) -> Option<&'w mut Writer<File>> {
        match &mut self.former {
            Some(former) if (former.began_ns..former.cut_ns).contains(&start_ns) => Some(&mut former.writer),
            _ if start_ns < self.last.began_ns => {
                self.late += 1;
                None
            }
            _ => Some(writer),
        }
    }

    /// End the recording before this one, and begin another, where it is time.
    pub fn turn(&mut self, writer: &mut Writer<File>) {
        let now = Instant::now();
        if self.former.as_ref().is_some_and(|former| now >= former.until) {
            self.end_former();
        }
        if self.files.is_due() && self.failure.is_none() {
            self.failure = self.rotate(writer).err();
        }
    }

    /// Whether a recording could not be written, so that all is to end.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// End the last recording, by what `finish` makes of all since the beginning; return what it has.
    pub fn end(mut self, finish: impl FnOnce() -> Result<Outcome, Refusal>) -> Result<Outcome, Refusal> {
        self.end_former();
        if let Some(error) = self.failure.take() {
            return Err(Refusal::Output(error));
        }
        let outcome = finish()?;
        let outcome = Outcome {
            unseen_beginnings: outcome.unseen_beginnings - self.last.unseen + self.late,
            recorded_ns: match self.last.began_ns {
                0 => outcome.recorded_ns,
                began_ns => now_ns() - began_ns,
            },
            recorder_ns: outcome.recorder_ns - self.last.recorder_ns,
            ..outcome
        };
        told(&self.files.path(), &outcome).map_err(Refusal::Output)?;
        Ok(outcome)
    }

    fn rotate(&mut self, writer: &mut Writer<File>) -> io::Result<()> {
        self.end_former();
        let (lost, unseen) = (self.counted)();
        let file = self.files.create()?;
        let path = self.files.former();
        let every = self.files.rotation.every;
        let (cut_ns, recorder_ns) = (now_ns(), clock(libc::CLOCK_PROCESS_CPUTIME_ID));
        let outcome = Outcome {
            unseen_beginnings: unseen - self.last.unseen + std::mem::take(&mut self.late),
            recorded_ns: every.as_nanos() as u64,
            recorder_ns: recorder_ns - self.last.recorder_ns,
            ..Outcome::default()
        };
        let writer = std::mem::replace(writer, (self.begun)(file, lost)?);
        let until = Instant::now() + LONGEST.min(every / 2);
        self.former =
            Some(Former { writer, path, began_ns: self.last.began_ns, cut_ns, until, lost, outcome });
        self.last = State { began_ns: cut_ns, unseen, recorder_ns };
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

/// Print which recording is whole, and what it has.
pub(crate) fn told(path: &Path, outcome: &Outcome) -> io::Result<()> {
    let mut output = io::stdout().lock();
    let place = quoted(path.as_os_str().as_bytes());
    writeln!(output, "{{\"file\": {place}, \"outcome\": {}}}", outcome.json())?;
    output.flush()
}
