//! Caches under several policies and of several sizes over a stream of requests for objects.

use super::events::{Event, Intake, Kind, UNKNOWN};
use super::expiry::Expiry;
use super::policies::{cache, Cache};
use super::sizes::Unit;
use super::tally::Hits;
use crate::columns::table;
use crate::error::Error;
use arrow_array::RecordBatch;
use serde::Deserialize;

/// What is simulated.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicySettings {
    pub unit: Unit,
    /// Policies by their names, and sizes.
    pub caches: Vec<(String, u64)>,
    pub expiry: Expiry,
}

/// The caches.
pub struct PolicyCaches {
    settings: PolicySettings,
    intake: Intake,
    caches: Vec<Box<dyn Cache>>,
    /// By object number: its size at the latest request.
    latest: Vec<u64>,
    all: Hits,
}

impl PolicyCaches {
    /// # Errors
    /// For a cache of size 0, and a policy that there is not.
    pub fn new(settings: PolicySettings) -> Result<Self, Error> {
        if settings.caches.iter().any(|&(_, size)| size == 0 || size > 1 << 62) {
            return Err(Error::of("the size of a cache is 1 to 4,611,686,018,427,387,904"));
        }
        let caches = settings.caches.iter().map(|(policy, size)| {
            cache(policy, settings.unit, *size)
                .ok_or_else(|| Error::of(format!("{policy} is not a policy of caches of objects")))
        });
        Ok(PolicyCaches {
            intake: Intake::new(settings.expiry, false),
            caches: caches.collect::<Result<_, _>>()?,
            latest: Vec::new(),
            all: Hits::default(),
            settings,
        })
    }

    /// Take the next requests.
    ///
    /// # Errors
    /// As `ObjectCurve::push`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let PolicyCaches { intake, caches, latest, all, .. } = self;
        intake.read(batch, |events, objects| {
            latest.resize(objects.max(latest.len()), 0);
            events.iter_mut().for_each(|event| count(event, latest, all));
            caches.iter_mut().for_each(|cache| cache.follow(events, objects));
            Ok(())
        })
    }

    /// A row for each cache.
    ///
    /// # Errors
    /// If Arrow rejects a column.
    pub fn table(&self) -> Result<RecordBatch, Error> {
        let all = self.all.of(0);
        let sizes = self.settings.caches.iter().map(|(_, size)| *size);
        let table = table!(sizes.zip(&self.caches), |(cache_size, cache)| {
            size: u64 = cache_size,
            requests: u64 = all.requests,
            request_misses: u64 = all.requests - cache.hits().of(0).requests,
            bytes: u64 = all.bytes,
            byte_misses: u64 = all.bytes - cache.hits().of(0).bytes,
        });
        Ok(table.batch()?)
    }
}

/// Count a request, and set its size to that of the latest one if it does not state it.
fn count(event: &mut Event, latest: &mut [u64], all: &mut Hits) {
    if event.kind == Kind::Removal {
        return;
    }
    let latest = &mut latest[event.number as usize];
    if event.size == UNKNOWN {
        event.size = *latest;
    }
    *latest = event.size;
    all.count(event.tenant, event.size);
}
