//! Where the first uses of a right slice find their blocks in the left one: the stages of a pass, over the left slice's
//! order of last use.

use super::super::counts::INFINITE;
use super::super::occupancy::{Occupancy, LINE_SLOTS};
use super::super::processor::Processor;
use super::block_numbers::BlockNumbers;
use super::{State, NONE};
use crate::error::Error;
use crate::lists::{prefetch_at, with_room};

/// What the left slice knows of a block that the right one uses for the first time.
#[derive(Debug, Clone, Copy)]
pub struct Former {
    /// The place of its last use, or `NONE`.
    last: u32,
    /// 0 where the left slice leaves it a first use.
    distance: u32,
}

impl Former {
    /// The place of its last use in the left slice, which is beyond all of them where it has none.
    #[inline(always)]
    pub fn place(self) -> usize {
        self.last as usize
    }

    /// Its distance; None where it stays a first use.
    #[inline(always)]
    pub fn distance(self) -> Option<u32> {
        (self.distance != 0).then_some(self.distance)
    }
}

/// What the left slice knows of the right one's blocks.
pub struct Replay {
    /// By place in the right slice's first uses.
    pub formers: Vec<Former>,
    /// By place in the left slice's last uses: whether the right slice touches the block.
    pub is_touched: Vec<bool>,
}

impl Replay {
    /// Find the blocks of the right slice, and how deep they lie when it uses them.
    ///
    /// # Errors
    /// Where the left slice has a block twice.
    pub fn of(left: &State, right: &State) -> Result<Replay, Error> {
        let mut numbers = BlockNumbers::with_room(left.lasts.len() + right.firsts.len());
        let mut found = Vec::with_capacity(LINE_SLOTS as usize);
        for lasts in left.lasts.chunks(LINE_SLOTS as usize) {
            numbers.number(lasts.iter().map(|last| last.key), &mut found)?;
        }
        if numbers.len() != left.lasts.len() {
            return Err(Error::of("a block has two last uses"));
        }
        let mut replay =
            Replay { formers: with_room(right.firsts.len()), is_touched: vec![false; left.lasts.len()] };
        let mut occupancy = Occupancy::new(left.lasts.len(), left.lasts.len() as u32);
        let absent = if left.is_short { INFINITE } else { 0 };
        for firsts in right.firsts.chunks(LINE_SLOTS as usize) {
            numbers.number(firsts.iter().map(|first| first.key), &mut found)?;
            found.iter().for_each(|&last| {
                occupancy.prefetch(Occupancy::slot_of(last));
                prefetch_at(&replay.is_touched, last as usize);
            });
            Processor::default().run(|| replay.distances(&found, &mut occupancy, absent));
        }
        Ok(replay)
    }

    /// Take the blocks at these places out of the left slice's order, and count how many come after each, in it and in
    /// the right slice's order. Other blocks are at the distance `absent`.
    #[inline(always)]
    fn distances(&mut self, places: &[u32], occupancy: &mut Occupancy, absent: u32) {
        let occupied = occupancy.occupied();
        let mut vacated = 0;
        for &last in places {
            let replayed = self.formers.len() as u32;
            let Some(is_touched @ false) = self.is_touched.get_mut(last as usize) else {
                self.formers.push(Former { last: NONE, distance: absent });
                continue;
            };
            *is_touched = true;
            let below = occupancy.vacate(Occupancy::slot_of(last), 1);
            self.formers.push(Former { last, distance: occupied - vacated - below + replayed });
            vacated += 1;
        }
        occupancy.take(0, vacated);
    }
}
