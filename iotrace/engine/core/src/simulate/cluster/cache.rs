//! One cache of blocks: second chance over a hash table, a dirty list, free frames, and a harvester between two
//! watermarks.

use super::settings::UNBOUNDED;
use crate::lists::{Links, List, NONE};
use rustc_hash::FxHashMap;

/// The bytes of a block that a frame holds, as a half-open range.
pub type Held = (u32, u32);

/// The state of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub block: u32,
    /// The write that its contents are from.
    pub version: u32,
    /// The whole block, or the bytes of partial writes in a frame that was never filled.
    pub held: Held,
    /// The application that brought it in.
    pub application: u32,
    /// The cell in which the flush of its dirty contents is counted.
    pub writer: u32,
    pub is_dirty: bool,
    /// Its flush is in progress: it is in no list until the flush ends.
    is_leaving: bool,
    is_referenced: bool,
}

/// A cache with a fixed number of frames. Clean blocks are listed in the order in which they arrived or became clean;
/// victims come from the front, and a block referenced since then moves to the back once instead (second chance).
/// Dirty blocks are in a separate list, in the order in which they became dirty. Dirty blocks and blocks being flushed
/// are never victims.
#[derive(Debug)]
pub struct Cache {
    capacity: u32,
    low: u32,
    high: u32,
    frame_of: FxHashMap<u32, u32>,
    frames: Vec<Frame>,
    links: Links,
    clean: List,
    dirty: List,
    released: Vec<u32>,
    used: u32,
}

impl Cache {
    /// An empty cache; its watermarks are thousandths of its size, rounded down. With a low watermark of 0 frames, the
    /// harvester frees one frame when one is needed.
    pub fn new(capacity: u32, low_mark: u32, high_mark: u32) -> Self {
        let frames_of = |mark: u32| (u64::from(capacity) * u64::from(mark) / 1000) as u32;
        let (low, high) = match capacity {
            UNBOUNDED => (0, 0),
            _ => (frames_of(low_mark), frames_of(high_mark)),
        };
        Cache {
            capacity,
            low,
            high,
            frame_of: FxHashMap::default(),
            frames: Vec::new(),
            links: Links::default(),
            clean: List::EMPTY,
            dirty: List::EMPTY,
            released: Vec::new(),
            used: 0,
        }
    }

    pub fn find(&self, block: u32) -> Option<u32> {
        self.frame_of.get(&block).copied()
    }

    pub fn frame(&self, frame: u32) -> &Frame {
        &self.frames[frame as usize]
    }

    pub fn frame_mut(&mut self, frame: u32) -> &mut Frame {
        &mut self.frames[frame as usize]
    }

    /// Record a hit: the frame gets a second chance.
    pub fn touch(&mut self, frame: u32) {
        self.frames[frame as usize].is_referenced = true;
    }

    pub fn free(&self) -> u32 {
        self.capacity - self.used
    }

    pub fn is_low(&self) -> bool {
        self.free() < self.low
    }

    /// Whether a new block would evict another one, immediately or by the harvester.
    pub fn is_full(&self) -> bool {
        self.free() <= self.low
    }

    /// The number of blocks that can be inserted without writing dirty blocks.
    pub fn room(&self) -> u32 {
        self.free() + self.clean.length
    }

    /// The frame that has been dirty the longest.
    pub fn first_dirty(&self) -> Option<Frame> {
        self.frames.get(self.dirty.first as usize).copied()
    }

    pub fn dirty_frames(&self) -> u32 {
        self.dirty.length
    }

    /// Insert a block that is not cached, unreferenced, into a free frame; false if there is none.
    pub fn insert(&mut self, frame: Frame) -> bool {
        if self.free() == 0 {
            return false;
        }
        self.used += 1;
        let number = self.released.pop().unwrap_or_else(|| {
            self.frames.push(frame);
            self.links.add();
            (self.frames.len() - 1) as u32
        });
        self.frames[number as usize] = frame;
        self.frame_of.insert(frame.block, number);
        let list = if frame.is_dirty { &mut self.dirty } else { &mut self.clean };
        self.links.push_last(list, number);
        true
    }

    /// Move a frame to the back of the dirty list, unless it is in it.
    pub fn make_dirty(&mut self, frame: u32) {
        let found = &mut self.frames[frame as usize];
        if std::mem::replace(&mut found.is_dirty, true) {
            return;
        }
        if !std::mem::take(&mut found.is_leaving) {
            self.links.remove(&mut self.clean, frame);
        }
        self.links.push_last(&mut self.dirty, frame);
    }

