"""The accesses of several processes to one file, in the order of time."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

Integers = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class Accesses:
    """Accesses in the order of time: arrays of one length, at least one access, each of at least one byte."""

    process: Integers
    """Dense from 0 in the order of the processes' identifiers."""
    offset: Integers
    length: Integers
    time_ns: Integers | None = None
    """Null where the trace has no times: order is all that counts then."""

    def __len__(self) -> int:
        return len(self.process)

    @cached_property
    def end(self) -> Integers:
        """The byte after each access."""
        return self.offset + self.length

    @cached_property
    def processes(self) -> int:
        """How many processes access the file."""
        return int(self.process.max()) + 1

    @cached_property
    def by_process(self) -> Integers:
        """The accesses' positions, process after process, each in its own order."""
        return np.argsort(self.process, kind="stable")


def starts_of(*keys: np.ndarray[Any, np.dtype[np.signedinteger]]) -> Flags:
    """Return which rows' keys differ from those of the row before; the first row's do."""
    differs = np.zeros(len(keys[0]), np.bool_)
    if len(differs):
        differs[0] = True
        for key in keys:
            differs[1:] |= key[1:] != key[:-1]
    return differs


def share(part: float, whole: float) -> float:
    """Return part / whole, 0 of nothing."""
    return float(part) / float(whole) if whole else 0.0


def share_of_most_frequent(values: Integers) -> tuple[int, float]:
    """Return the most frequent value (the smallest of several), and its share; 0 and 0 of nothing."""
    if not len(values):
        return 0, 0.0
    distinct, counts = np.unique(values, return_counts=True)
    most = int(counts.argmax())
    return int(distinct[most]), float(counts[most]) / len(values)
