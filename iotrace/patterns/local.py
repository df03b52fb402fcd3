"""What each process does by itself: sequential and consecutive accesses, portions, strides and nested strides.

Words after Kotz and Ellis (1991, section 3.2) for portions, and after Nieuwejaar and Kotz's studies of parallel file
use for the rest: an access is sequential where it starts above the one before, consecutive where it starts where
the one before ends; a strided pattern goes on by one distance, a nested strided one by distances of distances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from iotrace.patterns.accesses import Accesses, Flags, Integers, share, share_of_most_frequent, starts_of

DEEPEST = 5
"""Levels of nested strides that are looked for."""


@dataclass(frozen=True)
class Sequence:
    """Pieces of the file, process after process, each process's in its order."""

    process: Integers
    start: Integers
    length: Integers
    """Bytes."""
    count: Integers
    """Pieces of the level below, or accesses, of which each consists."""

    def __len__(self) -> int:
        return len(self.process)

    @property
    def begins(self) -> Flags:
        """Tell which piece is its process's first."""
        return starts_of(self.process)

    @property
    def is_last(self) -> Flags:
        """Tell which piece is its process's last."""
        return np.roll(self.begins, -1)


@dataclass(frozen=True)
class Level:
    """One distance by which pieces follow one another."""

    stride_bytes: int
    """From one piece's start to the next one's; 0: the same piece again."""
    count: int
    """How many pieces there most often are before the next larger distance."""
    regular_share: float
    """The share of such rows of pieces that have this count, each process's last perhaps fewer; 0 where it is 1."""


@dataclass(frozen=True)
class Local:
    """What was found of the processes' own sequences."""

    consecutive_share: float
    """Of all accesses but each process's first."""
    sequential_share: float
    portions: Sequence
    """Maximal consecutive runs of each process."""
    portion_bytes: int
    """The most frequent length of those that are not their process's last."""
    fixed_share: float
    """The share of portions of that length, each process's last perhaps shorter; 1 where each has one portion."""
    levels: tuple[Level, ...]
    """Strides of portions, the smallest first."""
    regular_share: float
    """The share of the portions that the levels explain: the smallest share of any level and of fixed lengths; 1
    where every process has one portion."""

    @property
    def passes(self) -> int:
        """How often each process goes over its portions."""
        again = [level for level in self.levels if level.stride_bytes == 0]
        return again[-1].count if again and again[-1] is self.levels[-1] else 1

    @property
    def strides(self) -> tuple[Level, ...]:
        """The levels without passes."""
        return self.levels[:-1] if self.passes > 1 else self.levels


def look(accesses: Accesses) -> Local:
    """Look at the processes' own sequences."""
    own = accesses.by_process
    process, offset, end = accesses.process[own], accesses.offset[own], accesses.end[own]
    first = starts_of(process)
    consecutive = np.zeros(len(own), np.bool_)
    consecutive[1:] = (offset[1:] == end[:-1]) & ~first[1:]
    sequential = np.zeros(len(own), np.bool_)
    sequential[1:] = (offset[1:] > offset[:-1]) & ~first[1:]
    followers = len(own) - accesses.processes
    portions = _joined(Sequence(process, offset, end - offset, np.ones_like(own)), ~consecutive)
    portion_bytes, fixed = _fixed(portions)
    levels = _levels(portions)
    return Local(
        share(consecutive.sum(), followers),
        share(sequential.sum(), followers),
        portions,
        portion_bytes,
        fixed,
        levels,
        min([fixed, *(level.regular_share for level in levels)]),
    )


def _fixed(portions: Sequence) -> tuple[int, float]:
    """Return the most frequent length of portions, and how many have it; each process's last may be shorter."""
    last = portions.is_last
    if last.all():
        return int(np.median(portions.length)), 1.0
    length, _ = share_of_most_frequent(portions.length[~last])
    fits = np.where(last, portions.length <= length, portions.length == length)
    return length, float(fits.mean())


def _joined(pieces: Sequence, begins: Flags) -> Sequence:
    """Join pieces to larger ones, which begin where told; lengths reach from the first's start to the last's end."""
    first = np.flatnonzero(begins)
    last = np.r_[first[1:], len(pieces)] - 1
    count = last - first + 1
    end = pieces.start[last] + pieces.length[last]
    return Sequence(pieces.process[first], pieces.start[first], end - pieces.start[first], count)


def _level(stride: int, rows: Sequence) -> Level:
    """Describe the rows that a stride makes: their usual count, and how many have it; each process's last may not."""
    last = rows.is_last
    if last.all():
        return Level(stride, int(rows.count.max()), 1.0)
    count, _ = share_of_most_frequent(rows.count[~last])
    fits = np.where(last, rows.count <= count, rows.count == count) & (count > 1)
    return Level(stride, count, float(fits.mean()))


def _levels(portions: Sequence) -> tuple[Level, ...]:
    """Find the distances by which portions follow one another, rows of them, rows of rows.

    Each level's distance is the most frequent one between neighbours of the same process; pieces at that distance are
    joined to rows, on which the next level looks. It ends where each process has one row, or nothing is joined.
    """
    levels: list[Level] = []
    pieces = portions
    while len(levels) < DEEPEST and (inside := ~pieces.begins).any():
        distance = np.diff(pieces.start, prepend=0)
        stride, _ = share_of_most_frequent(distance[inside])
        rows = _joined(pieces, ~(inside & (distance == stride)))
        if len(rows) == len(pieces):
            break
        levels.append(_level(stride, rows))
        pieces = rows
    if not pieces.begins.all():
        levels.append(Level(0, 0, 0.0))
    return tuple(levels)
