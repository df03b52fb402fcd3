//! The occupancy of slots: which are occupied, and how many lie below each.
//!
//! Slots lie in lines of 448, one line to each cache line of the processor: seven words of bits, and one word of counts
//! of the bits before each of them. Four levels of tables over the lines hold how many occupied slots lie below each
//! stretch, so the slots below one are a sum of five numbers and a few bits. Giving up a slot lowers the counts above
//! it by a window of constants in one row of each level: vector operations of fixed length.
//!
//! A slot's number is its line's times 512, plus its place in the line. Line 0 is never used.

use crate::lists::{filled, prefetch_at};

/// Slots in a line.
pub const LINE_SLOTS: u32 = 448;
/// Words of bits in a line.
const WORDS: usize = 7;
/// Slot numbers from one line to the next.
const LINE_STEP: u32 = 512;
/// The most lines: slot numbers have 32 bits, and the last line's are for marks.
const MOST_LINES: usize = (1 << 23) - 1;
/// Lines in a row of the lowest table.
const LOW: usize = 32;
/// Members in a row of each other table.
const HIGH: usize = 16;
/// Lines in a member of each table but the lowest.
const LINES_IN_SECOND: usize = LOW;
const LINES_IN_THIRD: usize = LOW * HIGH;
const LINES_IN_TOP: usize = LOW * HIGH * HIGH;

/// A one in each of the seven counts of a line, 9 bits each.
const ONES: u64 = 1 | 1 << 9 | 1 << 18 | 1 << 27 | 1 << 36 | 1 << 45 | 1 << 54;
/// The bits of all seven counts.
const COUNTS: u64 = !(1 << 63);

/// Seven words of bits, then the bits before each of them, 9 bits each.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Line([u64; WORDS + 1]);

const EMPTY: Line = Line([0; WORDS + 1]);
const FULL: Line = {
    let mut words = [!0; WORDS + 1];
    words[WORDS] = 64 << 9 | 128 << 18 | 192 << 27 | 256 << 36 | 320 << 45 | 384 << 54;
    Line(words)
};

/// Counts of the occupied slots below each member.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct LowRow([u16; LOW]);

/// Counts of the occupied slots below each member.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct HighRow([u32; HIGH]);

/// Which members of a row go down when slots of one are given up, no bit up to that member and all above it, is a window
/// of these.
static STEPS_LOW: [u16; 2 * LOW] = {
    let mut steps = [0; 2 * LOW];
    let mut place = LOW;
    while place < 2 * LOW {
        steps[place] = u16::MAX;
        place += 1;
    }
    steps
};
static STEPS_HIGH: [u32; 2 * HIGH] = {
    let mut steps = [0; 2 * HIGH];
    let mut place = HIGH;
    while place < 2 * HIGH {
        steps[place] = u32::MAX;
        place += 1;
    }
    steps
};

impl Line {
    /// The occupied slots of the line below one of its slots.
    #[inline(always)]
    fn below(&self, slot: u32) -> u32 {
        let word = (slot / 64 % 8) as usize;
        let before = self.0[word] & ((1 << (slot % 64)) - 1);
        before.count_ones() + count_before(self.0[WORDS], word)
    }
}

impl LowRow {
    /// The count of a member; those above it go down.
    #[inline(always)]
    fn lower_above(&mut self, member: usize, by: u16) -> u32 {
        let below = self.0[member];
        let steps = &STEPS_LOW[LOW - 1 - member..][..LOW];
        self.0.iter_mut().zip(steps).for_each(|(count, step)| *count = count.wrapping_sub(*step & by));
        u32::from(below)
    }
}

impl HighRow {
    /// The count of a member; those above it go down.
    #[inline(always)]
    fn lower_above(&mut self, member: usize, by: u32) -> u32 {
        let below = self.0[member];
        let steps = &STEPS_HIGH[HIGH - 1 - member..][..HIGH];
        self.0.iter_mut().zip(steps).for_each(|(count, step)| *count = count.wrapping_sub(*step & by));
        below
    }
}

/// Which slots are occupied.
#[derive(Debug)]
pub struct Occupancy {
    lines: Vec<Line>,
    /// For each line, the occupied slots below it in its row.
    low: Vec<LowRow>,
    /// For each row of lines, those below it in its row.
    second: Vec<HighRow>,
    third: Vec<HighRow>,
    /// For each row of the third table, all those below it.
    top: Vec<HighRow>,
    /// The next slot; it may be the end of its line.
    next: u32,
    occupied: u32,
}

