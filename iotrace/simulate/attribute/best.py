"""The best partition for a trace, or for several, over spaces of configurations."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from iotrace.simulate.attribute.curves import Integers, SubcacheCurve, merged
from iotrace.simulate.attribute.notation import Choice, Configuration, Subcache, parse_space
from iotrace.simulate.attribute.outcome import MEASURES
from iotrace.simulate.attribute.partition import Partitions
from iotrace.simulate.attribute.passes import Assigned, PassMemo
from iotrace.simulate.attribute.settings import CUT_OFF_BYTES, Objective
from iotrace.simulate.attribute.staircase import Numbers, Staircase

Space = tuple[Choice, ...]


@dataclass(frozen=True)
class Best:
    """The best configuration at a total: what it costs, and the convex hulls' bound on the cost of any other.

    Its sizes may sum to less than the total, if more space would not help any part. The cost is exact and minimal; the
    bound is what the hulls alone would have shown. In requests, or in nanoseconds of service time.
    """

    total_bytes: int
    configuration: Configuration
    cost: float
    hull_bound: float


@dataclass(frozen=True)
class Regret:
    """One configuration for several traces: how much it costs above each one's own best, as parts of that.

    Traces whose best costs nothing have no regret and do not weigh.
    """

    best: Best
    regrets: tuple[float | None, ...]

    @property
    def mean(self) -> float | None:
        """The mean regret, which is the least that a configuration of the spaces has."""
        known = [regret for regret in self.regrets if regret is not None]
        return sum(known) / len(known) if known else None


@dataclass
class Searches:
    """The best partitions of a store within some spaces, by one measure; passes are made at the start."""

    memo: PassMemo
    spaces: Sequence[Space]
    objective: Objective = "reads"
    cut_off_bytes: int = CUT_OFF_BYTES
    _partitions: list[tuple[Space, Partitions, float]] = field(default_factory=list)
    _best: dict[int, Best] = field(default_factory=dict)

    def __post_init__(self) -> None:
        prepare_spaces(self.memo, self.spaces, self.cut_off_bytes)
        for space in self.spaces:
            stairs = [Staircase.of(self.costs(choice)) for choice in space]
            self._partitions.append((space, Partitions(stairs), self.left_over(space)))

    def costs(self, choice: Choice) -> list[tuple[int, Integers, Numbers]]:
        """Return the costs by size of a class with each of its block sizes."""
        costs_by_size = []
        for block in choice.blocks_bytes:
            sizes, costs = self._curve(choice.category, block).changes(MEASURES[self.objective])
            costs_by_size.append((block, sizes, costs.astype(np.float64)))
        return costs_by_size

    def left_over(self, space: Space) -> float:
        """Return what the requests cost that no class of a space takes."""
        assigned = self.memo.assigned(_any_configuration(space), self.cut_off_bytes)
        _, costs = self.memo.curve(assigned.passes[-1]).changes(MEASURES[self.objective])
        return float(costs[0])

    def best(self, total_bytes: int) -> Best:
        """Return the configuration of the least cost."""
        if total_bytes not in self._best:
            self._best[total_bytes] = self._found(total_bytes)
        return self._best[total_bytes]

    def _found(self, total_bytes: int) -> Best:
        candidates = []
        for space, partitions, left in self._partitions:
            split = partitions.best(total_bytes)
            configuration = _configuration(space, partitions.staircases, split.places)
            candidates.append(Best(total_bytes, configuration, split.cost + left, split.bound + left))
        least = min(candidates, key=lambda candidate: candidate.cost)
        return Best(
            total_bytes,
            least.configuration,
            least.cost,
            min(candidate.hull_bound for candidate in candidates),
        )

    def _curve(self, category: str, block_bytes: int) -> SubcacheCurve:
        key = self.memo.rule.classes.key(category, self.cut_off_bytes)
        return self.memo.curve((key, block_bytes))


def prepare_spaces(memo: PassMemo, spaces: Sequence[Space], cut_off_bytes: int = CUT_OFF_BYTES) -> None:
    """Make all passes that spaces need, in one reading of the references."""
    memo.prepare(assigned_spaces(memo, spaces, cut_off_bytes))


def assigned_spaces(
    memo: PassMemo, spaces: Sequence[Space], cut_off_bytes: int = CUT_OFF_BYTES
) -> list[Assigned]:
    """Return configurations that together have all passes of spaces."""
    return [
        memo.assigned(_with_blocks(space, index), cut_off_bytes)
        for space in spaces
        for index in range(max(len(choice.blocks_bytes) for choice in space))
    ]


def uncached_by_space(memo: PassMemo, texts: Sequence[str], cut_off_bytes: int = CUT_OFF_BYTES) -> int:
    """Return how many requests the classes of a space leave, at most; the passes of all spaces were made."""
    configurations = (memo.assigned(_any_configuration(parse_space(text)), cut_off_bytes) for text in texts)
    return max(memo.unclassified(assigned) for assigned in configurations)


@dataclass(frozen=True)
class Aligned:
    """A class's costs with one block size for several traces, at all sizes at which one of them changes."""

    block_bytes: int
    sizes: Integers
    costs: tuple[Numbers, ...]
    """Those of each trace."""

    @classmethod
    def of(cls, curves: Sequence[tuple[int, Integers, Numbers]]) -> "Aligned":
        """Put the curves of a class, one for each trace, next to each other."""
        sizes = merged([sizes_of_curve for _, sizes_of_curve, _ in curves])
        costs = (
            sizes_of_curve[np.searchsorted(at, sizes, side="right") - 1] for _, at, sizes_of_curve in curves
        )
        return cls(curves[0][0], sizes, tuple(costs))

    def over(self, bests: Sequence[float]) -> tuple[int, Integers, Numbers]:
        """Return the sum over traces of the costs over each trace's best; one whose best is 0 does not weigh."""
        total = np.zeros(len(self.sizes))
        for costs, best in zip(self.costs, bests, strict=True):
            if best > 0:
                total += costs / best
        return self.block_bytes, self.sizes, total


