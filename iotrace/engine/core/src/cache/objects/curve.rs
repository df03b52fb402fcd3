//! Curves over a stream of requests for objects.

use super::events::Intake;
use super::expiry::Expiry;
use super::pass::{Pass, MOST_BYTES};
use super::sizes::{Sizes, Unit};
use crate::columns::table;
use crate::error::Error;
use arrow_array::RecordBatch;
use serde::Deserialize;

/// What is computed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub unit: Unit,
    /// The cache sizes; None: eight to each doubling.
    pub sizes: Option<Vec<u64>>,
    pub expiry: Expiry,
    /// Whether requests are counted by tenant, all in the same caches.
    pub by_tenant: bool,
    /// Whether the caches write back.
    pub writes: bool,
}

/// LRU caches of many sizes over the same requests.
#[derive(Debug)]
pub struct ObjectCurve {
    by_tenant: bool,
    intake: Intake,
    pass: Pass,
}

impl ObjectCurve {
    /// # Errors
    /// For a size of 0, or one above 2⁶², and for writes of objects that expire.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        let Settings { unit, sizes, expiry, by_tenant, writes } = settings;
        if sizes.iter().flatten().any(|&size| size == 0 || size > MOST_BYTES) {
            return Err(Error::of("the size of a cache is 1 to 4,611,686,018,427,387,904"));
        }
        if writes && expiry != Expiry::Ignore {
            return Err(Error::of("caches that write back do not let objects expire"));
        }
        let sizes = sizes.map_or_else(Sizes::grid, Sizes::chosen);
        Ok(ObjectCurve {
            by_tenant,
            intake: Intake::new(expiry, by_tenant),
            pass: Pass::new(unit, sizes, writes),
        })
    }

    /// Take the next requests.
    ///
    /// # Errors
    /// For columns that are missing, of another type or with nulls; for more objects or bytes than can be counted. Some of
    /// the requests may have been taken then.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let pass = &mut self.pass;
        self.intake.read(batch, |events, objects| pass.take(events, objects))
    }

    /// Requests for objects whose size neither they nor an earlier request states.
    pub fn without_size(&self) -> u64 {
        self.pass.without_size()
    }

    /// A row for each tenant and size, in ascending order. Of sizes that nobody chose, those are left out that are smaller
    /// than the largest object (except for powers of two from 2²⁰), and those above the first that hits as much as all.
    ///
    /// # Errors
    /// If Arrow rejects a column.
    pub fn table(&self) -> Result<RecordBatch, Error> {
        let pass = &self.pass;
        let places = pass.places();
        let tenants = pass.tenants().max(usize::from(!self.by_tenant));
        let rows: Vec<_> = (0..tenants)
            .flat_map(|tenant| {
                let (all, hits) = (pass.all().of(tenant), pass.hits(tenant));
                let hits = places.iter().map(move |&place| (place, hits[place].unwrap_or_default()));
                hits.map(move |(place, hits)| (tenant, pass.sizes()[place], all, hits))
            })
            .collect();
        let table = table!(rows.iter(), |(tenant, cache_size, all, hits)| {
            tenant: i32 = *tenant as i32,
            size: u64 = *cache_size,
            requests: u64 = all.requests,
            request_misses: u64 = all.requests - hits.requests,
            bytes: u64 = all.bytes,
            byte_misses: u64 = all.bytes - hits.bytes,
        });
        Ok(table.batch()?)
    }

    /// A row for each size: all writes, those absorbed, and those of objects that are dirty at the end. Null for sizes below
    /// the largest object.
    ///
    /// # Errors
    /// If Arrow rejects a column.
    pub fn write_table(&self) -> Result<RecordBatch, Error> {
        let (all, counts) = self.pass.writes();
        let rows: Vec<_> =
            self.pass.places().iter().map(|&place| (self.pass.sizes()[place], counts[place])).collect();
        let table = table!(rows.iter(), |(cache_size, counts)| {
            size: u64 = *cache_size,
            writes: u64 = all.requests,
            writes_absorbed: Option<u64> = counts.map(|[absorbed, _]| absorbed.requests),
            dirty_at_end: Option<u64> = counts.map(|[_, dirty]| dirty.requests),
            bytes_written: u64 = all.bytes,
            bytes_absorbed: Option<u64> = counts.map(|[absorbed, _]| absorbed.bytes),
            bytes_dirty_at_end: Option<u64> = counts.map(|[_, dirty]| dirty.bytes),
        });
        Ok(table.batch()?)
    }
}
