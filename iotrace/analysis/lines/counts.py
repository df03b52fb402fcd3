"""One run's counts at any size, for reads and for writes."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from iotrace.analysis.curves import Curves
from iotrace.analysis.curves.curves import CurvePart

Direction = Literal["read", "write"]
Numbers = npt.NDArray[np.float64]
DIRECTIONS: tuple[Direction, ...] = ("read", "write")


@dataclass
class Half:
    """The counts of one direction, evaluated at the sizes that are asked for; None if it did not occur."""

    direction: Direction
    part: CurvePart | None
    _sizes: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64), init=False)
    _rows: pa.RecordBatch | None = field(default=None, init=False)
    """What was asked for last, at `_sizes`: several counts are asked for at the same sizes."""

    @cached_property
    def requests(self) -> int:
        """All requests."""
        return self._total(f"{self.direction}_requests")

    @cached_property
    def blocks(self) -> int:
        """All references to blocks."""
        return self._total("block_references")

    def change_points(self) -> npt.NDArray[np.uint32]:
        """Return the sizes in blocks at which a count may change."""
        return np.empty(0, np.uint32) if self.part is None else self.part.change_points()

    def at(self, name: str, sizes_blocks: Numbers) -> Numbers:
        """Return a count for each size; 0 for one that this run did not count."""
        if self.part is None or not len(sizes_blocks):
            return np.zeros(len(sizes_blocks))
        sizes, places = np.unique(np.asarray(sizes_blocks, np.int64), return_inverse=True)
        if self._rows is None or not np.array_equal(sizes, self._sizes):
            self._sizes, self._rows = sizes, self.part.rows(sizes.tolist())
        return _column(self._rows, name, self.direction).astype(float)[places]

    def _total(self, name: str) -> int:
        return 0 if self.part is None else int(self.part.rows([1])[name][0].as_py())


@dataclass(frozen=True)
class Counts:
    """A run's counts."""

    block_bytes: int
    distinct_blocks: int
    halves: dict[Direction, Half]

    @classmethod
    def of(cls, curves: Curves) -> "Counts":
        """Take them from curves that were counted by the column ``direction``."""
        parts = curves.parts()
        halves = {direction: Half(direction, parts.get(direction)) for direction in DIRECTIONS}
        return cls(curves.cache.block_bytes, curves.counts["distinct_blocks"], halves)

    @property
    def doublings(self) -> Numbers:
        """Sizes in blocks: 1, 2, 4 ... up to the first that holds every block."""
        return np.exp2(np.arange((max(self.distinct_blocks, 1) - 1).bit_length() + 1, dtype=np.float64))

    @property
    def infinite(self) -> Numbers:
        """A size in blocks that holds every block."""
        return np.array([float(max(self.distinct_blocks, 1))])

    @cached_property
    def changes(self) -> npt.NDArray[np.uint32]:
        """All sizes in blocks at which a count may change, ascending, 1 first."""
        points = (half.change_points() for half in self.halves.values())
        return np.unique(np.concatenate([np.ones(1, np.uint32), *points]))

    def of_directions(self, directions: tuple[Direction, ...], name: str, sizes_blocks: Numbers) -> Numbers:
        """Return a count for each size, summed over directions; ``requests`` and ``blocks`` are what there
        were."""
        halves = [self.halves[direction] for direction in directions]
        if name in ("requests", "blocks"):
            return np.full(len(sizes_blocks), float(sum(getattr(half, name) for half in halves)))
        return np.asarray(np.sum([half.at(name, sizes_blocks) for half in halves], axis=0))


def _column(rows: pa.RecordBatch, name: str, direction: Direction) -> npt.NDArray[np.int64]:
    """Return a count of a direction's rows by its name in figures; 0 for one that they do not have."""
    if name == "request_misses":
        name = f"{direction}_request_misses"
    if name == "disk_writes":
        if direction == "read":
            return np.zeros(len(rows), np.int64)
        return np.asarray(rows["write_expulsions"].to_numpy() + rows["write_syncs"].to_numpy())
    if name not in rows.schema.names:
        return np.zeros(len(rows), np.int64)
    return np.asarray(rows[name].to_numpy())
