//! The policies that can be chosen: a row for each.

use super::policy::Policy;
use super::simulation::{Simulated, Simulation};
use super::{arc, clock, fifo, lfu, lirs, lru, s3_fifo, segmented_lru, sieve, two_q, w_tiny_lfu};
use crate::error::Error;
use serde::Deserialize;

/// What is made of the empty cache of a policy, whichever it is.
pub trait Make {
    type Made;

    fn make<P: Policy + Send + Sync + 'static>(self, policy: P) -> Self::Made;
}

/// A simulation over the tape, of this number of blocks.
struct OverTheTape(u32);

impl Make for OverTheTape {
    type Made = Box<dyn Simulated>;

    fn make<P: Policy + Send + Sync + 'static>(self, policy: P) -> Self::Made {
        Box::new(Simulation::new(self.0, policy))
    }
}

/// Declare the policies, one row each: the variant that is simulated, its name in code and for users, and its empty
/// cache, unless that needs the future.
macro_rules! policies {
    ($($(#[doc = $variant:literal])+ $kind:ident = $name:literal $(, $new:expr)?;)+) => {
        /// A policy.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
        pub enum Kind {
            $($(#[doc = $variant])+ #[serde(rename = $name)] $kind,)+
        }

        impl Kind {
            /// All of them.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind),+];

            /// Its name for users.
            pub fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name,)+
                }
            }

            /// Which variant of it is simulated; the defaults of libCacheSim are those of release 0.3.5.
            pub fn variant(self) -> &'static str {
                match self {
                    $(Kind::$kind => concat!($($variant),+).trim_start(),)+
                }
            }
        }

        impl Choice {
            /// What is made of the empty cache; None for the optimum, which needs the future.
            pub fn make<M: Make>(&self, make: M) -> Option<M::Made> {
                match self.kind {
                    $(Kind::$kind => policies!(@make self, make $(, $new)?),)+
                }
            }
        }
    };
    (@make $choice:expr, $make:expr) => { None };
    (@make $choice:expr, $make:expr, $new:expr) => {{
        let new: fn(&Choice) -> _ = $new;
        Some($make.make(new($choice)))
    }};
}

policies! {
    /// least recently used
    Lru = "lru", |choice| lru::Lru::new(choice.size_blocks);
    /// segmented LRU, two segments: protected (--protected percent of the blocks, 75, rounded down) and probationary;
    /// misses enter probationary, hits move to protected, whose oldest block falls back to probationary; eviction from
    /// probationary, which has no separate limit (libCacheSim: by default four equal segments; each has a limit, and
    /// misses enter a higher one if only that has free space)
    SegmentedLru = "slru",
        |choice| segmented_lru::SegmentedLru::new(choice.size_blocks, choice.protected_percent);
    /// 2Q, full version: A1in 25 % of the blocks, A1out remembers 50 % (libCacheSim's defaults too)
    TwoQ = "2q", |choice| two_q::TwoQ::new(choice.size_blocks);
    /// ARC of 2003, figure 4; it has no parameters
    Arc = "arc", |choice| arc::AdaptiveReplacement::new(choice.size_blocks);
    /// one reference bit, which is set when a block enters and at each hit (libCacheSim: by default not set when it
    /// enters)
    Clock = "clock", |choice| clock::Clock::new(choice.size_blocks);
    /// first in, first out
    Fifo = "fifo", |choice| fifo::Fifo::new(choice.size_blocks);
    /// counts uses since the block entered; of equal counts the least recently used is evicted
    Lfu = "lfu", |choice| lfu::Lfu::new(choice.size_blocks);
    /// algorithm 1 of 2023: small queue 10 %, main 90 %, ghost as many identifiers as main holds; counters to 3; a
    /// block with two hits or more moves from small to main, with its counter cleared (libCacheSim: the same
    /// parameters by default, but main is filled first until the first eviction and may then exceed 90 %)
    S3Fifo = "s3-fifo", |choice| s3_fifo::S3Fifo::new(choice.size_blocks);
    /// SIEVE of 2024: one queue; the visited bit is off when a block enters
    Sieve = "sieve", |choice| sieve::Sieve::new(choice.size_blocks);
    /// LIRS of 2002; HIR blocks 1 % of the cache, at least one; the stack has at most twice as many blocks as the cache,
    /// and then forgets the block that was evicted first (libCacheSim: the same parameters, but a hit of a block that is
    /// only in the queue also demotes a LIR block and evicts one)
    Lirs = "lirs", |choice| lirs::Lirs::new(choice.size_blocks);
    /// W-TinyLFU of 2017: window 1 %, main a segmented LRU cache of 80 % protected and 20 % probationary; 4-bit count-min
    /// sketch of four rows, halved after 10 references for each block of the cache; no doorkeeper, a fixed window
    /// (Caffeine: the same sketch, but the window adapts; libCacheSim: another sketch, halved after 32)
    WTinyLfu = "w-tinylfu", |choice| w_tiny_lfu::WindowTinyLfu::new(choice.size_blocks);
    /// Belady's optimum; of blocks that are never used again the least recently used is evicted
    Opt = "opt";
}

/// A cache to simulate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Its policy.
    pub kind: Kind,
    /// Its size in blocks, at least 1.
    pub size_blocks: u32,
    /// The protected part of a segmented LRU cache.
    pub protected_percent: u32,
}

impl Choice {
    /// The empty cache; None for the optimum, which needs the future.
    pub(super) fn cache(&self) -> Option<Box<dyn Simulated>> {
        self.make(OverTheTape(self.size_blocks))
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let reason = if self.size_blocks == 0 {
            "a cache must have at least one block"
        } else if self.protected_percent > 100 {
            "the protected part of a segmented LRU cache must be 0 to 100 percent"
        } else {
            return Ok(());
        };
        Err(Error::of(reason))
    }
}
