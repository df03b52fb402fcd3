//! Fields of lines of text: numbers, names as numbers, and what times show of their clock.

mod digits;
mod event_line;
mod names;
mod numbers;
mod times;

pub use digits::Cursor;
pub use event_line::{is_of_trace_cmd, lost_events, EventLine};
pub use names::{Keys, Names};
pub use numbers::{decimal, hexadecimal, text_of, whole};
pub use times::{unsorted, Times, LATEST_NS, LONGEST_TRACE_NS, NS_PER_MS, NS_PER_S, NS_PER_US};

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
