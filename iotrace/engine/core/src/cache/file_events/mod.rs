//! What programs do to files, as the page cache sees it: in bytes, through open files.
//!
//! `event` has what can happen, and `intake` turns requests into events.

mod event;
mod intake;

pub use event::{Advice, Event};
pub use intake::{Intake, Range};

/// Bytes of a page.
pub const PAGE_BYTES: u64 = 4096;
