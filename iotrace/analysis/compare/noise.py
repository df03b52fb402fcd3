"""What noise explains of a ratio: the band around 1 that holds it with a given confidence if nothing has changed.

With several traces of a side, the noise is how they differ from each other (Welch's t test). With one of each, it is
how the trace differs from itself over time: blocks of consecutive windows are resampled with replacement (a circular
block bootstrap), and the band is symmetric in the logarithm (Hall 1988), widened as few blocks need (Hesterberg 2015).
Blocks count as independent. What goes on for much longer than one, or differs between runs, only repeated runs show.
"""

import math
from collections.abc import Sequence

import numpy as np

from iotrace.analysis.compare.measure import WINDOWS, Floats, Measures, Spread, Sums
from iotrace.analysis.compare.student import normal_quantile, t_quantile
from iotrace.queries.metrics import PERCENTILES

CONFIDENCE = 0.99
RESAMPLES = 2000
SEED = 1
BLOCK_WINDOWS = 5
"""Consecutive windows that are resampled together, since what happens close in time is alike."""
LEAST_WINDOWS = 25
"""Windows in which something must happen, for noise to be judged by windows."""
LEAST_TAIL = 10
"""Values that must lie above a percentile for the same."""
_ROWS = 100
"""Rows of weights at a time: each becomes as long as there are values."""
Band = tuple[float, float]


def of_repeats(a: Sequence[float], b: Sequence[float]) -> Band | None:
    """Return the band by Welch's test of the mean, relative to it; None where it cannot be judged.

    If one side is a single trace, or b is zero, it is taken to vary as the other does.
    """
    known = [(_relative_variance(side), len(side)) for side in (a, b) if len(side) > 1 and np.mean(side) > 0]
    if not known or np.mean(a) <= 0:
        return None
    if len(known) == 1:
        ((variance, number),) = known
        error, degrees = variance / len(a) + variance / len(b), number - 1.0
    else:
        parts = [(variance / number, number) for variance, number in known]
        error = sum(part for part, _ in parts)
        below = sum(part**2 / (number - 1) for part, number in parts)
        degrees = error**2 / below if below else 1.0
    return _band(t_quantile(0.5 + CONFIDENCE / 2, round(degrees, 3)) * math.sqrt(error))


def _relative_variance(side: Sequence[float]) -> float:
    return float(np.var(side, ddof=1) / np.mean(side) ** 2)


class Windows:
    """The resampled windows of two traces: the same for all metrics."""

    def __init__(self, a: Measures, b: Measures, seed: int = SEED) -> None:
        random = np.random.default_rng(seed)
        self._sides = [(side, _resampled(random)) for side in (a, b)]

    def band_of_sums(self, name: str) -> Band | None:
        """Return the band of a sum or a ratio of sums; None where it cannot be judged."""
        if not all(name in side.sums for side, _ in self._sides):
            return None
        changes: list[Floats] = []
        active = []
        for side, weights in self._sides:
            sums = side.sums[name]
            if not changes or _active(sums):  # what b lacks altogether is judged by the noise of a
                active.append(_active(sums))
                changes.append(_change(_of(sums, weights), _of(sums, np.ones((1, WINDOWS)))))
        return self._judged(changes, min(active))

    def bands_of_spread(self, group: str) -> dict[str, Band | None]:
        """Return the bands of a group of percentiles by their names."""
        names = [f"{group}_{end}" for end in PERCENTILES]
        if not all(group in side.spreads for side, _ in self._sides):
            return dict.fromkeys(names)
        ends = np.array(list(PERCENTILES.values()))
        changes, active, events = [], [], []
        for side, weights in self._sides:
            spread = side.spreads[group]
            active.append(int((spread.counts.sum(axis=1) > 0).sum()))
            events.append(spread.counts.sum())
            once = percentiles(spread, np.ones((1, WINDOWS)), ends)
            changes.append(_change(percentiles(spread, weights, ends), once))
        return {
            name: self._judged([change[:, place] for change in changes], min(active))
            if min(events) * (1 - end) >= LEAST_TAIL
            else None
            for place, (name, end) in enumerate(zip(names, ends, strict=True))
        }

    def _judged(self, changes: Sequence[Floats], active: int) -> Band | None:
        if active < LEAST_WINDOWS:
            return None
        a, *others = changes
        away = np.abs(a - others[0] if others else a)
        away[np.isnan(away)] = np.inf
        away.sort()
        reach = float(away[min(math.ceil(CONFIDENCE * len(away)), len(away) - 1)])
        if not math.isfinite(reach):
            return None
        tail, blocks = 0.5 + CONFIDENCE / 2, active // BLOCK_WINDOWS
        wider = t_quantile(tail, blocks - 1) / normal_quantile(tail) * math.sqrt(blocks / (blocks - 1))
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
    found = np.full((len(weights), len(ends)), np.nan)
    cumulative = np.cumsum(spread.counts, axis=1)
    for start in range(0, len(weights), _ROWS):
        reached = weights[start : start + _ROWS] @ cumulative
        for row, so_far in enumerate(reached, start):
            if so_far[-1] > 0:
                places = np.searchsorted(so_far, ends * so_far[-1] - 1e-9)
                found[row] = spread.values[np.minimum(places, len(spread.values) - 1)]
    return found


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
