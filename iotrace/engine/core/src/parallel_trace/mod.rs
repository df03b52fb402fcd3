//! Text of parallel traces: calls in their usual form, some millions a second.
//!
//! Each reader takes the lines that are calls in the usual form of its format and make sense ([`calls`] says what does),
//! and leaves everything else, by its number, to the caller, which has a slower and more patient reader. So nothing is
//! skipped or judged here. What such a line changes for the calls that follow it, only the caller knows: calls are in
//! sections, which begin where another line was left to it.
//!
//! [`CallReferences`] turns rows of table parallel_io into the reference stream.

mod call;
mod calls;
mod columns_of_calls;
mod dftracer;
mod dxt;
mod json;
mod named_calls;
mod order;
mod recorder;
mod reference_table;
mod references;
mod table;
mod umd;

pub use calls::{Calls, Numbers, Summary};
pub use order::CallOrder;
pub use references::{CallReferences, Seen};

use serde::Deserialize;

/// Formats that are read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    DarshanDxt,
    UmdAscii,
    Dftracer,
    RecorderText,
}

/// Read complete lines; where they do not say of which process they are, it is this one.
pub fn read_calls(block: &[u8], format: Format, process: i64) -> Calls {
    match format {
        Format::DarshanDxt => calls::read(block, true, dxt::kind_of),
        Format::UmdAscii => calls::read(block, false, umd::kind_of),
        Format::Dftracer => calls::read(block, false, dftracer::kind_of),
        Format::RecorderText => calls::read(block, false, |line| recorder::kind_of(line, process)),
    }
}
