//! What every replacement policy does.

use crate::lists::Weight;

/// A request for one block, or for an object of some weight.
#[derive(Debug, Clone, Copy)]
pub struct Access<W> {
    /// Which block or object: a dense number from 0.
    pub number: u32,
    /// What it weighs from now on.
    pub weight: W,
    /// Whether it is written.
    pub write: bool,
    /// The time, where it is known.
    pub time_ns: Option<i64>,
    /// The key of its file, where it is known.
    pub file: Option<u32>,
    /// Whether it is the first of those that its request touches.
    pub first_of_run: bool,
}

/// A replacement policy of one cache, whose capacity is a weight: a number of blocks, or of bytes.
///
/// At each access the cache asks whether the policy `contains` it, and then calls `hit` or `miss`. All that the policy
/// evicts is passed to `evicted`.
pub trait Replacement {
    /// What blocks or objects weigh: `One`, or bytes.
    type Weight: Weight;

    /// Grow the tables for numbers below this; called before the first access to any of them.
    fn prepare(&mut self, numbers: usize);

    /// Prefetch the state of a number that is accessed soon; a hint without effect on results.
    fn prefetch_entry(&self, number: u32);

    /// Prefetch the neighbouring list nodes of a number whose state has been prefetched; a hint without effect on
    /// results.
    #[inline(always)]
    fn prefetch_links(&self, _: u32) {}

    /// Whether it is cached.
    fn contains(&self, number: u32) -> bool;

    /// An access to what is cached: record the use. If it weighs more than before, evict until the cache fits.
    fn hit(&mut self, access: &Access<Self::Weight>, evicted: &mut impl FnMut(u32));

    /// An access to what is not cached, and weighs no more than the capacity: evict until it fits, and bring it in.
    fn miss(&mut self, access: &Access<Self::Weight>, evicted: &mut impl FnMut(u32));

    /// An access to what weighs more than the capacity: it is not admitted, and leaves the cache.
    fn refuse(&mut self, number: u32) {
        self.remove(number);
    }

    /// The data were deleted or truncated, or expired: remove them, whether cached or only remembered.
    fn remove(&mut self, number: u32);
}

/// What a policy does if all that it caches and remembers is in its field `lists`: these methods of [`Replacement`].
macro_rules! as_lists_do {
    ($($method:ident),+) => {
        $(crate::cache::replacement::policy::as_lists_do!(@ $method);)+
    };
    (@ prepare) => {
        fn prepare(&mut self, numbers: usize) {
            self.lists.prepare(numbers);
        }
    };
    (@ prefetch_entry) => {
        #[inline(always)]
        fn prefetch_entry(&self, number: u32) {
            self.lists.prefetch_entry(number);
        }
    };
    (@ prefetch_links) => {
        #[inline(always)]
        fn prefetch_links(&self, number: u32) {
            self.lists.prefetch_links(number);
        }
    };
    (@ contains) => {
        #[inline(always)]
        fn contains(&self, number: u32) -> bool {
            self.lists.list_of(number) != crate::lists::NOWHERE
        }
    };
    (@ remove) => {
        fn remove(&mut self, number: u32) {
            self.lists.take_out(number);
        }
    };
}
pub(super) use as_lists_do;
