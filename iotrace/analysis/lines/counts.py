"""One run's counts at any size, for reads and for writes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from iotrace.analysis.curves import Curves
from iotrace.analysis.curves.curves import CurvePart

Direction = Literal["read", "write"]
Numbers = npt.NDArray[np.float64]
MOST_DRAWN = 300
"""How many points of a line are drawn at most."""
DIRECTIONS: tuple[Direction, ...] = ("read", "write")


@dataclass
class Half:
    """The counts of one direction, evaluated at the sizes that are asked for; None if it did not occur."""

    direction: Direction
    part: CurvePart | None
    _sizes: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64), init=False)
    _rows: pa.RecordBatch | None = field(default=None, init=False)
    """The last results, at `_sizes`: several counts are asked for at the same sizes."""

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
        return _united([np.ones(1, np.uint32), *(half.change_points() for half in self.halves.values())])

    @cached_property
    def drawn(self) -> Numbers:
        """At most `MOST_DRAWN` of `changes`, evenly over their logarithm, the first and the last included."""
        return thinned([np.ones(1, np.uint32), *(half.change_points() for half in self.halves.values())])

    def of_directions(self, directions: tuple[Direction, ...], name: str, sizes_blocks: Numbers) -> Numbers:
        """Return a count for each size, summed over directions; ``requests`` and ``blocks`` are what there
        were."""
        halves = [self.halves[direction] for direction in directions]
        if name in ("requests", "blocks"):
            return np.full(len(sizes_blocks), float(sum(getattr(half, name) for half in halves)))
        return np.asarray(np.sum([half.at(name, sizes_blocks) for half in halves], axis=0))


def thinned(points: Sequence[npt.NDArray[Any]]) -> Numbers:
    """Return at most `MOST_DRAWN` of the sizes in some ascending arrays, without putting long ones together."""
    points = [sizes for sizes in points if len(sizes)]
    if all(len(sizes) <= MOST_DRAWN for sizes in points) and len(united := _united(points)) <= MOST_DRAWN:
        return united.astype(float)
    first, last = min(sizes[0] for sizes in points), max(sizes[-1] for sizes in points)
    grid = np.geomspace(float(first), float(last), MOST_DRAWN - 1)
    places = (np.searchsorted(sizes, grid, side="right") for sizes in points)
    upto = [np.where(index > 0, sizes[index - 1], first) for index, sizes in zip(places, points, strict=True)]
    return np.unique(np.concatenate([[first, last], np.max(upto, axis=0)])).astype(float)


def _united(points: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Return the sizes in some ascending arrays, each once, ascending."""
    sizes = np.sort(np.concatenate(points), kind="stable")  # merges what is in order
    return np.asarray(sizes[np.append(True, sizes[1:] != sizes[:-1])])


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
