//! The plan of a recording, and its outcome.

use crate::disks::Part;
use crate::programs::Met;
use crate::record;
use crate::sample::FileSample;
use crate::snapshot;
use crate::under_calls::Groups;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// What to record, and how.
#[derive(Debug, Clone)]
pub struct Plan {
    pub subject: Subject,
    /// Stop after this time.
    pub seconds: Option<f64>,
    /// Under whose name the command runs, if not the recorder's.
    pub user: Option<u32>,
    /// Keep the end of a recording that is larger.
    pub most_bytes: Option<u64>,
    /// Whether to record when calls begin, and so how long they take.
    pub durations: bool,
    /// Whether to record the arguments of programs.
    pub arguments: bool,
    /// What to record besides calls.
    pub groups: Groups,
    /// Instead of calls: the requests to these parts of disks, or to all disks.
    pub requests: Option<Vec<Part>>,
    /// The size of the ring, a power of two.
    pub ring_bytes: u32,
    /// The length of the intervals whose totals are printed, if any are.
    pub totals: Option<Duration>,
    /// Whether records are written.
    pub keeps: bool,
    /// The files whose calls are recorded, if not all.
    pub sample: Option<FileSample>,
    /// After which time a new recording begins.
    pub rotation: Option<Rotation>,
}

/// Whose calls are recorded.
#[derive(Debug, Clone)]
pub enum Subject {
    /// Those of a command that is started, and of what it starts.
    Command(Vec<OsString>),
    /// Those of running processes, and of what they start.
    Processes(Vec<u32>),
    /// Those of the processes of a cgroup (v2) and of the cgroups in it, also of later ones.
    Cgroup(PathBuf),
    /// Those of all processes but the recorder and the program that started it.
    System,
}

impl Subject {
    pub(crate) fn met(&self) -> Met {
        match self {
            Subject::Command(_) | Subject::Processes(_) => Met::None,
            Subject::Cgroup(_) => Met::OfCgroup,
            Subject::System => Met::All,
        }
    }

    pub(crate) fn command(&self) -> &[OsString] {
        match self {
            Subject::Command(words) => words,
            _ => &[],
        }
    }

    /// The running processes; for a cgroup and the system those of now.
    pub(crate) fn processes(&self) -> Vec<u32> {
        match self {
            Subject::Command(_) => Vec::new(),
            Subject::Processes(processes) => processes.clone(),
            Subject::Cgroup(folder) => snapshot::processes_of_cgroup(folder),
            Subject::System => snapshot::processes(),
        }
    }
}

/// What was recorded, and what it cost.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The status that a shell would give the command.
    pub status: i32,
    pub records: u64,
    /// How many of them are calls.
    pub calls: u64,
    pub lost: [u64; record::LOSSES],
    /// The calls among those lost that were dropped so that the recording keeps its size, and the events under calls.
    pub dropped_calls: u64,
    pub dropped_events: u64,
    /// Processes whose descriptors at their first record are not known.
    pub met: u64,
    /// Requests to disks whose beginning was not seen, as those from before the recording, and those whose end was not,
    /// as those that are not completed.
    pub unseen_beginnings: u64,
    pub unseen_ends: u64,
    pub stored_bytes: u64,
    pub contents_bytes: u64,
    /// How long processes were recorded.
    pub recorded_ns: u64,
    /// The processor's time that the recorder took.
    pub recorder_ns: u64,
}

impl Outcome {
    /// It as JSON.
    pub fn json(&self) -> String {
        let Outcome {
            status,
            records,
            calls: made,
            lost,
            dropped_calls,
            dropped_events,
            met,
            unseen_beginnings,
            unseen_ends,
            stored_bytes,
            contents_bytes,
            recorded_ns,
            recorder_ns,
        } = self;
        let [calls, lives, names, processes, narrow, under_calls] = lost;
        format!(
            "{{\"status\": {status}, \"records\": {records}, \"calls\": {made}, \"lost_calls\": {calls}, \"lost_lives\": {lives}, \
             \"lost_names\": {names}, \"lost_processes\": {processes}, \"narrow_calls\": {narrow}, \"lost_events\": {under_calls}, \
             \"dropped_calls\": {dropped_calls}, \"dropped_events\": {dropped_events}, \"met_processes\": {met}, \
             \"requests_begun_before\": {unseen_beginnings}, \"requests_unfinished\": {unseen_ends}, \
             \"stored_bytes\": {stored_bytes}, \"contents_bytes\": {contents_bytes}, \"recorded_ns\": {recorded_ns}, \"recorder_ns\": {recorder_ns}}}"
        )
    }
}

/// Recordings that follow each other.
#[derive(Debug, Clone)]
pub struct Rotation {
    /// The length of each.
    pub every: Duration,
    /// The file of the first; the others have a number after it.
    pub output: PathBuf,
}

/// Why nothing was recorded.
#[derive(Debug)]
pub enum Refusal {
    /// The kernel, or the rights, do not allow it; another way of recording may be possible.
    NotHere(String),
    /// The command was not found.
    NoCommand(String),
    /// It is there, and cannot be executed.
    NotExecuted(String),
    /// The process or the cgroup does not exist.
    NoProcess(String),
    /// The recording cannot be written.
    Output(io::Error),
}
