//! S3-FIFO.

use super::policy::{as_lists_do, Access, Replacement};
use crate::lists::{Lists, Weight};

const SMALL: u32 = 1;
const MAIN: u32 = 2;
const GHOST: u32 = 3;

/// S3-FIFO (Yang, Zhang, Qiu, Yue and Rashmi, SOSP 2023, algorithm 1): a small FIFO queue S of 10 % of the cache, a
/// main one M of the rest, and a ghost queue G that remembers as many identifiers as M holds objects. Two bits per
/// object count its hits.
///
/// ```text
/// READ(x):   x in S or M: x.freq = min(x.freq + 1, 3); else INSERT(x), x.freq = 0
/// INSERT(x): while the cache is full, EVICT(). x in G: insert x at the head of M; else at the head of S
/// EVICT():   S.size ≥ 0.1 × cache size: EVICT_S(); else EVICT_M()
/// EVICT_S(): until one is evicted or S is empty: t = tail of S;
///            t.freq > 1: insert t into M, and if M is full, EVICT_M();
///            else insert t into G: evicted. Remove t from S
/// EVICT_M(): until one is evicted or M is empty: t = tail of M;
///            t.freq > 0: insert t at the head of M, t.freq = t.freq − 1; else remove t: evicted
/// ```
///
/// The text adds that an object's access bits are cleared when it moves to M. M counts as full, here, with more than
/// 90 % of the cache; so two objects may be evicted for one. An object that is referenced again leaves G.
///
/// libCacheSim (0.3.5) has the same parameters by default (10 %, 90 %, two hits), but until the first eviction it puts
/// objects that do not fit into S into M, lets M later grow beyond its part, and removes an object from G before the
/// eviction that frees its space.
///
/// With sizes, weights take the place of numbers of blocks: queues are limited by what they weigh, and S is evicted from
/// also where M is empty. libCacheSim then admits no object larger than S.
#[derive(Debug)]
pub struct S3Fifo<W> {
    size: u64,
    /// A tenth of the cache, rounded up, and nine tenths, rounded down.
    least_small: u64,
    most_main: u64,
    lists: Lists<W>,
}

impl<W: Weight> S3Fifo<W> {
    /// An empty cache with this capacity.
    pub fn new(size: u64) -> Self {
        let least_small = size.div_ceil(10);
        S3Fifo { size, least_small, most_main: size - least_small, lists: Lists::default() }
    }

    /// Evict until no more than `most` is cached.
    #[inline(always)]
    fn shrink(&mut self, most: u64, evicted: &mut impl FnMut(u32)) {
        while self.lists.sum(SMALL) + self.lists.sum(MAIN) > most {
            if self.lists.sum(SMALL) >= self.least_small || self.lists.oldest(MAIN).is_none() {
                self.evict_small(evicted);
            } else {
                self.evict_main(evicted);
            }
        }
    }

    #[inline(always)]
    fn evict_small(&mut self, evicted: &mut impl FnMut(u32)) {
        while let Some(block) = self.lists.take_oldest(SMALL) {
            if *self.lists.mark(block) <= 1 {
                evicted(block);
                self.lists.put_in(GHOST, block);
                self.lists.shrink(GHOST, self.most_main, |_| {});
                return;
            }
            *self.lists.mark(block) = 0;
            self.lists.put_in(MAIN, block);
            while self.lists.sum(MAIN) > self.most_main {
                self.evict_main(evicted);
                if W::UNIT {
                    break;
                }
            }
        }
    }

    #[inline(always)]
    fn evict_main(&mut self, evicted: &mut impl FnMut(u32)) {
        while let Some(block) = self.lists.oldest(MAIN) {
            let uses = self.lists.mark(block);
            if *uses == 0 {
                self.lists.take_out(block);
                return evicted(block);
            }
            *uses -= 1;
            self.lists.renew(block);
        }
    }
}

impl<W: Weight> Replacement for S3Fifo<W> {
    type Weight = W;

    as_lists_do!(prepare, prefetch_entry, remove);

    #[inline(always)]
    fn contains(&self, number: u32) -> bool {
        matches!(self.lists.list_of(number), SMALL | MAIN)
    }

    #[inline(always)]
    fn hit(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        let uses = self.lists.mark(access.number);
        *uses = (*uses + 1).min(3);
        if self.lists.weigh(access.number, access.weight) < access.weight {
            self.shrink(self.size, evicted);
        }
    }

    #[inline(always)]
    fn miss(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        self.shrink(self.size - access.weight.get(), evicted);
        let remembered = self.lists.list_of(access.number) == GHOST;
        self.lists.take_out(access.number);
        self.lists.weigh(access.number, access.weight);
        self.lists.put_in(if remembered { MAIN } else { SMALL }, access.number);
        *self.lists.mark(access.number) = 0;
    }
}
