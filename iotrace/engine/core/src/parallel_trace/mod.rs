//! Text of parallel traces: calls, some millions a second.
//!
//! [`Dftracer`], [`Dxt`], [`Umd`] and [`read_recorder`] read whole logs, with the reason of each line that they skip
//! ([`calls`] says which calls make sense).
//!
//! [`darshan`] reads binary logs of Darshan whole, their counters among what it reads.
//!
//! [`CallReferences`] turns rows of table parallel_io into the reference stream.

mod call;
mod calls;
mod columns_of_calls;
pub mod darshan;
mod dftracer;
mod dxt;
mod json;
mod named_calls;
mod numbers;
mod order;
mod recorder;
mod reference_table;
mod references;
mod stated;
mod table;
mod umd;

pub use calls::{
    Calls, Numbers, Reason, Summary, WrongDurations, LARGEST_PLACE, LARGEST_PROCESS, LONGEST_BYTES,
};
pub use dftracer::Dftracer;
pub use dxt::Dxt;
pub use named_calls::NamedCall;
pub use order::CallOrder;
pub use recorder::{read as read_recorder, RecorderArguments};
pub use references::{CallReferences, Seen};
pub use umd::Umd;
