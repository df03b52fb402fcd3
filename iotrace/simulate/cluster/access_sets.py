"""Blocks and segments that a program touches, from which plans for caches are made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from iotrace.errors import IotraceError, UsageError
from iotrace.generate.spread import spelt_out
from iotrace.libraries import pl

MOST_AT_ONCE = 1 << 21
"""Touches spelt out at a time."""
NO_PHASE = -1
"""Stands for null among phases."""
SEGMENT = ["phase", "file", "segment"]
"""The identity of a segment in a phase."""


@dataclass(frozen=True)
class CacheCapacity:
    """The capacity of a global cache, and the unit of what may go through it."""

    global_blocks: int
    """In all, or for each file."""
    per_file: bool = False
    """Whether each file has a separate global cache, as in section 3.2."""
    segment_blocks: int = 4
    """Section 3.4."""
    block_bytes: int = 4096
    local_blocks: int = 0
    """The blocks of each node's local cache; 0 where plans are made from all touches, as the paper's compiler does.

    A block among its node's last `local_blocks` touches is not counted, since the local cache serves it.
    (LRU serves some more, that is, blocks touched longer ago where touches between them were of the same blocks.)
    """
    free_percent: float = 0.0
    """How much of the cache its harvester keeps free (the high water mark): a plan that needs all of it would have its
    blocks evicted just before they come again."""

    def __post_init__(self) -> None:
        if self.global_blocks < 0:
            raise UsageError(f"a global cache has 0 blocks or more, not {self.global_blocks}")
        if self.segment_blocks < 1 or self.block_bytes < 1:
            raise UsageError("a segment has at least one block, and a block at least one byte")
        if not 0 <= self.free_percent <= 100:
            raise UsageError(f"a cache keeps 0 to 100 percent free, not {self.free_percent:g}")
        if self.local_blocks < 0:
            raise UsageError(f"a local cache has 0 blocks or more, not {self.local_blocks}")

    @property
    def blocks(self) -> int:
        """The space that a plan may fill."""
        return self.global_blocks - math.ceil(self.global_blocks * self.free_percent / 100)


def requests(program: pa.Table) -> pl.DataFrame:
    """Return a program's accesses, in order: row, phase, process, node, file, offset, length, write.

    Records that only compute, or have no bytes, are left out. A phase that is null is NO_PHASE.
    """
    rows = pl.DataFrame(pl.from_arrow(program)).with_row_index("row")
    known = rows.filter(pl.col("operation").cast(pl.String) != "compute", pl.col("length") > 0)
    numbers = [pl.col(name).cast(pl.Int64) for name in ("process", "file", "offset", "length")]
    phase = pl.col("phase").fill_null(NO_PHASE).cast(pl.Int64)
    node = pl.coalesce("node", "process").fill_null(-1).cast(pl.Int64).alias("node")
    return known.select("row", phase, node, *numbers, write=pl.col("operation").cast(pl.String) != "read")


def file_blocks(
    accesses: pl.DataFrame, capacity: CacheCapacity, file_bytes: Sequence[int] | None = None
) -> np.ndarray:
    """Return each file's blocks: by its size where that is given, else by the largest byte that is accessed."""
    count = 1 + int(accesses["file"].max() or 0) if len(accesses) else 0  # type: ignore[arg-type]
    ends = np.zeros(max(count, len(file_bytes or ())), np.int64)
    np.maximum.at(ends, accesses["file"].to_numpy(), (accesses["offset"] + accesses["length"]).to_numpy())
    if file_bytes is not None:
        ends[: len(file_bytes)] = np.maximum(ends[: len(file_bytes)], file_bytes)
    return -(-ends // capacity.block_bytes)


def by_segment(accesses: pl.DataFrame, capacity: CacheCapacity) -> pl.DataFrame:
    """Return how many block touches each segment has in each phase: phase, file, segment, touches."""
    if capacity.local_blocks:
        touched = _blocks(accesses, capacity, ["phase", "file"])
        parts = [
            _segment_sums(part.with_columns(pl.col("segment") // capacity.segment_blocks)) for part in touched
        ]
    else:
        spread = _spelt_out(accesses, capacity.block_bytes, capacity.segment_blocks, ["phase", "file"])
        parts = [_segment_sums(part) for part in spread]
    if not parts:
        return pl.DataFrame(schema=dict.fromkeys((*SEGMENT, "touches"), pl.Int64))
    return _segment_sums(pl.concat(parts)).sort(SEGMENT)


def _segment_sums(touches: pl.DataFrame) -> pl.DataFrame:
    return touches.group_by(SEGMENT).agg(pl.col("touches").sum())


def segment_blocks(segments: pl.DataFrame, blocks: np.ndarray, capacity: CacheCapacity) -> np.ndarray:
    """Return how many blocks each segment (columns file, segment) has: a file's last one may have fewer."""
    last = blocks[segments["file"].to_numpy()] - segments["segment"].to_numpy() * capacity.segment_blocks
    counts: np.ndarray = np.minimum(last, capacity.segment_blocks)
    return counts


def _blocks(accesses: pl.DataFrame, capacity: CacheCapacity, columns: list[str]) -> Iterator[pl.DataFrame]:
    """Yield a row for each block that an access touches, in order, except for those that a local cache serves.

    What a node has touched is forgotten after each MOST_AT_ONCE touches.
    """
    for part in _spelt_out(accesses, capacity.block_bytes, 1, [*dict.fromkeys((*columns, "node", "file"))]):
        if not capacity.local_blocks:
            yield part
            continue
        placed = part.with_columns(at=pl.int_range(pl.len()).over("node"))
        since = pl.col("at") - pl.col("at").shift(1)
        far = (
            since.over("node", "file", "segment").fill_null(capacity.local_blocks + 1) > capacity.local_blocks
        )
        yield placed.filter(far)


def _spelt_out(
    accesses: pl.DataFrame, block_bytes: int, unit_blocks: int, repeated: list[str]
) -> Iterator[pl.DataFrame]:
    """Yield a row for each unit that an access touches: ``repeated``, segment, touches (blocks of it)."""
    first = accesses["offset"].to_numpy() // block_bytes
    last = (accesses["offset"] + accesses["length"] - 1).to_numpy() // block_bytes
    counts = last // unit_blocks - first // unit_blocks + 1
    if len(counts) and int(counts.max()) > 1 << 32:
        raise IotraceError("a record of the program is longer than 2^32 blocks")
    columns = {name: accesses[name].to_numpy() for name in repeated}
    for rows, numbers in spelt_out(counts, MOST_AT_ONCE):
        unit = first[rows] // unit_blocks + numbers
        touched = np.minimum(last[rows], (unit + 1) * unit_blocks - 1) - np.maximum(
            first[rows], unit * unit_blocks
        )
        yield pl.DataFrame(
            {
                **{name: values[rows] for name, values in columns.items()},
                "segment": unit,
                "touches": touched + 1,
            }
        )
