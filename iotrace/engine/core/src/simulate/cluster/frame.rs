//! The frames of a cache, and the states between being written and being freed.

/// The bytes of a block that a frame holds, as a half-open range.
pub type Held = (u32, u32);

/// Whether a frame's contents are at the next level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Clean,
    /// Written since it was last sent on: in the dirty list.
    Dirty,
    /// Dirty, and found by the harvester, which frees it once it is written.
    Harvested,
    /// This version is being written to the next level; `is_freed` if the frame is freed when that ends.
    Leaving {
        version: u32,
        is_freed: bool,
    },
}

/// A frame that holds a block, or part of one.
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
    pub state: State,
    pub is_referenced: bool,
}

impl Frame {
    /// A frame with a whole block, clean.
    pub fn whole(block: u32, version: u32, block_bytes: u32, application: u32) -> Self {
        let held = (0, block_bytes);
        Frame { block, version, held, application, writer: 0, state: State::Clean, is_referenced: false }
    }

    /// A frame with the bytes of a write, dirty.
    pub fn written(block: u32, version: u32, held: Held, application: u32, writer: u32) -> Self {
        Frame { block, version, held, application, writer, state: State::Dirty, is_referenced: false }
    }

    /// Whether it can be evicted at once.
    pub fn is_clean(&self) -> bool {
        self.state == State::Clean
    }

    /// Whether it has contents whose write has not begun.
    pub fn is_dirty(&self) -> bool {
        matches!(self.state, State::Dirty | State::Harvested)
    }

    /// Whether it is freed once it is written.
    pub fn is_soon_free(&self) -> bool {
        matches!(self.state, State::Harvested | State::Leaving { is_freed: true, .. })
    }

    /// Whether it holds these bytes.
    pub fn holds(&self, bytes: Held) -> bool {
        self.held.0 <= bytes.0 && bytes.1 <= self.held.1
    }
}

/// The bytes of a frame after more were written to it; None if there is a gap between them.
pub fn joined(held: Held, part: Held) -> Option<Held> {
    let meets = part.0 <= held.1 && held.0 <= part.1;
    meets.then(|| (held.0.min(part.0), held.1.max(part.1)))
}
