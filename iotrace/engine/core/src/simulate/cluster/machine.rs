//! The caches of a cluster, and the effects of each step of a request on them; the drivers determine the times.

use super::admission::Knowledge;
use super::bits::{Bits, Subject};
use super::blocks::Blocks;
use super::cache::{Cache, Unwanted};
use super::directory::Directory;
use super::fetches::Fetches;
use super::frame::{Frame, Held};
use super::settings::{Admission, Settings};
use super::tally::Tally;
use super::transfer::{Item, Request, Transfer};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The key of the counts: application, node, phase, file.
pub type Cell = (u32, u32, Option<u32>, u32);

/// A block evicted by a local cache and sent to the global one.
#[derive(Clone, Copy, Debug)]
pub struct Demotion {
    pub node: u32,
    pub file: u32,
    pub frame: Frame,
    pub cell: u32,
}

/// One of the caches: that of a node, or a global one by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CacheId {
    Node(u32),
    Global(u32),
}

impl CacheId {
    /// The node of a local cache; 0 for a global one, which is on none of them.
    pub fn node(self) -> u32 {
        match self {
            CacheId::Node(node) => node,
            CacheId::Global(_) => 0,
        }
    }
}

/// A global cache and its knowledge about blocks.
#[derive(Debug)]
pub(super) struct Global {
    pub cache: Cache,
    pub knowledge: Knowledge,
}

/// All caches and counts.
#[derive(Debug)]
pub struct Machine {
    pub settings: Settings,
    pub(super) bits: Bits,
    pub(super) blocks: Blocks,
    pub(super) locals: Vec<Cache>,
    /// By file; a shared cache has number 0.
    pub(super) globals: FxHashMap<u32, Global>,
    pub(super) directory: Option<Directory>,
    pub fetches: Fetches,
    cells: FxHashMap<Cell, u32>,
    keys: Vec<Cell>,
    pub(super) tallies: Vec<Tally>,
    /// The first cell that counts: those before are of requests that only warm the caches.
    first_counted: usize,
    /// Evicted blocks to be sent to the global cache; the driver takes them.
    pub demotions: Vec<Demotion>,
    pub(super) gone: Vec<Frame>,
    pub(super) others: Vec<u32>,
    /// Caches whose harvesters have found dirty blocks.
    pub(super) harvests: BTreeSet<CacheId>,
    /// Segments that a harvester has examined.
    examined: Vec<u32>,
}

/// The route of a block that is not in the local cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Through,
    Bypass,
}

impl Machine {
    /// Empty caches; only those of the first nodes are used.
    pub fn new(settings: Settings, bits: Bits, used_nodes: u32) -> Self {
        let locals = match settings.local_frames {
            Some(frames) => (0..settings.nodes)
                .map(|_| Cache::new(frames, settings.low_mark, settings.high_mark))
                .collect(),
            None => Vec::new(),
        };
        Machine {
            bits,
            blocks: Blocks::new(settings.segment_blocks),
            locals,
            globals: FxHashMap::default(),
            directory: settings.has_sync_writes.then(|| Directory::new(used_nodes)),
            fetches: Fetches::default(),
            cells: FxHashMap::default(),
            keys: Vec::new(),
            tallies: Vec::new(),
            first_counted: 0,
            demotions: Vec::new(),
            gone: Vec::new(),
            others: Vec::new(),
            harvests: BTreeSet::new(),
            examined: Vec::new(),
            settings,
        }
    }

    /// The cell of a request's counts.
    pub fn cell(&mut self, key: Cell) -> u32 {
        let next = self.keys.len() as u32;
        let cell = *self.cells.entry(key).or_insert(next);
        if cell == next {
            self.keys.push(key);
            self.tallies.push(Tally::default());
        }
        cell
    }

    pub fn tally(&mut self, cell: u32) -> &mut Tally {
        &mut self.tallies[cell as usize]
    }

    pub(super) fn key(&self, cell: u32) -> Cell {
        self.keys[cell as usize]
    }

