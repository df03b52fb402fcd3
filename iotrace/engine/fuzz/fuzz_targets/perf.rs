#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| iotrace_fuzz::read_calls("perf", data));
