//! The plan of a sub-batch: the blocks that the next references touch, in order, no more than one line of slots takes.

use super::occupancy::LINE_SLOTS;

/// Bits of a touch's word below its component.
const COMPONENT_SHIFT: u32 = 2;
const WRITE: u32 = 1;
const LAST: u32 = 2;

/// A block that a request touches.
#[derive(Debug, Clone, Copy)]
pub struct Touch {
    number: u32,
    word: u32,
}

impl Touch {
    /// A read or write of a block by a component, which is not the last of its request.
    #[inline(always)]
    pub fn new(number: u32, component: usize, write: bool) -> Self {
        Touch { number, word: ((component as u32) << COMPONENT_SHIFT) | (u32::from(write) * WRITE) }
    }

    /// The block's number.
    #[inline(always)]
    pub fn number(self) -> usize {
        self.number as usize
    }

    /// The component.
    #[inline(always)]
    pub fn component(self) -> usize {
        (self.word >> COMPONENT_SHIFT) as usize
    }

    /// Whether it is written.
    #[inline(always)]
    pub fn is_write(self) -> bool {
        self.word & WRITE != 0
    }

    /// Whether it is the last of its request.
    #[inline(always)]
    pub fn is_last(self) -> bool {
        self.word & LAST != 0
    }
}

/// What few touches need: the block's place, the bytes touched, and the bytes beyond the file's end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Detail {
    /// The file's key.
    pub file: u32,
    /// The block in the file.
    pub block: u64,
    /// The first byte touched.
    pub start: u32,
    /// The end of the bytes touched.
    pub end: u32,
    /// The bytes of the block that lie beyond the file's end.
    pub shortfall: u32,
}

/// The touches of a sub-batch.
#[derive(Debug, Default)]
pub struct Plan {
    touches: Vec<Touch>,
    /// By place in `touches`, up to the last that has one.
    details: Vec<Detail>,
    most: usize,
    /// Requests that end in it.
    ends: usize,
}

impl Plan {
    /// Begin a plan of at most `most` touches.
    pub fn begin(&mut self, most: usize) {
        self.touches.clear();
        self.touches.reserve(LINE_SLOTS as usize);
        self.details.clear();
        self.most = most;
        self.ends = 0;
    }

    /// How many more touches there can be.
    #[inline(always)]
    pub fn room(&self) -> usize {
        self.most - self.touches.len()
    }

    /// The touches.
    #[inline(always)]
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// Add touches of blocks with consecutive numbers, as many as there is room for.
    #[inline(always)]
    pub fn add(&mut self, first: Touch, count: u32) {
        if count == 1 {
            return self.touches.push(first);
        }
        self.touches.extend((first.number..first.number + count).map(|number| Touch { number, ..first }));
    }

    /// Add a request of one block; there must be room.
    #[inline(always)]
    pub fn add_request(&mut self, touch: Touch) {
        self.touches.push(Touch { word: touch.word | LAST, ..touch });
        self.ends += 1;
    }

    /// Leave out all touches but the first ones, where no request ended in the others.
    pub fn truncate(&mut self, touches: usize) {
        self.touches.truncate(touches);
    }

    /// Mark the touch that was added last as the last of its request.
    #[inline(always)]
    pub fn end_request(&mut self) {
        if let Some(touch) = self.touches.last_mut() {
            touch.word |= LAST;
            self.ends += 1;
        }
    }

    /// Whether each touch is the last of its request.
    #[inline(always)]
    pub fn ends_everywhere(&self) -> bool {
        self.ends == self.touches.len()
    }

    /// Add the detail of the touch at a place.
    pub fn add_detail(&mut self, place: usize, detail: Detail) {
        self.details.resize(place, Detail::default());
        self.details.push(detail);
    }

    /// Whether any touch has a detail.
    pub fn has_details(&self) -> bool {
        !self.details.is_empty()
    }

    /// The detail of the touch at a place.
    #[inline(always)]
    pub fn detail(&self, place: usize) -> Detail {
        self.details.get(place).copied().unwrap_or_default()
    }
}
