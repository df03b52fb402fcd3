"""The curve of a key trace: what LRU caches of objects would miss, in objects or in bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from iotrace.analysis.curves.object_caches import flash_log, object_policies, object_writes
from iotrace.analysis.curves.objects import Expiry, Unit, object_curve
from iotrace.analysis.curves.prefixes import Tier, prefix_curve, tiers
from iotrace.analysis.memory_needed import refuse_objects
from iotrace.errors import MemoryLimitError, UsageError
from iotrace.files import memory
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
    times and times to live, tenants; and MemoryLimitError at once where --memory has no room for all objects.
    """
    requests = requests_of(store, ttl, by_tenant=by_tenant)
    counts = store.manifest["counts"]
    refuse_objects(min(counts.get("keys", 0), counts["references"]))
    rows = object_curve(requests, unit=unit, sizes=sizes, ttl=ttl, by_tenant=by_tenant)
    return named_tenants(store, rows) if by_tenant else rows


def named_tenants(store: Store, rows: pa.Table) -> pa.Table:
    """Return rows by tenant, which are numbers there, with what the trace calls them."""
    known = (
        store.arrow("tenant_name") if "tenant_name" in store.tables else pa.table({"tenant": [], "name": []})
    )
    names = dict(zip(known["tenant"].to_pylist(), known["name"].to_pylist(), strict=True))
    index = rows.schema.get_field_index("tenant")
    named = [names.get(int(number), number) for number in rows["tenant"].to_pylist()]
    return rows.set_column(index, rows.schema.field(index), pa.array(named, pa.string()))


def policies_of_store(
    store: Store, policies: Sequence[str], unit: Unit, sizes: Sequence[int] | None, ttl: Expiry = "ignore"
) -> pa.Table:
    """Return what caches of objects under replacement policies miss, table object_policies.

    Without sizes they are SHARES of the smallest LRU cache (of those with eight sizes to each doubling) that hits as
    much as an unlimited one.
    """
    if sizes is None:
        try:
            last = curve_of_store(store, unit, ttl=ttl)["size"][-1:].to_pylist()
        except MemoryLimitError:  # which names what suffices for LRU alone
            raise memory.shortage() from None
        sizes = sorted({max(last[0] // share, 1) for share in SHARES}) if last else []
    return object_policies(requests_of(store, ttl), policies=policies, sizes=sizes, unit=unit, ttl=ttl)


SHARES = (1000, 100, 10)
"""Parts of a cache that holds all."""


def writes_of_store(store: Store, unit: Unit, sizes: Sequence[int] | None) -> pa.Table:
    """Return what LRU caches of objects that write back absorb, table object_writes.

    Raises UsageError for a store whose requests may be reads or writes, if known.
    """
    if "operation" in _lacking(store):
        raise UsageError(f"{store.name}: the trace does not state which requests are writes")
    return object_writes(requests_of(store), unit=unit, sizes=sizes)


def flash_logs_of_store(
    store: Store, sizes: Sequence[int], segment_bytes: int, *, reinserts: bool = True, ttl: Expiry = "ignore"
) -> pa.Table:
    """Return what caches in flash of these sizes hit and write, by a first model: table flash_log."""
    logs = [
        flash_log(requests_of(store, ttl), size, segment_bytes=segment_bytes, reinserts=reinserts, ttl=ttl)
        for size in sizes
    ]
    return pa.concat_tables(logs)


def tiers_of_store(store: Store, levels: Sequence[Tier], computed_block_s: float) -> pa.Table:
    """Return what each of several levels of memory serves of prompts' prefixes, table prefix_tiers."""
    return tiers(_of_prompts(store), levels, computed_block_s=computed_block_s)


def curve_of_prefixes(store: Store, sizes: Sequence[int] | None = None) -> pa.Table:
    """Return what LRU caches of prompts' prefixes miss, table prefix_curve; sizes are in blocks.

    See `prefix_curve` for the caches. Raises UsageError for a store whose requests are not of several blocks each.
    """
    ascending = None if sizes is None else sorted(set(sizes))
    rows = prefix_curve(_of_prompts(store), sizes=ascending)
    return rows if ascending is None else rows.take(pa.array([ascending.index(size) for size in sizes or ()]))


def _of_prompts(store: Store) -> Iterator[pa.RecordBatch]:
    names = ["key", "request", *(["tokens"] if states_tokens(store) else [])]
    for batch in store.batches(NATIVE, names):
        if batch["request"].null_count:
            raise UsageError(
                f"{store.name}: the trace has no prompts, whose requests are of several blocks each"
            )
        yield batch


def states_sizes(store: Store) -> bool:
    """Return whether a key trace says how large objects are."""
    return "size" not in _lacking(store)


def states_tokens(store: Store) -> bool:
    """Return whether a key trace says how many tokens blocks of prompts have."""
    return "tokens" not in _lacking(store)


def states_times_to_live(store: Store) -> bool:
    """Return whether a key trace says when objects expire."""
    return "ttl_ns" not in _lacking(store)


def _lacking(store: Store) -> Sequence[str]:
    """Return the columns of table key_io that the trace does not state."""
    if NATIVE not in store.tables:
        raise UsageError(f"{store.name}: holds no trace of keys, whose objects caches could hold")
    return list(store.manifest.get("lacks", []))


def requests_of(store: Store, ttl: Expiry = "ignore", *, by_tenant: bool = False) -> Iterator[pa.RecordBatch]:
    """Yield keys, operations as the reference stream has them, sizes, if the trace states any, and what else is needed.

    Raises UsageError where the trace does not state that.
    """
    lacking = _lacking(store)
    if ttl != "ignore" and "ttl_ns" in lacking:
        raise UsageError(f"{store.name}: the trace states no times to live")
    if by_tenant and "tenant" in lacking:
        raise UsageError(f"{store.name}: the trace names no tenants")
    needed = [*(["time_ns", "ttl_ns"] if ttl != "ignore" else []), *(["tenant"] if by_tenant else [])]
    as_they_are = [*([] if "size" in lacking else ["size"]), *needed]
    for batch in store.batches(NATIVE, ["key", "operation", *as_they_are]):
        columns = {"key": batch["key"], "operation": operations_of(batch["operation"])}
        yield pa.RecordBatch.from_pydict(columns | {name: batch[name] for name in as_they_are})
