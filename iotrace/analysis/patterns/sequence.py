"""Pieces of a file in the order in which processes access them: accesses, portions, rows of portions."""

from dataclasses import dataclass

import numpy as np

from iotrace.analysis.patterns.accesses import Flags, Integers, starts_of


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
    def end(self) -> Integers:
        """The byte after each piece."""
        return self.start + self.length

    @property
    def begins(self) -> Flags:
        """Return which piece is its process's first."""
        return starts_of(self.process)

    @property
    def is_last(self) -> Flags:
        """Return which piece is its process's last."""
        return np.roll(self.begins, -1)

    def chosen(self, which: Flags) -> "Sequence":
        """Return some of the pieces."""
        columns = (self.process, self.start, self.length, self.count, self.accesses)
        return Sequence(*(column[which] for column in columns))

    def joined(self, begins: Flags, missing: Integers | None = None) -> "Sequence":
        """Join pieces to larger ones, which begin where given; lengths reach from the first's start to the last's end.

        ``missing`` is how many pieces are missing before each; they count as the larger piece's.
        """
        first = np.flatnonzero(begins)
        last = np.r_[first[1:], len(self)] - 1
        start = self.start[first]
        count = last - first + 1
        if missing is not None:
            count += np.add.reduceat(np.where(begins, 0, missing), first)
        accesses = np.add.reduceat(self.accesses, first)
        return Sequence(self.process[first], start, self.end[last] - start, count, accesses)


def heaviest(values: Integers, weights: Integers) -> int:
    """Return the value with the largest sum of weights."""
    distinct, code = np.unique(values, return_inverse=True)
    return int(distinct[np.bincount(code, weights).argmax()])


def most_frequent_within(values: Integers, slack: int) -> int:
    """Return the value that has most of the values at most ``slack`` away; of several the most frequent one."""
    distinct, counts = np.unique(values, return_counts=True)
    total = np.r_[0, np.cumsum(counts)]
    low = np.searchsorted(distinct, distinct - slack)
    high = np.searchsorted(distinct, distinct + slack, side="right")
    return int(distinct[np.lexsort((-counts, total[low] - total[high]))[0]])
