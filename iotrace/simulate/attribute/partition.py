"""The best partition of a total among classes, exactly, from their staircases.

The least sum of costs whose sizes fit into a total is a knapsack with one choice for each class. Its relaxation, by the
convex hulls of the staircases, bounds the sum from below and prices a byte (the multiplier of Lagrange). A choice whose
cost at that price exceeds its class's least by more than the gap between the bound and the best sum known cannot be
part of a better sum: what remains is enumerated, first with a small part of the gap, then with more until it is
proved that there is nothing better.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from iotrace.simulate.attribute.curves import Integers
from iotrace.simulate.attribute.staircase import Numbers, Staircase

MOST_PAIRS = 1 << 22
"""How many combinations are evaluated at a time."""
FIRST_PART = 1 / 256
"""With which part of the gap the enumeration begins."""


@dataclass(frozen=True)
class Split:
    """A partition: a step of each class's staircase, its cost, and the hulls' bound on any partition's cost."""

    places: tuple[int, ...]
    cost: float
    bound: float


@dataclass(frozen=True)
class _Partial:
    """Choices for the first classes: their sizes and costs together, at the price too, and the places chosen."""

    sizes: Integers
    costs: Numbers
    excess: Numbers
    places: tuple[Integers, ...]


class Partitions:
    """The best partitions of any total among classes."""

    def __init__(self, staircases: Sequence[Staircase]) -> None:
        self.staircases = tuple(staircases)

    def best(self, total_bytes: int) -> Split:
        """Return the partition of the least cost whose sizes sum to at most the total."""
        price, bound, split = self._relaxed(total_bytes)
        slack = 1e-9 * (1 + abs(bound))
        excess = [staircase.costs + price * staircase.sizes for staircase in self.staircases]
        excess = [extra - extra.min() for extra in excess]
        gap = split.cost - bound
        part = FIRST_PART
        while gap > slack:
            reach = min(gap * part, gap) + slack
            tried = self._enumerated(total_bytes, excess, reach)
            if tried is not None and tried.cost < split.cost:
                split = tried
                gap = split.cost - bound
            if reach >= gap:
                break
            part *= 4
        return Split(split.places, split.cost, bound)

    def _relaxed(self, total_bytes: int) -> tuple[float, float, Split]:
        """Return the price of a byte, the hulls' bound, and a partition of whole steps."""
        owners, steps, sizes, gains = self._segments
        taken = int(np.searchsorted(np.cumsum(sizes), total_bytes, side="right"))
        left = total_bytes - int(sizes[:taken].sum())
        price = float(gains[taken] / sizes[taken]) if taken < len(sizes) else 0.0
        least = sum(float(staircase.costs[0]) for staircase in self.staircases)
        bound = least - float(gains[:taken].sum()) - price * left
        places = [0] * len(self.staircases)
        for owner, step in zip(owners[:taken].tolist(), steps[:taken].tolist(), strict=True):
            places[owner] = step
        return price, bound, self._filled(places, left)

    def _filled(self, places: list[int], left: int) -> Split:
        """Return the partition with what is left given where it helps most, again and again."""
        while True:
            best, gain, target = 0, 0.0, 0
            for owner, staircase in enumerate(self.staircases):
                reach = (
                    int(np.searchsorted(staircase.sizes, staircase.sizes[places[owner]] + left, side="right"))
                    - 1
                )
                if (saved := float(staircase.costs[places[owner]] - staircase.costs[reach])) > gain:
                    best, gain, target = owner, saved, reach
            if gain <= 0:
                break
            left -= int(self.staircases[best].sizes[target] - self.staircases[best].sizes[places[best]])
            places[best] = target
        cost = sum(float(stairs.costs[index]) for stairs, index in zip(self.staircases, places, strict=True))
        return Split(tuple(places), cost, 0.0)

    @cached_property
    def _segments(self) -> tuple[Integers, Integers, Integers, Numbers]:
        """The hulls' segments of all classes, the steepest first: class, step at the end, size, fall of the cost."""
        parts = []
        for owner, staircase in enumerate(self.staircases):
            corners = staircase.hull()
            parts.append(
                (
                    np.full(len(corners) - 1, owner),
                    corners[1:],
                    np.diff(staircase.sizes[corners]),
                    -np.diff(staircase.costs[corners]),
                )
            )
        owners, steps, sizes, gains = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((steps, -gains / sizes))
        return owners[order], steps[order], sizes[order], gains[order]

    def _enumerated(self, total_bytes: int, excess: Sequence[Numbers], reach: float) -> Split | None:
        """Return the best of all partitions whose excess over the relaxation is at most `reach`."""
        near = [
            np.flatnonzero((extra <= reach) & (stairs.sizes <= total_bytes))
            for extra, stairs in zip(excess, self.staircases, strict=True)
        ]
        order = sorted(range(len(near)), key=lambda owner: len(near[owner]))
        *others, last = order
        partial = _Partial(np.zeros(1, np.int64), np.zeros(1), np.zeros(1), ())
        for owner in others:
            partial = self._joined(partial, owner, near[owner], excess[owner], total_bytes, reach)
        stairs = self.staircases[last]
        if not len(partial.sizes):
            return None
        ends = np.searchsorted(stairs.sizes, total_bytes - partial.sizes, side="right") - 1
        costs = partial.costs + stairs.costs[ends]
        best = int(np.argmin(costs))
        chosen = dict(zip(others, (int(places[best]) for places in partial.places), strict=True))
        chosen[last] = int(ends[best])
        return Split(tuple(chosen[owner] for owner in range(len(near))), float(costs[best]), 0.0)

    def _joined(
        self, partial: _Partial, owner: int, near: Integers, excess: Numbers, total_bytes: int, reach: float
    ) -> _Partial:
        """Combine each partial choice with each step of a further class that is near; keep what nothing beats."""
        stairs = self.staircases[owner]
        pieces = []
        rows = max(1, MOST_PAIRS // max(len(near), 1))
        for first in range(0, len(partial.sizes), rows):
            piece = slice(first, first + rows)
            sizes = partial.sizes[piece, None] + stairs.sizes[near]
            over = partial.excess[piece, None] + excess[near]
            before, here = np.nonzero((sizes <= total_bytes) & (over <= reach))
            joined = _Partial(
                sizes[before, here],
                partial.costs[piece][before] + stairs.costs[near][here],
                over[before, here],
                (*(places[piece][before] for places in partial.places), near[here]),
            )
            pieces.append(_undominated(joined))
        return _undominated(_concatenated(pieces)) if len(pieces) > 1 else pieces[0]


def _concatenated(pieces: Sequence[_Partial]) -> _Partial:
    def joined(columns: Sequence[np.ndarray]) -> np.ndarray:
        return np.concatenate(columns)

    return _Partial(
        joined([piece.sizes for piece in pieces]),
        joined([piece.costs for piece in pieces]),
        joined([piece.excess for piece in pieces]),
        tuple(joined(places) for places in zip(*(piece.places for piece in pieces), strict=True)),
    )


def _undominated(partial: _Partial) -> _Partial:
    """Keep choices that cost less than every smaller one."""
    if not len(partial.sizes):
        return partial
    order = np.lexsort((partial.costs, partial.sizes))
    least = np.minimum.accumulate(partial.costs[order])
    undominated = order[np.concatenate([[True], partial.costs[order][1:] < least[:-1]])]
    return _Partial(
        partial.sizes[undominated],
        partial.costs[undominated],
        partial.excess[undominated],
        tuple(places[undominated] for places in partial.places),
    )
