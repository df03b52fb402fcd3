//! The curve against caches that are simulated one by one, with nothing but a list.

use super::{Expiry, ObjectCurve, Settings, Unit};
use arrow_array::types::{Int64Type, UInt32Type, UInt64Type, UInt8Type};
use arrow_array::{ArrayRef, Int64Array, PrimitiveArray, RecordBatch};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// A request: key, size, what it does (2: deletes), time since the one before, time to live, tenant.
type Request = (u64, Option<i64>, u8, i64, Option<i64>, u32);

/// Requests and bytes, hit and in all, of one LRU cache: a list of keys and sizes, the most recently used first.
fn cache(requests: &[Request], settings: &Settings, size: u64, tenant: u32) -> [u64; 4] {
    let (mut list, mut latest, mut moments) = (Vec::<(u64, u64)>::new(), HashMap::new(), HashMap::new());
    let (mut now, mut counts) = (0, [0; 4]);
    for &(key, bytes, action, pause, ttl, who) in requests {
        now += pause;
        let past = |moments: &HashMap<u64, i64>, key| moments.get(&key).is_some_and(|&moment| moment <= now);
        if settings.expiry == Expiry::Eager {
            list.retain(|&(key, _)| !past(&moments, key));
            moments.retain(|_, moment| *moment > now);
        }
        let place = list.iter().position(|&(other, _)| other == key);
        let found = place.map(|place| list.remove(place));
        if action == 2 {
            moments.remove(&key);
            continue;
        }
        let expired = settings.expiry != Expiry::Ignore && past(&moments, key);
        if action == 1 || expired || !moments.contains_key(&key) {
            moments.insert(key, ttl.map_or(i64::MAX, |ttl| now + ttl));
        }
        let bytes = bytes.map_or(latest.get(&key).copied().unwrap_or(0), |bytes| bytes as u64);
        latest.insert(key, bytes);
        let hit = u64::from(found.is_some() && !expired);
        let weight = if settings.unit == Unit::Objects { 1 } else { bytes };
        if who == tenant {
            counts = [counts[0] + 1, counts[1] + hit, counts[2] + bytes, counts[3] + hit * bytes];
        }
        if weight <= size {
            list.insert(0, (key, weight));
            while list.iter().map(|&(_, weight)| weight).sum::<u64>() > size {
                list.pop();
            }
        }
    }
    counts
}

