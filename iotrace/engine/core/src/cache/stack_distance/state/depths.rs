//! How many blocks of a list are used later than a given one, while blocks leave the list.

/// The blocks of a list that are still in it, as a binary indexed tree (Fenwick 1994).
#[derive(Debug)]
pub struct Depths {
    /// At place i, counted from 1: how many of the places in (i − lowest bit of i, i] are left.
    sums: Vec<u32>,
    left: u32,
}

impl Depths {
    /// A list of this many blocks.
    pub fn new(blocks: usize) -> Self {
        let lowest_bit = |place: usize| (place & place.wrapping_neg()) as u32;
        Depths { sums: (0..=blocks).map(lowest_bit).collect(), left: blocks as u32 }
    }

    /// Take the block at a place out, which is in the list; return how many behind it are left.
    pub fn take(&mut self, place: usize) -> u32 {
        let mut up_to = 0;
        let mut index = place + 1;
        while index > 0 {
            up_to += self.sums[index];
            index &= index - 1;
        }
        index = place + 1;
        while index < self.sums.len() {
            self.sums[index] -= 1;
            index += index & index.wrapping_neg();
        }
        let behind = self.left - up_to;
        self.left -= 1;
        behind
    }
}

#[cfg(test)]
mod tests {
    use super::Depths;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_who_is_left_behind(order in Just((0..50_usize).collect::<Vec<_>>()).prop_shuffle(), blocks in 1..50_usize) {
            let mut depths = Depths::new(blocks);
            let mut list: Vec<usize> = (0..blocks).collect();
            for place in order.into_iter().filter(|&place| place < blocks) {
                prop_assert_eq!(depths.take(place) as usize, list.iter().filter(|&&other| other > place).count());
                list.retain(|&other| other != place);
            }
        }
    }
}
