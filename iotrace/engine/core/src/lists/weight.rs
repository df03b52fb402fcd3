//! What the members of lists weigh.

use std::fmt::Debug;

/// What a member adds to the sum of its list.
pub trait Weight: Copy + Debug + Default + PartialOrd + Send + Sync + 'static {
    /// Whether all weigh 1. One then makes room for another, and a loop that evicts can end after its first turn, which
    /// saves up to a fifth of a policy's instructions.
    const UNIT: bool;

    /// The weight of an object of this size.
    fn of(bytes: u64) -> Self;

    /// The weight as a number.
    fn get(self) -> u64;
}

/// The weight of a block. All weigh 1, so that nothing is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct One;

impl Weight for One {
    const UNIT: bool = true;

    #[inline(always)]
    fn of(_: u64) -> Self {
        One
    }

    #[inline(always)]
    fn get(self) -> u64 {
        1
    }
}

/// Bytes.
impl Weight for u64 {
    const UNIT: bool = false;

    #[inline(always)]
    fn of(bytes: u64) -> Self {
        bytes
    }

    #[inline(always)]
    fn get(self) -> u64 {
        self
    }
}
