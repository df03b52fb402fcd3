//! The limits that a page cache stands for.

use super::settings::Limit;

/// A limit, and its place among those of the simulator.
pub type Member = (usize, Limit);

/// The limits that a page cache stands for.
#[derive(Debug, Clone)]
pub(super) struct Together {
    pub(super) members: Vec<Member>,
    /// Those that have parted since this was asked last.
    pub(super) parted: Vec<Member>,
    /// No member reclaims for as many pages.
    pub(super) least_capacity: u64,
    /// No member's flusher starts for as many dirty pages.
    pub(super) least_dirty: u64,
}

impl Together {
    pub(super) fn of(members: Vec<Member>) -> Self {
        let mut together = Together { members, parted: Vec::new(), least_capacity: 0, least_dirty: 0 };
        together.settle(0);
        together
    }

    /// Note other memory of this many pages, or that members left.
    pub(super) fn settle(&mut self, other_pages: u64) {
        let capacities = self.members.iter().map(|(_, limit)| limit.capacity(other_pages));
        self.least_capacity = capacities.min().unwrap_or(u64::MAX);
        let dirty = self.members.iter().map(|(_, limit)| limit.most_dirty(other_pages));
        self.least_dirty = dirty.min().unwrap_or(u64::MAX);
    }
}
