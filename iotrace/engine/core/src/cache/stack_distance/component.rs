//! The counts of one component of the workload: all references, or those of one type, process or condition.

use super::counts::Counts;
pub use super::counts::INFINITE;
use rustc_hash::FxHashMap;

/// Requests of one direction, read or write.
#[derive(Debug, Default)]
pub struct Direction {
    /// Requests.
    pub requests: u64,
    /// Blocks that they touched.
    pub blocks: u64,
    /// Requests with a block that had never been in the cache.
    pub cold_requests: u64,
    /// Requests by the largest distance of their blocks: they miss in all smaller caches.
    pub largest: Counts,
    /// The distances of all their other blocks.
    pub others: Counts,
    /// Requests of more than one block by their number of blocks.
    pub sizes: FxHashMap<u32, u64>,
    /// Requests whose first piece hits, by the number of blocks in the piece (see `RequestDistances`).
    pub first_pieces: Counts,
}

/// Follows the blocks of one request.
///
/// In caches of at least as many blocks as the request, it misses if the largest distance is larger than the cache.
/// A request of n blocks larger than the cache of C is issued in ⌈n/C⌉ pieces. Its block i (from 0) has a distance
/// of at least i + 1, since the i blocks before it were just used. So every piece but the first misses for certain
/// (i ≥ C), and the first one hits only if the largest distance of its C blocks is exactly C.
#[derive(Debug, Default)]
pub struct RequestDistances {
    seen: u32,
    largest: u32,
    cold: bool,
    /// The distance of the last of the other blocks, and how many in a row have it: they are counted together.
    other: u32,
    in_a_row: u32,
}

impl RequestDistances {
    /// Take the next block's distance, and whether it had never been in the cache; count the whole request with its
    /// last block, and begin the next.
    #[inline(always)]
    pub fn block(&mut self, direction: &mut Direction, distance: u32, cold: bool, last: bool) {
        self.cold |= cold;
        if self.seen > 0 {
            self.other_block(direction, self.largest.min(distance));
        }
        self.seen += 1;
        self.largest = self.largest.max(distance);
        if last {
            std::mem::take(self).finish(direction);
        } else if self.largest == self.seen {
            direction.first_pieces.count(self.seen);
        }
    }

    /// Whether no block of the next request was taken yet.
    #[inline(always)]
    pub fn is_at_start(&self) -> bool {
        self.seen == 0
    }

    #[inline(always)]
    fn other_block(&mut self, direction: &mut Direction, distance: u32) {
        if distance != self.other && self.in_a_row > 0 {
            direction.others.count_several(self.other, self.in_a_row);
            self.in_a_row = 0;
        }
        self.other = distance;
        self.in_a_row += 1;
    }

    #[inline(always)]
    fn finish(self, direction: &mut Direction) {
        direction.requests += 1;
        direction.blocks += u64::from(self.seen);
        direction.cold_requests += u64::from(self.cold);
        direction.largest.count(self.largest);
        if self.seen > 1 {
            direction.others.count_several(self.other, self.in_a_row);
            *direction.sizes.entry(self.seen).or_insert(0) += 1;
        }
    }
}

/// All counts of one component. A block's shortfall is the part of it that lies beyond the file's end.
#[derive(Debug, Default)]
pub struct Component {
    /// Reads.
    pub reads: Direction,
    /// Writes.
    pub writes: Direction,
    /// Bytes of shortfall of blocks read, by distance.
    pub read_shortfalls: Counts,
    /// Their sum, cold blocks included.
    pub read_shortfall: u64,
    /// Blocks evicted dirty, as stretches of the sizes of the caches that did.
    pub expulsions: Counts,
    /// Bytes of shortfall of those blocks.
    pub expulsion_shortfalls: Counts,
    /// Blocks written through to the disk, at every size.
    pub written_through: u64,
    /// Bytes of their shortfall.
    pub written_through_shortfall: u64,
    /// Blocks that a sync wrote, by the smallest cache that held them dirty.
    pub syncs: Counts,
    /// Bytes of shortfall of those blocks.
    pub sync_shortfalls: Counts,
    /// Dirty blocks at the end, by the smallest cache that still holds them dirty.
    pub dirty_at_end: Counts,
    /// Write block hits that cover dirty bytes, by the smallest cache in which they do.
    pub overwrites: Counts,
    /// The bytes that they cover, likewise.
    pub overwritten_bytes: Counts,
}

impl Component {
    /// No counts yet, in histograms that take memory for each distance up to the largest.
    pub fn plain() -> Self {
        let direction =
            || Direction { largest: Counts::plain(), others: Counts::plain(), ..Direction::default() };
        Component {
            reads: direction(),
            writes: direction(),
            expulsions: Counts::plain(),
            dirty_at_end: Counts::plain(),
            ..Component::default()
        }
    }

    /// The counts of reads or of writes.
    #[inline(always)]
    pub fn direction(&mut self, write: bool) -> &mut Direction {
        if write {
            &mut self.writes
        } else {
            &mut self.reads
        }
    }

    /// Count the shortfall of a block read at a distance.
    #[inline(always)]
    pub fn read_shortfall(&mut self, distance: u32, shortfall: u32) {
        if shortfall != 0 {
            self.read_shortfall += u64::from(shortfall);
            if distance != INFINITE {
                self.read_shortfalls.add(distance, i64::from(shortfall));
            }
        }
    }

    /// Count a dirty block's expulsion from all caches of at least its dirty level and less than its depth.
    #[inline(always)]
    pub fn evict(&mut self, dirty_level: u32, depth: u32, shortfall: u32) {
        self.expulsions.count_stretch(dirty_level, depth);
        if shortfall != 0 {
            self.expulsion_shortfalls.add_stretch(dirty_level, depth, shortfall);
        }
    }

    /// Count a dirty block that a sync writes in all caches of at least that size.
    pub fn sync_from(&mut self, size: u32, shortfall: u32) {
        self.syncs.count(size);
        if shortfall != 0 {
            self.sync_shortfalls.add(size, i64::from(shortfall));
        }
    }

    /// Count a dirty block's expulsion from all caches of at least that size.
    pub fn evict_from(&mut self, size: u32, shortfall: u32) {
        self.expulsions.count(size);
        if shortfall != 0 {
            self.expulsion_shortfalls.add(size, i64::from(shortfall));
        }
    }
}
