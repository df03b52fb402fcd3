//! The counts of one component of the workload: all references, or those of one type, process or condition.

use super::counts::Counts;
use rustc_hash::FxHashMap;

/// The distance of a block that is in no cache, however large.
pub const INFINITE: u32 = u32::MAX;

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
#[derive(Debug)]
pub struct RequestDistances {
    blocks: u32,
    seen: u32,
    largest: u32,
    cold: bool,
}

impl RequestDistances {
    /// Begin a request of so many blocks.
    #[inline(always)]
    pub fn new(blocks: u32) -> Self {
        RequestDistances { blocks, seen: 0, largest: 0, cold: false }
    }

    /// Take the next block's distance, and whether it had never been in the cache.
    #[inline(always)]
    pub fn block(&mut self, direction: &mut Direction, distance: u32, cold: bool) {
        self.cold |= cold;
        if self.seen > 0 {
            let other = self.largest.min(distance);
            if other != INFINITE {
                direction.others.count(other);
            }
        }
        self.seen += 1;
        self.largest = self.largest.max(distance);
        if self.largest == self.seen && self.seen < self.blocks {
            direction.first_pieces.count(self.seen);
        }
    }

    /// Take several blocks that lay one above the other, the deepest first, and were never dropped. Each has the
    /// first one's distance: a block used before it left its place below, and came on top.
    pub fn run(&mut self, direction: &mut Direction, distance: u32, blocks: u32) {
        let other = self.largest.min(distance);
        if self.seen > 0 && other != INFINITE {
            direction.others.count(other);
        }
        direction.others.add(distance, i64::from(blocks - 1));
        self.largest = self.largest.max(distance);
        let after = self.seen + blocks;
        if self.seen < self.largest && self.largest <= after && self.largest < self.blocks {
            direction.first_pieces.count(self.largest);
        }
        self.seen = after;
    }

    /// Count the whole request.
    #[inline(always)]
    pub fn finish(self, direction: &mut Direction) {
        direction.requests += 1;
        direction.blocks += u64::from(self.blocks);
        direction.cold_requests += u64::from(self.cold);
        if self.largest != INFINITE {
            direction.largest.count(self.largest);
        }
        if self.blocks > 1 {
            *direction.sizes.entry(self.blocks).or_insert(0) += 1;
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
    /// Blocks expelled dirty, as stretches of the sizes of the caches that did.
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
    /// Count all that still waits for it.
    pub fn settle(&mut self) {
        let Component { reads, writes, expulsions, syncs, dirty_at_end, overwrites, .. } = self;
        for direction in [reads, writes] {
            let Direction { largest, others, first_pieces, .. } = direction;
            [largest, others, first_pieces].into_iter().for_each(Counts::settle);
        }
        [expulsions, syncs, dirty_at_end, overwrites].into_iter().for_each(Counts::settle);
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
    pub fn expel(&mut self, dirty_level: u32, depth: u32, shortfall: u32) {
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
    pub fn expel_from(&mut self, size: u32, shortfall: u32) {
        self.expulsions.count(size);
        if shortfall != 0 {
            self.expulsion_shortfalls.add(size, i64::from(shortfall));
        }
    }
}
