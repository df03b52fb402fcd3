"""The part of a change that noise explains, where all metrics of a comparison are wrongly called changed once in 100.

Each metric is judged at a level of its own, and the levels add up to 1 % (Bonferroni): the first metrics of a family
share half of it, all others the other half.

With repeated traces, the noise is how they differ from each other: a t test with a pooled relative variance, which is
never taken to be below what runs of the same code differ by anyway, since three runs can agree by accident. With one
period each, it is how the trace differs from itself over time: blocks of consecutive windows are resampled with
replacement (a circular block bootstrap), and the band is symmetric in the logarithm (Hall 1988), widened as few blocks
need (Hesterberg 2015). Blocks are long, since what happens close in time is alike, and count as independent.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from iotrace.analysis.compare.measure import WINDOWS, Floats, Measures, Spread, Sums
from iotrace.analysis.compare.student import normal_quantile, t_quantile
from iotrace.queries.metrics import PERCENTILES, Metric

ERROR = 0.01
"""How often any metric of a comparison is called changed if nothing has changed."""
LEAST_RUNS = 3
"""Repeated traces on each side, for a verdict."""
LEAST_TIME_VARIATION = 0.05
"""The relative standard deviation that times of repeated runs are taken to have at least."""
LEAST_VARIATION = 0.01
"""The same of bytes, sizes and shares."""
LEAST_COUNT_VARIATION = 0.5
"""The least standard deviation of counts, in events: most programs make as many calls each time."""
LEAST_LATENCY_VARIATION_US = 1.0
"""The same of latencies: strace states times, and so what it adds to them, to the microsecond."""
RESAMPLES = 2000
SEED = 1
BLOCK_WINDOWS = 10
"""Consecutive windows that are resampled together."""
LEAST_WINDOWS = 25
"""Windows in which something must happen, for noise to be judged by windows."""
LEAST_TAIL = 10
"""Values that must lie above a percentile in each trace, for it to be judged."""
_REACHED = 0.99
"""The quantile of resampled changes from which their deviation is taken."""
_ROWS = 100
"""Rows of weights at a time: each becomes as long as there are values."""
Band = tuple[float, float]


def levels(names: Sequence[str], first: Sequence[str]) -> dict[str, float]:
    """Return the level of each metric; they add up to ERROR."""
    leading = [name for name in names if name in first]
    others = [name for name in names if name not in first]
    halves = 2 if leading and others else 1
    return {name: ERROR / halves / len(group) for group in (leading, others) for name in group}


class Judged(NamedTuple):
    """A metric of repeated traces."""

    band: Band | None
    """None where a side is zero."""
    is_change: bool
    are_apart: bool
    """Whether the ranges of the sides do not overlap."""


def of_repeats(a: Sequence[float], b: Sequence[float], metric: Metric, level: float) -> Judged | None:
    """Judge the means of repeated traces; None where that cannot be done."""
    means = float(np.mean(a)), float(np.mean(b))
    if min(*a, *b) < 0 or (min(means) == 0 < max(means) and not metric.is_counted):
        return None
    degrees = len(a) + len(b) - 2
    scale = t_quantile(1 - level / 2, degrees) * math.sqrt(1 / len(a) + 1 / len(b))
    are_apart = max(a) < min(b) or max(b) < min(a)
    least = LEAST_TIME_VARIATION if metric.is_of_time else 0.0 if metric.kind == "count" else LEAST_VARIATION
    step = {"count": LEAST_COUNT_VARIATION, "time": LEAST_LATENCY_VARIATION_US if metric.percentiles else 0.0}
    least_step = step.get(metric.kind, 0.0)
    if min(means) > 0:
        varied = math.sqrt(
            sum(float(np.var(side)) * len(side) / mean**2 for side, mean in zip((a, b), means, strict=True))
            / degrees
        )
        low, high = _band(scale * max(varied, least, least_step / min(means)))
        return Judged((low, high), not low <= means[1] / means[0] <= high, are_apart)
    varied = math.sqrt(sum(float(np.var(side)) * len(side) for side in (a, b)) / degrees)
    reach = scale * max(varied, least * max(means), least_step)
    return Judged(None, abs(means[1] - means[0]) > reach, are_apart)


class Windows:
    """The resampled windows of two traces: the same for all metrics."""

    def __init__(self, a: Measures, b: Measures, seed: int = SEED) -> None:
        random = np.random.default_rng(seed)
        self._sides = [(side, _resampled(random)) for side in (a, b)]

    def band_of_sums(self, name: str, level: float) -> Band | None:
        """Return the band of a sum or a ratio of sums at a level; None where it cannot be judged."""
        if not all(name in side.sums for side, _ in self._sides):
            return None
        changes: list[Floats] = []
        active = []
        for side, weights in self._sides:
            sums = side.sums[name]
            if not changes or _active(sums):  # what b lacks altogether is judged by the noise of a
                active.append(_active(sums))
                changes.append(_change(_of(sums, weights), _of(sums, np.ones((1, WINDOWS)))))
        return self._judged(changes, min(active), level)

    def bands_of_spread(self, group: str, by_name: Mapping[str, float]) -> dict[str, Band | None]:
        """Return the bands of a group's percentiles that have a level in `by_name`, by their names."""
        ends = np.array(list(PERCENTILES.values()))
        changes, active = [], []
        for side, weights in self._sides:
            spread = side.spreads[group]
            active.append(int((spread.counts.sum(axis=1) > 0).sum()))
            once = percentiles(spread, np.ones((1, WINDOWS)), ends)
            changes.append(_change(percentiles(spread, weights, ends), once))
        return {
            name: self._judged([change[:, index] for change in changes], min(active), by_name[name])
            for index, name in enumerate(f"{group}_{end}" for end in PERCENTILES)
            if name in by_name
        }

    def _judged(self, changes: Sequence[Floats], active: int, level: float) -> Band | None:
        if active < LEAST_WINDOWS:
            return None
        a, *others = changes
        away = np.abs(a - others[0] if others else a)
        away[np.isnan(away)] = np.inf
        away.sort()
        reach = float(away[min(math.ceil(_REACHED * len(away)), len(away) - 1)])
        if not math.isfinite(reach):
            return None
        blocks = active // BLOCK_WINDOWS
        tails = t_quantile(1 - level / 2, blocks - 1) / normal_quantile(0.5 + _REACHED / 2)
        wider = tails * math.sqrt(blocks / (blocks - 1))
        return _band(reach * wider)


