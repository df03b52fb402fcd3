"""Replacement policies estimated from a sample of the blocks: miniature simulation (Waldspurger et al., ATC '17).

A cache of C blocks on the whole stream is simulated by one of rate · C blocks on the sampled blocks. The misses of
small LRU caches, which are simulated exactly, correct the estimates of every policy.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace.analysis.curves.bands import Numbers
from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.passes import tallied
from iotrace.analysis.curves.policies import SIZES_BYTES, policies_schema
from iotrace.analysis.curves.sampled import (
    RAW,
    SampledCurves,
    interpolated,
    sampled_schema,
    simulate_with_policies,
    with_sums,
)
from iotrace.analysis.curves.sampling import MINIATURE_BLOCKS, Sampling
from iotrace.errors import UsageError


def simulate_sampled_policies(
    references: Any,
    cache: Cache,
    sampling: Sampling,
    policies: Sequence[str],
    sizes_bytes: Sequence[int] | None = None,
    protected_percent: int = 75,
) -> tuple[pa.Table, SampledCurves]:
    """Return estimates for caches of several policies and sizes, and those of LRU caches from the same pass.

    The table has a row per policy and size: policy, then the columns of `sampled_schema`. Sizes that hold too few
    sampled blocks for a miniature cache are left out; raises UsageError if all do.
    """
    if cache.write_policy != "allocate":
        raise UsageError("replacement policies are simulated with the write policy allocate only")
    if sizes_bytes is None:
        sizes_bytes = [size for size in SIZES_BYTES if size >= cache.block_bytes]
    sizes = list(dict.fromkeys(cache.sizes_blocks(sizes_bytes)))
    choices = [(policy, size) for policy in policies for size in sizes]
    curves, tables = simulate_with_policies(
        references, cache, sampling, policies=choices, protected_percent=protected_percent
    )
    least = 1 if curves.rate == 1 else MINIATURE_BLOCKS
    held = np.array([size for size in sizes if size * curves.rate * (1 - 1e-9) >= least - 1e-6], np.float64)
    if not len(held):
        raise UsageError(
            f"a sample of {100 * curves.rate:.2g} % is too small for miniature caches of these sizes: the smallest has"
            f" {int(np.ceil(least / curves.rate)) * cache.block_bytes:,} bytes"
        )
    described = sampled_schema()
    parts = []
    for policy in policies:
        counts = [
            with_sums(policy_counts(table, policy, held, rate))
            for table, rate in zip(tables, curves.rates, strict=True)
        ]
        none = np.zeros(len(held), bool)
        columns = curves.rows(0, held, curves.banded(0, counts, is_lru=False), {}, none)
        parts.append(
            pa.table(columns, schema=described).add_column(0, _policy(), pa.array([policy] * len(held)))
        )
    rows = pa.concat_tables([part.cast(pa.schema([_policy(), *described])) for part in parts])
    return tallied(rows, rows.schema.with_metadata(described.metadata), curves.counts), curves


def _policy() -> pa.Field:
    field = policies_schema().field("policy")
    return pa.field(field.name, pa.string(), metadata=field.metadata)


def policy_counts(table: pa.RecordBatch, policy: str, sizes: Numbers, rate: float) -> dict[str, Numbers]:
    """Return a policy's counts at sizes, scaled, of one table."""
    rows = table.filter(pc.equal(table["policy"].cast(pa.string()), policy))
    at = rows["size_blocks"].to_numpy()
    places = {int(size): index for index, size in enumerate(at)}

    def raw(sizes: Any) -> dict[str, Numbers]:
        chosen = [places[int(size)] for size in sizes]
        return {name: rows[name].to_numpy()[chosen].astype(np.float64) for name in RAW}

    return interpolated(raw, sizes, rate)
