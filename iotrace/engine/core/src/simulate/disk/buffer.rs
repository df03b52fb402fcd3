//! The on-board buffer: segments of blocks that a drive has read or written.

use serde::Deserialize;
use std::ops::Range;

/// How far a drive reads ahead after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadAhead {
    #[serde(rename = "none")]
    No,
    /// To the end of the request's last track.
    Track,
    /// To the end of the track of the block after the request, and of the next track if the segment holds blocks from
    /// before the track: one track ahead of a sequential stream.
    NextTrack,
    /// To the end of the request's last cylinder.
    Cylinder,
    /// Until the segment is full of blocks after the request.
    Segment,
}

/// When a write is complete for the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reporting {
    /// When its last block is on the medium.
    Medium,
    /// When its last block is in the buffer, if it continues a write that is still in progress.
    Sequential,
    /// When its last block is in the buffer.
    Buffer,
}

/// A drive's buffer and its policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnBoardBuffer {
    pub segments: u32,
    pub segment_blocks: u32,
    pub read_ahead: ReadAhead,
    /// The most blocks read ahead beyond the request; 0 for no limit.
    pub most_read_ahead_blocks: u32,
    /// The number of blocks read ahead before another request may interrupt.
    pub least_read_ahead_blocks: u32,
    /// A request for the block that is being read ahead counts as found in the buffer.
    pub hits_next_block: bool,
    /// A read that misses the buffer takes the bus when this percentage of it has been read; at least a block.
    pub reconnect_percent: u32,
    /// A read keeps the bus while it waits for more of its blocks; otherwise it releases and reacquires it.
    pub holds_bus: bool,
    /// A request found entirely in the buffer makes the idle arm read ahead after it.
    pub read_ahead_on_hit: bool,
    /// Read-ahead stops immediately for the next request; otherwise at the end of the sector under the head.
    pub stops_in_sector: bool,
    /// Sectors are read in the order in which they pass under the head, from where it lands on the track (zero
    /// latency).
    pub zero_latency_reads: bool,
    /// Writes have a separate segment, and do not change those of reads.
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

    /// The segment that holds a block, and its blocks.
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

    /// Empty the least recently used segment, or take an empty one, for blocks from `lbn` on, and return its new
    /// number.
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

    /// A segment is filled up to `end`; blocks that no longer fit are dropped.
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
