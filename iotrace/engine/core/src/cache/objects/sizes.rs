//! The cache sizes of a curve, and which of them is the first to hold a depth.

use serde::Deserialize;

/// What the sizes of caches count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    #[default]
    Objects,
    Bytes,
}

/// Sizes with a common exponent and these many bits after the first are looked up together.
const MANTISSA_BITS: u32 = 3;
const MANTISSAS: u64 = 1 << MANTISSA_BITS;
/// No depth is larger.
const LARGEST: u64 = 1 << 62;
/// Sizes below the largest object are simulated alone; of sizes that nobody chose only these are: powers of two from here.
const LEAST_ALONE: u64 = 1 << 20;

/// Sizes, ascending.
#[derive(Debug)]
pub struct Sizes {
    sizes: Vec<u64>,
    /// For each code of a depth, the first size that is not below all depths of that code.
    first: Vec<u32>,
    chosen: bool,
}

/// Numbers that rise with the depth, equal for depths with the same exponent and first bits.
#[inline(always)]
fn code(depth: u64) -> usize {
    if depth < MANTISSAS {
        return depth as usize;
    }
    let shift = 63 - depth.leading_zeros() - MANTISSA_BITS;
    (u64::from(shift) * MANTISSAS + (depth >> shift)) as usize
}

impl Sizes {
    /// These sizes, in any order.
    pub fn chosen(mut sizes: Vec<u64>) -> Self {
        sizes.sort_unstable();
        sizes.dedup();
        Sizes::new(sizes, true)
    }

    /// Eight sizes to each doubling: all with at most four significant bits.
    pub fn grid() -> Self {
        let sizes = (0..=code(LARGEST) as u64).filter(|&code| code > 0).map(|code| {
            let shift = (code / MANTISSAS).saturating_sub(1);
            (code - shift * MANTISSAS) << shift
        });
        Sizes::new(sizes.collect(), false)
    }

    fn new(sizes: Vec<u64>, chosen: bool) -> Self {
        let mut first = vec![0; code(u64::MAX) + 2];
        for &size in &sizes {
            first[code(size) + 1] += 1;
        }
        for code in 1..first.len() {
            first[code] += first[code - 1];
        }
        Sizes { sizes, first, chosen }
    }

    /// The sizes.
    pub fn all(&self) -> &[u64] {
        &self.sizes
    }

    /// Whether they were chosen.
    pub fn are_chosen(&self) -> bool {
        self.chosen
    }

    /// Whether a size below the largest object is simulated alone.
    pub fn alone(&self, size: u64) -> bool {
        self.chosen || size >= LEAST_ALONE && size.is_power_of_two()
    }

    /// The place of the first size of at least a depth.
    #[inline(always)]
    pub fn place(&self, depth: u64) -> usize {
        let code = code(depth);
        let (from, to) = (self.first[code] as usize, self.first[code + 1] as usize);
        from + self.sizes[from..to].partition_point(|&size| size < depth)
    }
}

#[cfg(test)]
mod tests {
    use super::Sizes;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_are_those_of_a_search(
            sizes in prop::collection::vec(prop_oneof![1..40_u64, 1..9000_u64, 1..1_u64 << 62], 0..60),
            depths in prop::collection::vec(prop_oneof![0..40_u64, 0..9000_u64, 0..1_u64 << 62], 0..60),
        ) {
            for sizes in [Sizes::chosen(sizes), Sizes::grid()] {
                prop_assert!(sizes.all().is_sorted());
                for &depth in &depths {
                    let place = sizes.all().iter().take_while(|&&size| size < depth).count();
                    prop_assert_eq!(sizes.place(depth), place);
                }
            }
        }
    }

    #[test]
    fn eight_sizes_to_each_doubling() {
        let sizes = Sizes::grid();
        assert_eq!(
            sizes.all()[..20],
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24]
        );
        assert_eq!(sizes.all().last(), Some(&(1 << 62)));
    }
}
