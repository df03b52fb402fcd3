//! What the stages of one sub-batch leave for the next: at most a line of slots.

use super::occupancy::LINE_SLOTS;

const MOST: usize = LINE_SLOTS as usize;

/// A dirty block's expulsion from the caches of at least `from` blocks and less than `to`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Expulsion {
    /// The component that wrote the block.
    pub component: u32,
    /// Its dirty level.
    pub from: u32,
    /// Its depth.
    pub to: u32,
}

/// The buffers between the stages.
#[derive(Debug)]
pub struct SubBatch {
    /// The former slots of the blocks touched, or the marks of those without one.
    pub former: [u32; MOST],
    /// The places in `former` of those with a slot.
    pub hits: [u32; MOST],
    /// How many those are.
    pub hit_count: usize,
    /// The distance of each touch.
    pub distances: [u32; MOST],
    /// Expulsions that are counted with the next sub-batch, while their counts are prefetched.
    pub expulsions: [Expulsion; MOST],
    /// How many those are.
    pub expulsion_count: usize,
}

impl Default for SubBatch {
    fn default() -> Self {
        SubBatch {
            former: [0; MOST],
            hits: [0; MOST],
            hit_count: 0,
            distances: [0; MOST],
            expulsions: [Expulsion::default(); MOST],
            expulsion_count: 0,
        }
    }
}
