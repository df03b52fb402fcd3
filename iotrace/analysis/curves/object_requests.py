"""The curve of a key trace: what LRU caches of objects would miss, in objects or in bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from iotrace.analysis.curves.objects import Expiry, Unit, object_curve
from iotrace.analysis.curves.prefixes import prefix_curve
from iotrace.errors import UsageError
from iotrace.key_operations import OPERATIONS
from iotrace.store.key_references import NATIVE, operations_of
from iotrace.store.store import Store


def curve_of_store(
    store: Store,
    unit: Unit = "objects",
    sizes: Sequence[int] | None = None,
    *,
    ttl: Expiry = "ignore",
    by_tenant: bool = False,
) -> pa.Table:
    """Return requests and bytes missed by LRU caches of objects, table object_curve; ``unit`` is that of the sizes.

    With ``by_tenant`` it is table tenant_curve. See `object_curve` for the caches and the settings. Raises UsageError
    for a store that holds no key trace, and where the trace does not state what the settings need: sizes of objects,
    times and times to live, tenants.
    """
    lacking = _lacking(store)
    if ttl != "ignore" and "ttl_ns" in lacking:
        raise UsageError(f"{store.name}: the trace states no times to live")
    if by_tenant and "tenant" in lacking:
        raise UsageError(f"{store.name}: the trace names no tenants")
    further = ["time_ns", "ttl_ns"] if ttl != "ignore" else []
    requests = _requests(store, [*further, *(["tenant"] if by_tenant else [])])
    return object_curve(requests, unit=unit, sizes=sizes, ttl=ttl, by_tenant=by_tenant)


def curve_of_prefixes(store: Store, sizes: Sequence[int] | None = None) -> pa.Table:
    """Return what LRU caches of prompts' prefixes miss, table prefix_curve; sizes are in blocks.

    See `prefix_curve` for the caches. Raises UsageError for a store whose requests are not of several blocks each.
    """
    names = ["key", "request", *([] if "size" in _lacking(store) else ["size"])]
    ascending = None if sizes is None else sorted(set(sizes))
    rows = prefix_curve(_of_prompts(store, names), sizes=ascending)
    return rows if ascending is None else rows.take(pa.array([ascending.index(size) for size in sizes or ()]))


def _of_prompts(store: Store, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    for batch in store.batches(NATIVE, names):
        if batch["request"].null_count:
            raise UsageError(
                f"{store.name}: the trace has no prompts, whose requests are of several blocks each"
            )
        yield batch


def states_times_to_live(store: Store) -> bool:
    """Return whether a key trace says when objects expire."""
    return "ttl_ns" not in _lacking(store)


def _lacking(store: Store) -> Sequence[str]:
    """Return the columns of table key_io that the trace does not state."""
    if NATIVE not in store.tables:
        raise UsageError(f"{store.name}: holds no trace of keys, whose objects caches could hold")
    return list(store.manifest.get("lacks", []))


def _requests(store: Store, further: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield keys, operations as the reference stream has them, sizes, if the trace states any, and further columns."""
    as_they_are = [*([] if "size" in _lacking(store) else ["size"]), *further]
    for batch in store.batches(NATIVE, ["key", "operation", *as_they_are]):
        kinds = pa.array(operations_of(batch["operation"]), pa.int32())
        operations = pa.DictionaryArray.from_arrays(kinds, pa.array(OPERATIONS, pa.string()))
        columns = {"key": batch["key"], "operation": operations}
        yield pa.RecordBatch.from_pydict(columns | {name: batch[name] for name in as_they_are})
