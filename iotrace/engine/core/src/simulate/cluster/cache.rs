//! One cache of blocks: second chance over a hash table, a dirty list, free frames, and a harvester between two
//! watermarks, which writes the dirty frames that it frees.

use super::frame::{Frame, State};
use super::settings::UNBOUNDED;
use crate::lists::{Links, List, NONE};
use rustc_hash::FxHashMap;

/// Which blocks the harvester takes first, asked of each frame that it examines.
pub type Unwanted<'a> = Option<&'a mut dyn FnMut(u32) -> bool>;

/// A cache with a fixed number of frames, listed in the order in which they arrived. The harvester takes them from the
/// front; one referenced since then moves to the back once instead (second chance). A clean frame is freed at once. A
/// dirty one leaves the order and is queued for writing; it is freed when that ends, unless it was referenced
/// meanwhile. Dirty frames are also listed in the order in which they became dirty, for the flusher.
#[derive(Debug)]
pub struct Cache {
    capacity: u32,
    low: u32,
    high: u32,
    frame_of: FxHashMap<u32, u32>,
    frames: Vec<Frame>,
    order_links: Links,
    order: List,
    /// Of dirty frames, which are in one of two lists.
    dirty_links: Links,
    dirty: List,
    /// Those that the harvester is to write, in the order in which it found them.
    harvested: List,
    released: Vec<u32>,
    used: u32,
    clean: u32,
    /// Frames that are freed once they are written.
    soon_free: u32,
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
            order_links: Links::default(),
            order: List::EMPTY,
            dirty_links: Links::default(),
            dirty: List::EMPTY,
            harvested: List::EMPTY,
            released: Vec::new(),
            used: 0,
            clean: 0,
            soon_free: 0,
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

    /// The number of blocks that can be inserted without waiting for a write.
    pub fn room(&self) -> u32 {
        self.free() + self.clean
    }

    /// The block that has been dirty the longest, of those that the harvester has not found.
    pub fn first_dirty(&self) -> Option<u32> {
        self.frames.get(self.dirty.first as usize).map(|frame| frame.block)
    }

    pub fn dirty_blocks(&self) -> u32 {
        self.dirty.length
    }

    /// The next block that the harvester is to write.
    pub fn first_harvested(&self) -> Option<u32> {
        self.frames.get(self.harvested.first as usize).map(|frame| frame.block)
    }

    /// Insert a block that is not cached, unreferenced, into a free frame; false if there is none.
    pub fn insert(&mut self, frame: Frame) -> bool {
        if self.free() == 0 {
            return false;
        }
        self.used += 1;
        let number = self.released.pop().unwrap_or_else(|| {
            self.frames.push(frame);
            self.order_links.add();
            self.dirty_links.add();
            (self.frames.len() - 1) as u32
        });
        self.frames[number as usize] = frame;
        self.frame_of.insert(frame.block, number);
        self.order_links.push_last(&mut self.order, number);
        if frame.is_dirty() {
            self.dirty_links.push_last(&mut self.dirty, number);
        } else {
            self.clean += 1;
        }
        true
    }

    /// A frame was written: it joins the dirty list at the back, unless it is dirty already.
    pub fn make_dirty(&mut self, frame: u32) {
        match self.frames[frame as usize].state {
            State::Dirty | State::Harvested => return,
            State::Clean => self.clean -= 1,
            State::Leaving { is_freed: true, .. } => self.keep(frame),
            State::Leaving { is_freed: false, .. } => {}
        }
        self.frames[frame as usize].state = State::Dirty;
        self.dirty_links.push_last(&mut self.dirty, frame);
    }

    /// The next level has a frame's contents without a flush.
    pub fn make_clean(&mut self, frame: u32) {
        match self.frames[frame as usize].state {
            State::Dirty => self.dirty_links.remove(&mut self.dirty, frame),
            State::Harvested => {
                self.dirty_links.remove(&mut self.harvested, frame);
                self.keep(frame);
            }
            State::Clean | State::Leaving { .. } => return,
        }
        self.frames[frame as usize].state = State::Clean;
        self.clean += 1;
    }

    /// Begin to write a dirty block, and return the frame's contents.
    pub fn begin_write(&mut self, block: u32) -> Option<Frame> {
        let frame = self.find(block)?;
        let found = &mut self.frames[frame as usize];
        let is_freed = found.state == State::Harvested;
        match found.state {
            State::Dirty => self.dirty_links.remove(&mut self.dirty, frame),
            State::Harvested => self.dirty_links.remove(&mut self.harvested, frame),
            State::Clean | State::Leaving { .. } => return None,
        }
        found.state = State::Leaving { version: found.version, is_freed };
        Some(*found)
    }