    /// The counts by cell, in the order in which the cells were created.
    pub fn tallies(&self) -> impl Iterator<Item = (&Cell, &Tally)> {
        self.keys.iter().zip(&self.tallies).skip(self.first_counted)
    }

    /// Count from the next request on; what the caches hold stays, and so do the cells of who wrote it.
    pub fn count_from_next(&mut self) {
        self.cells.clear();
        self.first_counted = self.keys.len();
    }

    /// All caches that exist.
    pub fn cache_ids(&self) -> Vec<CacheId> {
        let locals = (0..self.locals.len() as u32).map(CacheId::Node);
        locals.chain(self.global_numbers().into_iter().map(CacheId::Global)).collect()
    }

    /// The number of distinct blocks that were accessed.
    pub fn distinct_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The final thresholds of the run-time scheme, smallest and largest over the global caches.
    pub fn thresholds(&self) -> Option<(u32, u32)> {
        let all = || self.globals.values().map(|global| global.knowledge.threshold());
        matches!(self.settings.admission, Admission::Counters(_))
            .then(|| all().min().zip(all().max()))
            .flatten()
    }

    pub(super) fn has_caches(&self) -> bool {
        self.settings.local_frames.is_some() || self.settings.global_frames.is_some()
    }

    pub(super) fn subject(request: &Request, is_write: bool, is_global: bool) -> Subject {
        Subject { phase: request.phase, is_write, is_global, file: request.file }
    }

