"""Replacement policies other than LRU, at chosen sizes, over the same references and requests as the curves."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from iotrace import queries, units
from iotrace.analysis.curves.cache import Cache, Deletes
from iotrace.analysis.curves.device import SSD
from iotrace.analysis.curves.passes import references_read, settings_read, tallied
from iotrace.analysis.curves.stream import OPENS, Components, batches, prepare
from iotrace.engine import available_cores, native
from iotrace.errors import UsageError
from iotrace.schemas import schema

POLICIES = tuple(dict(native.policies()))
"""All policies, LRU first and Belady's optimum last."""
FILE_POLICIES = tuple(dict(native.policies_of_files()))
"""Those of blocks of files, for references of system calls: the page cache of Linux."""
FILE_COLUMNS = (*OPENS.values(), "flags")
"""The columns of the references that these take, too, where they are there."""

SIZES_BYTES = tuple(2**exponent for exponent in range(16, 29, 2))
"""Sizes for a first look: 64 KB to 256 MB, each four times the one before; those of less than a block are left out."""


def compare_policies(
    references: Any,
    *,
    policies: Sequence[str] = POLICIES,
    sizes_bytes: Sequence[int] | None = None,
    block_bytes: int = 4096,
    protected_percent: int = 75,
    deletes: Deletes = "honour",
    overhead_ms: float = SSD.overhead_ms,
    transfer_ms_per_kb: float = SSD.transfer_ms_per_kb,
    warm_up_requests: int = 0,
    warm_up_ns: int | None = None,
    inodes_per_block: int | None = None,
) -> pa.Table:
    """Return what caches of several replacement policies and sizes make of the same references.

    ``references`` and the other settings are those of `curve`; a request misses if any of its blocks does, and a
    request larger than the cache is issued in pieces. ``policies`` are names of POLICIES or FILE_POLICIES; ``iotrace
    curve --policy help`` says which variant of each is simulated, and the engine's file of each policy which paper
    defines it. Belady's opt looks ahead and holds all block references in memory, 12 bytes each.
    ``protected_percent`` of a segmented LRU cache is its protected segment. ``sizes_bytes`` are SIZES_BYTES unless
    given.

    The result has a row per policy and size, in the order given: policy, the columns of table curve, and
    equal_lru_size_bytes: the smallest LRU cache with no more request misses, or the cache's own size where LRU of
    that size has just as many; null where every LRU cache has more. Its metadata has the ``tally``.

    Raises UsageError for invalid settings and IotraceError for invalid references.
    """
    cache = Cache(
        block_bytes=block_bytes,
        deletes=deletes,
        overhead_ms=overhead_ms,
        transfer_ms_per_kb=transfer_ms_per_kb,
        warm_up_requests=warm_up_requests,
        warm_up_ns=warm_up_ns,
        inodes_per_block=inodes_per_block,
    )
    return simulate_policies(references, cache, policies, sizes_bytes, protected_percent)


def simulate_policies(
    references: Any,
    cache: Cache,
    policies: Sequence[str] = POLICIES,
    sizes_bytes: Sequence[int] | None = None,
    protected_percent: int = 75,
) -> pa.Table:
    """Run the references once through a cache of each policy and size; see `compare_policies`."""
    if sizes_bytes is None:
        sizes_bytes = [size for size in SIZES_BYTES if size >= cache.block_bytes]
    simulator = _simulator(cache, policies, sizes_bytes, protected_percent)
    stack = cache.engine()
    of_files = bool({*policies} & {*FILE_POLICIES})
    inodes = cache.inodes_per_block is not None
    with references_read():
        for batch in batches(references):
            ready = prepare(batch, None, Components(), inodes=inodes, synchronous=of_files, opens=of_files)
            stack.push(ready)
            simulator.push(ready)
        counts = simulator.tally()
        rows = pa.table(pa.record_batch(simulator.finish(**cache.pricing())))
        curve = pa.table(pa.record_batch(stack.finish(**cache.pricing()).table(0)))
    rows = rows.append_column("equal_lru_size_bytes", _equal_lru_sizes(rows, curve))
    return tallied(rows, policies_schema(), counts)


def simulate_policies_alone(
    references: Any, cache: Cache, policies: Iterable[str], size_blocks: int
) -> pa.RecordBatch:
    """Run the references once through a cache of each policy, all of one size; return the engine's rows."""
    simulator = _simulator(cache, list(policies), [size_blocks * cache.block_bytes], 75)
    with references_read():
        for batch in batches(references):
            simulator.push(prepare(batch, None, Components(), inodes=cache.inodes_per_block is not None))
        return pa.record_batch(simulator.finish(**cache.pricing()))


def policies_schema() -> pa.Schema:
    """Return the schema of `compare_policies`: table curve's between the columns of the result policies."""
    described = queries.table_schema("policies")
    policy, *others = described
    return pa.schema([policy, *schema("curve"), *others], described.metadata)


def _simulator(
    cache: Cache, policies: Sequence[str], sizes_bytes: Sequence[int], protected_percent: int
) -> native.StreamSimulator:
    """Return a simulator of every policy at every size; raises UsageError for invalid settings."""
    if cache.write_policy != "allocate":
        raise UsageError("replacement policies are simulated with the write policy allocate only")
    sizes = cache.sizes_blocks(sizes_bytes)
    with settings_read():
        return native.policy_simulator(
            cache.for_engine(),
            [(policy, size) for policy in policies for size in sizes],
            protected_percent=protected_percent,
            threads=available_cores(),
        )


def _equal_lru_sizes(rows: pa.Table, curve: pa.Table) -> pa.Array:
    """Return for each row its own size where LRU misses as often, else the first that misses no more.

    Null where every LRU cache misses more, since nothing but misses brings in its blocks.
    """
    lru, sizes, sizes_of_rows = (
        _request_misses(curve),
        curve["size_bytes"].to_numpy(),
        rows["size_bytes"].to_numpy(),
    )
    misses = _request_misses(rows)
    first = sizes[[int(np.argmax(lru <= count)) for count in misses]]
    at_own_size = lru[np.maximum(np.searchsorted(sizes, sizes_of_rows, side="right") - 1, 0)]
    is_any = misses >= lru.min()
    return pa.array(np.where(at_own_size == misses, sizes_of_rows, first), pa.int64(), mask=~is_any)


def _request_misses(rows: pa.Table) -> Any:
    reads, writes = (rows[f"{way}_request_misses"].to_numpy() for way in ("read", "write"))
    return reads + writes


def segmented_against_doubled(rows: pa.Table) -> str:
    """Say whether segmented LRU misses no more than LRU of twice the size (Richardson 1994, 1.2)."""
    segmented = [row for row in rows.to_pylist() if row["policy"] == "slru"]
    sizes = [
        f"{units.size(row['size_bytes'])}: LRU of {units.size(row['equal_lru_size_bytes'])},"
        f" {row['equal_lru_size_bytes'] / row['size_bytes']:.2f} times"
        for row in segmented
    ]
    as_good = sum(row["equal_lru_size_bytes"] >= 2 * row["size_bytes"] for row in segmented)
    return (
        f"Segmented LRU is as good as LRU of twice the size or more at {as_good} of {len(segmented)} sizes"
        f" ({'; '.join(sizes)})."
    )
