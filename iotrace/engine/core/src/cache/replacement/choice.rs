//! The policies that can be chosen: a row for each.

use super::policy::Replacement;
use super::{
    arc, clock, fifo, greedy_dual, lfu, lirs, lru, lru_k, s3_fifo, sampled_lru, segmented_lru, sieve, two_q,
    w_tiny_lfu,
};
use crate::error::Error;
use crate::lists::{One, Weight};

/// A policy that can be chosen.
#[derive(Debug, PartialEq, Eq)]
pub struct Policy {
    /// Its name for users.
    pub name: &'static str,
    /// Which variant of it is simulated in caches of blocks; None if it is not. The defaults of libCacheSim are those of
    /// release 0.3.5.
    pub blocks: Option<&'static str>,
    /// Which variant of it is simulated in caches of objects with sizes; None if it is not.
    pub bytes: Option<&'static str>,
}

/// A cache to simulate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    pub policy: &'static Policy,
    /// Its size in blocks, or in bytes, at least 1.
    pub size: u64,
    /// The protected part of a segmented LRU cache.
    pub protected_percent: u32,
}

/// Builds a simulated cache around a policy, whichever it is.
pub trait CacheBuilder<W: Weight> {
    type Cache;

    fn build<P: Replacement<Weight = W> + Send + Sync + 'static>(self, policy: P) -> Self::Cache;
}

/// Declare the policies, one row each: the name, the variants in caches of blocks and of bytes, and the empty cache: that
/// of blocks, or of objects that weigh 1 (`unit`), and that of objects with sizes (`sized`). The optimum has none: it
/// needs the future.
macro_rules! policies {
    ($($name:literal: {
        $(blocks: $blocks:literal,)?
        $(bytes: $bytes:literal,)?
        $(unit: $unit:expr,)?
        $(sized: $sized:expr,)?
    })+) => {
        /// All policies.
        pub static POLICIES: &[Policy] = &[
            $(Policy { name: $name, blocks: option!($($blocks)?), bytes: option!($($bytes)?) },)+
        ];

        impl Choice {
            /// Build a cache of blocks, or of objects without sizes; None for the optimum.
            pub fn build<B: CacheBuilder<One>>(&self, builder: B) -> Option<B::Cache> {
                match self.policy.name {
                    $($($name => {
                        let new: fn(&Choice) -> _ = $unit;
                        Some(builder.build(new(self)))
                    })?)+
                    _ => None,
                }
            }

            /// Build a cache of objects with sizes; None for a policy of blocks only.
            pub fn build_sized<B: CacheBuilder<u64>>(&self, builder: B) -> Option<B::Cache> {
                match self.policy.name {
                    $($($name => {
                        let new: fn(&Choice) -> _ = $sized;
                        Some(builder.build(new(self)))
                    })?)+
                    _ => None,
                }
            }
        }
    };
}

macro_rules! option {
    () => {
        None
    };
    ($value:literal) => {
        Some($value)
    };
}

