"""Many settings simulated in parts, by the workers of ``--workers``: each part is some of the settings."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from operator import add
from typing import Any, TypeVar

from iotrace.engine import available_cores
from iotrace.workers import Workers, map_merge

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
PARTS_PER_SLOT = 2
"""Parts for each worker: settings take unequal times."""


def threads_of(workers: Workers | None) -> int:
    """Return how many threads simulate here: as many as were asked for, or all cores."""
    return available_cores() if workers is None or workers.is_remote else workers.slots


def outcomes_of_parts(
    workers: Workers,
    simulate: Callable[..., list[Outcome]],
    items: Sequence[Item],
    shared: Sequence[Any] = (),
) -> list[Outcome]:
    """Return the outcomes of items in their order: ``simulate(some, *shared)`` returns those of some of them.

    Raises as `map_merge` does.
    """
    count = min(len(items), PARTS_PER_SLOT * workers.slots)
    places = [len(items) * number // count for number in range(count + 1)]
    parts = [list(items[first:end]) for first, end in pairwise(places)]
    return map_merge(workers.executor, simulate, add, parts, shared=shared)
