//! Resources that requests queue for: each serves one at a time, in order of arrival.

use serde::Deserialize;

/// The network between nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// One medium shared by all.
    Hub,
    /// Each node has a separate link, and so does each server of the global cache for the data from daemons.
    Switch,
}

/// A link of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkId {
    /// The medium, or a node's link.
    Node(u32),
    /// The link of a server of the global cache.
    Server(u32),
}

/// One resource.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resource {
    free_at_ns: i64,
    pub busy_ns: i64,
    pub waited_ns: i128,
    pub served: u64,
}

impl Resource {
    /// A resource with these times.
    pub fn of(busy_ns: i64, waited_ns: i128, served: u64) -> Self {
        Resource { free_at_ns: 0, busy_ns, waited_ns, served }
    }

    /// Queue for a service from a time on; return the time of its end. Calls are in order of arrival.
    pub fn serve(&mut self, at_ns: i64, service_ns: i64) -> i64 {
        if service_ns == 0 {
            return at_ns;
        }
        let begin_ns = self.free_at_ns.max(at_ns);
        self.waited_ns += i128::from(begin_ns - at_ns);
        self.busy_ns = self.busy_ns.saturating_add(service_ns);
        self.served += 1;
        self.free_at_ns = begin_ns.saturating_add(service_ns);
        self.free_at_ns
    }

    /// The busy time up to a time, if its last services follow each other without a gap.
    pub fn busy_until_ns(&self, at_ns: i64) -> i64 {
        self.busy_ns - (self.free_at_ns - at_ns).clamp(0, self.busy_ns)
    }
}
