//! Requests from the events of Linux's block layer, as blktrace and blkparse record them (blktrace(8)).
//!
//! A request is queued (Q), may be merged into another (M at its end, F at its beginning) or split (X), gets a request
//! structure (G), is given to the I/O scheduler (I), is issued to the device (D), perhaps more than once after a
//! requeue (R), and completed (C). Each queued request is a row: it arrived at Q; it is completed by the completion of
//! all of its blocks, those of a merged one by that of the request that it was merged into; its service begins at the
//! last D of that. I and D of a merged request are those of each of its parts that they cover. A request that was
//! issued and never queued is a row that arrived at its first D and has no latency.

mod pieces;
mod remarks;
mod slots;
mod stacks;
mod table;

pub use pieces::{Action, Event, RequestRow};
pub use remarks::Remarks;
pub use slots::Slot;
pub use stacks::Stacks;
pub use table::{batch_of, EventNames};

use pieces::{Open, Piece, Pieces};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The most later rows that wait for a row's completion; then it is passed on without one.
pub const WAITING_ROWS: usize = 1 << 16;
/// How many complete rows make a batch.
const BATCH_ROWS: usize = 1 << 16;
/// The most waiting requests that are searched for those in a completed range with gaps between them.
const MOST_SEARCHED: usize = 1 << 10;

/// The requests of a device that do the same.
type Group = (i32, i32);
type Waiting = FxHashMap<u64, Pieces>;

/// A dispatch that is not yet completed: its time, or the request that was not queued.
#[derive(Clone, Copy, Debug)]
enum Dispatch {
    Queued(u64),
    Unqueued(Slot),
}

/// Takes events in the order of time, gives rows in the order of arrival, and remarks what does not pair up.
#[derive(Debug)]
pub struct Pairing {
    pub remarks: Remarks,
    pub stacks: Stacks,
    waiting_rows: usize,
    open: Open,
    rows: VecDeque<Slot>,
    pieces: FxHashMap<Group, Waiting>,
    /// Dispatches not yet completed, by what they are of.
    issued: FxHashMap<(Group, u64, u64), VecDeque<Dispatch>>,
    done: Vec<RequestRow>,
}

impl Pairing {
    pub fn new(waiting_rows: usize) -> Self {
        Pairing {
            remarks: Remarks::default(),
            stacks: Stacks::default(),
            waiting_rows,
            open: Open::default(),
            rows: VecDeque::new(),
            pieces: FxHashMap::default(),
            issued: FxHashMap::default(),
            done: Vec::new(),
        }
    }

    /// Follow another event.
    pub fn take(&mut self, event: &Event) {
        match event.action {
            Action::Queue => self.queue(event),
            Action::Issue => self.issue(event),
            Action::Complete => self.complete(event),
            Action::Split => self.split(event),
            Action::Requeue => self.requeue(event),
            Action::Allocate => self.allocate(event),
            Action::Insert => {
                self.each_reached(event, |pieces, open| pieces.insert(open, event.time_ns));
            }
            Action::Merge => self.remarks.add("merged requests", 1),
            Action::Remap => self.stacks.remap(event),
        }
    }

    /// A request goes to the device, and what follows it by a key of its own ends it. It was never queued.
    pub fn begin(&mut self, event: &Event) -> Slot {
        let issued_ns = Some(event.time_ns);
        let row = self.open.rows.insert(RequestRow { issued_ns, ..RequestRow::new(*event, false) });
        self.rows.push_back(row);
        row
    }

    /// Such a request is complete.
    pub fn end(&mut self, row: Slot, time_ns: u64) {
        if let Some(row) = self.open.rows.get_mut(row) {
            row.open = 0;
            row.completed_ns = Some(time_ns);
            row.service_ns = Some(since(time_ns, row.issued_ns.unwrap_or(0)));
        }
    }

    /// The completion of such a request is lost.
    pub fn give_up(&mut self, row: Slot) {
        if let Some(row) = self.open.rows.get_mut(row) {
            self.remarks.add("requests without completion", 1);
            row.open = 0;
        }
    }

    /// Move the rows that no earlier one holds back any more to those that are done: all of them at the end. Returns
    /// whether these are enough for a batch.
    pub fn advance(&mut self, is_last: bool) -> bool {
        while let Some(&slot) = self.rows.front() {
            let is_open = self.open.rows.get(slot).is_some_and(|row| row.open > 0);
            if is_open && !is_last && self.rows.len() <= self.waiting_rows {
                break;
            }
            self.rows.pop_front();
            if is_open {
                self.remarks.add("requests without completion", 1);
                self.forget(slot);
            }
            self.done.extend(self.open.rows.take(slot));
        }
        is_last || self.done.len() >= BATCH_ROWS
    }

