"""How the presets of ``generate vms`` are fitted: ``python -m iotrace.papers.biswas.fitting off-day``.

The whole trace (seed 1) is made and simulated on its drive with the settings of the rows that ``data/tables.toml``
declares as fitted, and no others. A damped Gauss-Newton search (Levenberg and Marquardt) minimises the sum of the
squares of

    the logarithm of the quotient of simulated and printed value, over the metric's `TOLERANCE`, and
    each free parameter's distance from its `START`, on the scale of its logarithm or, for a share, its logit.

The second part chooses between parameters that fit equally well. Which parameters are free is in `START`; all others
stay as they are in the preset: measured on a real disk, or neutral. Derivatives are differences, with the same random
numbers on both sides, so that a run is repeated exactly. The parameters are printed as the preset has them; with
``--leave-out`` those of `SHARED` are the mean of the two other presets', to predict the disk's tables from the others.

A long trace is searched by a part of it, since a step takes seconds: the errors of the part are corrected by what the
whole trace has more at the point where the search begins, and the whole one decides whether the point found is better.
"""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from iotrace.errors import IotraceError
from iotrace.generate.vms.parameters import Parameters
from iotrace.generate.vms.presets import Preset, preset
from iotrace.generate.vms.requests import generate
from iotrace.papers.biswas.printed import PrintedRow, Table, copied, is_doubtful, is_fitted, tables
from iotrace.papers.biswas.subject import like
from iotrace.simulate.write_cache.simulation import simulate

SEED = 1
ROUNDS = 6
STEPS = (0.2, 0.4, 0.1)
"""Differences for derivatives, in units of a logarithm: another one each time that a round gains too little."""
LONGEST = 1.0
"""No parameter changes by more in a round."""
DAMPINGS = 5
LEAST_GAIN = 0.01
"""A round that gains less of the sum is the last with its step."""
PART_REQUESTS = 80_000
"""A disk with more than twice as many is searched by a part of its trace."""
PASSES = 3
ALMOST_ZERO = 0.001
DIGITS = 3

TOLERANCE = {
    "w_wc": 0.03,
    "r_wc": 0.03,
    "io_stall": 0.1,
    "read_service_ms": 0.05,
    "write_service_ms": 0.05,
    "read_queue_ms": 0.4,
    "read_queue_behind_writes_ms": 0.4,
}
START = {
    "rewrite_share": 0.8,
    "reread_share": 0.45,
    "read_after_write_share": 0.1,
    "read_after_write_distance_writes": 150.0,
    "sequential_share": 0.45,
    "same_track_share": 0.2,
    "same_cylinder_share": 0.15,
    "neighbour_distance_places": 30.0,
    "active_disk_share": 0.4,
    "write_run_requests": 4.0,
    "burst_requests": 3.0,
    "burst_spread": 0.8,
    "burst_gap_ms": 60.0,
    "write_gap_ms": 10.0,
}
OWN_START = {
    "off-day": {
        "rewrite_share": 0.85,
        "reread_share": 0.55,
        "read_after_write_share": 0.3,
        "write_run_requests": 5.0,
        "burst_requests": 2.2,
        "burst_spread": 0.6,
        "burst_gap_ms": 90.0,
        "write_gap_ms": 16.0,
    },
    "air-rsv": {
        "rewrite_share": 0.9,
        "reread_share": 0.85,
        "read_after_write_share": 0.08,
        "write_run_requests": 3.0,
    },
    "sci-off": {"rewrite_share": 0.72, "reread_share": 0.8, "read_after_write_share": 0.08},
}
"""Where a disk starts elsewhere: reads as its row without a write cache has them, and its bursts."""
SHARED = (
    "rewrite_share",
    "sequential_share",
    "same_track_share",
    "same_cylinder_share",
    "neighbour_distance_places",
)
"""Properties that decide how much of the writing a write cache absorbs, and how the rest lies on tracks."""
DISKS = ("off-day", "air-rsv", "sci-off")

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]


def encoded(name: str, value: float) -> float:
    """Return a parameter on the scale of the search."""
    return math.log(value / (1 - value)) if name.endswith("_share") else math.log(value)


def decoded(name: str, scaled: float) -> float:
    """Return a parameter from the scale of the search, rounded as it is written down."""
    value = 1 / (1 + math.exp(-scaled)) if name.endswith("_share") else math.exp(scaled)
    least = 1.0 if name.endswith(("_requests", "_places", "_writes", "_reads")) else 0.0
    return float(f"{max(value, least):.{DIGITS}g}")


class Fit:
    """The errors of a preset on its fitted cells, by its free parameters."""

    def __init__(self, of: Preset, part: float = 1.0) -> None:
        self.preset = of
        self.load = of.load if part == 1 else of.load.scaled(part)
        disk = like(of.name)
        self.cells = [
            (row, metric, printed)
            for table in tables()
            for row in table.rows
            if disk is not None and row.disk == disk.name and is_fitted(table, row) and not copied(table, row)
            for metric, printed in _metrics(table, row)
        ]
        self._settings = list(dict.fromkeys(row.experiment.settings[0] for row, _, _ in self.cells))
        start = START | OWN_START[of.name]
        self.offset: Vector = np.zeros(len(self.cells) + len(start))
        """The penalty that is added to the errors: by how much those of the whole trace differ from those of a part."""
        self.start: Vector = np.array([encoded(name, value) for name, value in start.items()])

    def parameters(self, point: Vector) -> Parameters:
        """Return the preset's parameters with the free ones of a point."""
        free = {name: decoded(name, scaled) for name, scaled in zip(START, point.tolist(), strict=True)}
        return replace(self.preset.parameters, **free)

    def residuals(self, point: Vector) -> Vector | None:
        """Return the errors in units of their tolerances; None where no trace can be made."""
        load = self.load
        try:
            trace = generate(load, self.parameters(point), SEED)
        except IotraceError:
            return None
        runs = dict(
            zip(
                self._settings, simulate(trace, load.disk, self._settings, threads=2).to_pylist(), strict=True
            )
        )
        errors = [
            math.log(max(runs[row.experiment.settings[0]][metric] or 0, ALMOST_ZERO) / printed)
            / TOLERANCE[metric]
            for row, metric, printed in self.cells
        ]
        vector: Vector = np.array([*errors, *(point - self.start)]) + self.offset
        return vector