class Together:
    """Searches of several traces with the same spaces and objective, their costs made ready to be summed."""

    def __init__(self, searches: Sequence[Searches]) -> None:
        self.searches = searches
        self._aligned: dict[Choice, list[Aligned]] = {}

    def costs(self, choice: Choice, bests: Sequence[float]) -> list[tuple[int, Integers, Numbers]]:
        """Return the sum over traces of a class's costs over each trace's best, for each of its block sizes."""
        if choice not in self._aligned:
            by_block = zip(*(search.costs(choice) for search in self.searches), strict=True)
            self._aligned[choice] = [Aligned.of(curves) for curves in by_block]
        return [aligned.over(bests) for aligned in self._aligned[choice]]


def least_regret(together: Together, total_bytes: int) -> Regret:
    """Return the configuration whose mean regret over several traces is the least."""
    searches = together.searches
    least_costs = [search.best(total_bytes).cost for search in searches]
    weighing = [(search, cost) for search, cost in zip(searches, least_costs, strict=True) if cost > 0]
    if not weighing:
        return Regret(searches[0].best(total_bytes), tuple(None for _ in least_costs))
    candidates = []
    for space in searches[0].spaces:
        stairs = [Staircase.of(together.costs(choice, least_costs)) for choice in space]
        partitions = Partitions(stairs)
        split = partitions.best(total_bytes)
        left = sum(search.left_over(space) / cost for search, cost in weighing)
        configuration = _configuration(space, stairs, split.places)
        candidates.append(Best(total_bytes, configuration, split.cost + left, split.bound + left))
    least = min(candidates, key=lambda candidate: candidate.cost)
    return Regret(
        least,
        tuple(
            _regret(search, least.configuration, cost)
            for search, cost in zip(searches, least_costs, strict=True)
        ),
    )


def cost_of(search: Searches, configuration: Configuration) -> float:
    """Return what a configuration with all sizes, whose passes were made, costs by the search's measure."""
    assigned = search.memo.assigned(configuration, search.cut_off_bytes)
    names = MEASURES[search.objective]
    total = float(search.memo.curve(assigned.passes[-1]).changes(names)[1][0])
    for subcache, pass_ in zip(configuration.subcaches, assigned.passes[:-1], strict=True):
        sizes, costs = search.memo.curve(pass_).changes(names)
        total += float(costs[np.searchsorted(sizes, subcache.size_bytes or 0, side="right") - 1])
    return total


def _regret(search: Searches, configuration: Configuration, best: float) -> float | None:
    return cost_of(search, configuration) / best - 1 if best > 0 else None


def _configuration(space: Space, stairs: Sequence[Staircase], places: Sequence[int]) -> Configuration:
    parts = (
        Subcache(int(staircase.sizes[index]), int(staircase.blocks_bytes[index]), choice.category)
        for choice, staircase, index in zip(space, stairs, places, strict=True)
    )
    return Configuration(tuple(parts))


def _with_blocks(space: Space, index: int) -> Configuration:
    """Return a configuration with each class's `place`th block size, or its last."""
    parts = (
        Subcache(0, choice.blocks_bytes[min(index, len(choice.blocks_bytes) - 1)], choice.category)
        for choice in space
    )
    return Configuration(tuple(parts))


def _any_configuration(space: Space) -> Configuration:
    return _with_blocks(space, 0)
