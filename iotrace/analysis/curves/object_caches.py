"""Caches of objects other than LRU curves: other policies, caches that write back, and a model of a cache in flash."""

import json
from collections.abc import Iterable, Sequence

import pyarrow as pa

from iotrace import queries
from iotrace.analysis.curves.objects import Expiry, Unit, prepared, unstated
from iotrace.analysis.curves.passes import references_read, settings_read
from iotrace.engine import native
from iotrace.engine.native import FlashLogCache, ObjectCaches, ObjectPolicyCaches
from iotrace.errors import UsageError

OBJECT_POLICIES: dict[Unit, dict[str, str]] = {
    "objects": dict(native.object_policies("objects")),
    "bytes": dict(native.object_policies("bytes")),
}
"""The policies by what the sizes of caches count, and which variant of each is simulated."""


def object_policies(
    batches: Iterable[pa.RecordBatch],
    *,
    policies: Sequence[str] | None = None,
    sizes: Sequence[int],
    unit: Unit = "objects",
    ttl: Expiry = "ignore",
) -> pa.Table:
    """Return what caches of several policies and sizes miss: the columns of object_curve after column policy.

    ``policies`` are those of OBJECT_POLICIES for the unit, all of them without it. ``batches`` and the other settings
    are those of `object_curve`. On a miss, objects are evicted until the one requested fits; one larger than the cache
    is not admitted. Of an object that expires eagerly the space is free at
    once: a cache that evicts expired objects before others hits the same requests.

    Raises UsageError for invalid settings and IotraceError for invalid requests.
    """
    known = OBJECT_POLICIES[unit]
    named = list(known) if policies is None else policies
    for policy in named:
        if policy not in known:
            raise UsageError(f"{policy!r} is not a policy of caches sized in {unit}: {', '.join(known)}")
    caches = [(policy, int(size)) for policy in named for size in sizes]
    with settings_read():
        engine = ObjectPolicyCaches(json.dumps({"unit": unit, "caches": caches, "expiry": ttl}))
    has_sizes = _push(engine, batches, ttl, unit)
    rows = pa.table(pa.record_batch(engine.table()))
    rows = rows if has_sizes else unstated(rows, "bytes", "byte_misses")
    names = pa.array([policy for policy, _ in caches], pa.string())
    return rows.add_column(0, "policy", names).cast(queries.table_schema("object_policies"))


def object_writes(
    batches: Iterable[pa.RecordBatch], *, unit: Unit = "objects", sizes: Sequence[int] | None = None
) -> pa.Table:
    """Return what LRU caches that write back absorb, exactly: the columns of object_writes.

    ``batches``, ``unit`` and ``sizes`` are as in `object_curve`; operations that set an object are writes. A write is
    absorbed if its object is set again, or deleted, before the cache evicts it; it reaches what is behind the cache
    if it is neither absorbed nor dirty at the end. Sizes below the largest object have nulls.

    Raises UsageError for invalid settings and IotraceError for invalid requests.
    """
    chosen = None if sizes is None else sorted({int(size) for size in sizes})
    with settings_read():
        engine = ObjectCaches(json.dumps({"unit": unit, "sizes": chosen, "writes": True}))
    _push(engine, batches, "ignore", unit)
    return pa.table(pa.record_batch(engine.write_table())).cast(queries.table_schema("object_writes"))


def flash_log(
    batches: Iterable[pa.RecordBatch],
    size_bytes: int,
    *,
    segment_bytes: int = 16 << 20,
    reinserts: bool = True,
    ttl: Expiry = "ignore",
) -> pa.Table:
    """Return what a cache in flash, a log of segments, hits and writes, by a first model: one row of flash_log.

    Objects that miss, and those that are set, are appended to the open segment. Where one does not fit, the segment
    is closed, and what is left of it wasted. Once all segments are in use the oldest is reclaimed: objects in it that
    were requested since they were written are appended again (``reinserts``), the others leave. Objects larger than a
    segment are not admitted. What a device does within, and the cost of an index in memory, are not modelled.

    Raises UsageError for invalid settings and IotraceError for invalid requests.
    """
    settings = {
        "size_bytes": size_bytes,
        "segment_bytes": segment_bytes,
        "reinserts": reinserts,
        "expiry": ttl,
    }
    with settings_read():
        engine = FlashLogCache(json.dumps(settings))
    _push(engine, batches, ttl, "bytes")
    return pa.table(pa.record_batch(engine.table())).cast(queries.table_schema("flash_log"))


def _push(
    engine: ObjectCaches | ObjectPolicyCaches | FlashLogCache,
    batches: Iterable[pa.RecordBatch],
    ttl: Expiry,
    unit: Unit,
) -> bool:
    """Give an engine the requests; return whether any batch has sizes."""
    has_sizes = False
    with references_read():
        for batch in batches:
            has_sizes = has_sizes or "size" in batch.schema.names
            if unit == "bytes" and "size" not in batch.schema.names:
                raise UsageError(
                    "the trace does not state the sizes of objects, so that caches cannot be sized in bytes"
                )
            for ready in prepared(batch, ttl, by_tenant=False):
                engine.push(ready)
    return has_sizes
