//! Tables of calls, a line each: opensnoop of bcc, libbpf and bpftrace, syncsnoop of bpftrace.
//!
//! ```text
//! PID    COMM               FD ERR PATH
//! 1234   cat                 3   0 /etc/passwd
//!
//! TIME(s)       UID   PID    COMM               FD ERR FLAGS    PATH
//! 0.000102000   1000  1234   a b                -1   2 02000000 /none
//!
//! TIME      PID    COMM             EVENT
//! 12:00:01  1234   sync             tracepoint:syscalls:sys_enter_sync
//! ```
//!
//! A header says which columns follow. Lines before it are the tools' own.

mod line;
mod reader;

pub use reader::{Reader, Remark, Skip, Tally};

#[cfg(test)]
mod tests;
