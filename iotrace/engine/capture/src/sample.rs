//! A sample of files: those whose device and inode have a hash below a bound.

/// The files of which calls are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSample {
    /// How many of a million files are in it.
    pub per_million: u32,
}

/// The factors of the hash: the golden ratio, and those of splitmix64's finalizer.
pub const DEVICE_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
pub const FACTORS: [u64; 2] = [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];
/// What is shifted to the right before each factor, and at the end.
pub const SHIFTS: [i32; 3] = [30, 27, 31];

const MILLION: u64 = 1_000_000;

impl FileSample {
    /// A sample of this many of a million files; None of none, or of more than all.
    pub fn new(per_million: u32) -> Option<FileSample> {
        (1..=MILLION).contains(&u64::from(per_million)).then_some(FileSample { per_million })
    }

    /// The bound of the upper half of the hash.
    pub fn bound(self) -> u64 {
        (u64::from(self.per_million) << 32) / MILLION
    }

    /// Whether a file is in the sample, by the kernel's number of its device and its inode.
    pub fn has(self, device: u64, inode: u64) -> bool {
        let mut hash = device.wrapping_mul(DEVICE_FACTOR).wrapping_add(inode);
        for (shift, factor) in SHIFTS.iter().zip(FACTORS) {
            hash = (hash ^ hash >> shift).wrapping_mul(factor);
        }
        (hash ^ hash >> SHIFTS[2]) >> 32 < self.bound()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_from_one_in_a_million_to_all() {
        assert_eq!(FileSample::new(0), None);
        assert_eq!(FileSample::new(1_000_001), None);
        let all = FileSample::new(1_000_000);
        assert!((0..1000).all(|inode| all.is_some_and(|all| all.has(1, inode))));
    }

    #[test]
    fn a_sample_has_its_share_of_numbered_inodes() {
        let sample = FileSample { per_million: 100_000 };
        for device in [0, 1, 8 << 20 | 1] {
            let count = (0..100_000).filter(|&inode| sample.has(device, inode)).count();
            // 10,000 within 5 standard deviations of 95
            assert!((9_525..=10_475).contains(&count), "{count} of device {device}");
        }
    }

    #[test]
    fn a_smaller_sample_is_a_part_of_a_larger_one() {
        let (few, more) = (FileSample { per_million: 10_000 }, FileSample { per_million: 20_000 });
        assert!((0..10_000).all(|inode| more.has(1, inode) || !few.has(1, inode)));
    }
}
