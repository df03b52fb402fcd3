"""Counts spelt out to rows, a bounded number at a time."""

from collections.abc import Iterator

import numpy as np


def spelt_out(counts: np.ndarray, most: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield, for counts 2, 0, 3: places 0, 0, 2, 2, 2 with numbers 0, 1, 0, 1, 2; at most ``most`` rows at a time."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    for first in range(0, total, most):
        rows = np.arange(first, min(first + most, total))
        places = np.searchsorted(ends, rows, side="right")
        yield places, rows - (ends[places] - counts[places])
