//! Text of parallel traces: calls, some millions a second.
//!
//! [`Dxt`] and [`Umd`] read whole logs, with the reason of each line that they skip. The readers of other formats take the lines
//! that are calls in the usual form and make sense ([`calls`] says what does), and leave everything else, by its number,
//! to the caller, which has a slower and more patient reader. What such a line changes for the calls that follow it,
//! only the caller knows: calls are in sections, which begin where another line was left to it.
//!
//! [`CallReferences`] turns rows of table parallel_io into the reference stream.

mod call;
mod calls;
mod columns_of_calls;
mod dftracer;
mod dxt;
mod json;
mod named_calls;
mod numbers;
mod order;
mod recorder;
mod reference_table;
mod references;
mod table;
mod umd;

pub use calls::{Calls, Numbers, Reason, Summary, WrongDurations};
pub use dxt::Dxt;
pub use order::CallOrder;
pub use references::{CallReferences, Seen};
pub use umd::Umd;

use serde::Deserialize;

/// Formats of which lines in the usual form are read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    Dftracer,
    RecorderText,
}

/// Read complete lines; where they do not say of which process they are, it is this one.
pub fn read_calls(block: &[u8], format: Format, process: i64) -> Calls {
    match format {
        Format::Dftracer => calls::read(block, |calls, line| calls.take_line(line, dftracer::kind_of(line))),
        Format::RecorderText => {
            calls::read(block, |calls, line| calls.take_line(line, recorder::kind_of(line, process)))
        }
    }
}
