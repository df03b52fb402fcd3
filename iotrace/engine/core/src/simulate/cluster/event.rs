//! What happens on the clock: events, and the steps of jobs.

use super::job::MetadataStage;
use super::machine::CacheId;
use super::resources::LinkId;

/// The events of the simulation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// A process continues.
    Process(u32),
    /// The flusher of a cache wakes.
    Flush(CacheId),
    /// A step of a job has ended.
    Step(u32, Step),
    /// A turn on a link has ended.
    Turn(LinkId),
    /// A process's request of the metadata server has passed this stage.
    Metadata(u32, MetadataStage),
}

/// Steps, named by what is complete when they end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Begun,
    GlobalAsked,
    GlobalLookedUp,
    /// Daemons before this one have sent the global cache their parts.
    DaemonsBefore(u32),
    /// The messages of a flusher, harvester or demotion have been made.
    MessagesSent,
    MissedCame,
    ForwardMade,
    Forwarded,
    DaemonsAsked,
    DaemonsServed,
    WrittenBypassing,
    WrittenOn,
    /// The daemons have blocks that the global cache wrote back.
    WrittenBack,
    /// The global cache has answered.
    GlobalAnswered,
    /// A branch of a transfer, through the global cache or bypassing it, is complete.
    Branch,
    Ended,
}
