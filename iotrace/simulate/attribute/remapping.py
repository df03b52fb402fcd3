"""Which files to move to another subcache (Richardson 1994, 6.2.2): candidates, their gains, and a greedy choice."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from iotrace.simulate.attribute.fixed_sizes import FileCounts, FixedSizes, Places

Moves = dict[int, int]
"""Files, and the places of the subcaches to which they move."""


@dataclass(frozen=True)
class Move:
    """A file that is moved: from which subcache to which, by place, and what that saves.

    ``saved_alone`` is what it saves if no other file moves; ``saved`` what it saves after the moves before it. Both
    are simulated, in the unit of the objective.
    """

    file: int
    from_place: int
    to_place: int
    saved_alone: int
    saved: int


@dataclass
class Assignment:
    """Where files are now, and what each subcache costs with them."""

    sizes: FixedSizes
    places: Places
    costs: list[int] = field(init=False)

    def __post_init__(self) -> None:
        evaluations = [(subcache, self.places) for subcache in range(len(self.sizes.subcaches))]
        self.costs = self.sizes.costs(evaluations)

    @property
    def cost(self) -> int:
        """The cost of all subcaches."""
        return sum(self.costs)

    def moved_if_it_saves(self, moves: Moves) -> int:
        """Move files if that costs less, and return what it saves: 0 where they stay."""
        places = moved(self.places, moves)
        touched = sorted({int(self.places[file]) for file in moves} | set(moves.values()))
        changed = dict(
            zip(touched, self.sizes.costs([(subcache, places) for subcache in touched]), strict=True)
        )
        saved = sum(self.costs[subcache] - cost for subcache, cost in changed.items())
        if saved <= 0:
            return 0
        self.places = places
        self.costs = [changed.get(subcache, cost) for subcache, cost in enumerate(self.costs)]
        return saved


@dataclass(frozen=True)
class Advice:
    """The moves in the order of their choice, and what the partition costs: before, predicted, and simulated after.

    The prediction is the sum of what the moves save alone. ``gains`` has what each candidate would save alone in each
    other subcache, negative where it would cost more; ``assignment`` is that with all moves made.
    """

    cost: int
    remapped_cost: int
    moves: tuple[Move, ...]
    gains: dict[int, dict[int, int]]
    assignment: Assignment

    @property
    def predicted_cost(self) -> int:
        """The cost of the remapped partition if each move saved what it saves alone."""
        return self.cost - sum(move.saved_alone for move in self.moves)


def moved(places: Places, moves: Moves) -> Places:
    """Return an assignment with some files elsewhere."""
    copy = places.copy()
    for file, subcache in moves.items():
        copy[file] = subcache
    return copy


def advise(sizes: FixedSizes, places: Places, counts: FileCounts, candidates: int) -> Advice:
    """Choose files to move from an assignment, with its counts by file, among this many candidates.

    Candidates are the files that cost most where they are, and those that bring in most blocks there, which displace
    others. What each would save alone is simulated for every subcache of the configuration; then moves are taken in
    that order, each only if the partition with it, simulated, costs less than without. Greedy: other sets of files
    may save more.
    """
    assignment = Assignment(sizes, places)
    before = assignment.cost
    gains = gains_of(assignment, places, counts, _candidates(counts, candidates))
    order = sorted(
        ((gain, -file, -subcache) for file, of in gains.items() for subcache, gain in of.items() if gain > 0),
        reverse=True,
    )
    moves: dict[int, Move] = {}
    for gain, minus_file, minus_place in order:
        file, subcache = -minus_file, -minus_place
        if file not in moves and (saved := assignment.moved_if_it_saves({file: subcache})):
            moves[file] = Move(file, int(places[file]), subcache, gain, saved)
    return Advice(before, assignment.cost, tuple(moves.values()), gains, assignment)


def _candidates(counts: FileCounts, number: int) -> list[int]:
    """Return the files that cost most and those that bring in most blocks, in turn, without repetition."""
    by_cost, by_blocks = (
        np.lexsort((np.arange(len(counts.costs)), -of)).tolist()
        for of in (counts.costs, counts.blocks_missed)
    )
    in_turn = (file for pair in zip(by_cost, by_blocks, strict=True) for file in pair)
    no_file = len(counts.costs) - 1
    used = (file for file in dict.fromkeys(in_turn) if counts.requests[file] and file != no_file)
    return [file for file, _ in zip(used, range(number), strict=False)]


def gains_of(
    assignment: Assignment, homes: Places, counts: FileCounts, files: Iterable[int]
) -> dict[int, dict[int, int]]:
    """Return what each file saves in each other subcache than its home, all other files being as assigned.

    ``counts`` are those of the files in their homes. Negative where the file costs more than at home.
    """
    sizes, places = assignment.sizes, assignment.places
    targets = {file: list(_targets(sizes, counts, file, int(homes[file]))) for file in files}
    nowhere = len(sizes.subcaches)
    changes = [
        (file, subcache, nowhere if subcache == places[file] else subcache)
        for file, others in targets.items()
        for subcache in (int(homes[file]), *others)
    ]
    costs = sizes.costs((subcache, moved(places, {file: to})) for file, subcache, to in changes)
    adds = {
        (file, subcache): (assignment.costs[subcache] - cost) * (1 if to == nowhere else -1)
        for (file, subcache, to), cost in zip(changes, costs, strict=True)
    }
    return {
        file: {target: adds[file, int(homes[file])] - adds[file, target] for target in others}
        for file, others in targets.items()
    }


def _targets(sizes: FixedSizes, counts: FileCounts, file: int, home: int) -> Iterator[int]:
    """Yield the other subcaches in whose blocks a file's requests are within the budget of blocks."""
    for index, subcache in enumerate(sizes.subcaches[:-1]):
        if index != home and counts.bytes_touched[file] <= sizes.memo.budget_blocks * subcache.block_bytes:
            yield index
