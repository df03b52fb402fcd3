"""Axes as Plotly takes them: sizes and times at round marks, powers of two as places of equal width."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from iotrace import units

Axis = dict[str, Any]
STEP_OF_SIZES = 4
"""From one mark of an axis of sizes to the next: a factor of 2 to this power."""


def percent(title: str = "") -> Axis:
    """Return an axis of percentages."""
    return {"title": {"text": title}, "ticksuffix": " %", "rangemode": "tozero"}


def counts(title: str = "") -> Axis:
    """Return an axis of counts."""
    return {"title": {"text": title}, "separatethousands": True, "rangemode": "tozero"}


def sizes(values: Iterable[float], title: str = "") -> Axis:
    """Return a linear axis of bytes with marks at round sizes; negative values are shown without their sign."""
    found = list(values)
    low, high = min([0, *found]), max([1, *found])
    step = _round_size(max(high, -low) / 4)
    marks = [step * place for place in range(math.floor(low / step), math.ceil(high / step) + 1)]
    return _marked(marks, lambda mark: units.size(abs(mark)) if mark else "0", title)


def log_sizes(smallest: float, largest: float, title: str = "") -> Axis:
    """Return a logarithmic axis of bytes with marks at powers of 16 times a power of two."""
    low, high = math.floor(math.log2(max(smallest, 1))), math.ceil(math.log2(max(largest, 2)))
    marks = [2**power for power in range(low, high + 1) if power % STEP_OF_SIZES == 0 or high - low < 6]
    span = [math.log10(max(smallest, 1)) - 0.05, math.log10(max(largest, 2)) + 0.05]
    return {**_marked(marks, units.size, title), "type": "log", "range": span}


def log_durations(smallest_ns: float, largest_ns: float, title: str = "") -> Axis:
    """Return a logarithmic axis of times with marks at round times."""
    marks = [mark for mark in _ROUND_TIMES if smallest_ns / 2 <= mark <= largest_ns * 2]
    return {**_marked(marks, units.duration, title), "type": "log"}


def seconds(title: str = "Time since the trace began (seconds)") -> Axis:
    """Return an axis of seconds."""
    return {"title": {"text": title}, "rangemode": "tozero", "separatethousands": True}


def place_of_bin(bound: float) -> float:
    """Return where a bin by powers of two is drawn: bound 2^k covers the axis from k-1 to k."""
    return math.log2(bound) - 0.5


def bins_of_sizes(bounds: Sequence[float], title: str = "") -> Axis:
    """Return the axis for bins of bytes; see `place_of_bin`. A bin of zero goes where `zero_place` says."""
    first, last = _powers(bounds)
    step = STEP_OF_SIZES if last - first > 8 else 2
    marks = [power for power in range(first, last + 1) if power % step == 0]
    shown = [units.size(2**power) for power in marks]
    return _binned(bounds, [float(mark) for mark in marks], shown, title)


def bins_of_durations(bounds: Sequence[float], title: str = "") -> Axis:
    """Return the axis for bins of nanoseconds, its marks at round times; see `bins_of_sizes`."""
    first, last = _powers(bounds)
    marks = [mark for mark in _ROUND_TIMES if 2**first <= mark <= 2**last]
    return _binned(
        bounds, [math.log2(mark) for mark in marks], [units.duration(mark) for mark in marks], title
    )


def zero_place(bounds: Sequence[float]) -> float:
    """Return where the bin of zero is drawn: left of the smallest other one, with a gap."""
    return _powers(bounds)[0] - 1.0


def places(bounds: Sequence[float], all_bounds: Sequence[float]) -> list[float]:
    """Return where each bin is drawn on an axis that shows `all_bounds`."""
    return [place_of_bin(bound) if bound else zero_place(all_bounds) for bound in bounds]


_ROUND_TIMES = [factor * 10**power for power in range(0, 9, 1) for factor in (1,)] + [
    1e9,
    1e10,
    60e9,
    600e9,
    3600e9,
    36000e9,
]


def _powers(bounds: Sequence[float]) -> tuple[int, int]:
    """Return the edges of all bins but that of zero, as powers of two."""
    found = [bound for bound in bounds if bound > 0] or [1]
    return math.floor(math.log2(min(found))) - 1, math.ceil(math.log2(max(found)))


def _binned(bounds: Sequence[float], marks: list[float], shown: list[str], title: str) -> Axis:
    first, last = _powers(bounds)
    if 0 in bounds:
        marks, shown = [zero_place(bounds), *marks], ["0", *shown]
    start = zero_place(bounds) - 0.6 if 0 in bounds else first - 0.1
    return {"title": {"text": title}, "tickvals": marks, "ticktext": shown, "range": [start, last + 0.1]}


def _marked(marks: Sequence[float], write: Callable[[float], str], title: str) -> Axis:
    return {"title": {"text": title}, "tickvals": list(marks), "ticktext": [write(mark) for mark in marks]}


def _round_size(least: float) -> float:
    """Return the smallest round size that is not below `least`: 1, 2, 5, 10, ... of its unit."""
    unit = 1024 ** max(0, min(4, int(math.log(max(least, 1), 1024))))
    for factor in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1024):
        if factor * unit >= least:
            return float(factor * unit)
    return float(unit * 2 ** math.ceil(math.log2(least / unit)))
