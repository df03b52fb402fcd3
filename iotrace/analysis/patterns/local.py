"""Each process by itself: sequential and consecutive accesses, portions, strides and nested strides.

Words after Kotz and Ellis (1991, section 3.2) for portions, and after Nieuwejaar and Kotz's studies of parallel file
use for the rest: an access is sequential where it starts above the one before, consecutive where it starts where
the one before ends; a strided pattern goes on by one distance, a nested strided one by distances of distances.
"""

import math
from dataclasses import dataclass

import numpy as np

from iotrace.analysis.patterns.accesses import (
    Accesses,
    Flags,
    Integers,
    share,
    share_of_most_frequent,
    starts_of,
)
from iotrace.analysis.patterns.missing import Holes, bridges, completed
from iotrace.analysis.patterns.sequence import Sequence, heaviest, most_frequent_within
from iotrace.analysis.patterns.tolerance import LONGEST_HOLE, NEARLY_ALL, SLACK

DEEPEST = 5
"""Levels of nested strides that are looked for."""


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
    """Findings on each process's own sequence."""

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
    """The share of the accesses that one plan of lengths and distances explains, times the share of the plan's
    accesses that the trace has."""
    missing_share: float = 0.0
    """Of the plan's accesses, those that the trace lacks; 0 if none was looked for."""
    record_bytes: int = 0
    """The length of an access that has most of the bytes; 0 if no missing records were looked for."""

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


def look(accesses: Accesses, order: Integers | None = None, tolerant: bool = False) -> Local:
    """Look at the processes' own sequences, in another order (process after process) than that of time if given.

    Tolerant: records may be missing, and portions slightly out of place.
    """
    order = accesses.by_process if order is None else order
    process, offset, end = accesses.process[order], accesses.offset[order], accesses.end[order]
    first = starts_of(process)
    consecutive = np.zeros(len(order), np.bool_)
    consecutive[1:] = (offset[1:] == end[:-1]) & ~first[1:]
    ones = np.ones_like(order)
    records = Sequence(process, offset, end - offset, ones, ones)
    plan = _Plan(records, tolerant)
    portions = plan.portions(records, consecutive)
    portion_bytes, fits = _fixed(portions, plan.slack)
    fixed, is_planned = _planned(portions, fits)
    planned, levels = plan.levels(portions.chosen(is_planned) if fixed >= NEARLY_ALL else portions)
    return Local(
        *shares(accesses, order),
        portions,
        portion_bytes,
        fixed,
        planned,
        levels,
        fixed * math.prod(level.regular_share for level in levels) * plan.present,
        1 - plan.present,
        plan.record_bytes,
    )


def shares(accesses: Accesses, order: Integers) -> tuple[float, float]:
    """Return the shares of consecutive and of sequential accesses, of all but each process's first."""
    process, offset, end = accesses.process[order], accesses.offset[order], accesses.end[order]
    inside = ~starts_of(process)[1:]
    consecutive = (offset[1:] == end[:-1]) & inside
    sequential = (offset[1:] > offset[:-1]) & inside
    return share(consecutive.sum(), inside.sum()), share(sequential.sum(), inside.sum())


def _planned(pieces: Sequence, fits: Flags) -> tuple[float, Flags]:
    """Return the share of the accesses in the pieces that are kept, and which these are.

    They are those that fit, or each process's heaviest piece alone where only that explains nearly all.
    """
    total = pieces.accesses.sum()
    part = share(pieces.accesses[fits].sum(), total)
    if part >= NEARLY_ALL:
        return part, fits
    order = np.lexsort((-pieces.accesses, pieces.process))
    alone = np.zeros(len(pieces), np.bool_)
    alone[order[starts_of(pieces.process[order])]] = True
    explained = share(pieces.accesses[alone].sum(), total)
    return (explained, alone) if explained >= NEARLY_ALL else (part, fits)


def _fixed(portions: Sequence, slack: int) -> tuple[int, Flags]:
    """Return the length of portions that has most accesses, and which portions fit: each process's last may be less."""
    last = portions.is_last
    if last.all():
        return int(np.median(portions.length)), last
    length = heaviest(portions.length[~last], portions.accesses[~last])
    fits = np.abs(portions.length - length) <= slack
    return length, fits | (last & (portions.length <= length))


