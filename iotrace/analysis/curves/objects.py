"""Exact LRU curves of caches that hold objects: in objects or in bytes, with times to live, by tenant."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import queries
from iotrace.analysis.curves.keys import unsigned
from iotrace.analysis.curves.passes import references_read, settings_read, tallied
from iotrace.engine.native import ObjectCaches
from iotrace.errors import UsageError

Unit = Literal["objects", "bytes"]
Expiry = Literal["ignore", "eager", "lazy"]

READS, SETS, DELETES = 0, 1, 2
SETTING = ("set", "add", "replace", "cas", "put", "write", "update")
"""Operations that give an object its value, and start its time to live anew."""
DELETING = ("delete", "del", "remove", "discard")
"""Operations that remove an object; they are not requests."""


def object_curve(
    batches: Iterable[pa.RecordBatch],
    *,
    unit: Unit = "objects",
    sizes: Sequence[int] | None = None,
    ttl: Expiry = "ignore",
    by_tenant: bool = False,
) -> pa.Table:
    """Return requests and bytes that LRU caches of many sizes miss, exactly, from one pass over the requests.

    ``batches`` are record batches with columns of table key_io, in the order of time: key (any integers), and, as far
    as they are known, size, operation, time_ns, ttl_ns and tenant. ``unit`` says what the sizes of caches count. Of
    ``sizes`` there is a row for each, in the order given; without them, eight to each doubling up to the first that
    hits as much as an unlimited cache. By bytes those start at the largest object, and below it there are the powers of
    two from 1 MiB.

    Every request touches its object, reads and writes alike; a delete removes it and is not counted. An object has the
    size of its latest request (one that states none keeps it). By bytes a cache evicts the least recently used objects
    until all fit; an object larger than the cache is not admitted, and one that grows beyond it leaves.

    ``ttl`` says what becomes of objects whose time to live is over: "eager" removes them at once, "lazy" lets them take
    space until they are evicted or requested, which is a miss; "ignore" keeps them. The time starts with the request
    that would bring the object into an unlimited cache, and with each set (Sultan and others, TTLs Matter, EuroSys
    2024); hits do not renew it. With ``by_tenant`` column tenant comes first, with the tenant's number as a text, and
    requests are counted by tenant, all in the same caches.

    The result has the columns of object_curve; bytes are null where no size is known. Its metadata has the ``tally``:
    requests_without_size, which count as 0 bytes.

    Raises UsageError for invalid settings and IotraceError for invalid requests.
    """
    settings = {
        "unit": unit,
        "sizes": None if sizes is None else [int(size) for size in sizes],
        "expiry": ttl,
        "by_tenant": by_tenant,
    }
    with settings_read():
        caches = ObjectCaches(json.dumps(settings))
    has_sizes = False
    with references_read():
        for batch in batches:
            has_sizes = has_sizes or "size" in batch.schema.names
            for ready in prepared(batch, ttl, by_tenant):
                caches.push(ready)
        rows = pa.table(pa.record_batch(caches.table()))
    if unit == "bytes" and not has_sizes and rows["requests"].to_pylist()[:1] not in ([], [0]):
        raise UsageError(
            "the trace does not state the sizes of objects, so that caches cannot be sized in bytes"
        )
    if sizes is not None:
        rows = _in_order(rows, sizes)
    if not has_sizes:
        rows = unstated(rows, "bytes", "byte_misses")
    described = queries.table_schema("tenant_curve" if by_tenant else "object_curve")
    return tallied(rows.select(described.names), described, {"requests_without_size": caches.without_size})


def prepared(batch: pa.RecordBatch, ttl: Expiry, by_tenant: bool) -> Iterator[pa.RecordBatch]:
    """Yield a batch of table key_io's columns with the columns of the engine; raises UsageError for what it lacks."""
    names = batch.schema.names
    if "key" not in names:
        raise UsageError("requests have no column key")
    columns = {"key": next(unsigned(batch["key"]), pa.array([], pa.uint64()))}
    if "size" in names:
        columns["size"] = batch["size"].cast(pa.int64())
    action = actions(batch["operation"]) if "operation" in names else None
    if action is not None:
        columns["action"] = action
    if ttl != "ignore":
        if "time_ns" not in names or batch["time_ns"].null_count:
            raise UsageError("times to live need the times of requests, which the trace does not state")
        columns["time_ns"] = batch["time_ns"].cast(pa.int64())
        if "ttl_ns" in names:
            columns["ttl_ns"] = batch["ttl_ns"].cast(pa.int64())
    if by_tenant:
        if "tenant" not in names or batch["tenant"].null_count:
            raise UsageError("the trace does not state the tenant of each request")
        columns["tenant"] = batch["tenant"].cast(pa.uint32())
    yield pa.RecordBatch.from_pydict(columns)


def actions(operations: Any) -> pa.Array | None:
    """Return what each operation does to its object, as uint8: READS, SETS or DELETES; None where all read.

    Unknown ones read.
    """
    encoded = operations if pa.types.is_dictionary(operations.type) else operations.dictionary_encode()
    lowercase = [str(word).lower() for word in encoded.dictionary.to_pylist()]
    known = [SETS if word in SETTING else DELETES if word in DELETING else READS for word in lowercase]
    if not any(known):
        return None
    return pc.fill_null(pa.array(known, pa.uint8()).take(encoded.indices), READS)


def _in_order(rows: pa.Table, sizes: Sequence[int]) -> pa.Table:
    """Return the rows of each tenant in the order of the sizes given."""
    distinct, places = np.unique(np.array(sizes, np.int64), return_inverse=True)
    tenants = len(rows) // max(len(distinct), 1)
    starts = np.arange(tenants) * len(distinct)
    return rows.take(pa.array((starts[:, None] + places[None, :]).ravel()))


def unstated(rows: pa.Table, *names: str) -> pa.Table:
    """Return rows of a trace that does not state what these columns count: they are null."""
    nothing = pa.nulls(len(rows), pa.int64())
    for name in names:
        rows = rows.set_column(rows.schema.get_field_index(name), name, nothing)
    return rows


def doubling(rows: pa.Table) -> pa.Table:
    """Return the largest size up to each power of two, and the last one."""
    known = rows["size"].to_numpy()
    if not len(known):
        return rows
    powers = 1 << np.arange(int(known[-1]).bit_length(), dtype=np.int64)
    places = np.searchsorted(known, powers[powers >= known[0]], side="right") - 1
    return rows.take(pa.array(np.unique([*places, len(known) - 1])))
