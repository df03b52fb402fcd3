"""Records that processes take together, in the order of the file: the whole, or portions of it."""

from dataclasses import dataclass

import numpy as np

from iotrace.analysis.patterns.accesses import Accesses, Integers, share_of_most_frequent
from iotrace.analysis.patterns.local import Local
from iotrace.analysis.patterns.missing import Holes, bridges, completed
from iotrace.analysis.patterns.sequence import Sequence
from iotrace.analysis.patterns.together import Covered, Together
from iotrace.analysis.patterns.tolerance import LONGEST_HOLE, NEARLY_ALL

HEADER = 0.05
"""The part of a file before its records that may be a header."""


@dataclass(frozen=True)
class Taken:
    """The parts of the file whose records are taken, over holes where few records are missing."""

    start: Integers
    length: Integers
    lacking_bytes: int
    """How much may be missing at the beginning; 0 if no record is missing."""

    @classmethod
    def of(cls, accesses: Accesses, together: Together) -> "Taken":
        """Look at what all processes access."""
        covered = without_holes(accesses, together.covered)
        bridged = len(covered.start) < len(together.covered.start)
        lacking = LONGEST_HOLE * int(accesses.length.max()) if bridged else 0
        return cls(covered.start, covered.end - covered.start, lacking)

    @property
    def regular_share(self) -> float:
        """The share of the parts of one length, or of the gaps of one length if that is less."""
        gaps = self.start[1:] - (self.start + self.length)[:-1]
        lengths = self.length if len(self.length) < 2 else self.length[:-1]
        full, part = share_of_most_frequent(lengths)
        if self.length[-1] > full:
            return 0.0
        return min(part, share_of_most_frequent(gaps)[1]) if len(gaps) else 1.0

    def names(self, is_regular: bool) -> tuple[str, ...]:
        """Name the pattern of records that are taken in order, of portions of one length if these are regular."""
        first, end = int(self.start[0]), int(self.start[-1] + self.length[-1])
        if len(self.start) == 1:
            if first <= self.lacking_bytes:
                return "gw", "gfp", "grp"
            return ("gw", "grp") if first <= HEADER * end else ("grp", "gw")
        if is_regular:
            if len(self.start) > 2:
                return ("gfp",)
            return ("gfp", "grp") if first == 0 else ("grp", "gfp")
        if first <= HEADER * end and self.length.sum() >= NEARLY_ALL * (end - first):
            return "gw", "grp"
        return ("grp",)


def without_holes(accesses: Accesses, covered: Covered) -> Covered:
    """Return the contiguous parts of the file, over holes where few records are missing."""
    if len(covered.start) < 2:
        return covered
    starts = np.sort(accesses.offset)
    record = share_of_most_frequent(accesses.length)[0]
    ones = np.ones_like(covered.start)
    count = np.diff(np.r_[np.searchsorted(starts, covered.start), len(starts)])
    parts = Sequence(ones - 1, covered.start, covered.end - covered.start, count, count)
    hole = np.r_[0, parts.start[1:] - parts.end[:-1]]
    pieces = -(-hole // record)
    pieces[pieces > LONGEST_HOLE] = 0
    holes = Holes(parts.process, parts.start - hole, hole, pieces)
    missing = bridges(holes, parts.start[:1], parts.end[-1:], len(accesses))
    begins = missing == 0
    begins[0] = True
    joined = completed(parts.joined(begins, missing), record, 0)
    return Covered(joined.start, joined.end)


def is_exactly_strided(accesses: Accesses, local: Local, together: Together) -> bool:
    """Return whether no process accesses what strides lack; processes that take records nearly in turn take all."""
    if local.regular_share == 1:
        return True
    if not local.missing_share:
        return False
    missing = len(accesses) * local.missing_share / (1 - local.missing_share)
    covered = together.covered
    holes = float((covered.start[1:] - covered.end[:-1]).sum()) / local.record_bytes
    return holes >= missing / 2
