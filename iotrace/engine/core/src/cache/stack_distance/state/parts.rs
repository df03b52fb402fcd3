//! The parts of a state's table, by name.

use super::super::component::Component;
use super::super::counts::Counts;
use crate::columns::Word;
use rustc_hash::FxHashMap;

/// What a row of the table is: its place among `NAMES`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part(pub usize);

pub const FIRST_USE: Part = Part(0);
pub const REREAD: Part = Part(1);
pub const LAST_USE: Part = Part(2);
pub const FILE_END: Part = Part(3);
pub const FILE_SIZE: Part = Part(4);
pub const ASSUMED_UNSIZED: Part = Part(5);
pub const ASSUMED_UNTOUCHED: Part = Part(6);
/// The first of `TOTALS`, after which come `SIZES` and `HISTOGRAMS`.
const COUNTS: usize = 7;

type Total = fn(&mut Component) -> &mut u64;
type Sizes = fn(&mut Component) -> &mut FxHashMap<u32, u64>;
type Histogram = fn(&mut Component) -> &mut Counts;

/// The first of `TOTALS` that are 0 until the stream ends.
const OF_END: usize = 5;
/// One number for each component.
pub const TOTALS: [Total; 7] = [
    |counts| &mut counts.reads.requests,
    |counts| &mut counts.reads.blocks,
    |counts| &mut counts.read_shortfall,
    |counts| &mut counts.writes.requests,
    |counts| &mut counts.writes.blocks,
    |counts| &mut counts.reads.cold_requests,
    |counts| &mut counts.writes.cold_requests,
];
/// Requests of several blocks by their blocks.
pub const SIZES: [Sizes; 2] = [|counts| &mut counts.reads.sizes, |counts| &mut counts.writes.sizes];
/// Counts by distance or cache size; the last one is empty until the stream ends.
pub const HISTOGRAMS: [Histogram; 12] = [
    |counts| &mut counts.reads.largest,
    |counts| &mut counts.reads.others,
    |counts| &mut counts.reads.first_pieces,
    |counts| &mut counts.read_shortfalls,
    |counts| &mut counts.writes.largest,
    |counts| &mut counts.writes.others,
    |counts| &mut counts.writes.first_pieces,
    |counts| &mut counts.expulsions,
    |counts| &mut counts.expulsion_shortfalls,
    |counts| &mut counts.syncs,
    |counts| &mut counts.sync_shortfalls,
    |counts| &mut counts.dirty_at_end,
];

/// Which count a row has.
pub enum Count {
    Total(Total),
    Sizes(Sizes),
    Histogram(Histogram),
}

impl Word for Part {
    const WORDS: &'static [&'static str] = &[
        "first_use",
        "reread",
        "last_use",
        "file_end",
        "file_size",
        "assumed_unsized",
        "assumed_untouched",
        "read_requests",
        "read_blocks",
        "read_shortfall_bytes",
        "write_requests",
        "write_blocks",
        "read_cold_requests",
        "write_cold_requests",
        "read_request_blocks",
        "write_request_blocks",
        "read_largest_distance",
        "read_other_distances",
        "read_first_pieces",
        "read_shortfalls",
        "write_largest_distance",
        "write_other_distances",
        "write_first_pieces",
        "expulsions",
        "expulsion_shortfalls",
        "syncs",
        "sync_shortfalls",
        "dirty_at_end",
    ];

    fn code(self) -> i32 {
        self.0 as i32
    }
}

impl Part {
    /// The part of a name.
    pub fn of(name: &str) -> Option<Part> {
        Part::WORDS.iter().position(|&word| word == name).map(Part)
    }

    /// Which count its rows have; None of parts that list blocks or files.
    pub fn count(self) -> Option<Count> {
        let place = self.0.checked_sub(COUNTS)?;
        let (sizes, histograms) = (TOTALS.len(), TOTALS.len() + SIZES.len());
        Some(match place {
            place if place < sizes => Count::Total(TOTALS[place]),
            place if place < histograms => Count::Sizes(SIZES[place - sizes]),
            place => Count::Histogram(*HISTOGRAMS.get(place - histograms)?),
        })
    }

    /// Whether it is a total that is 0 until the stream ends.
    pub fn is_of_end(self) -> bool {
        (COUNTS + OF_END..COUNTS + TOTALS.len()).contains(&self.0)
    }

    /// All parts with counts.
    pub fn counts() -> impl Iterator<Item = Part> {
        (COUNTS..Part::WORDS.len()).map(Part)
    }
}
