//! The effects of references on blocks, recorded once for all caches.

use super::neighbours::Neighbours;
use crate::cache::file_events::Event;

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// How many blocks it touches.
    pub blocks: u32,
    /// Bytes of the last block beyond the file's end.
    pub last_shortfall: u32,
    /// Whether it is synchronous: its data are safe when it ends.
    pub synchronous: bool,
    /// Whether it writes.
    pub write: bool,
    /// The component of the references that it belongs to.
    pub component: u32,
    /// Whether it is counted: the warm-up is over.
    pub counted: bool,
}

/// One step of the tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The next blocks are touched.
    Request(Request),
    /// This many next blocks are dropped.
    Drop(u32),
    /// The current time in ns; written if `Notes` asks for it.
    Time(i64),
    /// How many processes run from now on; written if `Notes` asks for it.
    Processes(u32),
    /// The file of the next request, by its key; written if `Notes` asks for it.
    File(u32),
    /// A sync of a file, by its key, or of all files; written if `Notes` asks for it.
    Sync(Option<u32>),
    /// The other blocks of the first and the last fetch block that the next request, a read, touches; written if
    /// `Notes` asks for it.
    Surroundings {
        /// This many next blocks: those of the first fetch block before the request.
        before: u32,
        /// This many blocks after these: those of the last fetch block after the request.
        after: u32,
        /// Bytes of the last of these that are beyond the file's end.
        end_shortfall: u32,
    },
    /// A sync of a range, which consists of this many next blocks; written if `Notes` asks for it.
    SyncBlocks(u32),
}

impl Step {
    /// Number of blocks of the tape that the step uses.
    pub fn blocks(&self) -> u32 {
        match self {
            Step::Request(request) => request.blocks,
            Step::Surroundings { before, after, .. } => before + after,
            Step::Drop(blocks) | Step::SyncBlocks(blocks) => *blocks,
            Step::Time(_) | Step::Processes(_) | Step::File(_) | Step::Sync(_) => 0,
        }
    }
}

/// A stretch of the stream: steps, and the blocks that they use, by dense number.
#[derive(Debug, Default, Clone)]
pub struct Tape {
    /// Blocks touched and dropped, in order.
    pub touches: Vec<u32>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The same as the page cache of Linux sees it, each request one read or write; written if `Notes` asks for it.
    pub events: Vec<Event>,
}

impl Tape {
    /// Single reads of one block each.
    pub fn of_reads(blocks: &[u32]) -> Self {
        let read = Step::Request(Request {
            blocks: 1,
            last_shortfall: 0,
            synchronous: false,
            write: false,
            component: 0,
            counted: true,
        });
        Tape { touches: blocks.to_vec(), steps: vec![read; blocks.len()], events: Vec::new() }
    }

    /// Continue where another tape ends.
    pub fn append(&mut self, other: &Tape) {
        self.touches.extend_from_slice(&other.touches);
        self.steps.extend_from_slice(&other.steps);
        self.events.extend_from_slice(&other.events);
    }

    /// Clear the tape.
    pub fn clear(&mut self) {
        self.touches.clear();
        self.steps.clear();
        self.events.clear();
    }

    /// The blocks touched by requests.
    pub fn touches_without_drops(&self) -> Vec<u32> {
        let mut rest = self.touches.as_slice();
        let mut touches = Vec::with_capacity(rest.len());
        for step in &self.steps {
            let (blocks, after) = rest.split_at(step.blocks() as usize);
            if let Step::Request(_) = step {
                touches.extend_from_slice(blocks);
            }
            rest = after;
        }
        touches
    }
}

/// The next stretch of a stream.
#[derive(Debug, Clone, Copy)]
pub struct Stretch<'a> {
    /// What happens.
    pub tape: &'a Tape,
    /// All block numbers so far are below this.
    pub blocks: usize,
    /// Which of the blocks are neighbours, if `Notes` asks for it.
    pub neighbours: &'a Neighbours,
}
