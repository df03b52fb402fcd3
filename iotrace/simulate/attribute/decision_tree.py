"""A decision tree whose leaves move files to a subcache, or leave them where they are; grown by what moves save."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iotrace.simulate.attribute.features import CATEGORIES, Condition, Features

MOST_DEPTH = 4
Gains = npt.NDArray[np.float64]
"""By file and subcache: what a move there saves."""


@dataclass(frozen=True)
class Leaf:
    """The conditions of a leaf, from the root on; where its files go (None: they stay), and what that would save."""

    conditions: tuple[Condition, ...]
    subcache: int | None
    saving: float

    def accepts(self, features: Features) -> bool:
        """Return whether a file comes to this leaf."""
        return all(condition.accepts(features) for condition in self.conditions)

    def __str__(self) -> str:
        return " and ".join(map(str, self.conditions)) or "every file"


def grow(features: Sequence[Features], gains: Gains, most_depth: int = MOST_DEPTH) -> list[Leaf]:
    """Return the leaves of a tree of at most this depth.

    Each node is split by the condition after which the best decisions of both sides save most together; it is a leaf
    if no condition saves more than its own best decision. Of equal conditions the first is taken, in the order of
    `CATEGORIES` and of their values, the size last.
    """
    return list(_leaves(list(features), gains, (), most_depth))


def _leaves(
    features: list[Features], gains: Gains, conditions: tuple[Condition, ...], depth: int
) -> Iterator[Leaf]:
    best = _best_condition(features, gains) if depth else None
    if best is None:
        yield _leaf(gains, conditions)
        return
    accepted = np.array([best.accepts(each) for each in features])
    for holds in (True, False):
        side = np.flatnonzero(accepted == holds)
        condition = Condition(best.feature, best.value, holds)
        yield from _leaves([features[i] for i in side], gains[side], (*conditions, condition), depth - 1)


def _leaf(gains: Gains, conditions: tuple[Condition, ...]) -> Leaf:
    sums = gains.sum(axis=0)
    best = int(np.argmax(sums)) if len(sums) else 0
    if not len(sums) or sums[best] <= 0:
        return Leaf(conditions, None, 0.0)
    return Leaf(conditions, best, float(sums[best]))


def _value(sums: Gains) -> float:
    """Return what the best decision saves, given sums by subcache; to stay saves 0."""
    return float(sums.max(initial=0.0))


def _best_condition(features: Sequence[Features], gains: Gains) -> Condition | None:
    total = gains.sum(axis=0)
    best, most = None, _value(total)
    for condition, sums in _sums(features, gains):
        saved = _value(sums) + _value(total - sums)
        if saved > most + 1e-9 * (1 + abs(most)):
            best, most = condition, saved
    return best


def _sums(features: Sequence[Features], gains: Gains) -> Iterator[tuple[Condition, Gains]]:
    """Yield every condition that splits files, and the sums of the gains of those that it accepts."""
    for name in CATEGORIES:
        by_value: dict[str, list[int]] = {}
        for number, each in enumerate(features):
            by_value.setdefault(getattr(each, name), []).append(number)
        for value in sorted(by_value) if len(by_value) > 1 else ():
            yield Condition(name, value), gains[by_value[value]].sum(axis=0)
    sizes = np.array([-1 if each.size_bytes is None else each.size_bytes for each in features])
    order = np.argsort(sizes, kind="stable")
    ordered = sizes[order]
    from_here = np.cumsum(gains[order][::-1], axis=0)[::-1]
    for index in np.flatnonzero(ordered[1:] > ordered[:-1]) + 1:
        yield Condition("size_bytes", int(ordered[index])), from_here[index]


def leaf_of(leaves: Sequence[Leaf], features: Features) -> Leaf:
    """Return the leaf to which a file comes: exactly one accepts it."""
    return next(leaf for leaf in leaves if leaf.accepts(features))


def as_array(files: Sequence[int], gains: Mapping[int, Mapping[int, int]], places: int) -> Gains:
    """Return files' gains as an array: each less 1, so that no file moves that is not known to save anything."""
    known = np.full((len(files), places), -1.0)
    for number, file in enumerate(files):
        for subcache, gain in gains.get(file, {}).items():
            known[number, subcache] += gain
    return known
