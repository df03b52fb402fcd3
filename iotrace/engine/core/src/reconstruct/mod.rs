//! The effects of system calls on files and processes: the kernel's tables, reconstructed, and Arrow tables made of
//! them.

pub mod file_table;
pub mod intake;
pub mod process_table;
pub mod syscall_table;
pub mod under_calls;
