//! The bindings: convert the arguments, call a plain Rust function, convert the result.

use pyo3::prelude::*;

/// Batches of megabytes are allocated and freed; glibc's allocator keeps the freed memory, mimalloc returns it to the
/// system.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod blktrace;
mod block_events;
mod block_recording;
mod block_rows;
mod call_rows;
mod cluster;
mod contents;
mod darshan;
mod disk;
mod given;
mod intake;
mod keys;
mod locks;
mod objects;
mod page_cache;
mod parallel_fs;
mod parquet;
mod policies;
mod sampling;
mod stack;
mod statistics;
mod stored;
mod stream;
mod trace_bytes;
mod ultrix;
mod write_cache;

#[pymodule]
mod native {
    #[pymodule_export]
    use super::blktrace::{BlktraceRun, BlockPairing};
    #[pymodule_export]
    use super::block_events::BlockEventText;
    #[pymodule_export]
    use super::block_recording::BlockRecordingRun;
    #[pymodule_export]
    use super::block_rows::{block_fields, block_limits, block_lines, block_records, neighbours, BlockRows};
    #[pymodule_export]
    use super::call_rows::{
        call_limits, recorder_arguments, recorder_lines, CallOrder, CallReferences, CallRows, DftracerEvents,
        DxtLog, UmdText,
    };
    #[pymodule_export]
    use super::cluster::{cluster_limits, ClusterSimulator, ClusterStop};
    #[pymodule_export]
    use super::contents::{ContentsFilter, Redaction};
    #[pymodule_export]
    use super::darshan::{darshan_counters, darshan_job, DarshanLog, DarshanTables};
    #[pymodule_export]
    use super::disk::{closed_loop_limits, Drive};
    #[pymodule_export]
    use super::intake::{check_model, first_bytes, write_strace, write_ultrix, SyscallRun};
    #[pymodule_export]
    use super::keys::{key_records, KeyNumbers, KeyRows};
    #[pymodule_export]
    use super::objects::{
        object_limits, object_policies, FlashLogCache, ObjectCaches, ObjectPolicyCaches, PrefixCaches,
    };
    #[pymodule_export]
    use super::page_cache::PageCaches;
    #[pymodule_export]
    use super::parallel_fs::{parallel_limits, parallel_words, ParallelProgram};
    #[pymodule_export]
    use super::parquet::{ParquetEncoder, ParquetLayout};
    #[pymodule_export]
    use super::policies::{cache_limits, policies, policies_of_files, policy_hits};
    #[pymodule_export]
    use super::sampling::{SampledCaches, SampledSlice};
    #[pymodule_export]
    use super::stack::{StackCurve, StackEngine, StackKeys, StackState};
    #[pymodule_export]
    use super::statistics::{interval_classes, wall_time, DiskStreamsPass, KeyAccessesPass, StatisticsPass};
    #[pymodule_export]
    use super::stored::{disk_uses, extremes, references_of_disks, touched_blocks};
    #[pymodule_export]
    use super::stream::{
        adaptive_partitions, disk_access_simulator, nonvolatile_simulator, nonvolatile_write_policies,
        policy_simulator, write_back_simulator, StreamSimulator,
    };
    #[pymodule_export]
    use super::trace_bytes::{trace_limits, TraceBytes};
    #[pymodule_export]
    use super::ultrix::ultrix_calls;
    #[pymodule_export]
    use super::write_cache::{write_cache_words, WriteCacheSimulator};
}
