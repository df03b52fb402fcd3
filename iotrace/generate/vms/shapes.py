"""How distances to an earlier request are distributed, as measured on a real disk of 1992 (presets/README.md).

No log-normal law describes them: a quarter of the re-reads follow within 150 reads, half after more than 980. So a
distance has the measured distribution; its parameters, the median and the spread, which is the standard deviation of
the natural logarithm, shift and stretch it on the scale of the logarithm.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

Integers = np.ndarray[Any, np.dtype[np.int64]]
Reals = np.ndarray[Any, np.dtype[np.float64]]

DISTANCES = (
    *(
        1,
        2,
        3,
        4,
        6,
        8,
        11,
        16,
        23,
        32,
        45,
        64,
        91,
        128,
        181,
        256,
        362,
        512,
        724,
        1024,
        1448,
        2048,
        2896,
        4096,
    ),
    *(5793, 8192, 11585, 16384, 23170, 32768),
)


@dataclass(frozen=True)
class Shape:
    """A measured distribution."""

    median: float
    spread: float
    percent: tuple[float, ...]
    """The share of the distances up to each of `DISTANCES`."""

    def beyond(self, deviations: Reals) -> Reals:
        """Return the probabilities of more than a deviation from the median, in units of the spread."""
        return 1 - np.interp(deviations, self._deviations, self._up_to)

    def distances(self, median: float, spread: float, count: int, rng: np.random.Generator) -> Integers:
        """Draw distances, whole numbers from 1."""
        deviations = np.interp(rng.random(count), self._up_to, self._deviations)
        return np.asarray(np.rint((median * np.exp(spread * deviations)).clip(1, 1e12)), np.int64)

    @property
    def _deviations(self) -> Reals:
        ends = np.log(np.array([0.5, *DISTANCES]) + 0.5)
        return np.asarray((ends - math.log(self.median)) / self.spread)

    @property
    def _up_to(self) -> Reals:
        return np.array([0.0, *self.percent]) / 100


# fmt: off
REWRITE = Shape(40, 2.49, (
    12.8, 27.7, 30.1, 32.1, 34.5, 36.2, 39.0, 41.4, 44.0, 47.6, 51.5, 58.1, 64.6, 69.4, 73.8, 77.5, 81.3, 85.1, 88.6,
    91.6, 94.3, 95.7, 96.7, 97.8, 98.6, 99.2, 99.5, 99.9, 100.0, 100.0,
))
"""From a write of a place to the next one, in writes."""
UPDATE = Shape(266, 1.78, (
    4.9, 6.7, 7.8, 9.0, 10.6, 12.1, 14.0, 16.5, 18.8, 22.0, 23.5, 26.4, 31.6, 38.7, 40.8, 47.0, 93.1, 95.9, 96.1,
    96.4, 96.6, 96.9, 98.5, 99.5, 99.7, 99.7, 100.0, 100.0, 100.0, 100.0,
))
"""From the last read of a place that was never written to its first write, in reads."""
REREAD = Shape(985, 2.53, (
    1.4, 9.3, 10.4, 10.4, 14.9, 17.8, 19.4, 20.8, 21.4, 22.2, 22.6, 23.0, 23.8, 24.9, 26.2, 28.1, 30.8, 34.4, 42.2,
    50.7, 65.6, 75.6, 83.7, 95.8, 97.8, 99.9, 100.0, 100.0, 100.0, 100.0,
))
"""From a read of a place to the next one, with no write between them, in reads."""
READBACK = Shape(1187, 1.27, (
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1, 0.4, 0.7, 1.3, 1.7, 2.0, 2.2, 3.1, 4.1, 5.4, 22.2, 24.9, 33.4, 45.2, 54.2,
    65.5, 76.6, 83.2, 89.7, 94.4, 96.3, 98.8, 99.8, 100.0,
))
"""From a write of a place to the first read after it, in writes."""
# fmt: on
