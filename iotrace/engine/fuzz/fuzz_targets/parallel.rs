#![no_main]
//! Text of parallel traces. The first byte chooses the format.
use iotrace_core::parallel_trace::{read_calls, Dxt, Format, Umd};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&chosen, block)) = data.split_first() else {
        return;
    };
    let whole = block.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let lines = &block[..whole];
    let mut calls = match chosen % 4 {
        0 => Dxt::default().read(lines),
        1 => Umd::default().read(lines),
        2 => read_calls(lines, Format::Dftracer, 0),
        _ => read_calls(lines, Format::RecorderText, 0),
    };
    let sections = calls.sections();
    calls.summary();
    calls.files();
    calls.hosts();
    calls.remarks();
    calls.place(&vec![(0, 0); sections.len()]);
    let _ = calls.unsorted(0);
});
