#![no_main]
//! A binary log of Darshan.
use iotrace_core::parallel_trace::darshan::{self, CounterTables};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = darshan::read_job(data);
    let Ok(mut log) = darshan::read(data) else {
        return;
    };
    serde_json::to_string(&log.about()).ok();
    let calls = log.take_calls();
    calls.summary();
    calls.files();
    let mut tables = CounterTables::default();
    let files: Vec<i32> = (0..log.files().len() as i32).collect();
    let mut done = 0;
    while let Ok(next) = tables.add(&log, 0, &files, done) {
        assert!(tables.take().is_ok());
        if next == log.records.len() {
            return;
        }
        done = next;
    }
});
