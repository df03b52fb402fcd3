#![no_main]
use iotrace_core::block_trace::Blktrace;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(mut trace) = Blktrace::open(vec![iotrace_fuzz::file_of(data)], 1 << 12) else {
        return;
    };
    while let Ok(true) = trace.next(64) {
        let _ = trace.requests();
        trace.news();
    }
    let _ = trace.requests();
    trace.stacks();
});
