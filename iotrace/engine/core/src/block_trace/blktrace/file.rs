//! One file's records in their order.

use super::record::{layout, next_magic, remap_source, Kind, Record, MAGIC_BYTES};
use crate::block_trace::pairing::{Action, Event, Remarks};
use crate::input::{self, read_up_to, Blocks, InputError};
use std::collections::VecDeque;
use std::path::PathBuf;

/// Ten years: no machine's clock, which counts from its start, goes so far from one record to the next.
const LONGEST_PAUSE_NS: u64 = 10 * 366 * 86_400 * 1_000_000_000;
/// The first records, of whose times the median is usual.
const FIRST_RECORDS: usize = 9;
/// How many bytes of what is not a record are shown.
const SHOWN_BYTES: usize = 48;

/// What could not be read: its record's number, its bytes, and why.
pub type Skipped = (u64, Vec<u8>, &'static str);

/// An event or a note, in the order of the file.
#[derive(Debug)]
pub enum Item {
    Event(Event),
    /// A process's name.
    Process {
        time_ns: u64,
        pid: u32,
        name: Vec<u8>,
    },
    /// The wall clock at a time of the machine's clock.
    Time {
        time_ns: u64,
        wall_ns: u64,
    },
}

impl Item {
    pub fn time_ns(&self) -> u64 {
        match self {
            Item::Event(event) => event.time_ns,
            Item::Process { time_ns, .. } | Item::Time { time_ns, .. } => *time_ns,
        }
    }
}

/// What all files of a trace have in common.
#[derive(Debug, Default)]
pub struct ReadSummary {
    pub remarks: Remarks,
    pub records: u64,
    pub skipped: Vec<Skipped>,
    /// Why files could not be read to their ends.
    pub damage: Vec<String>,
    /// Bytes that belong to no record.
    pub lost_bytes: u64,
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{0}")]
    Input(#[from] InputError),
    #[error("{}: is not a blktrace trace: record 1 has no magic number", .0.display())]
    NoTrace(PathBuf),
}

/// A file being read; its devices are numbers of their own until `Event::device` is made a name's.
pub struct TraceFile {
    path: PathBuf,
    blocks: Blocks,
    read_bytes: usize,
    block: Vec<u8>,
    is_ended: bool,
    /// Each with the number of records up to it, lost stretches included.
    items: VecDeque<(Item, u64)>,
    /// What was skipped after this many items.
    skipped: VecDeque<(u64, Skipped)>,
    /// How many items were read, and how many of them were taken.
    read_items: u64,
    taken_items: u64,
    all_records: u64,
    /// Those up to the next item.
    counted_records: u64,
    records: u64,
    /// Records skipped; a stretch of bytes that are none is one.
    skipped_records: u64,
    is_lost: bool,
    last_ns: Option<u64>,
}

impl TraceFile {
    pub fn open(path: PathBuf, read_bytes: usize) -> Result<Self, Failure> {
        let blocks = input::open(&path)?;
        Ok(TraceFile {
            path,
            blocks,
            read_bytes,
            block: Vec::new(),
            is_ended: false,
            items: VecDeque::new(),
            skipped: VecDeque::new(),
            read_items: 0,
            taken_items: 0,
            all_records: 0,
            counted_records: 0,
            records: 0,
            skipped_records: 0,
            is_lost: false,
            last_ns: None,
        })
    }

    /// The file's name, how many records were read of it, and how many of these were skipped.
    pub fn counts(&self) -> (String, u64, u64) {
        (self.path.display().to_string(), self.all_records, self.skipped_records)
    }

    pub fn progress(&self) -> (u64, Option<u64>) {
        let progress = self.blocks.progress();
        (progress.read_bytes(), progress.total_bytes())
    }

    /// The time of the next item, read from the file if need be; None at the end. What comes before it is counted.
    pub fn next_time_ns(&mut self, found: &mut ReadSummary) -> Result<Option<u64>, Failure> {
        while self.items.is_empty() && !self.is_ended {
            self.read(found)?;
        }
        let next = self.items.front();
        let records = next.map_or(self.all_records, |(_, records)| *records);
        found.records += records - std::mem::replace(&mut self.counted_records, records);
        while self.skipped.front().is_some_and(|(items, _)| *items <= self.taken_items) {
            found.skipped.extend(self.skipped.pop_front().map(|(_, skipped)| skipped));
        }
        Ok(next.map(|(item, _)| item.time_ns()))
    }

    pub fn pop(&mut self) -> Option<Item> {
        self.taken_items += 1;
        self.items.pop_front().map(|(item, _)| item)
    }

    fn read(&mut self, found: &mut ReadSummary) -> Result<(), Failure> {
        let mut part = Vec::new();
        if let Err(error) = read_up_to(&mut self.blocks, self.read_bytes, &mut part) {
            found.damage.push(error.to_string());
        }
        self.is_ended = part.is_empty();
        let mut block = std::mem::take(&mut self.block);
        block.extend_from_slice(&part);
        let taken = self.records(&block, found)?;
        if self.is_ended {
            self.lose(&block[taken..], found);
        }
        block.drain(..taken);
        self.block = block;
        Ok(())
    }

    /// Take the complete records of some bytes; return how many bytes these are.
    fn records(&mut self, block: &[u8], found: &mut ReadSummary) -> Result<usize, Failure> {
        let is_last = self.is_ended;
        let mut at = 0;
        if self.last_ns.is_none() {
            self.last_ns = usual_time_ns(block);
        }
        while at + MAGIC_BYTES <= block.len() {
            let Some(form) = layout(&block[at..]) else {
                if self.records == 0 {
                    return Err(Failure::NoTrace(self.path.clone()));
                }
                at = self.lose_until_magic(block, at, at + 1, found);
                continue;
            };
            let end = at + form.size();
            if end > block.len() {
                break;
            }
            let record = form.record(&block[at..]);
            let data_end = end + record.data_bytes;
            if data_end + MAGIC_BYTES > block.len() && !is_last {
                break;
            }
            if !is_whole(block, end, data_end) {
                at = self.lose_until_magic(block, at, end, found);
                continue;
            }
            self.is_lost = false;
            self.records += 1;
            self.all_records += 1;
            let item = self.item(
                &record,
                record.data(&block[end..data_end]),
                |data, from| form.number::<4>(data, from),
                found,
            );
            if let Some(item) = item {
                if self.is_in_time(record.time_ns, &block[at..end]) {
                    self.items.push_back((item, self.all_records));
                    self.read_items += 1;
                }
            }
            at = data_end;
        }
        Ok(at)
    }

    fn item(
        &self,
        record: &Record,
        data: &[u8],
        number: impl Fn(&[u8], usize) -> u64,
        found: &mut ReadSummary,
    ) -> Option<Item> {
        let action = match record.kind(data) {
            Kind::Event(action) => action,
            Kind::Process => {
                let length = data.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                let name = data[..length].to_vec();
                return Some(Item::Process { time_ns: record.time_ns, pid: record.pid, name });
            }
            Kind::Time => {
                let wall_ns = number(data, 0) * 1_000_000_000 + number(data, 4);
                return Some(Item::Time { time_ns: record.time_ns, wall_ns });
            }
            other => {
                let kind = match other {
                    Kind::Message => "messages",
                    Kind::PassedThrough => "events of passed-through commands",
                    _ => "events of no request",
                };
                found.remarks.add(kind, 1);
                return None;
            }
        };
        let (source, new_sector) = match action {
            Action::Remap => {
                found.remarks.add("events of no request", 1);
                remap_source(data)
            }
            _ => (0, data.last_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes))),
        };
        Some(Item::Event(Event {
            time_ns: record.time_ns,
            record: self.records,
            action,
            device: record.device as i32,
            operation: record.operation(),
            flags: record.flags(),
            sector: record.sector,
            blocks: record.blocks(),
            pid: i64::from(record.pid),
            program: None,
            new_sector,
            source,
        }))
    }

    /// Whether a record's time is near that of the one before; else skip it.
    fn is_in_time(&mut self, time_ns: u64, record: &[u8]) -> bool {
        if self.last_ns.is_some_and(|last_ns| time_ns.abs_diff(last_ns) > LONGEST_PAUSE_NS) {
            let skipped = (self.records, record.to_vec(), "time out of range");
            self.skipped.push_back((self.read_items, skipped));
            self.skipped_records += 1;
            return false;
        }
        self.last_ns = Some(time_ns);
        true
    }

    /// Lose what comes before the next magic number from `start` on, which the block's end may cut; return there.
    fn lose_until_magic(&mut self, block: &[u8], at: usize, start: usize, found: &mut ReadSummary) -> usize {
        let size = block.len();
        let mut following = next_magic(block, start, size);
        if following == size && !self.is_ended {
            following = start.max((size + 1).saturating_sub(MAGIC_BYTES));
        }
        self.lose(&block[at..following.min(size)], found);
        following
    }

    /// Count bytes that are no record, and each stretch of them as one that was skipped.
    fn lose(&mut self, part: &[u8], found: &mut ReadSummary) {
        if part.is_empty() {
            return;
        }
        found.lost_bytes += part.len() as u64;
        if !self.is_lost {
            self.all_records += 1;
            self.skipped_records += 1;
            let shown = part[..part.len().min(SHOWN_BYTES)].to_vec();
            self.skipped.push_back((self.read_items, (self.records + 1, shown, "no record of blktrace")));
        }
        self.is_lost = true;
    }
}

/// Whether a record with data up to there can be believed.
///
/// A length of data that was damaged reaches over records that follow, and ends where none begins.
fn is_whole(block: &[u8], end: usize, data_end: usize) -> bool {
    if data_end > block.len() {
        return false;
    }
    let after = &block[data_end..];
    let ends_well = after.len() < MAGIC_BYTES || layout(after).is_some();
    ends_well || next_magic(block, end, data_end) == data_end
}

/// The lower median of the first records' times, which one of them that is damaged does not move.
fn usual_time_ns(block: &[u8]) -> Option<u64> {
    let mut times = Vec::new();
    let mut at = 0;
    while times.len() < FIRST_RECORDS {
        let Some(form) = block.get(at..).and_then(layout) else {
            break;
        };
        if at + form.size() > block.len() {
            break;
        }
        let record = form.record(&block[at..]);
        times.push(record.time_ns);
        at += form.size() + record.data_bytes;
    }
    times.sort_unstable();
    times.get(times.len().saturating_sub(1) / 2).copied()
}