fn batch(requests: &[Request], from: i64) -> RecordBatch {
    let times = requests.iter().scan(from, |now, request| {
        *now += request.3;
        Some(*now)
    });
    let columns: [(&str, ArrayRef, bool); 6] = [
        (
            "key",
            Arc::new(PrimitiveArray::<UInt64Type>::from_iter_values(requests.iter().map(|r| r.0))),
            false,
        ),
        ("size", Arc::new(requests.iter().map(|r| r.1).collect::<Int64Array>()), true),
        (
            "action",
            Arc::new(PrimitiveArray::<UInt8Type>::from_iter_values(requests.iter().map(|r| r.2))),
            false,
        ),
        ("time_ns", Arc::new(PrimitiveArray::<Int64Type>::from_iter_values(times)), false),
        ("ttl_ns", Arc::new(requests.iter().map(|r| r.4).collect::<Int64Array>()), true),
        (
            "tenant",
            Arc::new(PrimitiveArray::<UInt32Type>::from_iter_values(requests.iter().map(|r| r.5))),
            false,
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn numbers(table: &RecordBatch, name: &str) -> Vec<u64> {
    let column = arrow_array::cast::AsArray::as_primitive::<Int64Type>(table.column_by_name(name).unwrap());
    column.values().iter().map(|&value| value as u64).collect()
}

fn request() -> impl Strategy<Value = Request> {
    let sizes = prop_oneof![0..4_i64, 1..30_i64, Just(100), 1..200_i64];
    let ttl = prop::option::of(prop_oneof![0..5_i64, 0..60_i64]);
    let action = prop_oneof![5 => Just(0), 1 => Just(1), 1 => Just(2)];
    (0..25_u64, prop::option::weighted(0.9, sizes), action, 0..3_i64, ttl, 0..3_u32)
}

fn check(requests: &[Request], settings: Settings, chunk: usize) -> Result<(), TestCaseError> {
    let mut curve = ObjectCurve::new(settings.clone()).unwrap();
    let mut now = 0;
    for part in requests.chunks(chunk) {
        curve.push(&batch(part, now)).unwrap();
        now += part.iter().map(|request| request.3).sum::<i64>();
    }
    let table = curve.table().unwrap();
    let column = |name| numbers(&table, name);
    let tenants: &PrimitiveArray<arrow_array::types::Int32Type> =
        arrow_array::cast::AsArray::as_primitive(table.column(0));
    for row in 0..table.num_rows() {
        let tenant = tenants.value(row) as u32;
        let size = column("size")[row];
        let [all, hits, bytes, byte_hits] = if settings.by_tenant {
            cache(requests, &settings, size, tenant)
        } else {
            let one: Vec<Request> = requests.iter().map(|&(a, b, c, d, e, _)| (a, b, c, d, e, 0)).collect();
            cache(&one, &settings, size, 0)
        };
        let found = ["requests", "request_misses", "bytes", "byte_misses"].map(|name| column(name)[row]);
        prop_assert_eq!(
            found,
            [all, all - hits, bytes, bytes - byte_hits],
            "size {} of {:?}",
            size,
            settings
        );
    }
    Ok(())
}

proptest! {
    #[test]
    fn counts_are_those_of_caches_one_by_one(
        requests in prop::collection::vec(request(), 0..200),
        sizes in prop::option::of(prop::collection::vec(1..600_u64, 1..12)),
        bytes in any::<bool>(),
        by_tenant in any::<bool>(),
        expiry in prop_oneof![Just(Expiry::Ignore), Just(Expiry::Eager), Just(Expiry::Lazy)],
        chunk in 1..300_usize,
    ) {
        let unit = if bytes { Unit::Bytes } else { Unit::Objects };
        check(&requests, Settings { unit, sizes, expiry, by_tenant, writes: false }, chunk)?;
    }

    #[test]
    fn plain_requests_too(
        requests in prop::collection::vec((0..40_u64, 1..30_i64), 0..500),
        fixed in any::<bool>(),
        sizes in prop::option::of(prop::collection::vec(1..600_u64, 1..12)),
    ) {
        let size = |key: u64, size| if fixed { key as i64 * 7 % 23 + 1 } else { size };
        let requests: Vec<Request> =
            requests.iter().map(|&(key, bytes)| (key, Some(size(key, bytes)), 0, 0, None, 0)).collect();
        check(&requests, Settings { unit: Unit::Bytes, sizes, ..Settings::default() }, 77)?;
    }
}

/// Writes, those absorbed and those of dirty objects at the end, and their bytes, in one cache kept as a list.
fn write_back(requests: &[Request], size: u64, by_bytes: bool) -> [u64; 6] {
    let (mut list, mut dirty) = (Vec::<(u64, u64)>::new(), HashMap::new());
    let mut counts = [0; 6];
    let mut count = |place: usize, bytes: u64| {
        counts[place] += 1;
        counts[place + 3] += bytes;
    };
    for &(key, bytes, action, ..) in requests {
        list.retain(|&(other, _)| other != key);
        let bytes = bytes.unwrap_or(0) as u64;
        if action != 0 {
            if let Some(bytes) = dirty.remove(&key) {
                count(1, bytes);
            }
        }
        if action == 1 {
            count(0, bytes);
            dirty.insert(key, bytes);
        }
        if action != 2 {
            list.insert(0, (key, if by_bytes { bytes } else { 1 }));
        }
        while list.iter().map(|&(_, weight)| weight).sum::<u64>() > size {
            let evicted = list.pop().unwrap_or_default();
            dirty.remove(&evicted.0);
        }
    }
    dirty.values().for_each(|&bytes| count(2, bytes));
    counts
}

proptest! {
    #[test]
    fn writes_are_those_of_a_list(
        requests in prop::collection::vec(request(), 0..200),
        sizes in prop::option::of(prop::collection::vec(1..600_u64, 1..12)),
        by_bytes in any::<bool>(),
    ) {
        let requests: Vec<Request> =
            requests.iter().map(|&(key, bytes, action, ..)| (key, bytes.or(Some(9)), action, 0, None, 0)).collect();
        let unit = if by_bytes { Unit::Bytes } else { Unit::Objects };
        let settings = Settings { unit, sizes, writes: true, ..Settings::default() };
        let mut curve = ObjectCurve::new(settings).unwrap();
        curve.push(&batch(&requests, 0)).unwrap();
        let table = curve.write_table().unwrap();
        let largest = requests.iter().filter(|request| request.2 != 2).map(|request| request.1.unwrap_or(0)).max();
        for row in 0..table.num_rows() {
            let size = numbers(&table, "size")[row];
            let twin = write_back(&requests, size, by_bytes);
            let names =
                ["writes", "writes_absorbed", "dirty_at_end", "bytes_written", "bytes_absorbed", "bytes_dirty_at_end"];
            let found = names.map(|name| {
                let column = table.column_by_name(name).unwrap();
                (!arrow_array::Array::is_null(column, row)).then(|| numbers(&table, name)[row])
            });
            let exceeded = by_bytes && largest.is_some_and(|largest| largest as u64 > size);
            for place in 0..6 {
                let stated = !exceeded || place % 3 == 0;
                prop_assert_eq!(found[place], stated.then_some(twin[place]), "{} at {}", names[place], size);
            }
        }
    }
}
