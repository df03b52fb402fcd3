//! Hints to the processor.

/// Ask the processor to bring `place` into its caches. It changes nothing but speed.
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    hint(std::ptr::from_ref(place));
}

/// `prefetch` for a member of an array; there need not be one at `index`.
#[inline(always)]
pub fn prefetch_at<T>(array: &[T], index: usize) {
    hint(array.as_ptr().wrapping_add(index));
}

#[inline(always)]
fn hint<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint that never faults, whatever the address, and never changes memory.
    unsafe {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