policies! {
    "lru": {
        blocks: "least recently used",
        bytes: "least recently used; with --ttl eager it evicts expired objects first",
        unit: |choice| lru::Lru::new(choice.size),
        sized: |choice| lru::Lru::new(choice.size),
    }
    "lru-k": {
        blocks: "LRU-K of 1993 with K = 2: evicts the block whose last reference but one lies furthest back, those with one \
            reference first; of equal ones the least recently used; every reference counts, and those of an evicted block \
            are remembered",
        bytes: "LRU-K of 1993 with K = 2: evicts the object whose last request but one lies furthest back, those with one \
            request first, whatever its size; of equal ones the least recently used; every request counts, and those of \
            an evicted object are remembered",
        unit: |choice| lru_k::LruK::<_, 2>::new(choice.size),
        sized: |choice| lru_k::LruK::<_, 2>::new(choice.size),
    }
    "slru": {
        blocks: "segmented LRU, two segments: protected (--protected percent of the blocks, 75, rounded down) and \
            probationary; misses enter probationary, hits move to protected, whose oldest block falls back to \
            probationary; eviction from probationary, which has no separate limit (libCacheSim: by default four equal \
            segments; each has a limit, and misses enter a higher one if only that has free space)",
        unit: |choice| segmented_lru::SegmentedLru::new(choice.size, choice.protected_percent),
    }
    "2q": {
        blocks: "2Q, full version: A1in 25 % of the blocks, A1out remembers 50 % (libCacheSim's defaults too)",
        unit: |choice| two_q::TwoQ::new(choice.size),
    }
    "arc": {
        blocks: "ARC of 2003, figure 4; it has no parameters",
        unit: |choice| arc::AdaptiveReplacement::new(choice.size),
    }
    "clock": {
        blocks: "one reference bit, which is set when a block enters and at each hit (libCacheSim: by default not set \
            when it enters)",
        bytes: "one reference bit, which is set when an object enters and at each hit (libCacheSim: by default not set \
            when it enters)",
        unit: |choice| clock::Clock::new(choice.size),
        sized: |choice| clock::SizedClock::new(choice.size),
    }
    "fifo": {
        blocks: "first in, first out",
        bytes: "first in, first out",
        unit: |choice| fifo::Fifo::new(choice.size),
        sized: |choice| fifo::Fifo::new(choice.size),
    }
    "lfu": {
        blocks: "counts uses since the block entered; of equal counts the least recently used is evicted",
        bytes: "counts requests since the object entered, whatever its size; of equal counts the least recently used is \
            evicted",
        unit: |choice| lfu::Lfu::new(choice.size),
        sized: |choice| lfu::Lfu::new(choice.size),
    }
    "s3-fifo": {
        blocks: "algorithm 1 of 2023: small queue 10 %, main 90 %, ghost as many identifiers as main holds; counters to \
            3; a block with two hits or more moves from small to main, with its counter cleared (libCacheSim: the same \
            parameters by default, but main is filled first until the first eviction and may then exceed 90 %)",
        bytes: "algorithm 1 of 2023 with sizes as weights: small queue 10 % of the bytes, main 90 %, ghost as many bytes \
            as main; counters to 3; an object with two hits or more moves from small to main (libCacheSim: no object \
            larger than the small queue is admitted, and main may exceed 90 %)",
        unit: |choice| s3_fifo::S3Fifo::new(choice.size),
        sized: |choice| s3_fifo::S3Fifo::new(choice.size),
    }
    "sieve": {
        blocks: "SIEVE of 2024: one queue; the visited bit is off when a block enters",
        bytes: "SIEVE of 2024: one queue; the visited bit is off when an object enters",
        unit: |choice| sieve::Sieve::new(choice.size),
        sized: |choice| sieve::Sieve::new(choice.size),
    }
    "lirs": {
        blocks: "LIRS of 2002; HIR blocks 1 % of the cache, at least one; the stack has at most twice as many blocks as \
            the cache, and then forgets the block that was evicted first (libCacheSim: the same parameters, but a hit of \
            a block that is only in the queue also demotes a LIR block and evicts one)",
        bytes: "LIRS of 2002 with sizes as weights: HIR objects have 1 % of the bytes, the stack at most twice those of \
            the cache; resident HIR objects are evicted until the one requested fits, and LIR objects become HIR if none \
            is left (libCacheSim: a hit of an object that is only in the queue also demotes a LIR object and evicts one)",
        unit: |choice| lirs::Lirs::new(choice.size),
        sized: |choice| lirs::Lirs::new(choice.size),
    }
    "w-tinylfu": {
        blocks: "W-TinyLFU of 2017: window 1 %, main a segmented LRU cache of 80 % protected and 20 % probationary; 4-bit \
            count-min sketch of four rows, halved after 10 references for each block of the cache; no doorkeeper, a fixed \
            window (Caffeine: the same sketch, but the window adapts; libCacheSim: another sketch, halved after 32)",
        bytes: "W-TinyLFU of 2017 with sizes as weights, as in Caffeine 3.1: window 1 % of the bytes, main 99 %, of which \
            80 % are protected; what leaves the window competes with one probationary object; the sketch is for the \
            number of objects cached (Caffeine: the window adapts; libCacheSim: no object larger than the window is \
            admitted, and the sketch is sized by bytes)",
        unit: |choice| w_tiny_lfu::WindowTinyLfu::new(choice.size),
        sized: |choice| w_tiny_lfu::WindowTinyLfu::new(choice.size),
    }
    "opt": {
        blocks: "Belady's optimum; of blocks that are never used again the least recently used is evicted",
    }
    "gdsf": {
        bytes: "greedy dual, size and frequency, of 1998: evicts the least of requests since it came in divided by its \
            size, plus the value last evicted; of equal ones the one set first",
        unit: |choice| greedy_dual::GreedyDual::new(choice.size),
        sized: |choice| greedy_dual::GreedyDual::new(choice.size),
    }
    "sampled-lru": {
        bytes: "LRU by samples, as Redis has it since version 3: five objects are drawn at each eviction, with a pool of \
            the 16 requested least recently; times are numbers of requests (Redis: seconds)",
        unit: |choice| sampled_lru::SampledLru::new(choice.size),
        sized: |choice| sampled_lru::SampledLru::new(choice.size),
    }
}

/// The page cache of Linux, which also fetches and writes back; implemented in `cache::linux`.
pub static PAGE_CACHE: Policy = Policy {
    name: "linux",
    blocks: Some(
        "the page cache of Linux, of system calls and 4-KB blocks: inactive and active list, refault distance, read-ahead \
         of 128 KB, dirty pages that are written in time; what is not cached when a request comes is a miss, and read-ahead \
         reads more (iotrace memory)",
    ),
    bytes: None,
};

impl Policy {
    /// The policy of blocks with this name.
    ///
    /// # Errors
    /// If there is none; the error lists them.
    pub fn of_blocks(name: &str) -> Result<&'static Policy, Error> {
        let of_blocks = || POLICIES.iter().filter(|policy| policy.blocks.is_some());
        of_blocks().find(|policy| policy.name == name).ok_or_else(|| {
            let names: Vec<_> = of_blocks().map(|policy| policy.name).collect();
            let (last, others) = names.split_last().unwrap_or((&"", &[]));
            Error::of(format!("a policy must be {} or {last}, not {name:?}", others.join(", ")))
        })
    }

    /// The policy of blocks of files with this name: one of blocks, or the page cache.
    ///
    /// # Errors
    /// If there is none; the error lists those of blocks.
    pub fn of_files(name: &str) -> Result<&'static Policy, Error> {
        if name == PAGE_CACHE.name {
            return Ok(&PAGE_CACHE);
        }
        Policy::of_blocks(name)
    }

    /// Whether it needs to know files, and which bytes of them are requested.
    pub fn needs_files(&self) -> bool {
        self.name == PAGE_CACHE.name
    }

    /// Whether it needs to know what is requested later.
    pub fn looks_ahead(&self) -> bool {
        self.name == "opt"
    }
}

impl Choice {
    /// # Errors
    /// For a cache without blocks, and a protected part that is more than the cache.
    pub fn check(&self) -> Result<(), Error> {
        let reason = if self.size == 0 {
            "a cache must have at least one block"
        } else if self.protected_percent > 100 {
            "the protected part of a segmented LRU cache must be 0 to 100 percent"
        } else {
            return Ok(());
        };
        Err(Error::of(reason))
    }
}
