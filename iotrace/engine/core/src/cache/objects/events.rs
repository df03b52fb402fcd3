//! Requests and removals of numbered objects, from the columns of a batch.

use super::expiry::{Expiry, Moments};
use crate::cache::stack_distance::Interner;
use crate::columns::{optional_column, whole_column};
use crate::error::Error;
use arrow_array::types::{Int64Type, UInt32Type, UInt64Type, UInt8Type};
use arrow_array::{Array, PrimitiveArray, RecordBatch};

/// The size of an object in a request that does not say it.
pub const UNKNOWN: u64 = u64::MAX;
/// In column action: a request that sets an object, and one that deletes it. Others are reads.
const SETS: u8 = 1;
const DELETES: u8 = 2;

/// What happens to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It is requested.
    Request,
    /// It is requested, and has expired.
    Expired,
    /// It leaves all caches.
    Removal,
}

/// Something that happens to an object.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    pub number: u32,
    pub tenant: u32,
    /// In bytes.
    pub size: u64,
    pub kind: Kind,
    /// Whether the request sets the object.
    pub sets: bool,
}

/// Rows that are taken at once.
const CHUNK: usize = 1 << 12;
/// How many rows ahead a moment is prefetched.
const AHEAD: usize = 32;

/// What turns batches into events: numbers for keys, and the moments at which objects expire.
#[derive(Debug)]
pub struct Intake {
    expiry: Expiry,
    by_tenant: bool,
    interner: Interner,
    moments: Moments,
    numbers: Vec<u32>,
    events: Vec<Event>,
}

impl Intake {
    /// Nothing read; whether it counts by tenant.
    pub fn new(expiry: Expiry, by_tenant: bool) -> Self {
        Intake {
            expiry,
            by_tenant,
            interner: Interner::default(),
            moments: Moments::new(expiry),
            numbers: vec![0; CHUNK],
            events: Vec::new(),
        }
    }

    /// Hand the events of a batch on, some at a time, with the number of distinct objects so far.
    ///
    /// # Errors
    /// For columns that are missing, of another type or with nulls, for too many objects, and those of `take`. Some of the
    /// events may have been handed on then.
    pub fn read(
        &mut self,
        batch: &RecordBatch,
        mut take: impl FnMut(&mut [Event], usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let rows = Rows::of(batch, self.expiry, self.by_tenant)?;
        for (chunk, keys) in (0..).zip(rows.keys.chunks(CHUNK)) {
            let numbers = &mut self.numbers[..keys.len()];
            self.interner
                .numbers(keys, numbers)
                .ok_or_else(|| Error::of("more than 2,147,483,647 distinct keys"))?;
            let objects = self.interner.len();
            if self.expiry != Expiry::Ignore {
                self.moments.prepare(objects);
            }
            self.events.clear();
            rows.append(chunk * CHUNK, numbers, &mut self.moments, &mut self.events);
            take(&mut self.events, objects)?;
        }
        Ok(())
    }
}

/// The columns of a batch.
struct Rows<'a> {
    keys: &'a [u64],
    sizes: Option<&'a PrimitiveArray<Int64Type>>,
    actions: Option<&'a PrimitiveArray<UInt8Type>>,
    tenants: Option<&'a PrimitiveArray<UInt32Type>>,
    times: Option<&'a [i64]>,
    ttls: Option<&'a PrimitiveArray<Int64Type>>,
}

impl<'a> Rows<'a> {
    /// # Errors
    /// For columns of another type, nulls where there can be none, and negative sizes.
    fn of(batch: &'a RecordBatch, expiry: Expiry, by_tenant: bool) -> Result<Self, Error> {
        let keys: &PrimitiveArray<UInt64Type> = whole_column(batch, "key")?;
        let mut rows = Rows {
            keys: keys.values(),
            sizes: optional_column(batch, "size")?,
            actions: optional_column(batch, "action")?,
            tenants: None,
            times: None,
            ttls: None,
        };
        if by_tenant {
            rows.tenants = Some(whole_column(batch, "tenant")?);
        }
        if expiry != Expiry::Ignore {
            let times: &PrimitiveArray<Int64Type> = whole_column(batch, "time_ns")?;
            (rows.times, rows.ttls) = (Some(&times.values()[..]), optional_column(batch, "ttl_ns")?);
        }
        let sizes = rows.sizes.into_iter().flatten().flatten();
        match sizes.min() {
            Some(least) if least < 0 => Err(Error::of(format!("an object has a size of {least} bytes"))),
            _ => Ok(rows),
        }
    }

    #[inline(always)]
    fn size(&self, row: usize) -> u64 {
        match self.sizes {
            Some(sizes) if sizes.is_valid(row) => sizes.value(row) as u64,
            _ => UNKNOWN,
        }
    }

    /// Put what happens in the rows from one on, whose objects have these numbers, at the end of `events`.
    #[inline(always)]
    fn append(&self, from: usize, numbers: &[u32], moments: &mut Moments, events: &mut Vec<Event>) {
        for (place, &number) in numbers.iter().enumerate() {
            let row = from + place;
            let tenant = self.tenants.map_or(0, |tenants| tenants.value(row));
            let action = self.actions.map_or(0, |actions| actions.value(row));
            let mut kind = Kind::Request;
            if let Some(times) = self.times {
                let now = times[row];
                if let Some(&ahead) = numbers.get(place + AHEAD) {
                    moments.prefetch_entry(ahead);
                }
                while let Some(number) = moments.leaving(now) {
                    events.push(Event { number, tenant, size: 0, kind: Kind::Removal, sets: false });
                }
                if action == DELETES {
                    moments.remove(number);
                } else {
                    let ttl = self.ttls.and_then(|ttls| ttls.is_valid(row).then(|| ttls.value(row)));
                    if moments.request(number, now, ttl, action == SETS) {
                        kind = Kind::Expired;
                    }
                }
            }
            if action == DELETES {
                kind = Kind::Removal;
            }
            events.push(Event { number, tenant, size: self.size(row), kind, sets: action == SETS });
        }
    }
}