    /// Move a frame from the dirty list to the back of the clean one.
    pub fn make_clean(&mut self, frame: u32) {
        if self.frames[frame as usize].is_dirty {
            self.frames[frame as usize].is_dirty = false;
            self.links.remove(&mut self.dirty, frame);
            self.links.push_last(&mut self.clean, frame);
        }
    }

    /// Begin the flush of the frame that has been dirty the longest, and return its contents.
    pub fn begin_flush(&mut self) -> Option<Frame> {
        let frame = self.dirty.first;
        (frame != NONE).then(|| {
            self.links.remove(&mut self.dirty, frame);
            let found = &mut self.frames[frame as usize];
            found.is_dirty = false;
            found.is_leaving = true;
            *found
        })
    }

    /// End the flush of a block: it is clean unless it was written again or dropped meanwhile.
    pub fn end_flush(&mut self, block: u32) {
        let Some(frame) = self.find(block) else {
            return;
        };
        if std::mem::take(&mut self.frames[frame as usize].is_leaving) {
            self.links.push_last(&mut self.clean, frame);
        }
    }

    /// Free a frame.
    pub fn remove(&mut self, frame: u32) -> Frame {
        let found = self.frames[frame as usize];
        if found.is_dirty {
            self.links.remove(&mut self.dirty, frame);
        } else if !found.is_leaving {
            self.links.remove(&mut self.clean, frame);
        }
        self.frame_of.remove(&found.block);
        self.released.push(frame);
        self.used -= 1;
        found
    }

    /// The next victim of second chance.
    pub fn victim(&mut self) -> Option<u32> {
        loop {
            let frame = self.clean.first;
            if frame == NONE {
                return None;
            }
            if !std::mem::take(&mut self.frames[frame as usize].is_referenced) {
                return Some(frame);
            }
            self.links.remove(&mut self.clean, frame);
            self.links.push_last(&mut self.clean, frame);
        }
    }

    /// Make sure that a frame is free, if there is a clean block to evict: the first one that is `unwanted`, else the
    /// victim of second chance. Evicted frames are added to `gone`.
    pub fn make_room(&mut self, unwanted: Option<&dyn Fn(u32) -> bool>, gone: &mut Vec<Frame>) {
        if self.free() == 0 {
            self.free_until(1, unwanted, gone);
        }
    }

    /// If fewer frames are free than the low watermark, free frames up to the high one: first those of `unwanted`
    /// blocks from the front, then by second chance. Evicted frames are added to `gone`.
    pub fn harvest(&mut self, unwanted: Option<&dyn Fn(u32) -> bool>, gone: &mut Vec<Frame>) {
        if self.is_low() {
            self.free_until(self.high, unwanted, gone);
        }
    }

    fn free_until(&mut self, wanted: u32, unwanted: Option<&dyn Fn(u32) -> bool>, gone: &mut Vec<Frame>) {
        if let Some(is_unwanted) = unwanted {
            let mut frame = self.clean.first;
            while frame != NONE && self.free() < wanted {
                let next = self.links.after(frame);
                if is_unwanted(self.frames[frame as usize].block) {
                    gone.push(self.remove(frame));
                }
                frame = next;
            }
        }
        while self.free() < wanted {
            match self.victim() {
                Some(victim) => gone.push(self.remove(victim)),
                None => break,
            }
        }
    }
}

impl Frame {
    /// A frame with a whole block, clean.
    pub fn whole(block: u32, version: u32, block_bytes: u32, application: u32) -> Self {
        Frame {
            block,
            version,
            held: (0, block_bytes),
            application,
            writer: 0,
            is_dirty: false,
            is_leaving: false,
            is_referenced: false,
        }
    }

    /// A frame with the bytes of a write, dirty.
    pub fn written(block: u32, version: u32, held: Held, application: u32, writer: u32) -> Self {
        Frame {
            block,
            version,
            held,
            application,
            writer,
            is_dirty: true,
            is_leaving: false,
            is_referenced: false,
        }
    }

    /// Whether it can be evicted.
    pub fn is_clean(&self) -> bool {
        !self.is_dirty && !self.is_leaving
    }

    /// Whether it holds these bytes.
    pub fn holds(&self, bytes: Held) -> bool {
        self.held.0 <= bytes.0 && bytes.1 <= self.held.1
    }
}
