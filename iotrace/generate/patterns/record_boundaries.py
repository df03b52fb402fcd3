"""Where records begin whose length is not a whole number of bytes."""

from typing import Any

import numpy as np

Integers = np.ndarray[Any, np.dtype[np.int64]]


def boundaries(number: Integers, record_bytes: float) -> Integers:
    """Return the byte at which each record of these numbers begins, counted from 0: the nearest whole one.

    ``record_bytes`` is at least 1, so that no record is empty.
    """
    if float(record_bytes).is_integer():
        return number * int(record_bytes)
    rounded: Integers = np.rint(number * record_bytes).astype(np.int64)
    return rounded


def records_within(length: Integers, record_bytes: float) -> Integers:
    """Return for lengths in bytes how many records begin within each."""
    if float(record_bytes).is_integer():
        return -(-length // int(record_bytes))
    count = np.floor(length / record_bytes).astype(np.int64)
    # a boundary that is rounded may lie on either side of the end
    while (is_more := boundaries(count, record_bytes) < length).any():
        count += is_more
    while (is_less := (count > 0) & (boundaries(count - 1, record_bytes) >= length)).any():
        count -= is_less
    return count
