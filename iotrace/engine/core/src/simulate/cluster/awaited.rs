//! Blocks that requests wait for.

/// The job that fetches a block, its application, and the block's index among the job's fetches.
#[derive(Clone, Copy, Debug)]
pub struct Fetch {
    pub job: u32,
    pub application: u32,
    /// The index in its transfer's `through`, followed by `bypass`.
    pub position: usize,
}

/// A block that a request waits for, and the versions that a read issued then must see.
#[derive(Clone, Copy, Debug)]
pub struct Awaited {
    pub fetch: Fetch,
    pub block: u32,
    /// The latest versions when the read was issued: of a write that had returned, and of a `sync_write`.
    pub returned: u32,
    pub synchronized: u32,
}
