"""One run's counts at any size, for reads and for writes."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from iotrace.analysis.curves import Curves

Direction = Literal["read", "write"]
Numbers = npt.NDArray[np.float64]
KEPT = (
    "block_misses",
    "request_misses",
    "read_bytes_exact",
    "disk_writes",
    "write_block_overwrites",
    "write_block_fills",
)


@dataclass(frozen=True)
class Half:
    """The counts of one direction: totals, and what each size from `sizes` on (in blocks) has counted."""

    requests: int
    blocks: int
    sizes: npt.NDArray[np.int64]
    columns: dict[str, npt.NDArray[np.int64]]

    def at(self, name: str, sizes_blocks: Numbers) -> Numbers:
        """Return a count for each size; 0 for one that this run did not count."""
        if name not in self.columns or not len(self.sizes):
            return np.zeros(len(sizes_blocks))
        return self.columns[name][np.searchsorted(self.sizes, sizes_blocks, side="right") - 1].astype(float)


@dataclass(frozen=True)
class Counts:
    """A run's counts."""

    block_bytes: int
    distinct_blocks: int
    halves: dict[Direction, Half]

    @classmethod
    def of(cls, curves: Curves) -> "Counts":
        """Take them from curves that were counted by the column ``direction``."""
        rows = curves.rows_of()
        halves: dict[Direction, Half] = {
            "read": _half(rows.get("read"), "read"),
            "write": _half(rows.get("write"), "write"),
        }
        return cls(curves.cache.block_bytes, curves.counts["distinct_blocks"], halves)

    @property
    def doublings(self) -> Numbers:
        """Sizes in blocks: 1, 2, 4 ... up to the first that holds every block."""
        return np.exp2(np.arange((max(self.distinct_blocks, 1) - 1).bit_length() + 1, dtype=np.float64))

    @property
    def infinite(self) -> Numbers:
        """A size in blocks that holds every block."""
        return np.array([float(max(self.distinct_blocks, 1))])

    @property
    def changes(self) -> Numbers:
        """All sizes in blocks at which a count changes."""
        return np.unique(np.concatenate([[1], *(half.sizes for half in self.halves.values())])).astype(float)

    def of_directions(self, directions: tuple[Direction, ...], name: str, sizes_blocks: Numbers) -> Numbers:
        """Return a count for each size, summed over directions; ``requests`` and ``blocks`` are what there
        were."""
        halves = [self.halves[direction] for direction in directions]
        if name in ("requests", "blocks"):
            return np.full(len(sizes_blocks), float(sum(getattr(half, name) for half in halves)))
        return np.asarray(np.sum([half.at(name, sizes_blocks) for half in halves], axis=0))


def _half(rows: pa.RecordBatch | None, direction: Direction) -> Half:
    if rows is None:
        return Half(0, 0, np.empty(0, np.int64), {})
    columns = {name: rows[name].to_numpy() for name in KEPT if name in rows.schema.names}
    columns["request_misses"] = rows[f"{direction}_request_misses"].to_numpy()
    if direction == "write":
        columns["disk_writes"] = rows["write_expulsions"].to_numpy() + rows["write_syncs"].to_numpy()
    requests = rows[f"{direction}_requests"][0].as_py()
    return Half(requests, rows["block_references"][0].as_py(), rows["size_blocks"].to_numpy(), columns)
