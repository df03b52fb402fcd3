//! Block traces: requests in their usual form, many millions a second.
//!
//! [`lines`] reads text, [`records`] structs. Each takes what is in its usual form and makes sense ([`rows`] says what
//! does), and leaves everything else, by its number, to the caller, which has slower and more patient readers. So
//! nothing is skipped or judged here.

mod blktrace;
mod form;
mod lines;
mod pairing;
mod records;
mod rows;

pub use blktrace::{Blktrace, Failure, News, Skipped, READ_BYTES};
pub use form::Form;
pub use lines::{read_lines, Lines};
pub use pairing::{Action, Event, EventNames, Pairing, Stacks, WAITING_ROWS};
pub use records::{neighbours, read_records, Kind, Neighbours, Records};
pub use rows::{Operation, Rows, Summary};