    /// Wait no more for the completion of a request.
    fn forget(&mut self, slot: Slot) {
        let Some(row) = self.open.rows.get_mut(slot) else {
            return;
        };
        row.open = 0;
        let event = row.event;
        let sectors = [&[event.sector], &row.split_at[..]].concat();
        self.oldest_dispatch(&event);
        let Some(waiting) = self.pieces.get_mut(&group(&event)) else {
            return;
        };
        for sector in sectors {
            if let Some(pieces) = waiting.get_mut(&sector) {
                pieces.drop_given_up(&mut self.open);
                if pieces.is_empty() {
                    waiting.remove(&sector);
                }
            }
        }
    }

    fn queue(&mut self, event: &Event) {
        self.stacks.queue(event);
        let row = self.open.rows.insert(RequestRow::new(*event, true));
        self.rows.push_back(row);
        let piece = self.open.pieces.insert(Piece { row, blocks: event.blocks, issued_ns: None });
        self.pieces.entry(group(event)).or_default().entry(event.sector).or_default().push(piece);
    }

    fn issue(&mut self, event: &Event) {
        let mut any_lacked = false;
        self.each_reached(event, |pieces, open| any_lacked |= pieces.issue(open, event.time_ns));
        let is_queued =
            self.pieces.get(&group(event)).is_some_and(|waiting| waiting.contains_key(&event.sector));
        let before = self.issued.get_mut(&key(event));
        match before {
            Some(before) if !any_lacked => {
                self.remarks.add("repeated dispatches", 1);
                dispatch_again(&mut self.open, before, event.time_ns);
            }
            Some(before) => before.push_back(Dispatch::Queued(event.time_ns)),
            None => {
                let dispatch = if is_queued {
                    Dispatch::Queued(event.time_ns)
                } else {
                    self.remarks.add("dispatches of what was not queued", 1);
                    Dispatch::Unqueued(self.begin(event))
                };
                self.issued.insert(key(event), VecDeque::from([dispatch]));
            }
        }
    }

    /// Take away the oldest dispatch of an event's blocks.
    fn oldest_dispatch(&mut self, event: &Event) -> Option<Dispatch> {
        let issued = self.issued.get_mut(&key(event))?;
        let oldest = issued.pop_front();
        if issued.is_empty() {
            self.issued.remove(&key(event));
        }
        oldest
    }

    fn allocate(&mut self, event: &Event) {
        let waiting = self.pieces.get_mut(&group(event));
        if let Some(pieces) = waiting.and_then(|waiting| waiting.get_mut(&event.sector)) {
            pieces.allocate(&mut self.open, event.time_ns);
        }
    }

    /// Take back the last dispatch of an event's blocks.
    fn requeue(&mut self, event: &Event) {
        let Some(issued) = self.issued.get_mut(&key(event)) else {
            return;
        };
        let Some(&Dispatch::Queued(issued_ns)) = issued.back() else {
            return;
        };
        issued.pop_back();
        if issued.is_empty() {
            self.issued.remove(&key(event));
        }
        self.each_reached(event, |pieces, open| pieces.requeue(open, issued_ns));
    }

    /// Let the two parts of a queued request complete separately.
    fn split(&mut self, event: &Event) {
        if self.split_apart(event).is_none() {
            self.remarks.add("splits of what was not queued", 1);
        }
    }

    fn split_apart(&mut self, event: &Event) -> Option<()> {
        let waiting = self.pieces.get_mut(&group(event))?;
        let pieces = waiting.get_mut(&event.sector)?;
        let first = event.new_sector.checked_sub(event.sector)?;
        if first == 0 || first >= pieces.first_blocks(&self.open) {
            return None;
        }
        let rest = pieces.split_first(&mut self.open, first)?;
        if let Some(row) = self.open.rows.get_mut(rest.row) {
            row.split_at.push(event.new_sector);
        }
        let rest = self.open.pieces.insert(rest);
        waiting.entry(event.new_sector).or_default().push(rest);
        Some(())
    }

