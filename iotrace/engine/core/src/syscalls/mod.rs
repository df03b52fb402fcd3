//! Readers of each format of system-call logs, and the events that they emit.

pub mod call;
pub mod redaction;
pub mod strace;
pub mod tally;
pub mod text;
pub mod ultrix;
