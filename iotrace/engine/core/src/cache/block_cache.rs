//! One cache of blocks: which block it replaces, what it fetches, and when it writes back, over the tape.

use crate::cache::fetch::Fetch;
use crate::cache::replacement::{Access, Replacement};
use crate::cache::replay::{Neighbours, Request, Step, Stretch, TapeReader};
use crate::cache::write_back::WriteBack;
use crate::lists::One;

/// Distance in blocks at which a block's state is prefetched.
const ENTRY_AHEAD: usize = 24;
/// Distance in blocks at which the state of its neighbours is prefetched.
const LINKS_AHEAD: usize = 12;

/// Misses of a cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Misses {
    /// Block misses of reads and of writes.
    pub blocks: [u64; 2],
    /// Request misses of reads and of writes.
    pub requests: [u64; 2],
    /// Bytes beyond their file's end in the blocks that reads missed.
    pub read_shortfall: u64,
}

/// A cache of blocks.
#[derive(Debug)]
pub struct BlockCache<R, F, W> {
    size_blocks: u64,
    replacement: R,
    /// What a missed read brings in.
    pub fetch: F,
    /// What happens to blocks that are written.
    pub write_back: W,
    misses: Misses,
    time_ns: Option<i64>,
    file: Option<u32>,
}

impl<R, F, W> BlockCache<R, F, W> {
    /// An empty cache of `size_blocks` blocks; `replacement` was created with the same capacity.
    pub fn new(size_blocks: u64, replacement: R, fetch: F, write_back: W) -> Self {
        BlockCache {
            size_blocks,
            replacement,
            fetch,
            write_back,
            misses: Misses::default(),
            time_ns: None,
            file: None,
        }
    }

    /// Its present size.
    pub fn size_blocks(&self) -> u64 {
        self.size_blocks
    }

    /// The counted misses so far.
    pub fn misses(&self) -> Misses {
        self.misses
    }
}

impl<R: Replacement<Weight = One>, F: Fetch, W: WriteBack<R>> BlockCache<R, F, W> {
    /// Process a request to the blocks from `from` on. A request larger than the cache is split into pieces of the
    /// cache's size, each of which misses at most once.
    #[inline(always)]
    fn request(&mut self, request: Request, from: usize, stretch: Stretch) {
        let touches = &stretch.tape.touches;
        let size = usize::try_from(self.size_blocks).unwrap_or(usize::MAX);
        let end = from + request.blocks as usize;
        let (mut start, mut missed) = (from, 0);
        self.write_back.begin(request);
        while start < end {
            let piece = start..end.min(start.saturating_add(size));
            start = piece.end;
            self.fetch.begin(request.counted);
            let misses_before = missed;
            for index in piece {
                let shortfall = if index + 1 == end { request.last_shortfall } else { 0 };
                if let Some(&far) = touches.get(index + ENTRY_AHEAD) {
                    self.replacement.prefetch_entry(far);
                }
                if let Some(&near) = touches.get(index + LINKS_AHEAD) {
                    self.replacement.prefetch_links(near);
                }
                let access = Access {
                    number: touches[index],
                    weight: One,
                    write: request.write,
                    time_ns: self.time_ns,
                    file: self.file,
                    first_of_run: index == from,
                };
                missed +=
                    u64::from(!self.touch(&access, shortfall, request, index - from, stretch.neighbours));
            }
            if missed > misses_before && request.counted {
                self.misses.requests[usize::from(request.write)] += 1;
            }
        }
        if request.counted {
            self.misses.blocks[usize::from(request.write)] += missed;
        }
        self.write_back.end(request, touches.get(from..end).unwrap_or_default());
    }

    /// Reference block `index` of a request; return whether it was a hit.
    #[inline(always)]
    fn touch(
        &mut self,
        access: &Access<One>,
        shortfall: u32,
        request: Request,
        index: usize,
        neighbours: &Neighbours,
    ) -> bool {
        let hit = self.replacement.contains(access.number);
        if hit {
            let BlockCache { replacement, fetch, write_back, .. } = self;
            replacement.hit(access, &mut |block| {
                write_back.evict(block);
                fetch.remove(block);
            });
            write_back.write_out(replacement, neighbours);
        } else {
            if !access.write {
                let BlockCache { replacement, fetch, .. } = self;
                fetch.miss(index, request.blocks as usize, |block| replacement.contains(block));
                while let Some(number) = self.fetch.next() {
                    self.bring_in(&Access { number, first_of_run: false, ..*access }, neighbours);
                }
                if request.counted {
                    self.misses.read_shortfall += u64::from(shortfall);
                }
            }
            self.bring_in(access, neighbours);
        }
        self.fetch.touch(access.number, access.write);
        if access.write {
            self.write_back.write(access, shortfall);
        } else if hit {
            self.write_back.read(access.number, shortfall);
        }
        hit
    }

    /// Bring in a block that is not cached.
    #[inline(always)]
    fn bring_in(&mut self, access: &Access<One>, neighbours: &Neighbours) {
        let BlockCache { replacement, fetch, write_back, .. } = self;
        replacement.miss(access, &mut |block| {
            write_back.evict(block);
            fetch.remove(block);
        });
        write_back.write_out(replacement, neighbours);
    }
}

impl<R, F, W> TapeReader for BlockCache<R, F, W>
where
    R: Replacement<Weight = One> + Send + Sync,
    F: Fetch,
    W: WriteBack<R>,
{
    fn follow(&mut self, stretch: Stretch) {
        self.replacement.prepare(stretch.blocks);
        self.fetch.prepare(stretch.blocks);
        self.write_back.prepare(stretch.blocks);
        let touches = &stretch.tape.touches;
        let mut from = 0;
        for step in &stretch.tape.steps {
            match *step {
                Step::Request(request) => {
                    self.request(request, from, stretch);
                    from += request.blocks as usize;
                }
                Step::Drop(blocks) => {
                    let end = from + blocks as usize;
                    for &block in &touches[from..end] {
                        self.replacement.remove(block);
                        self.fetch.remove(block);
                        self.write_back.remove(block);
                    }
                    from = end;
                }
                Step::Surroundings { before, after, end_shortfall } => {
                    let middle = from + before as usize;
                    let end = middle + after as usize;
                    self.fetch.surround(&touches[from..middle], &touches[middle..end], end_shortfall);
                    from = end;
                }
                Step::SyncBlocks(blocks) => {
                    let end = from + blocks as usize;
                    self.write_back.sync_blocks(&touches[from..end]);
                    from = end;
                }
                Step::Sync(file) => self.write_back.sync(file),
                Step::File(file) => self.file = Some(file),
                Step::Time(time_ns) => {
                    self.time_ns = Some(time_ns);
                    self.write_back.wait(time_ns);
                }
                Step::Processes(processes) => {
                    if let Some(size_blocks) = self.write_back.resize(processes, &mut self.replacement) {
                        self.size_blocks = size_blocks;
                    }
                }
            }
        }
    }
}
