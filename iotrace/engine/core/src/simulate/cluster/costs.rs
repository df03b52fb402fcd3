//! The times of the parts of a request: one set of parameters, each term on a resource.
//!
//! The stages are those of `iotrace.simulate.cluster.costs`, which fitted the numbers to the paper's tables 1 and 2; a
//! single request takes exactly their sum.

use serde::Deserialize;

const KB: u64 = 1024;
/// The data that a daemon has read ahead of each part of a list of blocks.
const FIRST_BLOCK_BYTES: u64 = 4096;
/// The most that Linux reads ahead of a stream.
const READ_AHEAD_BYTES: u64 = 128 * KB;
/// What a copy of data leaves in the processor's level-2 cache of 256 KB.
const CACHED_BYTES: u64 = 64 * KB;

/// Nanoseconds, or nanoseconds for each 1024 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Components {
    pub local_look_up_ns: u64,
    pub read_hit_ns: u64,
    pub copy_ns_per_kb: u64,
    pub copy_beyond_cache_ns_per_kb: u64,
    pub scatter_ns_per_kb: u64,
    pub message_ns: u64,
    pub network_ns_per_kb: u64,
    pub stream_daemon_ns_per_kb: u64,
    pub stream_disk_ns_per_kb: u64,
    pub list_ns_per_kb: u64,
    pub global_look_up_ns: u64,
    pub metadata_ns: u64,
}

/// The nearest whole number to a sum over 1024, halves upwards; times end at the largest.
fn rounded(sum: u128) -> i64 {
    i64::try_from((2 * sum + u128::from(KB)) / u128::from(2 * KB)).unwrap_or(i64::MAX)
}

fn product(coefficient: u64, units: u64) -> u128 {
    u128::from(coefficient) * u128::from(units)
}

impl Components {
    /// The node's processor before a request goes anywhere: the look-up, and the messages that it sends.
    pub fn before_ns(&self, is_looked_up: bool, messages: u64) -> i64 {
        let looking = if is_looked_up { self.local_look_up_ns } else { 0 };
        rounded(product(looking, KB) + product(self.message_ns, KB) * u128::from(messages))
    }

    /// The node's processor after the data have arrived, for a request that used the local cache.
    pub fn after_ns(&self, bytes: u64, daemons: u32, is_read_hit: bool) -> i64 {
        let mut sum = product(self.copy_ns_per_kb, bytes);
        sum += product(self.copy_beyond_cache_ns_per_kb, bytes.saturating_sub(CACHED_BYTES));
        if daemons > 1 {
            sum += product(self.scatter_ns_per_kb, bytes);
        }
        if is_read_hit {
            sum += product(self.read_hit_ns, KB);
        }
        rounded(sum)
    }

    pub fn messages_ns(&self, count: u64) -> i64 {
        rounded(product(self.message_ns, KB) * u128::from(count))
    }

    pub fn network_ns(&self, bytes: u64) -> i64 {
        rounded(product(self.network_ns_per_kb, bytes))
    }

    pub fn look_up_ns(&self) -> i64 {
        rounded(product(self.global_look_up_ns, KB))
    }

    /// The metadata server, for an open or a close.
    pub fn metadata_ns(&self) -> i64 {
        rounded(product(self.metadata_ns, KB))
    }

    /// A daemon's processor for its part of a stream.
    pub fn stream_daemon_ns(&self, part: u64) -> i64 {
        rounded(product(self.stream_daemon_ns_per_kb, part))
    }

    /// Each disk for a stream, which all of them read ahead in equal parts.
    pub fn stream_disk_ns(&self, bytes: u64, daemons: u32) -> i64 {
        let sum = product(self.stream_disk_ns_per_kb, bytes.min(READ_AHEAD_BYTES));
        let denominator = u128::from(KB) * u128::from(daemons);
        i64::try_from((2 * sum + denominator) / (2 * denominator)).unwrap_or(i64::MAX)
    }

    /// Whether a daemon has read all of its part of a list of blocks ahead, so that its disk is not used.
    pub fn is_read_ahead(&self, part: u64) -> bool {
        part <= FIRST_BLOCK_BYTES
    }

    /// A disk, and its daemon, for its part of a list of blocks.
    pub fn list_ns(&self, part: u64) -> i64 {
        rounded(product(self.list_ns_per_kb, part.saturating_sub(FIRST_BLOCK_BYTES)))
    }
}
