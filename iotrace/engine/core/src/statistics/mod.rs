//! Statistics that follow from the order of requests, in one pass over the reference stream.
//!
//! Each is defined by an SQL query (`queries/base`), which sorts all requests to see what precedes each; the pass reads
//! them in order and keeps only what the next request needs: the open run of each use, the ranges that a window
//! touched, the last write of each range of blocks. Its memory grows with the files and ranges in use, not with the
//! length of the trace.

mod block_accesses;
mod depths;
mod disk_arrivals;
mod disk_seeks;
mod disk_streams;
mod disks;
mod intervals;
mod key_accesses;
mod loads;
mod pass;
mod range_set;
mod requests;
mod run;
mod runs;
mod tables;
mod uses;
mod wall_time;
mod ways;
mod windows;
mod written_blocks;
mod written_ranges;

pub use disk_streams::{DiskSettings, DiskStreams};
pub use key_accesses::KeyAccesses;
pub use pass::{Pass, Settings};
pub use wall_time::{interval_classes, WallTime, WallTimes};

/// The smallest power of two that is not below a number, as the SQL macro `power_of_two` has it: the logarithm of a
/// number that is just above a power of two beyond 2⁴⁰ may round down to it.
fn power_of_two(number: i64) -> i64 {
    match number {
        ..=0 => 0,
        1..=0x100_0000_0000 => (number as u64).next_power_of_two() as i64,
        4_611_686_018_427_387_905.. => i64::MAX,
        _ => 1 << (number as f64).log2().ceil() as u32,
    }
}

/// The upper bound of one of 16 bins of equal width between two powers of two, as the SQL macro `fine_bin` has it: at most
/// a 16th above the number, except for those above 2⁶¹.
fn fine_bin(number: i64) -> i64 {
    match number {
        ..=16 => number.max(0),
        0x2000_0000_0000_0001.. => i64::MAX,
        _ => {
            let width = 1 << ((number as f64).log2().floor() as u32 - 4);
            (number + width - 1) / width * width
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{fine_bin, power_of_two};
    use proptest::prelude::*;

    #[test]
    fn fine_bins_have_a_width_of_a_sixteenth() {
        let bins = [-1, 0, 1, 16, 17, 31, 32, 33, 35, 100, 1000].map(fine_bin);
        assert_eq!(bins, [0, 0, 1, 16, 17, 31, 32, 34, 36, 100, 1024]);
    }

    proptest! {
        #[test]
        fn fine_bins_are_at_most_a_sixteenth_above(number in 0..1_i64 << 61) {
            let bound = fine_bin(number);
            prop_assert!(number <= bound && bound - number <= number / 16);
            prop_assert_eq!(fine_bin(bound), bound);
        }
    }

    #[test]
    fn bins_end_at_powers_of_two() {
        let bins = [i64::MIN, -1, 0, 1, 2, 3, 4, 5, 1 << 40, (1 << 40) + 1, i64::MAX].map(power_of_two);
        assert_eq!(bins, [0, 0, 0, 1, 2, 4, 4, 8, 1 << 40, 1 << 41, i64::MAX]);
    }
}
