"""When requests come: in bursts, whose density swings over the day."""

from typing import Any

import numpy as np

from iotrace.generate.vms.load import TICKS_PER_SECOND
from iotrace.generate.vms.parameters import Parameters
from iotrace.generate.vms.places import Flags, distances
from iotrace.generate.vms.shapes import Integers

DAY = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Parts of the trace at which the load turns: from the mean to a peak, to the mean at noon, to a peak, to the mean."""


def arrivals(
    writes: Flags, duration_ticks: int, parameters: Parameters, rng: np.random.Generator
) -> Integers:
    """Draw the times of requests, ascending, in steps of 100 ns from 0 to below the duration.

    ``writes`` says which requests, in their order, write. Bursts begin independently of one another, more of them
    when the load is high. What a burst would send after the end comes as much after the start.
    """
    lengths = _bursts(len(writes), parameters, rng)
    starts = np.sort(_starts(len(lengths), duration_ticks, parameters.day_swing, rng))
    in_a_run = writes & np.roll(writes, 1)
    mean_ticks = np.where(in_a_run, parameters.write_gap_ms, parameters.burst_gap_ms) * (
        TICKS_PER_SECOND / 1000
    )
    gaps = np.rint(-np.log1p(-rng.random(len(writes))) * mean_ticks).astype(np.int64)
    firsts = np.cumsum(lengths) - lengths
    gaps[firsts] = 0
    since_start = np.cumsum(gaps)
    since_start -= np.repeat(since_start[firsts], lengths)
    return np.sort((np.repeat(starts, lengths) + since_start) % duration_ticks)


def _bursts(requests: int, parameters: Parameters, rng: np.random.Generator) -> Integers:
    """Draw the lengths of bursts, as many as hold all requests; the last one is cut."""
    drawn = distances(parameters.burst_requests, parameters.burst_spread, requests, rng)
    ends = np.cumsum(drawn.clip(max=requests))
    count = int(np.searchsorted(ends, requests)) + 1
    return np.diff(ends[:count].clip(max=requests), prepend=0)


def _starts(count: int, duration_ticks: int, swing: float, rng: np.random.Generator) -> Integers:
    """Draw times from a density that rises and falls in straight lines, by its integral over a fine grid."""
    grid = np.linspace(0.0, 1.0, 4097)
    density = 1 + swing * (2 * np.interp(grid, DAY, (0.0, 1.0, 0.0, 1.0, 0.0)) - 1)
    steps = (density[1:] + density[:-1]) / 2
    integral: np.ndarray[Any, np.dtype[np.float64]] = np.concatenate([[0.0], np.cumsum(steps)])
    uniform = rng.random(count) * integral[-1]
    drawn: Integers = np.floor(np.interp(uniform, integral, grid) * duration_ticks).astype(np.int64)
    return drawn
