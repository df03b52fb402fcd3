"""Which size of a cache has most of the hits that an infinite one has."""

import numpy as np

from iotrace.analysis.lines.counts import Counts, Numbers
from iotrace.analysis.lines.ratios import RATIOS

LARGEST_TRIED_BLOCKS = 4096
PROBES = 64
"""At how many sizes a step of the search evaluates a curve."""


def ratio_at(counts: Counts, ratio: str, sizes_blocks: Numbers) -> Numbers:
    """Return a ratio at each size."""
    return RATIOS[ratio].at(counts, sizes_blocks)


def part_captured(counts: Counts, ratio: str, sizes_blocks: Numbers) -> Numbers:
    """Return which part of an infinite cache's hits each size has; not a number where there are none."""
    attainable = ratio_at(counts, ratio, counts.infinite)[0]
    if not attainable > 0:
        return np.full(len(sizes_blocks), np.nan)
    return np.asarray(ratio_at(counts, ratio, sizes_blocks) / attainable)


def capturing_blocks(counts: Counts, ratio: str, part: float) -> float:
    """Return the smallest size in blocks that has at least that part of an infinite cache's hits.

    Not a number where an infinite cache has none.
    """
    sizes = counts.changes
    if not ratio_at(counts, ratio, counts.infinite)[0] > 0:
        return np.nan
    # requests larger than a cache are issued in pieces, so that small ones are tried one by one
    small = sizes[: max(1, int(np.searchsorted(sizes, LARGEST_TRIED_BLOCKS, side="right")))]
    enough = part_captured(counts, ratio, small.astype(float)) >= part
    if enough.any():
        return float(small[np.argmax(enough)])
    low, high = len(small) - 1, len(sizes)  # the place of one with too few, and of one with enough
    while high - low > 1:
        probes = np.unique(np.linspace(low + 1, high - 1, min(PROBES, high - low - 1)).astype(np.int64))
        enough = part_captured(counts, ratio, sizes[probes].astype(float)) >= part
        first = int(np.argmax(enough)) if enough.any() else len(probes)
        low, high = (
            int(probes[first - 1]) if first else low,
            int(probes[first]) if first < len(probes) else high,
        )
    return float(sizes[high]) if high < len(sizes) else np.nan
