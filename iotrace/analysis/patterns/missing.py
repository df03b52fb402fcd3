"""Records that a trace lacks: holes that are bridged, and pieces that lack their first or last records."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from iotrace.analysis.patterns.accesses import Flags, Integers
from iotrace.analysis.patterns.sequence import Sequence, heaviest, most_frequent_within
from iotrace.analysis.patterns.tolerance import LEAST_RETURNS, LONGEST_HOLE, MOST_MISSING, MOSTLY

NEIGHBOURS = 3
"""How many holes further on the next one at the same distance is looked for: others may lie between."""
CANDIDATES = 3
"""Distances that are tried."""


@dataclass(frozen=True)
class Holes:
    """Where pieces do not adjoin: before each piece, how much of the file lies between, and how many pieces fit."""

    process: Integers
    start: Integers
    """Where the hole before the piece starts."""
    length: Integers
    """Its bytes; 0 if there is no hole."""
    pieces: Integers
    """How many pieces may be missing in it; 0 if it is not a hole, or more than the longest."""


def bridges(holes: Holes, low: Integers, high: Integers, pieces: int) -> Integers:
    """Return how many pieces are missing before each piece: none in holes that are the pattern's own.

    ``low`` and ``high`` bound what each process accesses, in the given number of pieces. Returns no missing records if
    they would be too many for these pieces.
    """
    missing = np.where(_returning(holes, low, high), 0, holes.pieces)
    total = missing.sum()
    return missing if total <= MOST_MISSING * (pieces + total) else np.zeros_like(missing)


def _returning(holes: Holes, low: Integers, high: Integers) -> Flags:
    """Return which holes come again at one distance, in nearly all places that the distance gives."""
    where = np.flatnonzero(holes.length > 0)
    result = np.zeros(len(holes.length), np.bool_)
    process, start, length = holes.process[where], holes.start[where], holes.length[where]
    for distance in _distances(process, start):
        residue = start % distance
        phase = _phases(process, residue, len(low))
        typical = heaviest(length, (residue == phase[process]).astype(np.int64))
        position = start + (phase[process] - start) % distance
        held = position + typical <= start + length
        chances = (high - 1 - phase) // distance - (low - 1 - phase) // distance
        returns = len(np.unique(np.c_[process, position][held], axis=0))
        if chances.sum() >= LEAST_RETURNS * len(low) and returns >= MOSTLY * chances.sum():
            result[where[held]] = True
            return result
    return result


def _distances(process: Integers, start: Integers) -> Iterator[int]:
    """Give the most frequent distances between holes of one process."""
    distances = [np.empty(0, np.int64)]
    for step in range(1, NEIGHBOURS + 1):
        same = process[step:] == process[:-step]
        distances.append(np.abs(start[step:] - start[:-step])[same])
    distinct, counts = np.unique(np.concatenate(distances), return_counts=True)
    counts = counts[distinct > 0]
    distinct = distinct[distinct > 0]
    for index in np.argsort(-counts, kind="stable")[:CANDIDATES]:
        yield int(distinct[index])


def _phases(process: Integers, residue: Integers, processes: int) -> Integers:
    """Return each process's most frequent residue, 0 for one without holes."""
    pairs, counts = np.unique(np.c_[process, residue], axis=0, return_counts=True)
    phase = np.zeros(processes, np.int64)
    order = np.argsort(counts, kind="stable")
    phase[pairs[order, 0]] = pairs[order, 1]
    return phase


def completed(pieces: Sequence, unit_bytes: int, slack: int) -> Sequence:
    """Lengthen pieces that lack at most three units at one end, where the other end is where the others' places put it.

    A process's last piece may end early. Pieces stay as they are where too many units would be missing.
    """
    last = pieces.is_last
    if last.all() or unit_bytes < 1:
        return pieces
    full = heaviest(pieces.length[~last], pieces.accesses[~last])
    stride = most_frequent_within(np.diff(pieces.start)[~last[:-1]], slack)
    result = pieces
    for _ in range(2):
        lack = full - result.length
        short = (lack > slack) & (lack <= LONGEST_HOLE * unit_bytes)
        starts_right = _in_step(result.start, last, stride, slack)
        at_end = short & starts_right & ~last
        at_start = short & ~starts_right & _in_step(result.end, last, stride, slack)
        missing = np.where(at_end | at_start, -(-lack // unit_bytes), 0)
        result = replace(
            result,
            start=result.start - np.where(at_start, lack, 0),
            length=result.length + np.where(at_end | at_start, lack, 0),
            count=result.count + missing,
        )
    added = int((result.count - pieces.count).sum())
    return result if added <= MOST_MISSING * int(result.count.sum()) else pieces


def _in_step(position: Integers, last: Flags, stride: int, slack: int) -> Flags:
    """Return which places are a stride from that of the process's piece before or after."""
    step = (np.abs(np.diff(position) - stride) <= slack) & ~last[:-1]
    result = np.zeros(len(position), np.bool_)
    result[1:] |= step
    result[:-1] |= step
    return result
