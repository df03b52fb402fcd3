//! Caches of the prefixes of prompts: blocks of keys and values that are of use only with all blocks before them.
//!
//! A request names the blocks of its prompt from the first on. It is served by its longest head of blocks that are all in
//! the cache. Then it touches its blocks from the last to the first, so that a block is more recent than those after it:
//! an LRU cache evicts the ends of prompts first, and what it holds are prefixes. All caches share one stack; a block is
//! hit in those of at least the largest depth up to it, before the request touches anything.

use super::sizes::Sizes;
use crate::cache::stack_distance::{Interner, Reads};
use crate::columns::{optional_column, table, whole_column};
use crate::error::Error;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, PrimitiveArray, RecordBatch};

/// What the requests hit in caches of some depth or more.
#[derive(Debug, Clone, Copy, Default)]
struct Served {
    /// Requests all of whose blocks are hit, and those with any.
    whole: u64,
    some: u64,
    blocks: u64,
    bytes: u64,
}

impl Served {
    fn plus(self, other: Served) -> Served {
        Served {
            whole: self.whole + other.whole,
            some: self.some + other.some,
            blocks: self.blocks + other.blocks,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// LRU caches of all sizes, in blocks.
#[derive(Debug)]
pub struct PrefixCurve {
    sizes: Sizes,
    interner: Interner,
    reads: Reads,
    /// By depth.
    served: Vec<Served>,
    all: Served,
    /// The request that has begun, and its blocks and their bytes so far.
    request: Option<i64>,
    keys: Vec<u64>,
    bytes: Vec<u64>,
    numbers: Vec<u32>,
}

impl PrefixCurve {
    /// Curves for sizes in blocks; None: eight to each doubling.
    ///
    /// # Errors
    /// For a size of 0.
    pub fn new(sizes: Option<Vec<u64>>) -> Result<Self, Error> {
        if sizes.iter().flatten().any(|&size| size == 0) {
            return Err(Error::of("a cache has at least 1 block"));
        }
        Ok(PrefixCurve {
            sizes: sizes.map_or_else(Sizes::grid, Sizes::chosen),
            interner: Interner::default(),
            reads: Reads::default(),
            served: Vec::new(),
            all: Served::default(),
            request: None,
            keys: Vec::new(),
            bytes: Vec::new(),
            numbers: Vec::new(),
        })
    }

    /// Take the next rows: a block each. Rows that follow each other with the same number in column request are one
    /// request.
    ///
    /// # Errors
    /// For columns that are missing, of another type or with nulls, for negative sizes, and for too many distinct blocks.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let keys: &PrimitiveArray<UInt64Type> = whole_column(batch, "key")?;
        let requests: &PrimitiveArray<Int64Type> = whole_column(batch, "request")?;
        let sizes: Option<&PrimitiveArray<Int64Type>> = optional_column(batch, "size")?;
        for (row, (&key, &request)) in keys.values().iter().zip(requests.values()).enumerate() {
            if self.request != Some(request) {
                self.finish_request()?;
                self.request = Some(request);
            }
            let size = sizes.map_or(0, |sizes| if sizes.is_valid(row) { sizes.value(row) } else { 0 });
            let size =
                u64::try_from(size).map_err(|_| Error::of(format!("a block has a size of {size} bytes")))?;
            self.keys.push(key);
            self.bytes.push(size);
        }
        Ok(())
    }

    /// Count the request that has begun, and let it touch its blocks.
    fn finish_request(&mut self) -> Result<(), Error> {
        if self.keys.is_empty() {
            return Ok(());
        }
        self.numbers.resize(self.keys.len(), 0);
        let known = self.interner.len() as u32;
        self.interner
            .numbers(&self.keys, &mut self.numbers)
            .ok_or_else(|| Error::of("more than 2,147,483,647 distinct blocks"))?;
        self.serve(known);
        self.numbers.reverse();
        self.reads.push(&self.numbers)?;
        self.all = self.all.plus(Served {
            whole: 1,
            some: 1,
            blocks: self.keys.len() as u64,
            bytes: self.bytes.iter().sum(),
        });
        self.keys.clear();
        self.bytes.clear();
        Ok(())
    }

    /// Count what is hit, at the depths from which on it is.
    fn serve(&mut self, known: u32) {
        let objects = self.interner.len();
        self.served.resize((objects + 1).max(self.served.len()), Served::default());
        for &number in &self.numbers {
            self.reads.prefetch_entry(number);
        }
        let mut deepest = 0;
        for (place, (&number, &bytes)) in self.numbers.iter().zip(&self.bytes).enumerate() {
            if number >= known {
                return;
            }
            deepest = deepest.max(self.reads.depth(number));
            let served = &mut self.served[deepest as usize];
            served.some += u64::from(place == 0);
            served.blocks += 1;
            served.bytes += bytes;
        }
        self.served[deepest as usize].whole += 1;
    }

    /// A row for each size, in ascending order; of sizes that nobody chose, up to the first that hits as much as all.
    ///
    /// # Errors
    /// If Arrow rejects a column, and for what `push` refuses.
    pub fn finish(&mut self) -> Result<RecordBatch, Error> {
        self.finish_request()?;
        let last = self.served.iter().rposition(|served| served.blocks > 0).unwrap_or(0) as u64;
        let shown =
            if self.sizes.are_chosen() { self.sizes.all().len() } else { self.sizes.place(last.max(1)) + 1 };
        let (mut sum, mut depth) = (Served::default(), 0);
        let sizes = self.sizes.all()[..shown].iter();
        let rows: Vec<(u64, Served)> = sizes
            .map(|&size| {
                let end = self
                    .served
                    .len()
                    .min(usize::try_from(size).map_or(usize::MAX, |size| size.saturating_add(1)));
                while depth < end {
                    sum = sum.plus(self.served[depth]);
                    depth += 1;
                }
                (size, sum)
            })
            .collect();
        let all = self.all;
        let table = table!(rows.iter(), |(size, served)| {
            size: u64 = *size,
            requests: u64 = all.whole,
            request_misses: u64 = all.whole - served.whole,
            requests_without_hit: u64 = all.some - served.some,
            blocks: u64 = all.blocks,
            block_misses: u64 = all.blocks - served.blocks,
            bytes: u64 = all.bytes,
            byte_misses: u64 = all.bytes - served.bytes,
        });
        Ok(table.batch()?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::PrefixCurve;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int64Type, UInt64Type};
    use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// Requests, those that hit wholly, those that hit at all, blocks and hits of them, in one cache kept as a list.
    fn cache(requests: &[Vec<u64>], size: usize) -> [u64; 5] {
        let (mut list, mut counts) = (Vec::<u64>::new(), [0; 5]);
        for request in requests {
            let hits = request.iter().take_while(|&block| list.contains(block)).count();
            let whole = u64::from(hits == request.len());
            let (blocks, some) = (request.len() as u64, u64::from(hits > 0));
            for block in request.iter().rev() {
                list.retain(|other| other != block);
                list.insert(0, *block);
                list.truncate(size);
            }
            for (count, more) in counts.iter_mut().zip([1, whole, some, blocks, hits as u64]) {
                *count += more;
            }
        }
        counts
    }

    proptest! {
        /// Prompts share their first blocks, or name any blocks.
        #[test]
        fn counts_are_those_of_a_list(
            prompts in prop::collection::vec((0..6_u64, 1..9_usize, 0..4_u64, any::<bool>()), 1..120),
            sizes in prop::option::of(prop::collection::vec(1..90_u64, 1..9)),
            chunk in 1..50_usize,
        ) {
            let block = |(who, _, turn, any): (u64, usize, u64, bool), place: u64| {
                if any { (place * 7 + who) % 11 } else { 100 * who + 20 * (turn * u64::from(place > 2)) + place }
            };
            let requests: Vec<Vec<u64>> = prompts
                .iter()
                .map(|&prompt| (0..prompt.1 as u64).map(|place| block(prompt, place)).collect())
                .collect();
            let mut curve = PrefixCurve::new(sizes).unwrap();
            let rows: Vec<(u64, i64)> =
                requests.iter().zip(0..).flat_map(|(one, request)| one.iter().map(move |&key| (key, request))).collect();
            for rows in rows.chunks(chunk) {
                let keys = PrimitiveArray::<UInt64Type>::from_iter_values(rows.iter().map(|row| row.0));
                let requests = PrimitiveArray::<Int64Type>::from_iter_values(rows.iter().map(|row| row.1));
                let columns: [(&str, ArrayRef); 2] = [("key", Arc::new(keys)), ("request", Arc::new(requests))];
                curve.push(&RecordBatch::try_from_iter(columns).unwrap()).unwrap();
            }
            let table = curve.finish().unwrap();
            for row in 0..table.num_rows() {
                let column = |name| table.column_by_name(name).unwrap().as_primitive::<Int64Type>().value(row) as u64;
                let [all, whole, some, blocks, hits] = cache(&requests, column("size") as usize);
                let found = ["requests", "request_misses", "requests_without_hit", "blocks", "block_misses"].map(column);
                prop_assert_eq!(found, [all, all - whole, all - some, blocks, blocks - hits]);
            }
        }
    }
}
