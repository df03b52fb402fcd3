"""The ratios of chapter 4's figures, by name (Richardson 1994, 2.6 and 4.1)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from iotrace.analysis.lines.counts import Counts, Direction, Numbers

BOTH: tuple[Direction, ...] = ("read", "write")
READ: tuple[Direction, ...] = ("read",)
WRITE: tuple[Direction, ...] = ("write",)


@dataclass(frozen=True)
class Ratio:
    """A count at each size, and the count of which it is a part."""

    counted: Callable[[Counts, Numbers], Numbers]
    whole: Callable[[Counts, Numbers], Numbers]

    def at(self, counts: Counts, sizes_blocks: Numbers) -> Numbers:
        """Return the ratio for each size; not a number where there is nothing to divide by."""
        whole = self.whole(counts, sizes_blocks)
        empty = np.full(len(whole), np.nan)
        return np.asarray(np.divide(self.counted(counts, sizes_blocks), whole, out=empty, where=whole != 0))


def _count(directions: tuple[Direction, ...], name: str) -> Callable[[Counts, Numbers], Numbers]:
    return lambda counts, sizes: counts.of_directions(directions, name, sizes)


def _hits(directions: tuple[Direction, ...], of: str) -> Callable[[Counts, Numbers], Numbers]:
    whole, misses = _count(directions, f"{of}s"), _count(directions, f"{of}_misses")
    return lambda counts, sizes: whole(counts, sizes) - misses(counts, sizes)


def _disk_requests(counts: Counts, sizes: Numbers) -> Numbers:
    reads, writes = _count(READ, "request_misses"), _count(WRITE, "disk_writes")
    return reads(counts, sizes) + writes(counts, sizes)


RATIOS = {
    "hit_ratio": Ratio(_hits(BOTH, "block"), _count(BOTH, "blocks")),
    "read_hit_ratio": Ratio(_hits(READ, "block"), _count(READ, "blocks")),
    "write_hit_ratio": Ratio(_hits(WRITE, "block"), _count(WRITE, "blocks")),
    "overwrite_ratio": Ratio(_count(WRITE, "write_block_overwrites"), _count(WRITE, "blocks")),
    "fill_ratio": Ratio(_count(WRITE, "write_block_fills"), _count(WRITE, "blocks")),
    "miss_ratio": Ratio(_count(BOTH, "block_misses"), _count(BOTH, "blocks")),
    "read_miss_ratio": Ratio(_count(READ, "block_misses"), _count(READ, "blocks")),
    "request_hit_ratio": Ratio(_hits(BOTH, "request"), _count(BOTH, "requests")),
    "request_miss_ratio": Ratio(_count(BOTH, "request_misses"), _count(BOTH, "requests")),
    "read_request_miss_ratio": Ratio(_count(READ, "request_misses"), _count(READ, "requests")),
    "write_request_miss_ratio": Ratio(_count(WRITE, "request_misses"), _count(WRITE, "requests")),
    "disk_read_ratio": Ratio(_count(READ, "request_misses"), _count(BOTH, "requests")),
    "disk_write_ratio": Ratio(_count(WRITE, "disk_writes"), _count(BOTH, "requests")),
    "disk_request_ratio": Ratio(_disk_requests, _count(BOTH, "requests")),
}
"""Hit and miss ratios are of blocks, request ratios of requests. A request larger than the cache misses more
than once, so that its miss ratio can pass 1 and its hit ratio fall below 0 (2.6.2). Disk ratios are of all
requests: reads that miss, and dirty blocks that are expelled (2.6) or, where syncs are honoured, synced."""

BYTES = {
    "bytes_transferred": lambda counts, sizes: (
        _count(BOTH, "block_misses")(counts, sizes) * counts.block_bytes
    ),
    "bytes_read": lambda counts, sizes: _count(READ, "block_misses")(counts, sizes) * counts.block_bytes,
    "bytes_read_exact": _count(READ, "read_bytes_exact"),
}
"""Bytes that misses bring from the disk: whole blocks (2.6.4), or up to the file's end."""
