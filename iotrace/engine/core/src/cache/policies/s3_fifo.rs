//! S3-FIFO.

use super::policy::{as_lists_do, Policy};
use crate::lists::Lists;

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
#[derive(Debug)]
pub struct S3Fifo {
    size: u32,
    lists: Lists,
}

impl S3Fifo {
    /// An empty cache with a capacity of `size` blocks.
    pub fn new(size: u32) -> Self {
        S3Fifo { size, lists: Lists::default() }
    }

    /// Nine tenths of the cache.
    fn is_beyond_main(&self, blocks: u32) -> bool {
        10 * u64::from(blocks) > 9 * u64::from(self.size)
    }

    #[inline(always)]
    fn evict(&mut self, expel: &mut impl FnMut(u32)) {
        if 10 * u64::from(self.lists.len(SMALL)) >= u64::from(self.size) {
            self.evict_small(expel);
        } else {
            self.evict_main(expel);
        }
    }

    #[inline(always)]
    fn evict_small(&mut self, expel: &mut impl FnMut(u32)) {
        while let Some(block) = self.lists.take_oldest(SMALL) {
            if *self.lists.mark(block) <= 1 {
                expel(block);
                self.lists.put_in(GHOST, block);
                if self.is_beyond_main(self.lists.len(GHOST)) {
                    self.lists.take_oldest(GHOST);
                }
                return;
            }
            *self.lists.mark(block) = 0;
            self.lists.put_in(MAIN, block);
            if self.is_beyond_main(self.lists.len(MAIN)) {
                self.evict_main(expel);
            }
        }
    }

    #[inline(always)]
    fn evict_main(&mut self, expel: &mut impl FnMut(u32)) {
        while let Some(block) = self.lists.oldest(MAIN) {
            let uses = self.lists.mark(block);
            if *uses == 0 {
                self.lists.take_out(block);
                return expel(block);
            }
            *uses -= 1;
            self.lists.renew(block);
        }
    }
}

impl Policy for S3Fifo {
    as_lists_do!(prepare, look_ahead, remove);

    #[inline(always)]
    fn hit(&mut self, block: u32) -> bool {
        let hit = matches!(self.lists.list_of(block), SMALL | MAIN);
        if hit {
            let uses = self.lists.mark(block);
            *uses = (*uses + 1).min(3);
        }
        hit
    }

    #[inline(always)]
    fn miss(&mut self, block: u32, expel: &mut impl FnMut(u32)) {
        while self.lists.len(SMALL) + self.lists.len(MAIN) >= self.size {
            self.evict(expel);
        }
        let remembered = self.lists.list_of(block) == GHOST;
        self.lists.take_out(block);
        self.lists.put_in(if remembered { MAIN } else { SMALL }, block);
        *self.lists.mark(block) = 0;
    }
}