    /// A block was written in this version: it is clean, unless it was written again or dropped meanwhile. If the
    /// harvester wants its frame and nothing has referenced it meanwhile, it is freed and returned.
    pub fn end_write(&mut self, block: u32, version: u32) -> Option<Frame> {
        let frame = self.find(block)?;
        let found = &mut self.frames[frame as usize];
        let State::Leaving { version: left, is_freed } = found.state else {
            return None;
        };
        if left != version {
            return None;
        }
        found.state = State::Clean;
        self.clean += 1;
        if !is_freed {
            return None;
        }
        let is_kept = std::mem::take(&mut found.is_referenced);
        self.keep(frame);
        (!is_kept).then(|| self.remove(frame))
    }

    /// A frame that was to be freed stays: it is last in the order.
    fn keep(&mut self, frame: u32) {
        self.soon_free -= 1;
        self.order_links.push_last(&mut self.order, frame);
    }

    /// Free a frame.
    pub fn remove(&mut self, frame: u32) -> Frame {
        let found = self.frames[frame as usize];
        match found.state {
            State::Clean => self.clean -= 1,
            State::Dirty => self.dirty_links.remove(&mut self.dirty, frame),
            State::Harvested => self.dirty_links.remove(&mut self.harvested, frame),
            State::Leaving { .. } => {}
        }
        if found.is_soon_free() {
            self.soon_free -= 1;
        } else {
            self.order_links.remove(&mut self.order, frame);
        }
        self.frame_of.remove(&found.block);
        self.released.push(frame);
        self.used -= 1;
        found
    }

    /// The first clean frame by second chance; dirty ones stay where they are.
    pub fn victim(&mut self) -> Option<u32> {
        if self.clean == 0 {
            return None;
        }
        let mut frame = self.order.first;
        while frame != NONE {
            let next = self.order_links.after(frame);
            let found = &mut self.frames[frame as usize];
            if found.is_clean() {
                if !std::mem::take(&mut found.is_referenced) {
                    return Some(frame);
                }
                self.order_links.remove(&mut self.order, frame);
                self.order_links.push_last(&mut self.order, frame);
            }
            // the last one, moved to where it was: it is next after the dirty ones before it
            frame = if next == NONE { self.order.first } else { next };
        }
        None
    }

    /// Make sure that a frame is free, if there is a clean block to evict: the first one that is `unwanted`, else the
    /// first one by second chance. If there is none, the harvester is to write a dirty one. Evicted frames are added
    /// to `gone`.
    pub fn make_room(&mut self, unwanted: Unwanted<'_>, gone: &mut Vec<Frame>) {
        if self.free() > 0 {
            return;
        }
        let first = unwanted.and_then(|is_unwanted| self.first_clean(is_unwanted));
        match first.or_else(|| self.victim()) {
            Some(victim) => gone.push(self.remove(victim)),
            None => self.free_until(1, None, gone),
        }
    }

    fn first_clean(&self, is_unwanted: &mut dyn FnMut(u32) -> bool) -> Option<u32> {
        self.order_links.items(&self.order).find(|&frame| {
            let found = &self.frames[frame as usize];
            is_unwanted(found.block) && found.is_clean()
        })
    }

    /// If fewer frames are free than the low watermark, free frames up to the high one: first those of `unwanted`
    /// blocks from the front, then by second chance. Evicted frames are added to `gone`, dirty ones queued for writing.
    pub fn harvest(&mut self, unwanted: Unwanted<'_>, gone: &mut Vec<Frame>) {
        if self.is_low() {
            self.free_until(self.high, unwanted, gone);
        }
    }

    fn free_until(&mut self, wanted: u32, unwanted: Unwanted<'_>, gone: &mut Vec<Frame>) {
        if let Some(is_unwanted) = unwanted {
            let mut frame = self.order.first;
            while frame != NONE && self.free() + self.soon_free < wanted {
                let next = self.order_links.after(frame);
                if is_unwanted(self.frames[frame as usize].block) {
                    self.free_or_write(frame, gone);
                }
                frame = next;
            }
        }
        while self.free() + self.soon_free < wanted && self.order.first != NONE {
            let frame = self.order.first;
            if std::mem::take(&mut self.frames[frame as usize].is_referenced) {
                self.order_links.remove(&mut self.order, frame);
                self.order_links.push_last(&mut self.order, frame);
            } else {
                self.free_or_write(frame, gone);
            }
        }
    }

    fn free_or_write(&mut self, frame: u32, gone: &mut Vec<Frame>) {
        let found = &mut self.frames[frame as usize];
        match found.state {
            State::Clean => {
                gone.push(self.remove(frame));
                return;
            }
            State::Dirty => {
                found.state = State::Harvested;
                found.is_referenced = false;
                self.dirty_links.remove(&mut self.dirty, frame);
                self.dirty_links.push_last(&mut self.harvested, frame);
            }
            State::Leaving { version, .. } => {
                found.state = State::Leaving { version, is_freed: true };
                found.is_referenced = false;
            }
            State::Harvested => return,
        }
        self.order_links.remove(&mut self.order, frame);
        self.soon_free += 1;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
