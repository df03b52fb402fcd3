"""One cache for several tenants: shared, or split in parts, and the split that misses least."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import queries
from iotrace.analysis.curves.objects import Expiry, Unit, object_curve
from iotrace.errors import UsageError
from iotrace.simulate.attribute.partition import Partitions
from iotrace.simulate.attribute.staircase import Staircase

Measure = Literal["request_misses", "byte_misses"]
STEPS_PER_DOUBLING = 8
LEAST_SIZE = 64


def tenant_caches(
    batches: Iterable[pa.RecordBatch],
    size: int,
    *,
    unit: Unit = "objects",
    measure: Measure = "request_misses",
    ttl: Expiry = "ignore",
) -> pa.Table:
    """Return what each tenant misses in one shared LRU cache, in equal parts, and in the best parts of that size.

    ``batches`` are as `object_curve` takes them, with column tenant; they are held in memory. The best parts are
    those of the least sum of ``measure``, exactly, among sizes of eight to each doubling (all up to `LEAST_SIZE`):
    the knapsack that attribute caches are split by. Keys that several tenants request are an object of each in the
    parts, and one object in the shared cache.

    The result has the columns of tenant_caches: a row for each tenant and way (shared, equal, best).

    Raises UsageError for invalid settings and IotraceError for invalid requests.
    """
    requests = list(batches)
    if size < 1:
        raise UsageError("the size of a cache is at least 1")
    shared = object_curve(requests, unit=unit, sizes=[size], ttl=ttl, by_tenant=True)
    tenants = [int(row["tenant"]) for row in shared.to_pylist() if row["requests"]]
    if not tenants:
        return queries.result_table("tenant_caches", [])
    equal = size // len(tenants)
    sizes = _sizes(size)
    parts = dict(_by_tenant(requests))
    curves = [
        object_curve(parts[tenant], unit=unit, sizes=[*sizes, max(equal, 1)], ttl=ttl) for tenant in tenants
    ]
    split = Partitions([_staircase(curve.slice(0, len(sizes)), sizes, measure) for curve in curves])
    places = split.best(size).places
    rows: list[tuple[Any, ...]] = []
    for tenant, curve, index, stairs in zip(tenants, curves, places, split.staircases, strict=True):
        part = int(stairs.sizes[index])
        shared_row = shared.filter(pc.equal(shared["tenant"], str(tenant))).to_pylist()[0]
        whole = {**shared_row, "request_misses": shared_row["requests"], "byte_misses": shared_row["bytes"]}
        lines = curve.to_pylist()
        chosen = {
            ("shared", size): shared_row,
            ("equal", equal): lines[-1] if equal else whole,
            ("best", part): lines[sizes.index(part)] if part else whole,
        }
        rows += [
            (way, str(tenant), cache, *(line[name] for name in COUNTS))
            for (way, cache), line in chosen.items()
        ]
    rows.sort(key=lambda row: WAYS.index(row[0]))
    return queries.result_table("tenant_caches", rows)


def tenant_curves(
    batches: Iterable[pa.RecordBatch],
    *,
    unit: Unit = "objects",
    sizes: Sequence[int] | None = None,
    ttl: Expiry = "ignore",
) -> pa.Table:
    """Return the curve of each tenant in LRU caches that no other uses: the columns of tenant_curve.

    ``batches`` are as `tenant_caches` takes them. Raises what `object_curve` raises.
    """
    requests = list(batches)
    described = queries.table_schema("tenant_curve")
    if not all("tenant" in batch.schema.names and not batch["tenant"].null_count for batch in requests):
        raise UsageError("the trace does not state the tenant of each request")
    curves = [
        curve.add_column(0, "tenant", pa.array([str(tenant)] * len(curve), pa.string())).cast(described)
        for tenant, requests_of_tenant in (_by_tenant(requests) if requests else ())
        for curve in [object_curve(requests_of_tenant, unit=unit, sizes=sizes, ttl=ttl)]
    ]
    return pa.concat_tables(curves) if curves else described.empty_table()


WAYS = ("shared", "equal", "best")
COUNTS = ("requests", "request_misses", "bytes", "byte_misses")


def _sizes(size: int) -> list[int]:
    """Return the sizes of parts: eight to each doubling, and the whole."""
    exponents = np.arange(0, STEPS_PER_DOUBLING * 62)
    sizes = np.floor(LEAST_SIZE * 2 ** (exponents / STEPS_PER_DOUBLING)).astype(object)
    small = list(range(1, min(LEAST_SIZE, size + 1)))
    return sorted({*small, *(int(smaller) for smaller in sizes if smaller < size), size})


def _by_tenant(batches: Sequence[pa.RecordBatch]) -> Iterator[tuple[int, list[pa.RecordBatch]]]:
    """Yield each tenant, and its rows in their order."""
    table = pa.Table.from_batches(batches)
    ordered = table.take(pa.array(np.argsort(table["tenant"].to_numpy(), kind="stable")))
    tenants, starts = np.unique(ordered["tenant"].to_numpy(), return_index=True)
    for tenant, start, end in zip(tenants, starts, [*starts[1:], len(ordered)], strict=True):
        yield int(tenant), ordered.slice(start, end - start).to_batches()


def _staircase(curve: pa.Table, sizes: Sequence[int], measure: Measure) -> Staircase:
    """Return the misses by size from 0 on, where all requests miss."""
    of = "requests" if measure == "request_misses" else "bytes"
    costs = np.concatenate([curve[of].slice(0, 1).to_numpy(), curve[measure].to_numpy()])
    return Staircase.of([(1, np.array([0, *sizes], np.int64), costs.astype(np.float64))])
