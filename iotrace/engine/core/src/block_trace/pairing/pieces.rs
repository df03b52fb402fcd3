//! Requests of the block layer that are not complete, and the pieces of them that wait for their completion.

use super::slots::{Slot, Slots};

/// As many pieces are passed before their places are freed.
const FEWEST_PASSED: usize = 32;
/// Among as many of the last dispatches that is looked for which a requeue takes back.
const MOST_LOOKED_AT: usize = 8;

/// An event of a request. Times are in nanoseconds, sector and blocks in 512 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub time_ns: u64,
    /// Its place in the trace.
    pub record: u64,
    pub action: Action,
    /// Numbers of names; the operation's is unknown where there is none.
    pub device: i32,
    pub operation: i32,
    pub flags: i32,
    pub sector: u64,
    pub blocks: u64,
    pub pid: i64,
    pub program: Option<i32>,
    /// Of a split, where its second part begins; of a remap, where the request was at `source`.
    pub new_sector: u64,
    /// Of a remap, the device that passed the request on.
    pub source: i32,
}

/// What happened, by blktrace's letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Queue,
    Merge,
    Allocate,
    Insert,
    Issue,
    Requeue,
    Complete,
    Split,
    Remap,
}

/// A request.
#[derive(Debug)]
pub struct RequestRow {
    pub event: Event,
    pub queued: bool,
    /// How many of its pieces wait.
    pub open: u32,
    /// Where the pieces begin that were split from it.
    pub split_at: Vec<u64>,
    pub allocated_ns: Option<u64>,
    pub inserted_ns: Option<u64>,
    pub issued_ns: Option<u64>,
    pub completed_ns: Option<u64>,
    pub latency_ns: Option<i64>,
    pub service_ns: Option<i64>,
}

impl RequestRow {
    pub fn new(event: Event, queued: bool) -> Self {
        RequestRow {
            event,
            queued,
            open: 1,
            split_at: Vec::new(),
            allocated_ns: None,
            inserted_ns: None,
            issued_ns: None,
            completed_ns: None,
            latency_ns: None,
            service_ns: None,
        }
    }
}

/// A part of a queued request (usually all of it) that waits for its completion.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub row: Slot,
    pub blocks: u64,
    pub issued_ns: Option<u64>,
}

/// All requests and pieces that are not complete.
#[derive(Debug, Default)]
pub struct Open {
    pub rows: Slots<RequestRow>,
    pub pieces: Slots<Piece>,
}

impl Open {
    /// Whether a request still waits.
    fn is_open(&self, row: Slot) -> bool {
        self.rows.get(row).is_some_and(|row| row.open > 0)
    }

    fn issue(&mut self, piece: Slot, time_ns: Option<u64>) {
        if let Some(piece) = self.pieces.get_mut(piece) {
            piece.issued_ns = time_ns;
            if let Some(row) = self.rows.get_mut(piece.row) {
                row.issued_ns = time_ns;
            }
        }
    }
}

/// The pieces from one sector on, in the order of their arrival; the first is of no request that was given out.
///
/// They pass each stage in their order. How far each stage has come is kept, so that no event has to visit them all.
#[derive(Debug, Default)]
pub struct Pieces {
    waiting: Vec<Slot>,
    first: usize,
    /// Before these places all pieces have passed the stage.
    allocated: usize,
    inserted: usize,
    issued: usize,
    /// In the order of their dispatches; some are complete.
    dispatched: Vec<Slot>,
    requeued: Vec<Slot>,
}

impl Pieces {
    pub fn is_empty(&self) -> bool {
        self.first == self.waiting.len()
    }

    /// The one that arrived first.
    pub fn first(&self) -> Option<Slot> {
        self.waiting.get(self.first).copied()
    }

    pub fn first_blocks(&self, open: &Open) -> u64 {
        self.first().and_then(|piece| open.pieces.get(piece)).map_or(0, |piece| piece.blocks)
    }

    pub fn push(&mut self, piece: Slot) {
        self.waiting.push(piece);
    }

    /// Take the first away.
    pub fn take_first(&mut self, open: &mut Open) -> Option<Piece> {
        let taken = open.pieces.take(self.first()?);
        self.first += 1;
        self.drop_given_up(open);
        taken
    }

