//! Block traces, many millions of requests a second.
//!
//! [`lines`] reads text, [`records`] structs; [`rows`] says which requests make sense, and why others do not.

mod blktrace;
mod events;
mod form;
mod letters;
mod line_fields;
mod lines;
mod pairing;
mod recording;
mod records;
mod rows;

pub use blktrace::{Blktrace, Failure, News, Skipped};
pub use events::EventText;
pub use form::Form;
pub use lines::{read_fields, read_lines, Lines, Record};
pub use pairing::{Action, Event, EventNames, Pairing, Stacks, WAITING_ROWS};
pub use recording::{BlockRecording, Cut};
pub use records::{neighbours, read_records, Kind, Neighbours, ObjectRequest};
pub use rows::{Operation, Rows, Summary, LONGEST_BLOCKS, MOST_BLOCKS};
