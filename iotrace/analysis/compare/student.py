"""Quantiles of Student's t distribution and of the normal one."""

import math
from functools import cache
from statistics import NormalDist

import numpy as np

_STEPS = 2_001


@cache
def t_quantile(probability: float, degrees: float) -> float:
    """Return the value that is exceeded with 1 - `probability`, which is at least a half; by bisection."""
    low, high = 0.0, 1.0
    while _cumulative(high, degrees) < probability:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _cumulative(middle, degrees) < probability else (low, middle)
    return high


def normal_quantile(probability: float) -> float:
    """Return the same of the standard normal distribution."""
    return NormalDist().inv_cdf(probability)


def _cumulative(value: float, degrees: float) -> float:
    """Return the probability of at most a value from 0 on: with t = sqrt(n) tan(u) the density is smooth in u."""
    constant = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    angles = np.linspace(0.0, math.atan(value / math.sqrt(degrees)), _STEPS)
    return 0.5 + constant * float(np.trapezoid(np.cos(angles) ** (degrees - 1), angles))
