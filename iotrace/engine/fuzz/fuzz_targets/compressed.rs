#![no_main]
//! Any bytes as a file: plain, compressed, or an archive.
use iotrace_core::input;
use std::io::Cursor;
use std::path::Path;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(mut blocks) = input::from_reader(Cursor::new(data.to_vec()), Path::new("-"), None) else {
        return;
    };
    let mut delivered = 0;
    while let Ok(Some(block)) = blocks.next_block() {
        delivered += block.len();
        if delivered > 1 << 24 {
            return;
        }
    }
});
