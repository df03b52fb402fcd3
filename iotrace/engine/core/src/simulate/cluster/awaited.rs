//! Blocks that requests wait for.

/// The job that fetches a block, for whom, and where the block is among what it fetches.
#[derive(Clone, Copy, Debug)]
pub struct Fetch {
    pub job: u32,
    pub application: u32,
    /// The place in its transfer's `through`, or, after all of these, in `round`.
    pub position: usize,
}

/// A block that a request waits for, and what a read issued then has to see.
#[derive(Clone, Copy, Debug)]
pub struct Awaited {
    pub fetch: Fetch,
    pub block: u32,
    /// The latest versions when the read was issued: of a write that had returned, and of a `sync_write`.
    pub returned: u32,
    pub synchronized: u32,
}
