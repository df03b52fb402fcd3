"""One portion for each process: the same for all, adjoining segments, equal portions at one distance, or neither."""

from dataclasses import dataclass

import numpy as np

from iotrace.analysis.patterns.accesses import Integers, share, share_of_most_frequent
from iotrace.analysis.patterns.local import Local
from iotrace.analysis.patterns.tolerance import LONGEST_HOLE, MOSTLY, NEARLY_ALL, SLACK


@dataclass(frozen=True)
class Extents:
    """The one portion of each process, sorted by where it starts."""

    start: Integers
    length: Integers
    lacking_bytes: int
    """By how much a portion may be shorter because records are missing at its ends; 0 if none are missing."""

    @classmethod
    def of(cls, local: Local) -> "Extents":
        """Take the first portion of each process: further ones are passes over it."""
        portions = local.planned
        first = portions.begins
        order = np.lexsort((portions.length[first], portions.start[first]))
        lacking = 2 * LONGEST_HOLE * local.record_bytes if local.missing_share else 0
        return cls(portions.start[first][order], portions.length[first][order], lacking)

    @property
    def end(self) -> Integers:
        """The byte after each."""
        return self.start + self.length

    @property
    def same_share(self) -> float:
        """The share of the processes whose portion is the middle one of all, or nearly."""
        start, end = np.median(self.start), np.median(self.end)
        both = np.minimum(self.end, end) - np.maximum(self.start, start)
        either = np.maximum(self.end, end) - np.minimum(self.start, start)
        return share(
            ((both >= NEARLY_ALL * either) | (either - both <= self.lacking_bytes)).sum(), len(self.start)
        )

    @property
    def _slack(self) -> int:
        return int(SLACK * np.median(self.length))

    @property
    def _gap(self) -> Integers:
        return self.start[1:] - self.end[:-1]

    @property
    def are_apart(self) -> bool:
        """Whether something lies between all of them."""
        return bool((self._gap > 0).all())

    @property
    def are_two_with_a_gap(self) -> bool:
        """Whether there is one gap between two equal portions: nothing shows whether others would be as long."""
        return len(self.start) == 2 and self.are_apart and bool(self.length[0] == self.length[1])

    @property
    def adjoining_share(self) -> float:
        """The share of the gaps that only missing records and alignment explain, which differ from gap to gap."""
        gap, slack = self._gap, self._slack
        usual, part = share_of_most_frequent(gap)
        if 2 * part <= 1:
            return share((np.abs(gap) <= slack).sum(), len(gap))
        within = max(slack if part < MOSTLY else 0, self.lacking_bytes)
        return share(((gap >= -slack) & (gap <= within)).sum(), len(gap)) if usual == 0 else 0.0

    @property
    def are_equally_long(self) -> bool:
        """Whether the lengths are equal, the last portion's perhaps less."""
        full = np.median(self.length)
        equal = np.abs(self.length[:-1] - full) <= self.lacking_bytes
        return bool(equal.all() and self.length[-1] <= full + self.lacking_bytes)

    @property
    def equally_apart_share(self) -> float:
        """The share of neighbours of one length and one distance, those at the file's ends perhaps cut."""
        if len(self.start) < 3:
            return 0.0
        full = np.median(self.length[1:-1])
        within = max(self._slack, self.lacking_bytes)
        long = self.length >= full - within
        long[[0, -1]] = True
        long &= self.length <= full + within
        starts, ends = np.diff(self.start), np.diff(self.end)
        distance = np.median(np.r_[starts[1:], ends[:-1]])
        apart = (np.abs(starts - distance) <= within) | (np.abs(ends - distance) <= within)
        return share((apart & long[1:] & long[:-1]).sum(), len(apart)) if distance > 0 else 0.0
