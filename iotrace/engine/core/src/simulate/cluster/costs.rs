//! The times of the parts of a request: one set of parameters, each term on a resource.
//!
//! The stages are those of `iotrace.simulate.cluster.costs`, which fitted the numbers to the paper's tables 1 and 2; a
//! single request takes exactly their sum.

use serde::Deserialize;

const KB: u64 = 1024;
/// The data that the daemon's kernel has read ahead of each part.
const READ_AHEAD_BYTES: u64 = 4096;

/// Nanoseconds, or nanoseconds for each 1024 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Components {
    pub call_ns: u64,
    pub local_look_up_ns: u64,
    pub read_hit_ns: u64,
    pub write_buffer_ns: u64,
    pub copy_ns_per_kb: u64,
    pub scatter_ns_per_kb: u64,
    pub stripe_ns: u64,
    pub message_ns: u64,
    pub network_ns_per_kb: u64,
    pub global_look_up_ns: u64,
    pub amass_ns_per_kb: u64,
    pub daemon_ns: u64,
    pub daemon_ns_per_kb: u64,
    pub disk_ns_per_kb: u64,
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
    /// The node's processor before a request goes anywhere.
    pub fn before_ns(&self, is_looked_up: bool) -> i64 {
        let looking = if is_looked_up { self.local_look_up_ns } else { 0 };
        rounded(product(self.call_ns + looking, KB))
    }

    /// The node's processor after the data have arrived, for a request that used the local cache.
    pub fn after_ns(&self, bytes: u64, stripes: u64, daemons: u32, end: End) -> i64 {
        let mut sum = product(self.copy_ns_per_kb, bytes);
        if daemons > 1 {
            sum += product(self.scatter_ns_per_kb, bytes);
            sum += product(self.stripe_ns, KB) * u128::from(stripes.saturating_sub(1));
        }
        sum += match end {
            End::ReadHit => product(self.read_hit_ns, KB),
            End::Buffered => product(self.write_buffer_ns, KB),
            End::Elsewhere => 0,
        };
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

    pub fn amass_ns(&self, bytes: u64) -> i64 {
        rounded(product(self.amass_ns_per_kb, bytes))
    }

    /// A daemon's processor for its part of a read.
    pub fn daemon_ns(&self, bytes: u64) -> i64 {
        rounded(product(self.daemon_ns, KB) + product(self.daemon_ns_per_kb, bytes))
    }

    /// Whether a daemon has read all of a part ahead, so that its disk is not used.
    pub fn is_read_ahead(&self, bytes: u64) -> bool {
        bytes <= READ_AHEAD_BYTES
    }

    /// Its disk; the request waits for the fraction `share` of its time.
    pub fn disk_ns(&self, bytes: u64, share: (u64, u64)) -> i64 {
        let beyond = bytes.saturating_sub(READ_AHEAD_BYTES);
        let sum = product(self.disk_ns_per_kb, beyond) * u128::from(share.0);
        let denominator = u128::from(KB) * u128::from(share.1);
        i64::try_from((2 * sum + denominator) / (2 * denominator)).unwrap_or(i64::MAX)
    }
}

/// The end of a request at its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    ReadHit,
    Buffered,
    Elsewhere,
}
