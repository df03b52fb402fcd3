"""Hits of caches of other replacement policies at the size that is enough for LRU."""

from dataclasses import replace
from typing import Any

import numpy as np

from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.policies import simulate_policies_alone
from iotrace.analysis.curves.sampled import simulate_with_policies
from iotrace.analysis.curves.sampled_policies import policy_counts
from iotrace.analysis.curves.sampling import Sampling
from iotrace.analysis.curves.sizing import CHOSEN, OTHER_POLICIES, Others, Sizing

FOLLOWED = 500_000
"""Block references that the caches follow, about: of a longer stream they are those of a sample of the blocks."""
LEAST_BLOCKS = 32
"""The smallest miniature cache: a smaller one depends on few blocks."""


def sampling_rate(sizing: Sizing, block_bytes: int) -> float | None:
    """Return the part of the blocks that the caches follow, 1 or a power of a half; None if the cache is too small."""
    rate = 1.0
    while sizing.references * rate > FOLLOWED:
        rate /= 2
    has_room = rate == 1 or sizing.sizes_bytes[CHOSEN] / block_bytes * rate >= LEAST_BLOCKS
    return rate if has_room else None


def others(references: Any, cache: Cache, sizing: Sizing) -> Others | None:
    """Return what caches of `OTHER_POLICIES` hit at the size for CHOSEN, exactly or from a sample of the blocks.

    ``references`` are those of the curve that ``sizing`` was read off, and ``cache`` is that curve's. A sample is
    simulated in miniature, with LRU too, and what a policy hits more than LRU there is added to LRU's exact hits. None
    where the cache is so small that too few blocks of a sample would be in it.
    """
    rate = sampling_rate(sizing, cache.block_bytes)
    if rate is None:
        return None
    cache = replace(cache, syncs="ignore")
    size = sizing.sizes_bytes[CHOSEN] // cache.block_bytes
    if rate == 1:
        rows = simulate_policies_alone(references, cache, OTHER_POLICIES, size)
        misses = dict(zip(OTHER_POLICIES, rows["block_misses"].to_pylist(), strict=True))
        return Others({name: 100 * (1 - count / sizing.references) for name, count in misses.items()})
    sampling = Sampling(rate=rate, groups=0, head_blocks=0)
    choices = [(name, size) for name in ("lru", *OTHER_POLICIES)]
    curves, (table,) = simulate_with_policies(references, cache, sampling, policies=choices)
    sizes = np.array([size], np.float64)
    lru, *missed = (
        float(policy_counts(table, name, sizes, curves.rate)["block_misses"][0]) for name, _ in choices
    )
    most = 100 * sizing.hits / sizing.references
    hit = {
        name: float(np.clip(sizing.chosen_percent + 100 * (lru - misses) / sizing.references, 0, most))
        for name, misses in zip(OTHER_POLICIES, missed, strict=True)
    }
    return Others(hit, curves.rate)
