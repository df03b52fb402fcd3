//! System calls as logs write them: readers of each format, and the events that they give.

pub mod call;
pub mod strace;
pub mod tally;
pub mod text;
pub mod ultrix;
