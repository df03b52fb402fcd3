"""What each process does by itself: sequential and consecutive accesses, portions, strides and nested strides.

Words after Kotz and Ellis (1991, section 3.2) for portions, and after Nieuwejaar and Kotz's studies of parallel file
use for the rest: an access is sequential where it starts above the one before, consecutive where it starts where
the one before ends; a strided pattern goes on by one distance, a nested strided one by distances of distances.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from iotrace.patterns.accesses import Accesses, Flags, Integers, share, share_of_most_frequent, starts_of

DEEPEST = 5
"""Levels of nested strides that are looked for."""
NEARLY_ALL = 0.95
"""Where a plan explains so many of the accesses, the others (headers, hiccups) are set aside."""


@dataclass(frozen=True)
class Sequence:
    """Pieces of the file, process after process, each process's in its order."""

    process: Integers
    start: Integers
    length: Integers
    """Bytes."""
    count: Integers
    """Pieces of the level below, or accesses, of which each consists."""
    accesses: Integers
    """Accesses of which each consists."""

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

    def chosen(self, which: Flags) -> Sequence:
        """Return some of the pieces."""
        columns = (self.process, self.start, self.length, self.count, self.accesses)
        return Sequence(*(column[which] for column in columns))


@dataclass(frozen=True)
class Level:
    """One distance by which pieces follow one another."""

    stride_bytes: int
    """From one piece's start to the next one's; 0: the same piece again."""
    count: int
    """How many pieces there most often are before the next larger distance."""
    regular_share: float
    """The share of the accesses in such rows of pieces that have this count, each process's last perhaps fewer; 0
    where the count is 1."""


@dataclass(frozen=True)
class Local:
    """What was found of the processes' own sequences."""

    consecutive_share: float
    """Of all accesses but each process's first."""
    sequential_share: float
    portions: Sequence
    """Maximal consecutive runs of each process."""
    portion_bytes: int
    """The length that portions with most of the accesses have."""
    fixed_share: float
    """The share of the accesses in portions of that length, each process's last perhaps shorter; 1 where each process
    has one portion."""
    planned: Sequence
    """The portions that follow the plan of lengths and distances: all but a few that were set aside, or all where
    there is no plan."""
    levels: tuple[Level, ...]
    """Strides of portions, the smallest first."""
    regular_share: float
    """The share of the accesses that one plan of lengths and distances explains."""

    @property
    def passes(self) -> int:
        """How often each process goes over its portions."""
        if not self.levels or self.levels[-1].stride_bytes or self.regular_share < NEARLY_ALL:
            return 1
        return self.levels[-1].count

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
    ones = np.ones_like(own)
    portions = _joined(Sequence(process, offset, end - offset, ones, ones), ~consecutive)
    portion_bytes, fits = _fixed(portions)
    fixed, kept = _planned(portions, fits)
    planned, levels = _levels(portions.chosen(kept) if fixed >= NEARLY_ALL else portions)
    return Local(
        share(consecutive.sum(), followers),
        share(sequential.sum(), followers),
        portions,
        portion_bytes,
        fixed,
        planned,
        levels,
        fixed * math.prod(level.regular_share for level in levels),
    )


def _planned(pieces: Sequence, fits: Flags) -> tuple[float, Flags]:
    """Return the share of the accesses in the pieces that are kept, and which these are.

    They are those that fit, or each process's heaviest piece alone where only that explains nearly all.
    """
    total = pieces.accesses.sum()
    part = share(pieces.accesses[fits].sum(), total)
    if part >= NEARLY_ALL:
        return part, fits
    order = np.lexsort((-pieces.accesses, pieces.process))
    heaviest = np.zeros(len(pieces), np.bool_)
    heaviest[order[starts_of(pieces.process[order])]] = True
    alone = share(pieces.accesses[heaviest].sum(), total)
    return (alone, heaviest) if alone >= NEARLY_ALL else (part, fits)


def _fixed(portions: Sequence) -> tuple[int, Flags]:
    """Return the length of portions that has most accesses, and which portions fit: each process's last may be less."""
    last = portions.is_last
    if last.all():
        return int(np.median(portions.length)), last
    length = _heaviest(portions.length[~last], portions.accesses[~last])
    return length, np.where(last, portions.length <= length, portions.length == length)


def _heaviest(values: Integers, weights: Integers) -> int:
    distinct, place = np.unique(values, return_inverse=True)
    return int(distinct[np.bincount(place, weights).argmax()])


def _joined(pieces: Sequence, begins: Flags) -> Sequence:
    """Join pieces to larger ones, which begin where told; lengths reach from the first's start to the last's end."""
    first = np.flatnonzero(begins)
    last = np.r_[first[1:], len(pieces)] - 1
    end = pieces.start[last] + pieces.length[last]
    start = pieces.start[first]
    accesses = np.add.reduceat(pieces.accesses, first)
    return Sequence(pieces.process[first], start, end - start, last - first + 1, accesses)


def _levels(portions: Sequence) -> tuple[Sequence, tuple[Level, ...]]:
    """Find the distances by which portions follow one another, rows of them, rows of rows; and the portions on them.

    Each level's distance is the most frequent one between neighbours of the same process; pieces at that distance are
    joined to rows, on which the next level looks. It ends where each process has one row, or a level is not regular.
    """
    levels: list[Level] = []
    pieces, members = portions, np.arange(len(portions))
    while len(levels) < DEEPEST and (inside := ~pieces.begins).any():
        distance = np.diff(pieces.start, prepend=0)
        stride, _ = share_of_most_frequent(distance[inside])
        begins = ~(inside & (distance == stride))
        rows = _joined(pieces, begins)
        count, fits = _counted(rows)
        regular, kept = _planned(rows, fits)
        count = int(rows.count[kept].max()) if regular >= NEARLY_ALL else count
        levels.append(Level(stride, count, regular))
        if regular < NEARLY_ALL:
            return portions, tuple(levels)
        # the rows to which the portions belong, which are numbered anew where some are set aside
        row = (np.cumsum(begins) - 1)[members]
        number = np.where(kept, np.cumsum(kept) - 1, -1)
        members = np.where(members >= 0, number[row], -1)
        pieces = rows.chosen(kept)
    if not pieces.begins.all():
        levels.append(Level(0, 0, 0.0))
    return portions.chosen(members >= 0), tuple(levels)


def _counted(rows: Sequence) -> tuple[int, Flags]:
    """Return how many pieces rows with most accesses have, and which rows fit: each process's last may have less."""
    last = rows.is_last
    if last.all():
        return int(rows.count.max()), last
    count = _heaviest(rows.count[~last], rows.accesses[~last])
    return count, np.where(last, rows.count <= count, rows.count == count) & (count > 1)