    /// The numbers of the global caches that exist, in order.
    pub fn global_numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.globals.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }

    pub(super) fn global(&mut self, file: u32) -> &mut Global {
        global_of(&mut self.globals, &self.settings, file)
    }

    /// The part of a file's block that a request covers.
    pub(super) fn part(&self, request: &Request, block: u64) -> Held {
        let size = u64::from(self.settings.block_bytes);
        let start = block * size;
        let from = request.offset.max(start) - start;
        let to = request.end().min(start + size) - start;
        (from as u32, to as u32)
    }

    /// Whether a block that the local cache does not serve goes through the global one.
    pub(super) fn route(&mut self, subject: Subject, node: u32, block: u32, cell: u32) -> Route {
        if self.settings.global_frames.is_none() {
            return Route::Bypass;
        }
        let place = self.blocks.place(block);
        let segment = self.blocks.segment_in_file(place.block);
        if !self.bits.is_through(subject, segment) {
            self.tallies[cell as usize].global_bypassed += 1;
            return Route::Bypass;
        }
        let knowledge = &mut self.global(place.file).knowledge;
        if knowledge.is_told(node, block) {
            knowledge.outcome(None);
            self.tallies[cell as usize].global_told += 1;
            return Route::Bypass;
        }
        Route::Through
    }

    /// Add a block to a transfer, by its route.
    pub(super) fn send(&self, transfer: &mut Transfer, item: Item, route: Route) {
        match route {
            Route::Through => transfer.send_through(item),
            Route::Bypass => transfer.send_bypassing(
                item,
                &self.blocks,
                self.settings.block_bytes,
                self.settings.stripe_bytes,
            ),
        }
    }

    /// Record in the directory that a node has a copy.
    pub(super) fn register(&mut self, block: u32, node: u32, route: Route) {
        if let Some(directory) = &mut self.directory {
            directory.note(block, node, route == Route::Through);
        }
    }

    /// Insert a block into a node's cache, if a frame can be freed; then the harvester runs.
    pub(super) fn keep_locally(&mut self, node: u32, frame: Frame, cell: u32) {
        let cache = &mut self.locals[node as usize];
        let mut gone = std::mem::take(&mut self.gone);
        cache.make_room(None, &mut gone);
        cache.insert(frame);
        cache.harvest(None, &mut gone);
        if cache.first_harvested().is_some() {
            self.harvests.insert(CacheId::Node(node));
        }
        self.gone = gone;
        self.give_up(node, cell);
    }

    /// Count the blocks that a node's cache has evicted, and demote them if the global cache takes such blocks.
    pub(super) fn give_up(&mut self, node: u32, cell: u32) {
        let mut gone = std::mem::take(&mut self.gone);
        self.tallies[cell as usize].local_evictions += gone.len() as u64;
        let takes_demoted =
            self.settings.admission == Admission::Demoted && self.settings.global_frames.is_some();
        let block_bytes = self.settings.block_bytes;
        for frame in gone.drain(..).filter(|frame| takes_demoted && frame.holds((0, block_bytes))) {
            let tally = &mut self.tallies[cell as usize];
            tally.demoted_blocks += 1;
            tally.demoted_bytes += u64::from(block_bytes);
            let file = self.blocks.place(frame.block).file;
            self.demotions.push(Demotion { node, file, frame, cell });
        }
        self.gone = gone;
    }

    /// Insert a block into the global cache if it is admitted; false if not.
    pub(super) fn keep_globally(&mut self, file: u32, frame: Frame, cell: u32) -> bool {
        let is_by_frequency = self.settings.admission == Admission::MoreFrequent;
        let is_by_counter = matches!(self.settings.admission, Admission::Counters(_));
        let Global { cache, knowledge } = global_of(&mut self.globals, &self.settings, file);
        let mut gone = std::mem::take(&mut self.gone);
        if is_by_frequency && cache.is_full() {
            if let Some(victim) = cache.victim() {
                if !knowledge.is_more_frequent(frame.block, cache.frame(victim).block) {
                    self.gone = gone;
                    return false;
                }
                gone.push(cache.remove(victim));
            }
        }
        let is_kept = {
            let (blocks, examined) = (&self.blocks, &mut self.examined);
            let mut is_unwanted = |block: u32| {
                let segment = blocks.place(block).segment;
                if examined.last() != Some(&segment) {
                    examined.push(segment);
                }
                knowledge.is_unwanted(segment)
            };
            let mut unwanted: Unwanted<'_> = if is_by_counter { Some(&mut is_unwanted) } else { None };
            cache.make_room(reborrowed(&mut unwanted), &mut gone);
            let is_kept = cache.insert(frame);
            cache.harvest(unwanted, &mut gone);
            is_kept
        };
        knowledge.examined(&mut self.examined);
        if cache.first_harvested().is_some() {
            self.harvests.insert(CacheId::Global(self.settings.global_number(file)));
        }
        self.tallies[cell as usize].global_evictions += gone.len() as u64;
        gone.clear();
        self.gone = gone;
        is_kept
    }

    /// Insert a block evicted by a local cache into the global one, unless a later write overtook it.
    pub fn demote(&mut self, demotion: &Demotion) {
        let Demotion { file, frame, cell, .. } = *demotion;
        if frame.version < self.blocks.versions[frame.block as usize].stored {
            return;
        }
        let block_bytes = self.settings.block_bytes;
        let cache = &mut self.global(file).cache;
        match cache.find(frame.block) {
            Some(found) => {
                cache.touch(found);
                let there = cache.frame_mut(found);
                there.held = (0, block_bytes);
                there.version = there.version.max(frame.version);
            }
            None => {
                let whole = Frame::whole(frame.block, frame.version, block_bytes, frame.application);
                self.keep_globally(file, whole, cell);
            }
        }
    }
}

fn reborrowed<'a>(unwanted: &'a mut Unwanted<'_>) -> Unwanted<'a> {
    match unwanted {
        Some(is_unwanted) => Some(&mut **is_unwanted),
        None => None,
    }
}

/// The global cache of a file, created empty at its first use.
pub(super) fn global_of<'a>(
    globals: &'a mut FxHashMap<u32, Global>,
    settings: &Settings,
    file: u32,
) -> &'a mut Global {
    globals.entry(settings.global_number(file)).or_insert_with(|| {
        let frames = settings.global_frames.unwrap_or(0);
        Global {
            cache: Cache::new(frames, settings.low_mark, settings.high_mark),
            knowledge: Knowledge::new(settings.admission, frames),
        }
    })
}
