//! What requests queue for: each serves one at a time, in the order in which they come.

use serde::Deserialize;

/// How nodes are wired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// One medium for all.
    Hub,
    /// Each node, and each server of the global cache for what daemons send it, has a link of its own.
    Switch,
}

/// One resource.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resource {
    free_at_ns: i64,
    pub busy_ns: i64,
    pub waited_ns: i64,
    pub served: u64,
}

impl Resource {
    /// Queue for so long a service from a time on; return when it ends. Those who come later call later.
    pub fn serve(&mut self, at_ns: i64, service_ns: i64) -> i64 {
        if service_ns == 0 {
            return at_ns;
        }
        let begin_ns = self.free_at_ns.max(at_ns);
        self.waited_ns = self.waited_ns.saturating_add(begin_ns - at_ns);
        self.busy_ns = self.busy_ns.saturating_add(service_ns);
        self.served += 1;
        self.free_at_ns = begin_ns.saturating_add(service_ns);
        self.free_at_ns
    }

    /// How long it was busy up to a time, if its last services are without a gap.
    pub fn busy_until_ns(&self, at_ns: i64) -> i64 {
        self.busy_ns - (self.free_at_ns - at_ns).clamp(0, self.busy_ns)
    }
}
