"""Exact LRU curves over plain keys: arrays of 64-bit numbers, each the read of one block."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from iotrace.analysis.curves.cache import LIMITS
from iotrace.analysis.curves.passes import references_read
from iotrace.engine import available_cores
from iotrace.engine.native import StackKeys
from iotrace.errors import IotraceError, UsageError
from iotrace.schemas import schema


def curve_of_keys(
    keys: Any, *, sizes_blocks: Sequence[int] | None = None, threads: int | None = None
) -> pa.Table:
    """Return the exact miss-ratio curve of one LRU cache over keys, each of which is the read of one block.

    ``keys`` is a NumPy array or an Arrow array (chunked or not) of integers, or an iterable of such arrays, which are
    taken in turn. Distinct numbers are distinct blocks, wherever they lie; a negative number counts as the 64 bits that
    hold it. The result has columns size_blocks, block_references and block_misses as table curve has them: one row for
    each size at which the misses change (the first is one block), or for each of ``sizes_blocks`` in the order given.
    ``threads`` above 1 (the default where this process may use several cores) numbers the keys on one thread and
    counts on another.

    Raises UsageError for keys that are no integers or null, and for sizes below 1 or too large.
    """
    engine = StackKeys(threads=min(available_cores(), 2) if threads is None else threads)
    if isinstance(keys, (np.ndarray, pa.Array, pa.ChunkedArray)):
        keys = (keys,)
    elif not isinstance(keys, Iterable):
        raise UsageError(f"keys are arrays of integers, not {type(keys).__name__}")
    with references_read():
        for part in keys:
            engine.push(list(unsigned(part)))
        changes = engine.change_points()
    if sizes_blocks is None:
        requested = np.union1d(np.array([1], np.uint32), changes.to_numpy(zero_copy_only=False))
    elif all(0 < size <= LIMITS["blocks"] for size in sizes_blocks):
        requested = np.array(sizes_blocks, np.uint32)
    else:
        raise UsageError(f"a cache has at least 1 block and at most {LIMITS['blocks']:,}")
    sizes, places = np.unique(requested, return_inverse=True)
    hits = engine.hits(_arrow(sizes, pa.uint32())).to_numpy(zero_copy_only=False)[places].astype(np.int64)
    references = np.full(len(requested), engine.reads, np.int64)
    columns = {
        "size_blocks": requested.astype(np.int64),
        "block_references": references,
        "block_misses": references - hits,
    }
    described = pa.schema([schema("curve").field(name) for name in columns])
    return pa.table([_arrow(column, pa.int64()) for column in columns.values()], schema=described)


def unsigned(keys: Any) -> Iterator[pa.Array]:
    """Yield keys as arrays of uint64, without a copy where they have 64 bits."""
    if isinstance(keys, pa.ChunkedArray):
        for chunk in keys.chunks:
            yield from unsigned(chunk)
    elif isinstance(keys, pa.Array) and pa.types.is_integer(keys.type):
        if keys.null_count:
            raise IotraceError(f"{keys.null_count} of the keys are null")
        yield from unsigned(keys.to_numpy(zero_copy_only=False))
    elif isinstance(keys, np.ndarray) and keys.dtype.kind in "iu" and keys.ndim == 1:
        wide = keys.astype(np.int64 if keys.dtype.kind == "i" else np.uint64, copy=False)
        yield _arrow(np.ascontiguousarray(wide).view(np.uint64), pa.uint64())
    else:
        kind = f"an array of {keys.type}" if isinstance(keys, pa.Array) else type(keys).__name__
        if isinstance(keys, np.ndarray):
            kind = f"an array of {keys.dtype} with {keys.ndim} dimensions"
        raise UsageError(f"keys are arrays of integers in one dimension, not {kind}")


def _arrow(column: np.ndarray, kind: pa.DataType) -> pa.Array:
    """Return a contiguous array as Arrow's, without a copy."""
    return pa.Array.from_buffers(kind, len(column), [None, pa.py_buffer(column)])
