//! CLOCK, or second chance.

use super::lists::{Lists, NOWHERE};
use super::policy::Policy;

const CIRCLE: u32 = 1;

/// CLOCK (Corbató, A Paging Experiment with the Multics System, 1968), with one bit a block: the pages are arranged
/// in a circle with a pointer. Every reference to a page sets its usage bit. When a page must go, the pointer
/// looks at the usage bit of the page that it stands at: if it is on, it is turned off and the pointer moves to the
/// next page; if it is off, the page is removed, and the new one takes its place, the last that the pointer will
/// come to.
///
/// The reference that brings a page in counts as one: its bit is set. A list serves as the circle, with the pointer
/// at its oldest end. A block that is removed leaves no gap in the circle.
#[derive(Debug)]
pub struct Clock {
    size: u32,
    lists: Lists,
}

impl Clock {
    /// An empty cache of so many blocks.
    pub fn new(size: u32) -> Self {
        Clock {
            size,
            lists: Lists::default(),
        }
    }

    /// Move the pointer on to a page whose bit is off.
    #[inline(always)]
    fn victim(&mut self) -> Option<u32> {
        loop {
            let block = self.lists.oldest(CIRCLE)?;
            if std::mem::take(self.lists.mark(block)) == 0 {
                return Some(block);
            }
            self.lists.renew(block);
        }
    }
}

impl Policy for Clock {
    fn prepare(&mut self, blocks: usize) {
        self.lists.prepare(blocks);
    }

    #[inline(always)]
    fn look_ahead(&self, block: u32) {
        self.lists.look_ahead(block);
    }

    #[inline(always)]
    fn hit(&mut self, block: u32) -> bool {
        let hit = self.lists.list_of(block) != NOWHERE;
        if hit {
            *self.lists.mark(block) = 1;
        }
        hit
    }

    #[inline(always)]
    fn miss(&mut self, block: u32, expel: &mut impl FnMut(u32)) {
        if self.lists.len(CIRCLE) == self.size {
            if let Some(victim) = self.victim() {
                self.lists.take_out(victim);
                expel(victim);
            }
        }
        self.lists.put_in(CIRCLE, block);
        *self.lists.mark(block) = 1;
    }

    fn remove(&mut self, block: u32) {
        self.lists.take_out(block);
    }
}
