"""A subcache's counts at any size, for each type."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from iotrace.analysis.curves import Cache
from iotrace.engine.native import StackCurve

Integers = npt.NDArray[np.int64]

COUNTS = (
    "read_requests", "read_request_misses", "write_requests", "write_request_misses", "block_references",
    "read_block_misses", "write_block_misses", "write_expulsions", "dirty_at_end", "read_bytes_estimated",
    "read_bytes_exact", "write_bytes_estimated", "write_bytes_exact", "read_service_time_ns",
    "write_service_time_ns",
)  # fmt: skip
"""The counts of a subcache, which can all be summed over subcaches and types."""
PLACE = {name: index for index, name in enumerate(COUNTS)}


@dataclass(frozen=True)
class TypeCounts:
    """The counts of one type, in one direction: a row for each size in blocks at which one changes, 0 first."""

    type: str
    sizes: Integers
    rows: Integers

    def at(self, size_blocks: int) -> Integers:
        """Return the counts at a size."""
        return np.asarray(self.rows[np.searchsorted(self.sizes, size_blocks, side="right") - 1])


@dataclass(frozen=True)
class SubcacheCurve:
    """The counts of one class's requests in a separate cache, for every size.

    A cache without blocks is none: each request is a disk request, each block written a disk write. How many of its
    bytes lie inside the file is then not known, and the exact bytes are given as 0.
    """

    block_bytes: int
    parts: tuple[TypeCounts, ...]
    _changes: dict[tuple[str, ...], tuple[Integers, Integers]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Results of `changes` so far."""

    def at(self, size_bytes: int) -> dict[str, Integers]:
        """Return the counts (in the order of COUNTS) by type, at a size rounded down to blocks."""
        blocks = size_bytes // self.block_bytes
        counts_of: dict[str, Integers] = {}
        for part in self.parts:
            counts = part.at(blocks)
            counts_of[part.type] = counts_of[part.type] + counts if part.type in counts_of else counts
        return counts_of

    def requests(self) -> int:
        """How many requests it gets."""
        return sum(
            int(part.rows[0][[PLACE["read_requests"], PLACE["write_requests"]]].sum()) for part in self.parts
        )

    def changes(self, names: Sequence[str]) -> tuple[Integers, Integers]:
        """Return the sizes in bytes at which the sum of some counts can change, from 0 on, and the sums."""
        key = tuple(names)
        if key not in self._changes:
            columns = [PLACE[name] for name in names]
            sizes = merged([np.zeros(1, np.int64), *(part.sizes for part in self.parts)])
            sums = np.zeros(len(sizes), np.int64)
            for part in self.parts:
                places = np.searchsorted(part.sizes, sizes, side="right") - 1
                sums += part.rows[:, columns].sum(axis=1)[places]
            self._changes[key] = sizes * self.block_bytes, sums
        return self._changes[key]


def merged(sorted_sizes: Sequence[Integers]) -> Integers:
    """Return the sizes of several sorted arrays, each once, sorted."""
    sizes = np.sort(np.concatenate(sorted_sizes), kind="stable")
    return sizes[np.concatenate([[True], sizes[1:] != sizes[:-1]])] if len(sizes) else sizes


def subcache_curve(
    finished: StackCurve, cache: Cache, components: Sequence[tuple[str, str]]
) -> SubcacheCurve:
    """Take the counts of a finished engine whose components are pairs of a type and a direction."""
    parts = []
    for number, (kind, direction) in enumerate(components[: finished.components]):
        rows = pa.record_batch(finished.table(number))
        counts = np.stack([rows.column(name).to_numpy() for name in COUNTS], axis=1).astype(np.int64)
        if not len(counts) or not counts[0, PLACE[f"{direction}_requests"]]:
            continue
        sizes = np.concatenate([[0], rows.column("size_blocks").to_numpy()])
        first = _uncached(counts[0], direction, cache)
        parts.append(TypeCounts(kind, sizes, np.concatenate([first[None, :], counts])))
    return SubcacheCurve(cache.block_bytes, tuple(parts))


def _uncached(counts: Integers, direction: str, cache: Cache) -> Integers:
    """Return what the requests counted in a row would cost without a cache."""
    uncached = np.zeros_like(counts)
    requests, blocks = int(counts[PLACE[f"{direction}_requests"]]), int(counts[PLACE["block_references"]])
    disk = cache.pricing()
    transferred = blocks * cache.block_bytes
    accesses = requests if direction == "read" else blocks
    values = {
        f"{direction}_requests": requests,
        f"{direction}_request_misses": requests,
        "block_references": blocks,
        f"{direction}_block_misses": blocks,
        f"{direction}_bytes_estimated": transferred,
        f"{direction}_service_time_ns": accesses * disk["overhead_ns"]
        + transferred * disk["transfer_ns_per_kb"] // 1024,
    }
    if direction == "write":
        values["write_expulsions"] = blocks
    for name, value in values.items():
        uncached[PLACE[name]] = value
    return uncached