impl Occupancy {
    /// At least `slots` slots, the first `occupied` of them occupied.
    pub fn new(slots: usize, occupied: u32) -> Self {
        let used = occupied.div_ceil(LINE_SLOTS).max(1) as usize;
        let lines = 1 + slots.div_ceil(LINE_SLOTS as usize).max(used).min(MOST_LINES - 1);
        let high = |lines_in_member: usize| vec![HighRow([0; HIGH]); lines.div_ceil(lines_in_member * HIGH)];
        let mut occupancy = Occupancy {
            lines: filled(lines, EMPTY),
            low: vec![LowRow([0; LOW]); lines.div_ceil(LOW)],
            second: high(LINES_IN_SECOND),
            third: high(LINES_IN_THIRD),
            top: high(LINES_IN_TOP),
            next: 0,
            occupied: 0,
        };
        for line in 1..=used {
            occupancy.occupied = (line as u32 - 1) * LINE_SLOTS;
            occupancy.enter(line);
        }
        occupancy.next += occupied - occupancy.occupied;
        occupancy.occupied = occupied;
        occupancy
    }

    /// The slot with `rank` slots below it, in an occupancy that `new` made with more occupied slots than that.
    #[inline(always)]
    pub fn slot_of(rank: u32) -> u32 {
        (1 + rank / LINE_SLOTS) * LINE_STEP + rank % LINE_SLOTS
    }

    /// Occupied slots.
    #[inline(always)]
    pub fn occupied(&self) -> u32 {
        self.occupied
    }

    /// The slot that is taken next, if `room` is not 0.
    #[inline(always)]
    pub fn next(&self) -> u32 {
        self.next
    }

    /// How many slots of the present line are free, or of the next line where this one is full; 0 where it is the last.
    #[inline(always)]
    pub fn room(&mut self) -> usize {
        if self.next % LINE_STEP == LINE_SLOTS {
            let line = (self.next / LINE_STEP) as usize + 1;
            if line == self.lines.len() {
                return 0;
            }
            self.enter(line);
        }
        (LINE_SLOTS - self.next % LINE_STEP) as usize
    }

    /// Begin a line: its slots count as occupied before they are taken, since nothing asks for what lies above them.
    fn enter(&mut self, line: usize) {
        let (low, second, third) = (line / LOW, line / LINES_IN_THIRD, line / LINES_IN_TOP);
        let (second_place, third_place) = (low % HIGH, second % HIGH);
        let (top, top_place) = (third / HIGH, third % HIGH);
        self.next = line as u32 * LINE_STEP;
        self.lines[line] = FULL;
        if line % LINES_IN_TOP == 0 {
            self.top[top].0[top_place] = self.occupied;
        }
        let mut below = self.occupied - self.top[top].0[top_place];
        if line % LINES_IN_THIRD == 0 {
            self.third[third].0[third_place] = below;
        }
        below -= self.third[third].0[third_place];
        if line % LINES_IN_SECOND == 0 {
            self.second[second].0[second_place] = below;
        }
        below -= self.second[second].0[second_place];
        self.low[low].0[line % LOW] = below as u16;
    }

    /// Take the next slots, at most `room`, and count as given up what `vacate` gave up since.
    #[inline(always)]
    pub fn take(&mut self, taken: u32, vacated: u32) {
        self.next += taken;
        self.occupied = self.occupied + taken - vacated;
    }

    /// The first slot from which on at most `most` are occupied, of which there is at least one.
    pub fn first_with_at_most(&self, most: u32) -> u32 {
        let (mut first, mut end) = (0, (self.next / LINE_STEP - 1) * LINE_SLOTS + self.next % LINE_STEP);
        while first < end {
            let middle = first + (end - first) / 2;
            match self.occupied - self.below(Self::slot_of(middle)) <= most {
                true => end = middle,
                false => first = middle + 1,
            }
        }
        Self::slot_of(first)
    }

    /// Prefetch the line of a slot.
    #[inline(always)]
    pub fn prefetch(&self, slot: u32) {
        prefetch_at(&self.lines, (slot / LINE_STEP) as usize);
    }

    /// Occupied slots below one.
    #[inline(always)]
    pub fn below(&self, slot: u32) -> u32 {
        let line = (slot / LINE_STEP) as usize;
        self.lines[line].below(slot) + self.below_line(line)
    }

    /// Occupied slots below a line.
    #[inline(always)]
    fn below_line(&self, line: usize) -> u32 {
        u32::from(self.low[line / LOW].0[line % LOW])
            + self.second[line / LINES_IN_THIRD].0[line / LINES_IN_SECOND % HIGH]
            + self.third[line / LINES_IN_TOP].0[line / LINES_IN_THIRD % HIGH]
            + self.top[line / LINES_IN_TOP / HIGH].0[line / LINES_IN_TOP % HIGH]
    }

    /// The same slots, which do not change any more.
    pub fn into_ranks(self) -> Ranks {
        let below = (0..self.lines.len()).map(|line| self.below_line(line)).collect();
        Ranks { lines: self.lines, below }
    }