    /// Let the first be as many blocks; return the rest, which begins after them.
    pub fn split_first(&mut self, open: &mut Open, blocks: u64) -> Option<Piece> {
        let first = open.pieces.get_mut(self.first()?)?;
        let rest = Piece { blocks: first.blocks - blocks, ..*first };
        first.blocks = blocks;
        if let Some(row) = open.rows.get_mut(rest.row) {
            row.open += 1;
        }
        Some(rest)
    }

    /// Drop the first pieces as long as they are of requests that were given out without their completion.
    pub fn drop_given_up(&mut self, open: &mut Open) {
        while let Some(first) = self.first() {
            if open.pieces.get(first).is_some_and(|piece| open.is_open(piece.row)) {
                break;
            }
            open.pieces.take(first);
            self.first += 1;
        }
        if self.first >= FEWEST_PASSED.max(self.waiting.len() / 2) {
            let passed = std::mem::take(&mut self.first);
            self.waiting.drain(..passed);
            self.allocated = self.allocated.saturating_sub(passed);
            self.inserted = self.inserted.saturating_sub(passed);
            self.issued = self.issued.saturating_sub(passed);
            self.dispatched.retain(|piece| open.pieces.get(*piece).is_some());
            self.requeued.retain(|piece| open.pieces.get(*piece).is_some());
        }
    }

    /// Note an allocation, of the first piece that lacks it.
    pub fn allocate(&mut self, open: &mut Open, time_ns: u64) {
        self.allocated = self.next(open, self.allocated, |_, row| row.allocated_ns.is_some());
        if let Some(row) = self.row_at(open, self.allocated) {
            row.allocated_ns = Some(time_ns);
        }
    }

    /// Note an insertion, of the first piece that lacks it; if none does it is a repeated one of the first.
    pub fn insert(&mut self, open: &mut Open, time_ns: u64) {
        self.inserted = self.next(open, self.inserted, |_, row| row.inserted_ns.is_some());
        let place = if self.inserted < self.waiting.len() { self.inserted } else { self.first };
        if let Some(row) = self.row_at(open, place) {
            row.inserted_ns = Some(time_ns);
        }
    }

    /// Note a dispatch likewise; return whether a piece lacked it.
    pub fn issue(&mut self, open: &mut Open, time_ns: u64) -> bool {
        let lacking = self.next_to_issue(open);
        if let Some(piece) = lacking.or_else(|| self.first()) {
            open.issue(piece, Some(time_ns));
            if self.dispatched.last() != Some(&piece) {
                self.dispatched.push(piece);
            }
        }
        lacking.is_some()
    }

    /// Take a dispatch back, the last at this time.
    pub fn requeue(&mut self, open: &mut Open, issued_ns: u64) {
        while self.dispatched.last().is_some_and(|piece| open.pieces.get(*piece).is_none()) {
            self.dispatched.pop();
        }
        let is_it =
            |piece: &Slot| open.pieces.get(*piece).is_some_and(|piece| piece.issued_ns == Some(issued_ns));
        let found = (0..self.dispatched.len())
            .rev()
            .take(MOST_LOOKED_AT)
            .find(|&place| is_it(&self.dispatched[place]));
        if let Some(place) = found {
            let piece = self.dispatched.remove(place);
            open.issue(piece, None);
            self.requeued.push(piece);
        }
    }

    fn next_to_issue(&mut self, open: &Open) -> Option<Slot> {
        while let Some(slot) = self.requeued.pop() {
            let piece = open.pieces.get(slot);
            if piece.is_some_and(|piece| open.is_open(piece.row) && piece.issued_ns.is_none()) {
                return Some(slot);
            }
        }
        self.issued = self.next(open, self.issued, |piece, _| piece.issued_ns.is_some());
        self.waiting.get(self.issued).copied()
    }

    /// The place of the first piece from here on that has not passed a stage.
    fn next(&self, open: &Open, place: usize, has_passed: impl Fn(&Piece, &RequestRow) -> bool) -> usize {
        let mut place = place.max(self.first);
        while let Some(slot) = self.waiting.get(place) {
            let piece = open.pieces.get(*slot);
            let row = piece.and_then(|piece| open.rows.get(piece.row));
            if let (Some(piece), Some(row)) = (piece, row) {
                if row.open > 0 && !has_passed(piece, row) {
                    break;
                }
            }
            place += 1;
        }
        place
    }

    fn row_at<'o>(&self, open: &'o mut Open, place: usize) -> Option<&'o mut RequestRow> {
        let piece = *open.pieces.get(*self.waiting.get(place)?)?;
        open.rows.get_mut(piece.row)
    }
}
