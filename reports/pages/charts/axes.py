"""Axes as Plotly takes them: sizes and times at round marks, powers of two as places of equal width."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from iotrace import units

Axis = dict[str, Any]
_MOST_DECADES = 10_000
STEP_OF_SIZES = 4
"""From one mark of an axis of sizes to the next: a factor of 2 to this power."""


def percent(title: str = "") -> Axis:
    """Return an axis of percentages."""
    return {"title": {"text": title}, "ticksuffix": " %", "rangemode": "tozero", "separatethousands": True}


def whole() -> Axis:
    """Return an axis on which bars of 100 % lie."""
    marks = [0, 25, 50, 75, 100]
    return {"range": [0, 100], "tickvals": marks, "ticktext": [f"{mark} %" for mark in marks]}


def logarithmic(values: Iterable[float], unit: str, title: str = "") -> Axis:
    """Return a logarithmic axis of the four highest decades, marked at powers of ten, and between them if it is short.

    The unit is percent, seconds or per request; bytes are marked as `log_sizes` does.
    """
    positive = [value for value in values if value > 0] or [1]
    shown = [value for value in positive if value * _MOST_DECADES >= max(positive)]
    if unit == "bytes":
        return log_sizes(min(shown), max(shown), title)
    low, high = math.log10(min(shown)) - 0.12, math.log10(max(shown)) + 0.12
    powers = range(math.floor(low), math.ceil(high))
    marks = _enough(
        [[digit * 10.0**power for power in powers for digit in digits] for digits in _DIGITS], low, high
    )
    suffix = {"percent": " %", "seconds": " s"}.get(unit, "")
    axis = _marked(marks, lambda mark: f"{mark:,.10g}{suffix}", title)
    return {**axis, "type": "log", "range": [low, high]}


def counts(title: str = "") -> Axis:
    """Return an axis of counts."""
    return {"title": {"text": title}, "separatethousands": True, "rangemode": "tozero"}


def sizes(values: Iterable[float], title: str = "") -> Axis:
    """Return a linear axis of bytes with marks at round sizes; negative values are shown without their sign."""
    numbers = list(values)
    low, high = min([0, *numbers]), max([1, *numbers])
    step = _round_size(max(high, -low) / 4)
    marks = [step * number for number in range(math.floor(low / step), math.ceil(high / step) + 1)]
    return _marked(marks, lambda mark: units.size(abs(mark)) if mark else "0", title)


def log_sizes(smallest: float, largest: float, title: str = "") -> Axis:
    """Return a logarithmic axis of bytes with marks at powers of two, closer the shorter it is."""
    low, high = math.floor(math.log2(max(smallest, 1))), math.ceil(math.log2(max(largest, 2)))
    step = 1 if high - low < 6 else 2 if high - low < 12 else STEP_OF_SIZES
    marks = [2.0**power for power in range(low, high + 1) if power % step == 0]
    ends = (marks[0], marks[-1]) if step == 1 else (max(smallest, 1), max(largest, 2))
    span = [math.log10(ends[0]) - 0.05, math.log10(ends[1]) + 0.05]
    return {**_marked(marks, units.size, title), "type": "log", "range": span}


def log_durations(smallest_ns: float, largest_ns: float, title: str = "") -> Axis:
    """Return a logarithmic axis of times with marks at round times."""
    marks = _enough(_ROUND_TIMES, math.log10(max(smallest_ns, 1) / 2), math.log10(max(largest_ns, 1) * 2))
    return {**_marked(marks, units.duration, title), "type": "log"}


def unit_of_time(duration_ns: float) -> tuple[float, str]:
    """Return the unit in which a trace of this length is drawn, in nanoseconds, and its name."""
    units_of_time = (
        (7200e9, 3600e9, "hours"),
        (600e9, 60e9, "minutes"),
        (1e9, 1e9, "seconds"),
        (1e6, 1e6, "ms"),
    )
    return next(((unit, name) for least, unit, name in units_of_time if duration_ns >= least), (1e3, "µs"))


def elapsed(unit: str) -> Axis:
    """Return an axis of the time since the trace began."""
    return {
        "title": {"text": f"Time since the trace began ({unit})"},
        "separatethousands": True,
        "showgrid": False,
        "hoverformat": ".3~f",
        "unifiedhovertitle": {"text": f"at %{{x}} {unit}"},
    }


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
    marks = _enough(_ROUND_TIMES, first * math.log10(2), last * math.log10(2))
    return _binned(
        bounds, [math.log2(mark) for mark in marks], [units.duration(mark) for mark in marks], title
    )


def bins_of_counts(bounds: Sequence[float], title: str = "") -> Axis:
    """Return the axis for bins of counts, its marks at powers of two; see `bins_of_sizes`."""
    first, last = _powers(bounds)
    step = max(1, math.ceil((last - first) / 10))
    marks = [power for power in range(max(first, 0), last + 1) if power % step == 0]
    return _binned(bounds, [float(mark) for mark in marks], [units.count(2**mark) for mark in marks], title)


def zero_place(bounds: Sequence[float]) -> float:
    """Return where the bin of zero is drawn: left of the smallest other one, with a gap."""
    return _powers(bounds)[0] - 1.0


def places(bounds: Sequence[float], all_bounds: Sequence[float]) -> list[float]:
    """Return where each bin is drawn on an axis that shows `all_bounds`."""
    return [place_of_bin(bound) if bound else zero_place(all_bounds) for bound in bounds]


_DIGITS = ([1], [1, 2, 5], [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9])
"""Where marks of a logarithmic axis may be: the first that give enough."""
_ROUND_TIMES = [
    [*(10.0**power for power in range(11)), 60e9, 600e9, 3600e9, 36000e9, 360000e9],
    [
        *(digit * 10.0**power for power in range(10) for digit in (1, 2, 5)),
        *(digit * unit for unit in (1e10, 60e9, 600e9, 3600e9, 36000e9) for digit in (1, 2, 3)),
    ],
]


def _enough(finer: Sequence[Sequence[float]], low: float, high: float) -> list[float]:
    """Return the marks of the first list that has three between two powers of ten, or of the last."""
    between: list[float] = []
    for marks in finer:
        between = [mark for mark in marks if low <= math.log10(mark) <= high]
        if len(between) >= 3:
            break
    return between


def _powers(bounds: Sequence[float]) -> tuple[int, int]:
    """Return the edges of all bins but that of zero, as powers of two."""
    positive = [bound for bound in bounds if bound > 0] or [1]
    return math.floor(math.log2(min(positive))) - 1, math.ceil(math.log2(max(positive)))


def _binned(bounds: Sequence[float], marks: list[float], shown: list[str], title: str) -> Axis:
    first, last = _powers(bounds)
    if 0 in bounds:
        marks, shown = [zero_place(bounds), *marks], ["0", *shown]
    start = zero_place(bounds) - 0.6 if 0 in bounds else first - 0.1
    return {
        "title": {"text": title},
        "tickvals": marks,
        "ticktext": shown,
        "range": [start, last + 0.1],
        "showgrid": False,
    }


def _marked(marks: Sequence[float], write: Callable[[float], str], title: str) -> Axis:
    return {"title": {"text": title}, "tickvals": list(marks), "ticktext": [write(mark) for mark in marks]}


def _round_size(least: float) -> float:
    """Return the smallest power of two that is not below `least`, so that marks are round in every unit."""
    return 2.0 ** max(0, math.ceil(math.log2(max(least, 1))))
