//! Random numbers, a stream for each process, the same in every implementation of the description.

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64's output for a state (Steele, Lea and Flood 2014).
fn mixed(state: u64) -> u64 {
    let mut z = state.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A process's random numbers: SplitMix64 from the state mixed(mixed(seed) XOR process). The seed is mixed before the
/// process number is added, so that process a of trial b and process b of trial a differ.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    pub fn new(seed: u64, process: u32) -> Self {
        Self::of(seed, u64::from(process))
    }

    /// The stream that selects which of the processes waiting for a buffer retries first.
    pub fn of_claims(seed: u64) -> Self {
        Self::of(seed, u64::MAX)
    }

    fn of(seed: u64, stream: u64) -> Self {
        Rng { state: mixed(mixed(seed) ^ stream) }
    }

    /// A whole number below `limit`, which is at least 1; for 1, nothing is drawn.
    pub fn below(&mut self, limit: usize) -> usize {
        match limit {
            1 => 0,
            limit => ((u128::from(self.next()) * limit as u128) >> 53) as usize,
        }
    }

    /// The next 53 random bits.
    fn next(&mut self) -> u64 {
        let number = mixed(self.state) >> 11;
        self.state = self.state.wrapping_add(GOLDEN);
        number
    }

    /// A uniform whole number in the half-open range of `mean` ± `spread_permille` thousandths of it. For a mean of 0,
    /// nothing is drawn.
    pub fn around(&mut self, mean: i64, spread_permille: u32) -> i64 {
        if mean == 0 {
            return 0;
        }
        let half = mean.saturating_mul(i64::from(spread_permille)) / 1000;
        let drawn = (u128::from(self.next()) * (2 * half as u128)) >> 53;
        mean - half + drawn as i64
    }
}
