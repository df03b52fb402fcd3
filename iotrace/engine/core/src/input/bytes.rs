//! Bytes of a stream, without regard to lines.

use super::{Blocks, InputError};
use std::io::{ErrorKind, Read};

/// Bytes requested from a decompressor at a time: if it finds damage, the output of that step is lost.
const STEP: usize = 1 << 15;

/// Put the next `count` bytes into `bytes`, in place of what is there, or fewer if the stream ends or is damaged; the next
/// call reports the damage.
pub fn read_up_to(blocks: &mut Blocks, count: usize, bytes: &mut Vec<u8>) -> Result<(), InputError> {
    bytes.resize(count, 0);
    let mut filled = 0;
    while filled < count {
        let until = count.min(filled + STEP);
        match blocks.read(&mut bytes[filled..until]) {
            Ok(0) => break,
            Ok(some) => filled += some,
            Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
            Err(_) if filled > 0 => break,
            Err(cause) => {
                bytes.clear();
                return Err(InputError::Damaged {
                    path: blocks.path().to_path_buf(),
                    after_bytes: blocks.delivered_bytes(),
                    compression: blocks.compression(),
                    cause,
                });
            }
        }
    }
    bytes.truncate(filled);
    Ok(())
}
