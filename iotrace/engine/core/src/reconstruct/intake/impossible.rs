//! Impossible values of calls: they become null and are counted; the call is kept.

use crate::syscalls::call::{Call, CallKind};
use serde::Serialize;

/// Counts of impossible values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ImpossibleValues {
    /// Calls that ended before they began.
    pub negative_durations: i64,
    /// Successful calls with a negative offset, which the kernel rejects.
    pub negative_offsets: i64,
    /// Successful calls that revealed a negative size of a file.
    pub negative_sizes: i64,
}

impl ImpossibleValues {
    /// Remove the impossible values of a call.
    pub fn remove_from(&mut self, call: &mut Call<'_>) {
        if call.duration_ns.is_some_and(|duration| duration < 0) {
            call.duration_ns = None;
            self.negative_durations += 1;
        }
        let succeeded = call.error.is_none() && call.result.is_some_and(|result| result >= 0);
        let negative = |offset: Option<i64>| offset.is_some_and(|offset| offset < 0);
        if succeeded && negative(call.offset) && !takes_negative_offset(call.kind) {
            call.offset = None;
            self.negative_offsets += 1;
        }
        if succeeded && negative(call.offset2) {
            call.offset2 = None;
            self.negative_offsets += 1;
        }
        if call.size.is_some_and(|size| size < 0) {
            call.size = None;
            self.negative_sizes += 1;
        }
    }
}

/// Whether `Call::offset` can be negative: it is a distance, an address, or -1 for the file pointer. Calls whose
/// arguments iotrace does not know are left unchanged.
fn takes_negative_offset(kind: CallKind) -> bool {
    use CallKind as K;
    matches!(kind, K::Lseek | K::Llseek | K::Munmap | K::Msync | K::Preadv2 | K::Pwritev2 | K::Other)
}
