"""How ``presets/vilayannur.toml`` was fitted: ``python -m iotrace.simulate.cluster.costs.fit`` prints its tables.

The time of every row is linear in the components, so each cell of tables 1 and 2 is one row of a matrix, taken from the
model itself, over the printed time. From the least squares of the relative errors on, simulated annealing changes one
to three components at a time by a few percent, and keeps what raises

    the number of cells within 10 % - 2 for each cell of one or two blocks that is off by more than 20 %
    - the sum of the errors' sizes, up to 30 % each, over 50
    - 1.5 for each column too many in which two rows have not the printed order.

The paper compares the levels of caches: which of Pvfs, Local Miss, Global Hit and Global Miss is the dearer matters
more than by how much. Of the 28 columns of a pair two may have the other order, and none of Pvfs and Local Miss, whose
order the text states for all sizes (section 3.3). The micro-benchmark is made of requests of one or two blocks (figures
3 and 4).

Of the `SEEDS` those with the fewest columns too many are taken, and the best of these; each is a seeded generator, so
that the result is always the same.

The same search with the cells of one number of daemons, or of one size, left out says how well the components predict
cells that they were not fitted to: each cell is predicted once.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from itertools import combinations

import numpy as np

from iotrace.simulate.cluster.costs.components import Components
from iotrace.simulate.cluster.costs.rows import KB, CostRow
from iotrace.simulate.cluster.costs.tables import NS_PER_HUNDREDTH, Cell, printed

NEAR = 0.1
TOLERANCE = 0.0999
"""A little below 10 %, so that rounding to nanoseconds leaves a cell inside."""
BLOCKS_KB = 8
LARGEST_ERROR_OF_BLOCKS = 0.2
LARGEST_COUNTED = 0.3
WEIGHT_OF_ERRORS = 1 / 50
SEEDS = (1, 2, 3, 4)
STEPS = 60_000
STEP = 0.03
"""Standard deviation of the logarithm of a change."""
HEAT = 0.6
"""A change that loses this many cells is kept with probability 1/e at first."""
WEIGHT_OF_ORDER = 1.5
ORDERED = (CostRow.PVFS, CostRow.LOCAL_MISS, CostRow.GLOBAL_HIT, CostRow.GLOBAL_MISS)
WRONG_COLUMNS = 2
"""In how many columns two rows may have another order than the printed one."""
NEVER_WRONG = (CostRow.PVFS, CostRow.LOCAL_MISS)
UNIT_NS = 1_000_000


@dataclass(frozen=True)
class Agreement:
    """How near some predictions are."""

    within: int
    """Cells within 10 %."""
    cells: int
    median: float
    largest: float

    @classmethod
    def of(cls, errors: np.ndarray) -> "Agreement":
        """Return the agreement of relative errors."""
        sizes = abs(errors)
        return cls(int((sizes <= NEAR).sum()), len(sizes), float(np.median(sizes)), float(sizes.max()))


@dataclass(frozen=True)
class Orders:
    """The printed orders of rows: a line for each pair of rows and column."""

    pairs: np.ndarray
    """Which pair it is."""
    differences: np.ndarray
    """The time that 1 ms of a component adds to the dearer row less the cheaper one."""
    allowed: np.ndarray
    """In how many columns each pair may have the other order."""

    @classmethod
    def of(cls, chosen: np.ndarray) -> "Orders":
        """Return the orders of those columns both of whose cells are at these positions."""
        cells, times = list(printed()), np.array(list(printed().values()), dtype=float)
        places = {cells[position]: position for position in chosen}
        matrix, pairs, differences = ratios() * times[:, None], [], []
        both = list(combinations(ORDERED, 2))
        for number, (first_row, other) in enumerate(both):
            for (row, iods, size), index in places.items():
                beside = places.get((other, iods, size))
                if row is first_row and beside is not None:
                    pairs.append(number)
                    dearer = np.sign(times[index] - times[beside])
                    differences.append(dearer * (matrix[index] - matrix[beside]))
        allowed = [0 if pair == NEVER_WRONG else WRONG_COLUMNS for pair in both]
        return cls(np.array(pairs), np.array(differences), np.array(allowed))

    def wrong(self, values: np.ndarray) -> np.ndarray:
        """Return in how many columns the rows of each pair have not the printed order."""
        wrong: np.ndarray = np.bincount(
            self.pairs[self.differences @ values <= 0], minlength=len(self.allowed)
        )
        return wrong

    def too_many(self, values: np.ndarray) -> int:
        """Return how many columns beyond the allowed ones that are."""
        return int(np.maximum(0, self.wrong(values) - self.allowed).sum())


def fitted_names() -> list[str]:
    """Return the components on which the tables depend."""
    return [field.name for field in fields(Components) if field.name != "metadata_ns"]


def ratios() -> np.ndarray:
    """Return what a component of 1 ms adds to each cell, over the printed time: a row for each cell."""
    names = fitted_names()
    units = [Components(**{name: UNIT_NS * (name == component) for name in names}) for component in names]
    return np.array(
        [
            [unit.time_ns(row, size * KB, iods) / (value * NS_PER_HUNDREDTH) for unit in units]
            for (row, iods, size), value in printed().items()
        ]
    )


def fit(cells: np.ndarray | None = None, seeds: tuple[int, ...] = SEEDS) -> np.ndarray:
    """Return the components in milliseconds, fitted to the cells at these positions, by default to all."""
    chosen = np.arange(len(printed())) if cells is None else cells
    matrix = ratios()[chosen]
    is_small = np.array([size <= BLOCKS_KB for _, _, size in printed()])[chosen]
    orders = Orders.of(chosen)
    fits = [_anneal(matrix, is_small, orders, seed) for seed in seeds]
    return max(fits, key=lambda values: (-orders.too_many(values), _score(matrix, is_small, orders, values)))


def _score(matrix: np.ndarray, is_small: np.ndarray, orders: Orders, values: np.ndarray) -> float:
    sizes = abs(matrix @ values - 1)
    within = (sizes <= TOLERANCE).sum() - 2 * (sizes[is_small] > LARGEST_ERROR_OF_BLOCKS).sum()
    errors = WEIGHT_OF_ERRORS * np.minimum(sizes, LARGEST_COUNTED).sum()
    return float(within - errors - WEIGHT_OF_ORDER * orders.too_many(values))


def _anneal(matrix: np.ndarray, is_small: np.ndarray, orders: Orders, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    least_squares = np.linalg.lstsq(matrix, np.ones(len(matrix)), rcond=None)[0]
    values: np.ndarray = np.maximum(least_squares, 1e-3)
    best = values
    score = best_score = _score(matrix, is_small, orders, values)
    for step in range(STEPS):
        changed = random.choice(len(values), random.integers(1, 4), replace=False)
        other = values.copy()
        other[changed] *= np.exp(random.normal(0, STEP, len(changed)))
        other_score = _score(matrix, is_small, orders, other)
        heat = HEAT * (1 - step / STEPS) + 1e-3
        if other_score > score or random.random() < np.exp((other_score - score) / heat):
            values, score = other, other_score
            if score > best_score:
                best, best_score = values, score
    return best


def left_out(group: Callable[[Cell], int]) -> np.ndarray:
    """Return each cell's error where the cells of its group were left out of the fit."""
    groups = np.array([group(cell) for cell in printed()])
    matrix, errors = ratios(), np.empty(len(groups))
    for left_group in np.unique(groups):
        values = fit(np.flatnonzero(groups != left_group))
        errors[groups == left_group] = matrix[groups == left_group] @ values - 1
    return errors


def main() -> None:
    """Print the tables of the preset."""
    values = fit()
    print("[components]")
    for name, value in zip(fitted_names(), values, strict=True):
        print(f"{name.replace('_ns', '_ms', 1)} = {value:.6f}")
    for table, errors in (
        ("fitted", ratios() @ values.round(6) - 1),
        ("daemons_left_out", left_out(lambda cell: cell[1])),
        ("sizes_left_out", left_out(lambda cell: cell[2])),
    ):
        agreement = Agreement.of(errors)
        print(
            f"\n[agreement.{table}]\nwithin_10_percent = {agreement.within}\ncells = {agreement.cells}"
            f"\nmedian_error = {agreement.median:.3f}\nlargest_error = {agreement.largest:.3f}"
        )


if __name__ == "__main__":
    main()
