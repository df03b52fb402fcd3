//! What every replacement policy does.

/// A replacement policy of one cache with a capacity in blocks.
///
/// Blocks are dense numbers from 0. At each reference the cache asks `hit`; if that says no, it calls `miss`.
pub trait Policy {
    /// Grow the tables for block numbers below this; called before the first reference to any of them.
    fn prepare(&mut self, blocks: usize);

    /// Prefetch the state of a block that is referenced soon; a hint without effect on results.
    fn look_ahead(&self, block: u32);

    /// Prefetch the neighbouring list nodes of a block whose state has been prefetched; a hint without effect on
    /// results.
    #[inline(always)]
    fn look_around(&self, _: u32) {}

    /// A reference to a block: if it is cached, record its use and return true.
    fn hit(&mut self, block: u32) -> bool;

    /// A reference to a block that is not cached: bring it in, and pass each block evicted for it to `expel`.
    fn miss(&mut self, block: u32, expel: &mut impl FnMut(u32));

    /// The block's data were deleted or truncated: remove it, whether cached or only remembered.
    fn remove(&mut self, block: u32);
}

/// What a policy does whose blocks, cached and remembered, all are in its field `lists`: these methods of [`Policy`].
macro_rules! as_lists_do {
    ($($method:ident),+) => {
        $(crate::cache::policies::policy::as_lists_do!(@ $method);)+
    };
    (@ prepare) => {
        fn prepare(&mut self, blocks: usize) {
            self.lists.prepare(blocks);
        }
    };
    (@ look_ahead) => {
        #[inline(always)]
        fn look_ahead(&self, block: u32) {
            self.lists.look_ahead(block);
        }
    };
    (@ look_around) => {
        #[inline(always)]
        fn look_around(&self, block: u32) {
            self.lists.look_around(block);
        }
    };
    (@ remove) => {
        fn remove(&mut self, block: u32) {
            self.lists.take_out(block);
        }
    };
}
pub(super) use as_lists_do;
