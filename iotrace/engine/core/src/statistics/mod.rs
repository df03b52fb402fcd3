//! Statistics that follow from the order of requests, in one pass over the reference stream.
//!
//! Each is defined by an SQL query (`queries/base`), which sorts all requests to see what precedes each; the pass reads
//! them in order and keeps only what the next request needs: the open run of each use, the ranges that a window
//! touched, the last write of each range of blocks. Its memory grows with the files and ranges in use, not with the
//! length of the trace.

mod disk_streams;
mod disks;
mod intervals;
mod loads;
mod pass;
mod range_set;
mod requests;
mod run;
mod runs;
mod tables;
mod uses;
mod windows;
mod written_blocks;
mod written_ranges;

pub use disk_streams::DiskStreams;
pub use pass::{Pass, Settings};

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

#[cfg(test)]
mod tests {
    use super::power_of_two;

    #[test]
    fn bins_end_at_powers_of_two() {
        let bins = [i64::MIN, -1, 0, 1, 2, 3, 4, 5, 1 << 40, (1 << 40) + 1, i64::MAX].map(power_of_two);
        assert_eq!(bins, [0, 0, 0, 1, 2, 4, 4, 8, 1 << 40, 1 << 41, i64::MAX]);
    }
}
