"""How ``presets/vilayannur.toml`` was fitted: ``python -m iotrace.simulate.cluster.costs.fit`` prints its tables.

The time of every row is linear in the components, so each cell of tables 1 and 2 is one row of a matrix, taken from the
model itself, over the printed time. From the least squares of the relative errors on, simulated annealing changes one
to three components at a time by a few percent, and keeps what raises

    the number of cells within 10 % - 2 for each cell of one or two blocks that is off by more than 20 %
    - the sum of the errors' sizes, up to 30 % each, over 50.

The micro-benchmark is made of requests of one or two blocks (figures 3 and 4). The best of `SEEDS` is taken; each is a
seeded generator, so that the result is always the same.

The same search with the cells of one number of daemons, or of one size, left out says how well the components predict
cells that they were not fitted to: each cell is predicted once.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from iotrace.simulate.cluster.costs.components import OPTIONAL, Components
from iotrace.simulate.cluster.costs.rows import KB
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


def fitted_names() -> list[str]:
    """Return the components on which the tables depend."""
    optional = {name.replace("_ms", "_ns") for name in OPTIONAL}
    return [field.name for field in fields(Components) if field.name not in optional]


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
    found = [_anneal(matrix, is_small, seed) for seed in seeds]
    return max(found, key=lambda values: _score(matrix, is_small, values))


def _score(matrix: np.ndarray, is_small: np.ndarray, values: np.ndarray) -> float:
    sizes = abs(matrix @ values - 1)
    within = (sizes <= TOLERANCE).sum() - 2 * (sizes[is_small] > LARGEST_ERROR_OF_BLOCKS).sum()
    return float(within - WEIGHT_OF_ERRORS * np.minimum(sizes, LARGEST_COUNTED).sum())


def _anneal(matrix: np.ndarray, is_small: np.ndarray, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    least_squares = np.linalg.lstsq(matrix, np.ones(len(matrix)), rcond=None)[0]
    values: np.ndarray = np.maximum(least_squares, 1e-3)
    best = values
    score = best_score = _score(matrix, is_small, values)
    for step in range(STEPS):
        changed = random.choice(len(values), random.integers(1, 4), replace=False)
        other = values.copy()
        other[changed] *= np.exp(random.normal(0, STEP, len(changed)))
        other_score = _score(matrix, is_small, other)
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
    for one in np.unique(groups):
        values = fit(np.flatnonzero(groups != one))
        errors[groups == one] = matrix[groups == one] @ values - 1
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
        one = Agreement.of(errors)
        print(
            f"\n[agreement.{table}]\nwithin_10_percent = {one.within}\ncells = {one.cells}"
            f"\nmedian_error = {one.median:.3f}\nlargest_error = {one.largest:.3f}"
        )


if __name__ == "__main__":
    main()