    /// Give up occupied slots that follow each other in a word (see `slots_up_to_word_end`), and return how many occupied
    /// ones lie below the first. `take` must follow.
    #[inline(always)]
    pub fn vacate(&mut self, slot: u32, slots: u32) -> u32 {
        let line = (slot / LINE_STEP) as usize;
        let Line(words) = &mut self.lines[line];
        let word = (slot / 64 % 8) as usize;
        let (bits, counts, bit) = (words[word], words[WORDS], 1 << (slot % 64));
        let mut below = (bits & (bit - 1)).count_ones() + count_before(counts, word);
        words[word] = bits & !((u64::MAX >> (64 - slots)) << (slot % 64));
        words[WORDS] = counts - (((ONES << (9 * word)) << 9) & COUNTS) * u64::from(slots);
        let top = line / LINES_IN_TOP / HIGH;
        below += self.low[line / LOW].lower_above(line % LOW, slots as u16);
        below += self.second[line / LINES_IN_THIRD].lower_above(line / LINES_IN_SECOND % HIGH, slots);
        below += self.third[line / LINES_IN_TOP].lower_above(line / LINES_IN_THIRD % HIGH, slots);
        below += self.top[top].lower_above(line / LINES_IN_TOP % HIGH, slots);
        for row in &mut self.top[top + 1..] {
            row.0.iter_mut().for_each(|count| *count = count.wrapping_sub(slots));
        }
        below
    }
}

/// How many occupied slots lie below each, where none is taken or given up any more.
pub struct Ranks {
    lines: Vec<Line>,
    /// The occupied slots below each line.
    below: Vec<u32>,
}

impl Ranks {
    /// Occupied slots below one.
    #[inline(always)]
    pub fn below(&self, slot: u32) -> u32 {
        let line = (slot / LINE_STEP) as usize;
        self.lines[line].below(slot) + self.below[line]
    }

    /// Prefetch the line of a slot.
    #[inline(always)]
    pub fn prefetch(&self, slot: u32) {
        prefetch_at(&self.lines, (slot / LINE_STEP) as usize);
    }
}

/// How many slots from one on lie in the same word.
#[inline(always)]
pub fn slots_up_to_word_end(slot: u32) -> usize {
    64 - slot as usize % 64
}

/// The bits of a line before one of its words.
#[inline(always)]
fn count_before(counts: u64, word: usize) -> u32 {
    (counts >> (9 * word)) as u32 % 512
}

#[cfg(test)]
mod tests {
    use super::{Occupancy, LINE_SLOTS};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn counts_are_those_of_a_set(
            occupied in prop_oneof![Just(0_u32), 1..900_u32, Just(LINE_SLOTS), Just(40 * LINE_SLOTS)],
            steps in prop::collection::vec((any::<u32>(), 1..600_u32), 1..60),
        ) {
            let mut slots = Occupancy::new(60 * LINE_SLOTS as usize, occupied);
            let mut set: BTreeSet<u32> = (0..occupied).map(Occupancy::slot_of).collect();
            for (which, taken) in steps {
                let mut vacated = 0;
                if !set.is_empty() {
                    let place = which as usize % set.len();
                    let slot = *set.iter().nth(place).unwrap_or(&0);
                    prop_assert_eq!(slots.below(slot) as usize, place);
                    prop_assert_eq!(slots.vacate(slot, 1) as usize, place);
                    set.remove(&slot);
                    vacated = 1;
                }
                slots.take(0, vacated);
                let taken = taken.min(slots.room() as u32);
                set.extend(slots.next()..slots.next() + taken);
                slots.take(taken, 0);
                prop_assert_eq!(slots.occupied() as usize, set.len());
            }
            for (place, &slot) in set.iter().enumerate() {
                prop_assert_eq!(slots.below(slot) as usize, place);
                let above = (set.len() - place) as u32;
                prop_assert!(slots.first_with_at_most(above) <= slot);
                prop_assert!(above == 1 || slots.first_with_at_most(above - 1) > slot);
            }
        }
    }

    /// More lines than a row of every table has members, so that each is entered and lowered.
    #[test]
    fn counts_hold_in_rows_of_every_table() {
        let slots_in_all = 300_000 * LINE_SLOTS;
        let mut slots = Occupancy::new(slots_in_all as usize, slots_in_all);
        let ranks: Vec<u32> = (1..40_u32).rev().map(|part| slots_in_all / 40 * part).collect();
        for &rank in &ranks {
            assert_eq!(slots.vacate(Occupancy::slot_of(rank), 1), rank);
        }
        slots.take(0, ranks.len() as u32);
        for (above, &rank) in ranks.iter().enumerate() {
            assert_eq!(
                slots.below(Occupancy::slot_of(rank)) as usize,
                rank as usize - (ranks.len() - 1 - above)
            );
        }
    }
}
