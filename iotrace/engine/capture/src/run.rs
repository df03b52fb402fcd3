//! A recording under way, of calls or of requests to disks: what it begins with, its loop, and its end.

use crate::btf;
use crate::clocks::{clock, clocks, now_ns};
use crate::command::{end_with_parent, Started};
use crate::plan::{Outcome, Plan, Refusal, Subject};
use crate::programs::Maps;
use crate::record::{self, Loss, Record};
use crate::recording::{text, BlockKind, Writer};
use crate::ring::Ring;
use crate::under_calls::UnderCalls;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the reader sleeps if there is little to read.
const PAUSE: Duration = Duration::from_millis(3);
/// The same where records are not written, so that less is to be done for each.
const LONG_PAUSE: Duration = Duration::from_millis(20);
/// A pass over the ring with fewer records is followed by a pause.
const FEW_RECORDS: usize = 4096;
/// What was recorded is written at least this often.
const FLUSH_SECONDS: f64 = 1.0;

/// Why the kernel or the rights do not allow to record.
pub(crate) fn why(error: &io::Error) -> String {
    match error.raw_os_error() {
        _ if !Path::new(btf::PLACE).exists() => {
            format!("the kernel does not describe itself ({} is missing)", btf::PLACE)
        }
        Some(libc::EPERM | libc::EACCES) => "it needs root, or CAP_BPF and CAP_PERFMON".to_owned(),
        _ if error.kind() == io::ErrorKind::PermissionDenied => {
            format!("it needs root, or CAP_BPF and CAP_PERFMON ({error})")
        }
        _ => format!("the kernel refuses it: {error}"),
    }
}

/// What all recordings begin with: the machine, its clocks, and of a command its directory and words.
pub(crate) fn start_of(plan: &Plan) -> Vec<u8> {
    let mut start = Vec::new();
    let mut line = |key: &str, value: &[u8]| text::write(&mut start, key, value);
    line("machine", std::env::consts::ARCH.as_bytes());
    if let Ok(release) = std::fs::read_to_string("/proc/sys/kernel/osrelease") {
        line("kernel", release.trim().as_bytes());
    }
    for (key, value) in clocks() {
        line(key, value.to_string().as_bytes());
    }
    if let (Subject::Command(_), Ok(folder)) = (&plan.subject, std::env::current_dir()) {
        line("directory", folder.as_os_str().as_bytes());
    }
    for word in plan.subject.command() {
        if plan.arguments {
            line("word", word.as_bytes());
        }
    }
    start
}

/// Takes records on their way to the file.
pub(crate) trait Taker {
    /// Handle one record. `lost_calls` is how many calls were lost before it; `writer` is None after a failed write.
    fn take(&mut self, record: &Record<'_>, lost_calls: u64, writer: Option<&mut Writer<File>>);

    /// Add what is due from time to time.
    fn add(&mut self, _writer: &mut Writer<File>) {}

    /// Tell who watches what there is; whether nobody does any more.
    fn tell(&mut self, _run: &Run<'_>) -> bool {
        false
    }
}

/// A recording under way.
pub(crate) struct Run<'p> {
    pub plan: &'p Plan,
    pub maps: &'p Maps,
    pub under_calls: &'p UnderCalls,
    pub writer: Writer<File>,
    pub child: Started,
    pub began: Instant,
    /// Why the file cannot be written.
    pub failure: Option<io::Error>,
}

