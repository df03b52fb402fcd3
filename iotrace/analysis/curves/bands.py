"""Bands around estimates from a sample of blocks: delete-a-group jackknife, pointwise and for all sizes at once.

The sample's blocks are in groups at random. For each group there is the estimate without it; the group's pseudo-value
is what the group adds (Quenouille 1956, Tukey 1958; Shao and Tu, The Jackknife and Bootstrap, 1995, 2.3), and
pseudo-values of different groups are nearly independent. Where the truth is known for another quantity of the same
sample (the misses of a small cache, simulated exactly), the estimate moves along the regression of the pseudo-values on
it (Cochran, Sampling Techniques, 1977, chapter 7), and the band is that of a point on a regression line.

The jackknife fails where an estimate is not smooth (Efron, Annals of Statistics, 1979, on the median): here, where a
curve falls from one size to the next, as loops do, for the place of the fall is uncertain, too. Of C distinct blocks a
binomial number is in the sample, so a sampled cache stands for a size with a known error: a band covers the
estimates at the sizes within that error.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

LEVEL = 0.95
"""The probability with which a band is to contain the truth."""
FEWEST_BLOCKS = 32
"""Sampled blocks below which a band is as wide as it can be."""
SMALL_SAMPLE = 40.0
"""A band is wider by this many over the number of sampled blocks: groups of few blocks vary less than if their
blocks were used about equally often. Found on samples of 56 to 500 blocks of the LIRS traces."""
_DRAWS = 2000
_TINY = 1e-9

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Band:
    """An estimate at each of several sizes, and what contains the truth with probability `LEVEL`."""

    estimate: Numbers
    low: Numbers
    high: Numbers
    low_all: Numbers
    """The lower ends of the band that contains the truth at all sizes at once."""
    high_all: Numbers

    def over(self, whole: float) -> "Band | None":
        """Return the band divided by what is known; None if that is nothing."""
        ends = (self.estimate, self.low, self.high, self.low_all, self.high_all)
        return Band(*(values / whole for values in ends)) if whole else None

    def falling(self, order: npt.NDArray[np.intp]) -> "Band":
        """Return the band with estimates that never rise in this order, and lower ends that are not above them."""
        estimate = np.empty_like(self.estimate)
        estimate[order] = np.minimum.accumulate(self.estimate[order])
        low, low_all = np.minimum(self.low, estimate), np.minimum(self.low_all, estimate)
        return replace(self, estimate=estimate, low=low, low_all=low_all)


@dataclass(frozen=True)
class Known:
    """Quantities whose truth is known: by the whole sample, without each group (rows), and truly."""

    whole: Numbers
    without: Numbers
    truth: Numbers


def exact(values: Numbers) -> Band:
    """Return the band of values that are known."""
    return Band(values, values, values, values, values)


def band(
    whole: Numbers,
    without: Numbers,
    blocks: float,
    part: float,
    *,
    known: Known | None = None,
    limit: float = np.inf,
) -> Band:
    """Return the band of estimates by the whole sample, from those without each group (rows), by size (columns).

    ``blocks`` blocks are in the sample, a ``part`` of all; nothing is below 0 or above ``limit``. Estimates move in
    steps of 1 / ``part``: the error of a step is a part of the band, so that it has a width where all groups agree.
    """
    groups = len(without)
    pseudo = groups * whole - (groups - 1) * without
    residual = pseudo - pseudo.mean(axis=0)
    estimate, leverage, parameters = whole, 1 / groups, 1
    if known is not None:
        beside = groups * known.whole - (groups - 1) * known.without
        beside = beside - beside.mean(axis=0)
        moving = np.abs(beside).max(axis=0) > _TINY * (1 + np.abs(known.truth))
        beside, distance = beside[:, moving], (known.truth - known.whole)[moving]
        inverse = np.linalg.pinv(beside.T @ beside)
        slopes = inverse @ beside.T @ residual
        residual = residual - beside @ slopes
        estimate = whole + distance @ slopes
        leverage += float(distance @ inverse @ distance)
        parameters += int(moving.sum())
    freedom = groups - parameters
    variance = (residual**2).sum(axis=0) / freedom * leverage * (1 - part)
    step = (1 - part) / part**2
    error = np.sqrt(variance + step) * (1 + SMALL_SAMPLE / max(blocks, 1))
    estimate = np.clip(estimate, 0, limit)
    if blocks < FEWEST_BLOCKS:
        low, high = np.zeros_like(estimate), np.full_like(estimate, limit)
        return Band(estimate, low, high, low, high)
    half, half_all = quantile(freedom) * error, _largest_quantile(residual, freedom) * error
    return Band(
        estimate,
        np.clip(estimate - half, 0, limit),
        np.clip(estimate + half, 0, limit),
        np.clip(estimate - half_all, 0, limit),
        np.clip(estimate + half_all, 0, limit),
    )


def sizes_within_error(sizes_blocks: Numbers, part: float) -> Numbers:
    """Return the sizes that a sampled cache is between with probability `LEVEL`, and again for all sizes at once.

    Four rows: smaller, larger, smaller, larger. For all sizes at once, those a doubling apart count as independent.
    """
    if not len(sizes_blocks):
        return np.zeros((4, 0))
    error = np.sqrt((1 - part) / (part * np.maximum(sizes_blocks, 1)))
    doublings = np.log2(sizes_blocks.max() / max(sizes_blocks.min(), 1)) + 1
    each, every = (NormalDist().inv_cdf(1 - (1 - LEVEL) / 2 / many) for many in (1, max(doublings, 1)))
    factors = np.array([1 - each * error, 1 + each * error, 1 - every * error, 1 + every * error])
    return np.asarray(sizes_blocks * np.maximum(factors, 0))


def reaching(of: Band, sizes: int, part: float, limit: float = np.inf) -> Band:
    """Return the band of the first sizes, widened to the estimates at the others, their `sizes_within_error`, and
    by a step of 1 / ``part``, the resolution of the sample."""
    centre = Band(*(values[:sizes] for values in (of.estimate, of.low, of.high, of.low_all, of.high_all)))
    near = of.estimate[sizes:].reshape(4, sizes)
    near = near + np.sign(near - centre.estimate) / part
    at_each, every = near[:2], near[2:]
    return Band(
        centre.estimate,
        np.clip(np.minimum(centre.low, at_each.min(axis=0)), 0, limit),
        np.clip(np.maximum(centre.high, at_each.max(axis=0)), 0, limit),
        np.clip(np.minimum(centre.low_all, every.min(axis=0)), 0, limit),
        np.clip(np.maximum(centre.high_all, every.max(axis=0)), 0, limit),
    )


def quantile(freedom: int) -> float:
    """Return Student's quantile for both sides at `LEVEL` (Cornish and Fisher; to 0.001 from 8 degrees of freedom)."""
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    terms: Sequence[float] = (
        z,
        (z**3 + z) / (4 * freedom),
        (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2),
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3),
    )
    return sum(terms)


def _largest_quantile(residual: Numbers, freedom: int) -> float:
    """Return the quantile of the largest of Student's ratios over all sizes, whose errors the residuals relate (sup-t).

    Each draw weighs the groups with normal numbers; the draws are the same each time.
    """
    spread = np.sqrt((residual**2).sum(axis=0))
    moving = spread > _TINY * (1 + spread.max(initial=0.0))
    if not moving.any():
        return quantile(freedom)
    draw = np.random.default_rng(0)
    ratios = draw.standard_normal((_DRAWS, len(residual))) @ (residual[:, moving] / spread[moving])
    ratios /= np.sqrt(draw.chisquare(freedom, (_DRAWS, 1)) / freedom)
    return max(float(np.quantile(np.abs(ratios).max(axis=1), LEVEL)), quantile(freedom))
