//! What a request to a disk does with its blocks.

/// Whether a request reads or writes, if the trace says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    Read,
    Write,
    Unknown,
}

impl Way {
    pub const ALL: [Way; 3] = [Way::Read, Way::Write, Way::Unknown];

    pub fn of(writes: Option<bool>) -> Self {
        match writes {
            Some(false) => Way::Read,
            Some(true) => Way::Write,
            None => Way::Unknown,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Way::Read => "read",
            Way::Write => "write",
            Way::Unknown => "unknown",
        }
    }
}
