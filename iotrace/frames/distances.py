"""How far back each key was used before: in distinct keys, in references, or in time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from iotrace import queries
from iotrace.analysis.curves.passes import references_read
from iotrace.engine.native import StackKeys
from iotrace.errors import UsageError
from iotrace.frames.keys import numbers_of, table_of


def stack_distance(keys: Any, key: str | None = None) -> pa.ChunkedArray:
    """Return the stack distance of each reference: the distinct keys since its key's last use, itself included.

    The result has a uint32 for each key of ``keys`` (see `iotrace.frames.keys.numbers_of`; ``key`` names their column,
    where there are several), null at a key's first use.
    An LRU cache of that many objects, and any larger one, has it (Mattson et al. 1970). Raises as `numbers_of`, and
    IotraceError for more than 2^31 distinct keys.
    """
    engine = StackKeys()
    with references_read():
        return pa.chunked_array(
            [pa.array(engine.distances(part)) for part in numbers_of(keys, key)], pa.uint32()
        )


def with_distances(rows: Any, key: str | None = None) -> pa.Table:
    """Return a table, data frame or relation as Arrow, with columns ``stack_distance`` and ``reuse_time`` of its keys.

    The rows are taken in their order: a relation of DuckDB needs an ORDER BY. Raises as `stack_distance`, and
    UsageError for rows that have such a column already.
    """
    table = table_of(rows)
    numbers = pa.chunked_array(list(numbers_of(table, key)), pa.uint64())
    for name, of in (("stack_distance", stack_distance(numbers)), ("reuse_time", reuse_time(numbers))):
        if name in table.column_names:
            raise UsageError(f"there is a column {name} already")
        table = table.append_column(name, of)
    return table


def working_set(keys: Any, windows: Sequence[int] | None = None, *, key: str | None = None) -> pa.Table:
    """Return how many distinct keys a window of some references has, as the mean over all windows of that length.

    ``windows`` are lengths in references: the powers of two up to all of them, and all, unless given. The result has
    the columns of result key_working_set. Raises as `numbers_of`, and UsageError for a length that no window has.

    Source: Denning and Schwartz, "Properties of the working-set model", CACM 1972; the mean here is exact for a finite
    trace: each window counts a key by its first reference in it.
    """
    since = reuse_time(numbers_of(keys, key))
    count = len(since)
    doublings = {1 << step for step in range(count.bit_length())} | {count}
    lengths = sorted(doublings - {0} if windows is None else {int(length) for length in windows})
    if wrong := [length for length in lengths if not 1 <= length <= count]:
        raise UsageError(f"a window has 1 to {count} of the references, not {wrong[0]}")
    place = np.arange(count, dtype=np.int64)
    after = place - since.fill_null(count + 1).to_numpy()  # where the reference before is
    means = []
    for length in lengths:
        last_start = np.minimum(place, count - length)
        first_start = np.maximum(np.maximum(after + 1, place - length + 1), 0)
        having = np.maximum(last_start - first_start + 1, 0).sum()
        means.append(float(having) / (count - length + 1))
    return queries.result_table("key_working_set", zip(lengths, means, strict=True))


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
