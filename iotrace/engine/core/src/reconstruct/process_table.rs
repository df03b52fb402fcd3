//! Table `process`: one row per thread and program.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use rustc_hash::FxHashMap;

use crate::columns::table;
use crate::syscalls::call::{Call, CallKind, End, Event};

#[derive(Debug, Clone)]
struct ProcessRow {
    thread: i32,
    pid: i32,
    parent: Option<i32>,
    program: Option<Box<str>>,
    arguments: Option<Box<str>>,
    started_ns: Option<i64>,
    ended_ns: Option<i64>,
}

#[derive(Debug, Clone, Copy)]
struct Fork {
    row: i32,
    thread_of_group: bool,
}

/// Assigns every event its row of table `process`.
#[derive(Debug, Default)]
pub struct ProcessTable {
    rows: Vec<ProcessRow>,
    current: FxHashMap<i32, i32>,
    last: Option<(i32, i32)>,
    /// Forks that were issued and whose child is not known yet.
    pending: FxHashMap<i32, Fork>,
    /// First rows of threads seen before the fork that created them returned, if it ever does.
    unconfirmed: FxHashMap<i32, i32>,
    /// Those of them that ended while forks were in progress.
    departed: FxHashMap<i32, i32>,
    /// Threads from before the trace that have made no call yet: their process, and its program.
    before: FxHashMap<i32, (i32, Option<Box<str>>)>,
    handed_out: usize,
}

/// The most rows, and bytes of text, of a batch.
const BATCH_ROWS: usize = 65_536;
const BATCH_BYTES: usize = 16 << 20;