def _metrics(table: Table, row: PrintedRow) -> list[tuple[str, float]]:
    """Return the metrics that say something, with what is printed: not doubtful, and not 100 % by definition."""
    has_cache = row.experiment.settings[0].write_cache_bytes > 0
    return [
        (metric, printed)
        for metric in table.metrics
        if (printed := row.printed[metric])
        and not is_doubtful(table, row, metric)
        and (has_cache or metric != "w_wc")
    ]


def search_by_parts(of: Preset, say: Callable[[str], None] = lambda message: None) -> Vector:
    """Search on a part of the trace, its errors corrected by what the whole one has where the search begins."""
    part = min(1.0, PART_REQUESTS / of.load.requests)
    whole = Fit(of)
    if part > 0.5:
        return search(whole, say)
    few, point = Fit(of, part), whole.start
    errors = whole.residuals(point)
    for _ in range(PASSES):
        few.offset = np.zeros_like(few.offset)
        there = few.residuals(point)
        if errors is None or there is None:
            raise IotraceError(f"{of.name}: no trace can be made with the starting values")
        few.offset = errors - there
        nearest = search(few, say, point)
        tried = whole.residuals(nearest)
        if tried is None or float(tried @ tried) >= float(errors @ errors):
            break
        say(f"{of.name}: whole trace: {float(errors @ errors):.1f} -> {float(tried @ tried):.1f}")
        point, errors = nearest, tried
    return point


def search(
    fit: Fit, say: Callable[[str], None] = lambda message: None, first: Vector | None = None
) -> Vector:
    """Return the point with the least sum of squares that the search comes to, from the starting values or a point."""
    point, damping = fit.start if first is None else first, 1.0
    errors = fit.residuals(point)
    if errors is None:
        raise IotraceError(f"{fit.preset.name}: no trace can be made with the starting values")
    steps = list(STEPS)
    for round_ in range(ROUNDS):
        before = float(errors @ errors)
        slopes = _slopes(fit, point, errors, steps[0])
        point, errors, damping = _descended(fit, point, errors, slopes, damping)
        say(f"{fit.preset.name}: round {round_ + 1}: {before:.1f} -> {float(errors @ errors):.1f}")
        if before - float(errors @ errors) < LEAST_GAIN * before:
            del steps[0]
            damping = 1.0
        if not steps:
            break
    return point


def _descended(
    fit: Fit, point: Vector, errors: Vector, slopes: np.ndarray, damping: float
) -> tuple[Vector, Vector, float]:
    """Take steps as long as they lower the sum; each one tried corrects the slopes (Broyden)."""
    failures = 0
    while failures < DAMPINGS:
        square = slopes.T @ slopes
        scaled = square + damping * np.diag(np.diag(square) + 1e-9)
        step = np.linalg.solve(scaled, -slopes.T @ errors).clip(-LONGEST, LONGEST)
        if not step.any():
            break
        tried = fit.residuals(point + step)
        if tried is None:
            damping, failures = 4 * damping, failures + 1
            continue
        slopes = slopes + np.outer(tried - errors - slopes @ step, step) / float(step @ step)
        if float(tried @ tried) < float(errors @ errors):
            gain = 1 - float(tried @ tried) / float(errors @ errors)
            point, errors, damping = point + step, tried, max(damping / 4, 1e-3)
            failures = 0 if gain > LEAST_GAIN else failures + 1
        else:
            damping, failures = 4 * damping, failures + 1
    return point, errors, min(damping, 1.0)


def _slopes(fit: Fit, point: Vector, errors: Vector, length: float) -> np.ndarray:
    """Return the derivatives by each parameter, from one side."""
    columns = []
    for index in range(len(point)):
        for step in (length, -length):
            moved = point.copy()
            moved[index] += step
            there = fit.residuals(moved)
            if there is not None:
                columns.append((there - errors) / step)
                break
        else:
            columns.append(np.zeros(len(errors)))
    return np.stack(columns, axis=1)


def without(name: str) -> Parameters:
    """Return a preset's parameters with those of `SHARED` replaced by the mean of the other disks', on their scale."""
    others = [preset(other).parameters for other in DISKS if other != name]
    shared = {
        parameter: decoded(
            parameter,
            sum(encoded(parameter, getattr(other_disk, parameter)) for other_disk in others) / len(others),
        )
        for parameter in SHARED
    }
    return replace(preset(name).parameters, **shared)


def described(parameters: Parameters, names: Sequence[str] | Mapping[str, float] = START) -> str:
    """Return parameters as lines of a preset's TOML."""
    return "".join(f"{name} = {getattr(parameters, name):g}\n" for name in names)


def main(arguments: Sequence[str]) -> None:
    """Print the free parameters of the disks that are named, or of all three."""
    for name in [word for word in arguments if not word.startswith("-")] or DISKS:
        if "--leave-out" in arguments:
            print(f"# {name}, by the others\n{described(without(name), SHARED)}")
            continue
        of = preset(name)
        fitted = search_by_parts(of, lambda arguments: print(arguments, file=sys.stderr, flush=True))
        print(f"# {name}\n{described(Fit(of).parameters(fitted))}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
