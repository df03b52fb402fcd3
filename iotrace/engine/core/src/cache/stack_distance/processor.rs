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

    /// Do some work, compiled for AVX2, BMI1, BMI2, LZCNT and POPCNT where the processor has them all. What the work calls
    /// is compiled likewise if it is inlined.
    #[inline(always)]
    pub fn run<T>(self, work: impl FnOnce() -> T) -> T {
        #[cfg(target_arch = "x86_64")]
        if self.vectors {
            // SAFETY: the processor has the features that the function is compiled for.
            return unsafe { with_vectors(work) };
        }
        work()
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn with_vectors<T>(work: impl FnOnce() -> T) -> T {
    work()
}
