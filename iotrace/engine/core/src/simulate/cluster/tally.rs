//! Counts for each application, node, phase and file.

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Counts of one application's requests from one node, in one phase, to one file.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Tally {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Tally {
            /// The counters' names, in the order of `values`.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            pub fn values(&self) -> Vec<u64> {
                vec![$(self.$name),*]
            }
        }
    };
}

counters! {
    reads,
    writes,
    sync_writes,
    read_bytes,
    written_bytes,
    /// Blocks that reads looked for in a local cache.
    local_look_ups,
    local_hits,
    /// Hits on blocks that were being fetched to the cache: the requests waited for them.
    local_delayed_hits,
    /// Blocks that bypassed the local cache by the bits.
    local_bypassed,
    /// Blocks written, and those that were cached.
    local_write_look_ups,
    local_write_hits,
    /// Writes buffered in a local cache, and those for which it had no free frames.
    buffered_writes,
    unbuffered_writes,
    local_evictions,
    /// Messages to the global cache.
    global_requests,
    global_look_ups,
    global_hits,
    /// Hits on blocks that were being fetched to the global cache.
    global_delayed_hits,
    /// Local misses that bypassed the global cache, by the bits or at its direction.
    global_bypassed,
    global_told,
    global_placed,
    global_not_placed,
    global_write_look_ups,
    global_write_hits,
    /// Blocks written that the global cache kept for its flusher or harvester.
    global_buffered_blocks,
    global_evictions,
    demoted_blocks,
    /// Hits on blocks that another application brought in.
    local_hits_of_others,
    global_hits_of_others,
    /// Messages to daemons.
    daemon_reads,
    /// With a clock: messages that take no disk time, because the daemon has read all their data ahead.
    daemon_reads_without_disk,
    daemon_writes,
    daemon_read_bytes,
    daemon_written_bytes,
    /// Bytes from the global cache to nodes, from daemons to it, and from daemons directly to nodes; then in reverse.
    global_to_node_bytes,
    daemon_to_global_bytes,
    daemon_to_node_bytes,
    node_to_global_bytes,
    global_to_daemon_bytes,
    node_to_daemon_bytes,
    demoted_bytes,
    /// Blocks that flushers and harvesters of local caches, and of global ones, sent on.
    flushed_blocks,
    global_flushed_blocks,
    /// Blocks read that were older than a write which had returned before the read was issued.
    stale_reads,
    /// Blocks read that are older than a `sync_write` to them: anything but 0 is a defect of the simulator.
    stale_after_sync,
    invalidations,
    invalidated_copies,
    /// Invalidated dirty copies, whose contents are lost.
    dropped_dirty,
    /// Flushed blocks that a `sync_write` had overtaken.
    overtaken_writes,
    io_ns,
    compute_ns,
    /// Opens and closes, which only the metadata server answers, and their time.
    metadata_requests,
    metadata_ns,
}
