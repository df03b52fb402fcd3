//! Fields of lines of text: numbers in their usual form, and names as numbers.

mod digits;
mod names;

pub use digits::Cursor;
pub use names::Names;

/// A line without the carriage returns that end it.
pub fn without_returns(mut line: &[u8]) -> &[u8] {
    while let [before @ .., b'\r'] = line {
        line = before;
    }
    line
}

/// Whether a byte is a space or a tab.
pub fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}
