"""How far back each key was used before: in distinct keys, in references, or in time."""

from typing import Any

import numpy as np
import pyarrow as pa

from iotrace.analysis.curves.passes import references_read
from iotrace.engine.native import StackKeys
from iotrace.errors import UsageError
from iotrace.frames.keys import numbers_of


def stack_distance(keys: Any) -> pa.ChunkedArray:
    """Return the stack distance of each reference: the distinct keys since its key's last use, itself included.

    The result has a uint32 for each key of ``keys`` (see `iotrace.frames.keys.numbers_of`), null at a key's first use.
    An LRU cache of that many objects, and any larger one, has it (Mattson et al. 1970). Raises as `numbers_of`, and
    IotraceError for more than 2^31 distinct keys.
    """
    engine = StackKeys()
    with references_read():
        return pa.chunked_array([pa.array(engine.distances(part)) for part in numbers_of(keys)], pa.uint32())


def reuse_time(keys: Any, times: Any = None) -> pa.Array:
    """Return how long ago each reference's key was used before, null at its first use.

    Without ``times`` that is counted in references: 1 where the key was the last one used (an int64). With ``times``, a
    column of integers, times or durations of the same length, it is their difference. Raises as `numbers_of`, and
    UsageError for times of another length.
    """
    parts = list(numbers_of(keys))
    numbers = np.concatenate([part.to_numpy() for part in parts]) if parts else np.zeros(0, np.uint64)
    order = np.argsort(numbers, kind="stable")
    is_again = np.zeros(len(numbers), bool)
    is_again[1:] = numbers[order][1:] == numbers[order][:-1]
    when = np.arange(len(numbers), dtype=np.int64) if times is None else _when(times, len(numbers))
    since = np.zeros(
        len(numbers), when.dtype if when.dtype.kind != "M" else when.dtype.str.replace("M8", "m8")
    )
    since[order[1:]] = when[order][1:] - when[order][:-1]
    first = np.empty(len(numbers), bool)
    first[order] = ~is_again
    return pa.array(since, mask=first)


def _when(times: Any, count: int) -> np.ndarray:
    """Return times as a NumPy array of whole numbers, times or durations."""
    plain = pa.array(times) if hasattr(times, "__arrow_c_array__") else times
    when = np.asarray(plain.to_numpy() if hasattr(plain, "to_numpy") else plain)
    if when.shape != (count,):
        raise UsageError(f"there are {count:,} keys and {len(when):,} times")
    if when.dtype.kind not in "iumM":
        raise UsageError(f"times are integers, times or durations without nulls, not {when.dtype}")
    return when.astype(np.int64) if when.dtype.kind in "iu" else when
