//! The memory on board: segments of blocks that a drive has read or written.

use serde::Deserialize;
use std::ops::Range;

/// How far a drive reads on after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadAhead {
    #[serde(rename = "none")]
    No,
    /// To the end of the request's last track.
    Track,
    /// To the end of the track of the block after the request, and of the track after that where the segment holds
    /// blocks from before it: one track ahead of a sequential stream.
    NextTrack,
    /// To the end of the request's last cylinder.
    Cylinder,
    /// Until the segment is full of blocks behind the request.
    Segment,
}

/// When a write is complete for the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reporting {
    /// When its last block is on the medium.
    Medium,
    /// When its last block is in the buffer, if it goes on where a write that is still under way ends.
    Sequential,
    /// When its last block is in the buffer.
    Buffer,
}

/// What a drive's buffer is, and what the drive does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnBoardBuffer {
    pub segments: u32,
    pub segment_blocks: u32,
    pub read_ahead: ReadAhead,
    /// The most blocks that reading on may fetch beyond the request; 0 for no such limit.
    pub most_read_ahead_blocks: u32,
    /// How many blocks beyond the request are read before the arm may be called away.
    pub least_read_ahead_blocks: u32,
    /// A request for the very block that is being read ahead counts as found in the buffer.
    pub hits_next_block: bool,
    /// A read that is not in the buffer takes the bus when this share of it is, in percent; at least a block.
    pub reconnect_percent: u32,
    /// A read keeps the bus while it waits for more of its blocks; else it gives it up and takes it again.
    pub holds_bus: bool,
    /// A request that the buffer holds whole makes the idle arm read on behind it.
    pub read_ahead_on_hit: bool,
    /// Reading on stops at once for the next request; else at the end of the sector under the head.
    pub stops_in_sector: bool,
    /// Sectors are read in the order in which they pass under the head, wherever it lands on the track.
    pub zero_latency_reads: bool,
    /// Writes have a segment of their own, and leave those of reads alone.
    pub separate_write_segment: bool,
    /// Blocks written may be read from the buffer.
    pub reads_hit_writes: bool,
    pub reporting: Reporting,
}

/// The segments' contents, the least recently used first.
#[derive(Clone, Debug)]
pub(super) struct Segments {
    size_blocks: u64,
    held: Vec<Segment>,
    next_id: u64,
}

#[derive(Clone, Debug)]
struct Segment {
    id: u64,
    blocks: Range<u64>,
}

impl Segments {
    /// `segments` empty segments of `segment_blocks` blocks each.
    pub fn new(segments: u32, segment_blocks: u32) -> Self {
        let held = (0..u64::from(segments)).map(|id| Segment { id, blocks: 0..0 });
        Segments {
            size_blocks: u64::from(segment_blocks),
            held: held.collect(),
            next_id: u64::from(segments),
        }
    }

    /// The segment that holds a block, with its blocks.
    pub fn find(&self, lbn: u64) -> Option<(u64, Range<u64>)> {
        let found = self.held.iter().find(|one| one.blocks.contains(&lbn))?;
        Some((found.id, found.blocks.clone()))
    }

    /// The first block that a segment holds.
    pub fn first_block(&self, id: u64) -> Option<u64> {
        let found = self.held.iter().find(|one| one.id == id)?;
        Some(found.blocks.start)
    }

    /// Make a segment the most recently used.
    pub fn renew(&mut self, id: u64) {
        if let Some(place) = self.held.iter().position(|one| one.id == id) {
            self.held[place..].rotate_left(1);
        }
    }

    /// Empty the least recently used segment, or an empty one, for blocks from `lbn` on, and return its new name.
    pub fn take(&mut self, lbn: u64) -> u64 {
        let empty = self.held.iter().position(|one| one.blocks.is_empty());
        let id = self.next_id;
        self.next_id += 1;
        if let Some(place) = empty.or((!self.held.is_empty()).then_some(0)) {
            self.held[place] = Segment { id, blocks: lbn..lbn };
            self.held[place..].rotate_left(1);
        }
        id
    }

    /// A segment holds blocks up to `end`, and has forgotten those that it has no room for.
    pub fn extend(&mut self, id: u64, end: u64) {
        if let Some(one) = self.held.iter_mut().find(|one| one.id == id) {
            one.blocks.end = end.max(one.blocks.end);
            one.blocks.start = one.blocks.start.max(one.blocks.end.saturating_sub(self.size_blocks));
        }
    }

    /// Empty all segments that hold any of these blocks.
    pub fn forget(&mut self, blocks: &Range<u64>) {
        for one in &mut self.held {
            if one.blocks.start < blocks.end && blocks.start < one.blocks.end {
                one.blocks = 0..0;
            }
        }
    }
}