class _Plan:
    """The search for a plan: strict, or with missing pieces and slack."""

    def __init__(self, records: Sequence, tolerant: bool) -> None:
        self.tolerant = tolerant
        self.slack = 0
        self.present = 1.0
        self.record_bytes = heaviest(records.length, records.length) if tolerant else 0
        pairs = np.flatnonzero(records.begins)
        self.low = np.minimum.reduceat(records.start, pairs)
        self.high = np.maximum.reduceat(records.end, pairs)

    def portions(self, records: Sequence, consecutive: Flags) -> Sequence:
        """Return maximal consecutive runs, over holes where few records are missing."""
        if not self.tolerant:
            return records.joined(~consecutive)
        hole = np.zeros_like(records.start)
        hole[1:] = np.where(records.begins[1:], 0, records.start[1:] - records.end[:-1])
        fitting = -(-hole // self.record_bytes)
        start = records.start - hole
        missing = self._missing(records, start, hole, np.where(fitting > LONGEST_HOLE, 0, fitting))
        portions = records.joined(~(consecutive | (missing > 0)), missing)
        portions = self._completed(portions, self.record_bytes)
        last = portions.is_last
        lengths = portions.length if last.all() else portions.length[~last]
        self.slack = int(SLACK * np.median(lengths))
        return portions

    def levels(self, portions: Sequence) -> tuple[Sequence, tuple[Level, ...]]:
        """Find the distances by which portions follow one another, rows of them, rows of rows; and those on them.

        Each level's distance is the most frequent one between neighbours of the same process; pieces at that distance
        are joined to rows, on which the next level looks. It ends where each process has one row, or a level is not
        regular.
        """
        levels: list[Level] = []
        pieces, members = portions, np.arange(len(portions))
        while len(levels) < DEEPEST and (inside := ~pieces.begins).any():
            stride, begins, rows = self._rows(pieces, inside)
            count, fits = _counted(rows)
            regular, is_planned = _planned(rows, fits)
            count = int(rows.count[is_planned].max()) if regular >= NEARLY_ALL else count
            levels.append(Level(stride, count, regular))
            if regular < NEARLY_ALL:
                return portions, tuple(levels)
            # the rows to which the portions belong, which are renumbered if some are set aside
            row = (np.cumsum(begins) - 1)[members]
            number = np.where(is_planned, np.cumsum(is_planned) - 1, -1)
            members = np.where(members >= 0, number[row], -1)
            pieces = rows.chosen(is_planned)
        if not pieces.begins.all():
            levels.append(Level(0, 0, 0.0))
        return portions.chosen(members >= 0), tuple(levels)

    def _rows(self, pieces: Sequence, inside: Flags) -> tuple[int, Flags, Sequence]:
        """Return the distance, where rows begin, and the rows."""
        distance = np.diff(pieces.start, prepend=0)
        if not self.tolerant:
            stride, _ = share_of_most_frequent(distance[inside])
            begins = ~(inside & (distance == stride))
            return stride, begins, pieces.joined(begins)
        stride = most_frequent_within(distance[inside], self.slack)
        steps = np.rint(distance / stride).astype(np.int64) if stride else np.ones_like(distance)
        in_step = inside & (np.abs(distance - steps * stride) <= self.slack)
        hole = np.where(in_step & (steps > 1), (steps - 1) * abs(stride), 0)
        start = np.roll(pieces.start, 1) + stride
        fitting = np.where(hole > 0, np.where(steps - 1 > LONGEST_HOLE, 0, steps - 1), 0)
        missing = self._missing(pieces, start, hole, fitting)
        begins = ~(in_step & ((steps == 1) | (missing > 0)))
        return stride, begins, self._completed(pieces.joined(begins, missing), stride)

    def _missing(self, pieces: Sequence, start: Integers, hole: Integers, fitting: Integers) -> Integers:
        holes = Holes(pieces.process, start, np.maximum(hole, 0), np.maximum(fitting, 0))
        missing = bridges(holes, self.low, self.high, len(pieces))
        self.present *= share(len(missing), len(missing) + missing.sum())
        return missing

    def _completed(self, pieces: Sequence, unit_bytes: int) -> Sequence:
        whole = completed(pieces, unit_bytes, self.slack)
        self.present *= share(pieces.count.sum(), whole.count.sum())
        return whole


def _counted(rows: Sequence) -> tuple[int, Flags]:
    """Return how many pieces rows with most accesses have, and which rows fit: each process's last may have less."""
    last = rows.is_last
    if last.all():
        return int(rows.count.max()), last
    count = heaviest(rows.count[~last], rows.accesses[~last])
    return count, np.where(last, rows.count <= count, rows.count == count) & (count > 1)