impl Run<'_> {
    /// Write what comes until the recording is to end and the ring is empty.
    pub fn until_over(&mut self, ring: &mut Ring, taker: &mut dyn Taker) {
        end_with_parent();
        let mut last_flush = Instant::now();
        let mut is_over = false;
        loop {
            let can_write = self.failure.is_none();
            let writer = &mut self.writer;
            let records = ring.drain(|bytes| {
                let Some((record, lost)) = record::read(bytes) else { return true };
                taker.take(&record, lost, can_write.then_some(&mut *writer));
                !(can_write && writer.is_full())
            });
            if can_write {
                taker.add(&mut self.writer);
            }
            is_over |= taker.tell(self);
            let was_full = can_write && self.writer.is_full();
            if can_write && (was_full || last_flush.elapsed().as_secs_f64() > FLUSH_SECONDS) {
                self.flush();
                last_flush = Instant::now();
            }
            if records >= FEW_RECORDS || was_full {
                continue;
            }
            if !is_over {
                is_over = self.child.is_over(self.plan, self.maps, self.began);
                if !is_over {
                    std::thread::sleep(if self.plan.keeps { PAUSE } else { LONG_PAUSE });
                }
            } else if records == 0 {
                return;
            }
        }
    }

    /// Write what there is, within the size of the recording.
    pub fn flush(&mut self) {
        let flushed = self.writer.flush(now_ns(), self.lost());
        self.failure =
            flushed.and_then(|()| self.writer.trim(self.plan.most_bytes.unwrap_or(u64::MAX))).err();
    }

    fn lost(&self) -> [u64; record::LOSSES] {
        lost(self.maps, self.under_calls)
    }

    /// Write the end of the recording.
    pub fn finish(mut self) -> Result<Outcome, Refusal> {
        if let Some(error) = self.failure {
            return Err(Refusal::Output(error));
        }
        let lost = self.lost();
        let unseen = self.under_calls.cut_requests();
        let status = self.child.status.unwrap_or(0);
        self.writer.lose(lost[Loss::Calls as usize], now_ns());
        let outcome = ended(&mut self.writer, lost, unseen, status).map_err(Refusal::Output)?;
        Ok(Outcome {
            recorded_ns: self.began.elapsed().as_nanos() as u64,
            recorder_ns: clock(libc::CLOCK_PROCESS_CPUTIME_ID),
            ..outcome
        })
    }
}

/// Begin a recording in a file at a time, before which this was lost; `start` is the text that it begins with.
pub(crate) fn begun(
    file: File,
    magic: [u8; 8],
    began_ns: u64,
    lost: [u64; record::LOSSES],
    start: &[u8],
) -> io::Result<Writer<File>> {
    let mut writer = Writer::new(file, magic, began_ns)?;
    writer.begin_after(lost);
    writer.text(BlockKind::Start, now_ns(), lost, start)?;
    Ok(writer)
}

/// Write the end of a recording, up to which this was lost in all, and these requests were cut at its beginning and end.
pub(crate) fn ended(
    writer: &mut Writer<File>,
    lost: [u64; record::LOSSES],
    (unseen_beginnings, unseen_ends): (u64, u64),
    status: i32,
) -> io::Result<Outcome> {
    writer.flush(now_ns(), lost)?;
    let mut end = Vec::new();
    let records = writer.records();
    for (key, value) in clocks() {
        text::write(&mut end, key, value.to_string().as_bytes());
    }
    text::write(&mut end, "records", records.to_string().as_bytes());
    text::write(&mut end, "status", status.to_string().as_bytes());
    text::write(&mut end, "requests_begun_before", unseen_beginnings.to_string().as_bytes());
    text::write(&mut end, "requests_unfinished", unseen_ends.to_string().as_bytes());
    writer.text(BlockKind::End, now_ns(), lost, &end)?;
    let (stored_bytes, contents_bytes) = writer.bytes();
    let (lost, dropped) = (writer.lost_since(lost), writer.dropped());
    Ok(Outcome {
        status,
        records,
        calls: writer.calls(),
        lost: std::array::from_fn(|kind| lost[kind] + dropped[kind]),
        dropped_calls: dropped[Loss::Calls as usize],
        dropped_events: dropped[Loss::UnderCalls as usize],
        unseen_beginnings,
        unseen_ends,
        stored_bytes,
        contents_bytes,
        ..Outcome::default()
    })
}

/// What was lost so far, by kind.
pub(crate) fn lost(maps: &Maps, under_calls: &UnderCalls) -> [u64; record::LOSSES] {
    let mut lost = maps.lost().unwrap_or_default();
    lost[Loss::UnderCalls as usize] += under_calls.lost_requests();
    lost
}