def _resampled(random: np.random.Generator) -> Floats:
    """Return how often each window is in each resample: of blocks that begin anywhere, the end wraps around."""
    starts = random.integers(0, WINDOWS, (RESAMPLES, WINDOWS // BLOCK_WINDOWS, 1))
    windows = (starts + np.arange(BLOCK_WINDOWS)).reshape(RESAMPLES, WINDOWS) % WINDOWS
    places = windows + WINDOWS * np.arange(RESAMPLES)[:, None]
    return (
        np.bincount(places.ravel(), minlength=RESAMPLES * WINDOWS).reshape(RESAMPLES, WINDOWS).astype(float)
    )


def percentiles(spread: Spread, weights: Floats, ends: Floats) -> Floats:
    """Return a row of percentiles for each row of weights of the windows; not a number where nothing has weight."""
    results = np.full((len(weights), len(ends)), np.nan)
    cumulative = np.cumsum(spread.counts, axis=1)
    for start in range(0, len(weights), _ROWS):
        reached = weights[start : start + _ROWS] @ cumulative
        for row, so_far in enumerate(reached, start):
            if so_far[-1] > 0:
                places = np.searchsorted(so_far, ends * so_far[-1] - 1e-9)
                results[row] = spread.values[np.minimum(places, len(spread.values) - 1)]
    return results


def _of(sums: Sums, weights: Floats) -> Floats:
    over = weights @ sums.over
    if sums.under is None:
        return np.asarray(over)
    under = weights @ sums.under
    return np.divide(over, under, out=np.full_like(over, np.nan), where=under > 0)


def _active(sums: Sums) -> int:
    return int((sums.over != 0).sum())


def _change(values: Floats, once: Floats) -> Floats:
    """Return the logarithms of ratios; not a number where one of them is zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        changes = np.log(values / once)
    return np.where(np.isfinite(changes), changes, np.nan)


def _band(reach: float) -> Band:
    reach = min(reach, 700.0)  # the logarithm of the largest number
    return math.exp(-reach), math.exp(reach)
