//! The policies of caches of objects: their names, which variant of each is simulated, and their empty caches.

use super::blocks;
use super::lirs::Lirs;
use super::policies::{counted, Cache, Ranked};
use super::rankings::{Clock, Frequency, Queue, SampledLru, Sieve};
use super::s3_fifo::S3Fifo;
use super::sizes::Unit;
use super::w_tiny_lfu::WindowTinyLfu;
use crate::cache::policies::Kind;

type New = fn(u64) -> Box<dyn Cache>;

/// Policies of blocks with sizes as weights: names, variants, and the empty cache of a size.
const SIZED: [(&str, &str, New); 8] = [
    ("lru", "least recently used; with --ttl eager it evicts expired objects first", |size| {
        counted(Ranked::new(size, Queue::lru()))
    }),
    (
        "clock",
        "one reference bit, which is set when an object enters and at each hit (libCacheSim: by default not set when it \
         enters)",
        |size| counted(Ranked::new(size, Clock::default())),
    ),
    ("fifo", "first in, first out", |size| counted(Ranked::new(size, Queue::fifo()))),
    (
        "lfu",
        "counts requests since the object entered, whatever its size; of equal counts the least recently used is evicted",
        |size| counted(Ranked::new(size, Frequency::of_requests())),
    ),
    (
        "s3-fifo",
        "algorithm 1 of 2023 with sizes as weights: small queue 10 % of the bytes, main 90 %, ghost as many bytes as main; \
         counters to 3; an object with two hits or more moves from small to main (libCacheSim: no object larger than the \
         small queue is admitted, and main may exceed 90 %)",
        |size| counted(S3Fifo::new(size)),
    ),
    ("sieve", "SIEVE of 2024: one queue; the visited bit is off when an object enters", |size| {
        counted(Ranked::new(size, Sieve::default()))
    }),
    (
        "lirs",
        "LIRS of 2002 with sizes as weights: HIR objects have 1 % of the bytes, the stack at most twice those of the cache; \
         resident HIR objects are evicted until the one requested fits, and LIR objects become HIR if none is left \
         (libCacheSim: a hit of an object that is only in the queue also demotes a LIR object and evicts one)",
        |size| counted(Lirs::new(size)),
    ),
    (
        "w-tinylfu",
        "W-TinyLFU of 2017 with sizes as weights, as in Caffeine 3.1: window 1 % of the bytes, main 99 %, of which 80 % \
         are protected; what leaves the window competes with one probationary object; the sketch is for the number of \
         objects cached (Caffeine: the window adapts; libCacheSim: no object larger than the window is admitted, and \
         the sketch is sized by bytes)",
        |size| counted(WindowTinyLfu::new(size)),
    ),
];
/// Policies that blocks do not have.
const FURTHER: [(&str, &str, New); 2] = [
    (
        "gdsf",
        "greedy dual, size and frequency, of 1998: evicts the least of requests since it came in divided by its size, \
         plus the value last evicted; of equal ones the one set first",
        |size| counted(Ranked::new(size, Frequency::by_size())),
    ),
    (
        "sampled-lru",
        "LRU by samples, as Redis has it since version 3: five objects are drawn at each eviction, with a pool of the 16 \
         requested least recently; times are numbers of requests (Redis: seconds)",
        |size| counted(Ranked::new(size, SampledLru::default())),
    ),
];

/// The policies of caches whose sizes are in a unit: names, and which variant of each is simulated.
pub fn policies(unit: Unit) -> Vec<(&'static str, &'static str)> {
    let blocks =
        Kind::ALL.iter().filter(|&&kind| kind != Kind::Opt).map(|kind| (kind.name(), kind.variant()));
    let further = FURTHER.iter().map(|&(name, variant, _)| (name, variant));
    match unit {
        Unit::Objects => blocks.chain(further).collect(),
        Unit::Bytes => SIZED.iter().map(|&(name, variant, _)| (name, variant)).chain(further).collect(),
    }
}

/// An empty cache of a policy by its name; None if there is none for caches sized in that unit.
pub fn cache(policy: &str, unit: Unit, size: u64) -> Option<Box<dyn Cache>> {
    let of = |rows: &[(&str, &str, New)]| rows.iter().find(|row| row.0 == policy).map(|row| (row.2)(size));
    of(&FURTHER).or_else(|| match unit {
        Unit::Objects => blocks::cache(policy, size),
        Unit::Bytes => of(&SIZED),
    })
}
