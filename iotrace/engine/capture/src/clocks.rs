//! The clocks of a recording.

/// Three clocks at one time.
pub(crate) fn clocks() -> [(&'static str, u64); 3] {
    [
        ("monotonic_ns", now_ns()),
        ("realtime_ns", clock(libc::CLOCK_REALTIME)),
        ("boottime_ns", clock(libc::CLOCK_BOOTTIME)),
    ]
}

/// The clock that programs read.
pub(crate) fn now_ns() -> u64 {
    clock(libc::CLOCK_MONOTONIC)
}

pub(crate) fn clock(of: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is written to, and nothing else
    unsafe { libc::clock_gettime(of, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