    fn complete(&mut self, event: &Event) {
        let issue_ns = match self.oldest_dispatch(event) {
            Some(Dispatch::Unqueued(row)) => {
                self.end(row, event.time_ns);
                return;
            }
            Some(Dispatch::Queued(time_ns)) => Some(time_ns),
            None => None,
        };
        let was_queued = self.complete_queued(event, issue_ns);
        if issue_ns.is_none() {
            let kind = match was_queued {
                true => "completions without dispatch",
                false => "completions of what was never seen",
            };
            self.remarks.add(kind, 1);
        }
    }

    fn complete_queued(&mut self, event: &Event, issue_ns: Option<u64>) -> bool {
        let mut was_queued = false;
        self.each_reached(event, |pieces, open| {
            was_queued = true;
            let Some(piece) = pieces.take_first(open) else {
                return;
            };
            let Some(row) = open.rows.get_mut(piece.row) else {
                return;
            };
            row.open -= 1;
            if row.open == 0 {
                row.completed_ns = Some(event.time_ns);
                row.latency_ns = Some(since(event.time_ns, row.event.time_ns));
                row.issued_ns = piece.issued_ns.or(issue_ns).or(row.issued_ns);
                row.service_ns = row.issued_ns.map(|issued_ns| since(event.time_ns, issued_ns));
            }
        });
        was_queued
    }

    /// Do something with the pieces whose blocks an event covers, those from one sector on together.
    fn each_reached(&mut self, event: &Event, mut act: impl FnMut(&mut Pieces, &mut Open)) {
        let Some(waiting) = self.pieces.get_mut(&group(event)) else {
            return;
        };
        // usually one request's pieces are all that an event covers
        if let Some(pieces) = waiting.get_mut(&event.sector) {
            if event.blocks > 0 && pieces.first_blocks(&self.open) == event.blocks {
                act(pieces, &mut self.open);
                if pieces.is_empty() {
                    waiting.remove(&event.sector);
                }
                return;
            }
        }
        for sector in covered(waiting, &self.open, event) {
            if let Some(pieces) = waiting.get_mut(&sector) {
                act(pieces, &mut self.open);
                if pieces.is_empty() {
                    waiting.remove(&sector);
                }
            }
        }
    }
}

/// Let the oldest dispatch be a later one, of those that were queued if there are any.
fn dispatch_again(open: &mut Open, issued: &mut VecDeque<Dispatch>, time_ns: u64) {
    match issued.front() {
        Some(Dispatch::Unqueued(row)) if issued.len() == 1 => {
            if let Some(row) = open.rows.get_mut(*row) {
                row.issued_ns = Some(time_ns);
            }
            return;
        }
        Some(Dispatch::Unqueued(_)) => {
            issued.remove(1);
        }
        _ => {
            issued.pop_front();
        }
    }
    issued.push_back(Dispatch::Queued(time_ns));
}

/// Where the pieces begin that lie in an event's range; they usually follow each other.
fn covered(waiting: &Waiting, open: &Open, event: &Event) -> Vec<u64> {
    let end = event.sector.saturating_add(event.blocks);
    if event.blocks == 0 && waiting.contains_key(&event.sector) {
        return vec![event.sector];
    }
    let mut covered = Vec::new();
    let mut at = event.sector;
    while let Some(pieces) = waiting.get(&at).filter(|_| at < end) {
        let blocks = pieces.first_blocks(open);
        if blocks == 0 || blocks > end - at {
            break;
        }
        covered.push(at);
        at += blocks;
    }
    if at < end && covered.len() < waiting.len() && waiting.len() <= MOST_SEARCHED {
        let is_inside = |(&start, pieces): (&u64, &Pieces)| {
            at <= start && start < end && pieces.first_blocks(open) <= end - start
        };
        let mut inside: Vec<u64> =
            waiting.iter().filter(|entry| is_inside(*entry)).map(|(&start, _)| start).collect();
        inside.sort_unstable();
        covered.extend(inside);
    }
    covered
}

fn group(event: &Event) -> Group {
    (event.device, event.operation)
}

fn key(event: &Event) -> (Group, u64, u64) {
    (group(event), event.sector, event.blocks)
}

/// The time from one moment to another, if it fits 63 bits and a sign; else the longest.
fn since(time_ns: u64, start_ns: u64) -> i64 {
    let taken_ns = i64::try_from(i128::from(time_ns) - i128::from(start_ns));
    taken_ns.ok().filter(|&taken_ns| taken_ns != i64::MIN).unwrap_or(i64::MAX)
}
