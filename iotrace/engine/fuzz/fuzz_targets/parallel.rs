#![no_main]
//! Text of parallel traces. The first byte chooses the format.
use iotrace_core::parallel_trace::{read_recorder, Dftracer, Dxt, Umd};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&chosen, block)) = data.split_first() else {
        return;
    };
    let whole = block.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let lines = &block[..whole];
    let calls = match chosen % 4 {
        0 => Dxt::default().read(lines),
        1 => Umd::default().read(lines),
        2 => Dftracer::default().read(lines),
        _ => read_recorder(lines, 0),
    };
    calls.summary();
    calls.files();
    calls.hosts();
    calls.remarks();
    calls.is_in_range();
    let _ = calls.unsorted(0);
});
