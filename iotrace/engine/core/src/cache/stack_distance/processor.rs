//! Which instructions the inner loops are compiled for.

/// Whether the processor has wide vectors and bit counts. The answers are the same with them and without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processor {
    vectors: bool,
}

impl Default for Processor {
    /// What this processor has.
    fn default() -> Self {
        #[cfg(target_arch = "x86_64")]
        let vectors = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        #[cfg(not(target_arch = "x86_64"))]
        let vectors = false;
        Processor { vectors }
    }
}

impl Processor {
    /// Any processor.
    #[cfg(test)]
    pub fn portable() -> Self {
        Processor { vectors: false }
    }

    /// Whether it has AVX2, BMI1, BMI2, LZCNT and POPCNT.
    #[inline(always)]
    pub fn has_vectors(self) -> bool {
        self.vectors
    }
}
