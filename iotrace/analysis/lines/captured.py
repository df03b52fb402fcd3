"""Which size of a cache has most of the hits that an infinite one has."""

import numpy as np

from iotrace.analysis.lines.counts import Counts, Numbers
from iotrace.analysis.lines.ratios import RATIOS


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
    enough = part_captured(counts, ratio, sizes) >= part
    return float(sizes[np.argmax(enough)]) if enough.any() else np.nan
