"""Preparations before a pattern is looked for: metadata set aside, backward and exchanged accesses turned."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from iotrace.analysis.patterns.accesses import Accesses, Flags, Integers, share, starts_of
from iotrace.analysis.patterns.tolerance import MOST_EXCHANGED, MOSTLY, SMALL, SMALL_BYTES

BACKWARD = 0.5
"""A process goes backwards where at least this share of its accesses end where the one before starts."""
ROUNDS = 3
"""How often neighbours are exchanged: how far an access may be from its place in its process's order."""


class Direction(StrEnum):
    """Where processes go in the file."""

    FORWARD = "forward"
    BACKWARD = "backward"
    BOTH = "both"


@dataclass(frozen=True)
class Cleaned:
    """Accesses without those to metadata, and the order in which each process's are analyzed."""

    accesses: Accesses
    """In the order of time, or its reverse where most processes go backwards."""
    own: Integers
    """Positions, process after process, reversed for processes that go backwards, neighbours exchanged."""
    set_aside: int
    """Accesses to metadata."""
    direction: Direction
    is_reversed: bool
    """Whether the accesses are in the reverse order of time."""
    exchanged: int
    """Pairs of a process's accesses that were exchanged."""


def clean(accesses: Accesses) -> Cleaned:
    """Set metadata aside, and order each process's accesses."""
    is_data = ~_metadata(accesses)
    if not is_data.all():
        process = np.unique(accesses.process[is_data], return_inverse=True)[1].astype(np.int64)
        data = Accesses(process, accesses.offset[is_data], accesses.length[is_data])
    else:
        data = Accesses(accesses.process, accesses.offset, accesses.length)
    backward = _backward(data)
    direction = Direction.FORWARD
    if backward.any():
        direction = Direction.BACKWARD if backward.all() else Direction.BOTH
    is_reversed = bool(2 * backward.sum() > len(backward))
    if is_reversed:
        data = Accesses(data.process[::-1], data.offset[::-1], data.length[::-1])
        backward = ~backward
    index = np.arange(len(data))
    order = np.lexsort((np.where(backward[data.process], -index, index), data.process))
    order, exchanged = _in_order(data, order)
    return Cleaned(data, order, int((~is_data).sum()), direction, is_reversed, exchanged)


def _metadata(accesses: Accesses) -> Flags:
    """Return which accesses are in runs of short ones only, where these move few bytes."""
    order = accesses.by_process
    process, start, end = accesses.process[order], accesses.offset[order], accesses.end[order]
    begins = starts_of(process)
    begins[1:] |= (start[1:] != end[:-1]) & (end[1:] != start[:-1])
    length = end - start
    ordered = np.sort(length)
    typical = ordered[np.searchsorted(np.cumsum(ordered), ordered.sum() / 2)]
    first = np.flatnonzero(begins)
    short = np.maximum.reduceat(length, first) <= SMALL * typical
    is_short = short[np.cumsum(begins) - 1]
    result = np.zeros(len(order), np.bool_)
    if length[is_short].sum() <= SMALL_BYTES * length.sum():
        result[order[is_short]] = True
    return result


def _backward(accesses: Accesses) -> Flags:
    """Return which processes go backwards: by adjoining accesses, or all together where nearly all steps go back."""
    order = accesses.by_process
    process, start, end = accesses.process[order], accesses.offset[order], accesses.end[order]
    inside = ~starts_of(process)[1:]
    steps = np.bincount(process[1:], inside, accesses.processes)
    if share((inside & (start[1:] < start[:-1])).sum(), inside.sum()) >= MOSTLY:
        return np.ones(accesses.processes, np.bool_)
    back = np.bincount(process[1:], inside & (end[1:] == start[:-1]), accesses.processes)
    return (steps > 0) & (back >= BACKWARD * steps)


def _in_order(accesses: Accesses, order: Integers) -> tuple[Integers, int]:
    """Exchange neighbours of a process that are in the wrong order, if they are few; return the order and how many."""
    result, exchanged = order.copy(), 0
    bounds = np.iinfo(np.int64)
    for _ in range(ROUNDS):
        process, start = accesses.process[result], accesses.offset[result]
        same = process[1:] == process[:-1]
        before = np.r_[bounds.min, np.where(same, start[:-1], bounds.min)][:-1]
        after = np.r_[np.where(same, start[1:], bounds.max), bounds.max][1:]
        wrong = same & (start[:-1] > start[1:]) & (before <= start[1:]) & (start[:-1] <= after)
        pairs = np.flatnonzero(wrong)
        if not len(pairs):
            break
        result[pairs], result[pairs + 1] = result[pairs + 1], result[pairs].copy()
        exchanged += len(pairs)
    return (result, exchanged) if 2 * exchanged <= MOST_EXCHANGED * len(order) else (order, 0)
