#![no_main]
//! Text of parallel traces. The first byte chooses the format.
use iotrace_core::parallel_trace::{read_calls, Dxt, Format};

const FORMATS: [Format; 3] = [Format::UmdAscii, Format::Dftracer, Format::RecorderText];

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&chosen, block)) = data.split_first() else {
        return;
    };
    let whole = block.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let mut calls = match (chosen as usize % 4).checked_sub(1) {
        None => Dxt::default().read(&block[..whole]),
        Some(format) => read_calls(&block[..whole], FORMATS[format], 0),
    };
    let sections = calls.sections();
    calls.summary();
    calls.files();
    calls.hosts();
    calls.remarks();
    calls.place(&vec![(0, 0); sections.len()]);
    let _ = calls.unsorted(0);
});