impl ProcessTable {
    /// An empty table, given the threads from before the trace: each with its process, and the program of that.
    pub fn new<'a>(threads: impl Iterator<Item = (i32, i32, Option<&'a str>)>) -> ProcessTable {
        let before = threads.map(|(thread, process, program)| (thread, (process, program.map(Box::from))));
        ProcessTable { before: before.collect(), ..ProcessTable::default() }
    }

    /// The row of the event's thread at the time of the event; applies the event to the table.
    pub fn row(&mut self, event: &Event<'_>) -> i32 {
        match event {
            Event::Issued(call) => {
                let row = self.of_thread(call.thread, call.time_ns);
                if forks(call) {
                    self.pending.insert(call.thread, Fork { row, thread_of_group: is_thread(call) });
                }
                row
            }
            Event::Returned(call) => {
                let row = self.of_thread(call.thread, call.time_ns);
                self.returned(call, row);
                row
            }
            Event::Ended(ended) => {
                let row = self.of_thread(ended.thread, ended.time_ns);
                self.rows[row as usize].ended_ns = ended.time_ns;
                self.forget(ended.thread);
                let survivor = ended.status.and_then(|survivor| i32::try_from(survivor).ok());
                if let (End::Superseded, Some(survivor)) = (ended.how, survivor) {
                    self.supersede(ended.thread, survivor);
                }
                row
            }
        }
    }

    /// The row of a thread that has made calls and not ended.
    pub fn current(&self, thread: i32) -> Option<i32> {
        self.current.get(&thread).copied()
    }

    fn forget(&mut self, thread: i32) {
        self.current.remove(&thread);
        self.pending.remove(&thread);
        let unconfirmed = self.unconfirmed.remove(&thread);
        if let Some(row) = unconfirmed.filter(|_| !self.pending.is_empty()) {
            self.departed.insert(thread, row);
        }
        self.last = None;
    }

    /// The surviving thread continues under the group's number.
    fn supersede(&mut self, leader: i32, survivor: i32) {
        if let Some(row) = self.current.remove(&survivor) {
            self.forget(survivor);
            self.current.insert(leader, row);
        }
    }

    fn of_thread(&mut self, thread: i32, time_ns: Option<i64>) -> i32 {
        if let Some((last, row)) = self.last {
            if last == thread {
                return row;
            }
        }
        let row = match self.current.get(&thread) {
            Some(&row) => row,
            None => match self.before.remove(&thread) {
                Some((pid, program)) => {
                    let row = self.add(thread, None, time_ns);
                    let new = &mut self.rows[row as usize];
                    (new.pid, new.program) = (pid, program);
                    row
                }
                None => {
                    let fork = self.only_pending();
                    let row = self.add(thread, fork, time_ns);
                    self.unconfirmed.insert(thread, row);
                    row
                }
            },
        };
        self.last = Some((thread, row));
        row
    }

    /// The fork that must have created a thread of unknown origin, if only one is in progress.
    fn only_pending(&self) -> Option<Fork> {
        match self.pending.len() {
            1 => self.pending.values().next().copied(),
            _ => None,
        }
    }

    fn add(&mut self, thread: i32, fork: Option<Fork>, time_ns: Option<i64>) -> i32 {
        let row = self.rows.len() as i32;
        let mut new = ProcessRow {
            thread,
            pid: thread,
            parent: None,
            program: None,
            arguments: None,
            started_ns: time_ns,
            ended_ns: None,
        };
        if let Some(fork) = fork {
            self.inherit(&mut new, fork);
        }
        self.rows.push(new);
        self.current.insert(thread, row);
        row
    }

    fn inherit(&self, row: &mut ProcessRow, fork: Fork) {
        let parent = &self.rows[fork.row as usize];
        row.parent = Some(fork.row);
        if row.program.is_none() {
            row.program.clone_from(&parent.program);
            row.arguments.clone_from(&parent.arguments);
        }
        if fork.thread_of_group {
            row.pid = parent.pid;
        }
    }

    fn returned(&mut self, call: &Call<'_>, row: i32) {
        if forks(call) {
            self.pending.remove(&call.thread);
            let fork = Fork { row, thread_of_group: is_thread(call) };
            if let Some(child) = child_of(call) {
                self.adopt(child, fork, call.time_ns);
            }
        } else if matches!(call.kind, CallKind::Execve | CallKind::Execveat) && call.result == Some(0) {
            let after = call.time_ns.map(|time| time.saturating_add(call.duration_ns.unwrap_or(0)));
            self.exec(call, row, after);
        }
    }

    /// The fork has returned: its child is this thread, whether or not it has been seen before. A number that is
    /// reused belongs to a new thread; the end of the old one is not in the trace. A parent's row always precedes its
    /// child's.
    fn adopt(&mut self, child: i32, fork: Fork, time_ns: Option<i64>) {
        let departed = self.departed.remove(&child);
        if self.pending.is_empty() {
            self.departed.clear();
        }
        let Some(first) = self.unconfirmed.remove(&child).or(departed) else {
            self.add(child, Some(fork), time_ns);
            self.last = None;
            return;
        };
        if fork.row < first {
            let mut row = self.rows[first as usize].clone();
            self.inherit(&mut row, fork);
            self.rows[first as usize] = row;
        }
    }

    fn exec(&mut self, call: &Call<'_>, row: i32, after: Option<i64>) {
        self.rows[row as usize].ended_ns = after;
        let (pid, next) = (self.rows[row as usize].pid, self.rows.len() as i32);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned().into_boxed_str();
        self.rows.push(ProcessRow {
            thread: call.thread,
            pid,
            parent: Some(row),
            program: call.path.map(text),
            arguments: call.arguments.map(text),
            started_ns: after,
            ended_ns: None,
        });
        self.current.insert(call.thread, next);
        self.last = None;
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The next batch of the table, at the end of the trace; None after the last.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let (first, mut bytes) = (self.handed_out, 0);
        let rows = self.rows[first..].iter().take(BATCH_ROWS);
        let fitting = rows.take_while(|row| {
            let fits = bytes < BATCH_BYTES;
            bytes += row.program.as_ref().map_or(0, |text| text.len());
            bytes += row.arguments.as_ref().map_or(0, |text| text.len());
            fits
        });
        let next = first + fitting.count();
        self.handed_out = next;
        if first == next {
            return Ok(None);
        }
        let rows = (first as i32..).zip(&self.rows[first..next]);
        let table = table!(rows, |(number, row)| {
            process: i32 = number,
            job: Option<i32> = None,
            thread: i32 = row.thread,
            pid: i32 = row.pid,
            parent: Option<i32> = row.parent,
            program: Option<&str> = row.program.as_deref(),
            arguments: Option<&str> = row.arguments.as_deref(),
            started_ns: Option<i64> = row.started_ns,
            ended_ns: Option<i64> = row.ended_ns,
        });
        table.batch().map(Some)
    }
}

/// The thread that a fork created, from its return value.
pub fn child_of(call: &Call<'_>) -> Option<i32> {
    let child = call.result.filter(|_| call.error.is_none());
    let child = child.and_then(|child| i32::try_from(child).ok());
    child.filter(|&child| child > 0 && child != call.thread)
}

/// Whether the call creates a new thread.
pub fn forks(call: &Call<'_>) -> bool {
    matches!(call.kind, CallKind::Fork | CallKind::Vfork | CallKind::Clone | CallKind::Clone3)
}

/// Whether a set of symbolic flags has this one.
pub fn has_flag(flags: Option<&[u8]>, flag: &str) -> bool {
    flags.is_some_and(|flags| flags.split(|&byte| byte == b'|').any(|one| one == flag.as_bytes()))
}

fn is_thread(call: &Call<'_>) -> bool {
    has_flag(call.flags, "CLONE_THREAD")
}
