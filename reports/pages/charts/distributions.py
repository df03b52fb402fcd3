"""Distributions over bins by powers of two: of lengths and of times."""

from __future__ import annotations

from collections.abc import Sequence

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import PLURAL, Arguments, Plot, Row, Rows, amount, color, number
from iotrace.schemas.reference_types import TYPES

from iotrace import units

RARE_PERCENT = 0.1
"""Bins of fewer requests do not widen the axis."""

OPERATIONS = (
    ("read", "read"),
    ("write", "write"),
    ("discard", "step-4"),
    ("flush", "step-2"),
    ("unknown", "ink"),
)
"""What disks are asked, and the colours of it."""

FATES = (("overwritten", "step-2"), ("truncated", "step-4"), ("deleted", "step-6"))


def bins(rows: Rows, arguments: Arguments) -> Plot | None:
    """Bars stacked by type over bins of bytes: columns `bin`, `value` (percent) and `count` (of `unit`)."""
    bounds = [row[arguments["bin"]] for row in rows]
    traces = []
    for kind in TYPES:
        own = [row for row in rows if row["type"] == kind and row[arguments["value"]]]
        if not own:
            continue
        found = [row[arguments["bin"]] for row in own]
        traces.append(
            _bars(
                PLURAL[kind],
                kind,
                axes.places(found, bounds),
                [row[arguments["value"]] for row in own],
                [
                    f"{PLURAL[kind]}, {_size_bin(bound)}: {amount(row[arguments['count']], arguments['unit'])}"
                    for bound, row in zip(found, own, strict=True)
                ],
            )
        )
    layout = {
        "barmode": "stack",
        "bargap": 0.06,
        "xaxis": axes.bins_of_sizes(bounds, arguments["axis"]),
        "yaxis": axes.percent(arguments["share"]),
    }
    return Plot(traces, layout) if traces else None


def request_sizes(rows: Rows, arguments: Arguments) -> Plot | None:
    """Of the requests of one type, the bars say what moved and the marks what was asked for."""
    own = [row for row in rows if row["type"] == arguments["type"]]
    if not own:
        return None
    bounds = [row["maximum_size_bytes"] for row in own]
    places = axes.places(bounds, bounds)
    moved = _bars(
        "moved",
        arguments["type"],
        places,
        [number(row["moved_percent"]) for row in own],
        [f"moved {_size_bin(row['maximum_size_bytes'])}: {amount(row['moved'], 'requests')}" for row in own],
    )
    asked = {
        "type": "scatter",
        "mode": "markers",
        "name": "asked for",
        "x": places,
        "y": [number(row["asked_percent"]) for row in own],
        "customdata": [
            f"asked for {_size_bin(bound)}: {amount(row['asked'], 'requests')}"
            for bound, row in zip(bounds, own, strict=True)
        ],
        "hovertemplate": "%{customdata} (%{y:.3~g} %)<extra></extra>",
        "marker": {"color": color("ink"), "size": 7, "symbol": "diamond-open", "line": {"width": 1.5}},
    }
    common = [bound for bound, row in zip(bounds, own, strict=True) if _most(row) >= RARE_PERCENT] or bounds
    title = "Size of the request" + (
        f" (under {RARE_PERCENT} % lie beyond)" if max(common) < max(bounds) else ""
    )
    axis = axes.bins_of_sizes([bound for bound in bounds if bound <= max(common)], title)
    layout = {"bargap": 0.06, "xaxis": axis, "yaxis": axes.percent("Share of the requests")}
    return Plot([moved, asked], layout)


def _most(row: Row) -> float:
    return max(number(row["moved_percent"]), number(row["asked_percent"]))


def durations(rows: Rows, arguments: Arguments) -> Plot | None:
    """Bars over bins of time, and their sum up to there: columns `bin`, `value` (percent), `count` and its `unit`."""
    timed = [row for row in rows if row[arguments["bin"]] is not None]
    if not timed:
        return None
    bounds = [row[arguments["bin"]] for row in timed]
    places = axes.places(bounds, bounds)
    bars = _bars(
        arguments["label"],
        arguments["color"],
        places,
        [row[arguments["value"]] for row in timed],
        [
            f"{_time_bin(row[arguments['bin']])}: {amount(row[arguments['count']], arguments['unit'])}"
            for row in timed
        ],
    )
    sums = {
        "type": "scatter",
        "mode": "lines",
        "name": "sum up to here",
        "x": [place + 0.5 for place in places],
        "y": [row["cumulative_percent"] for row in timed],
        "customdata": [_time_bin(bound) for bound in bounds],
        "hovertemplate": "%{customdata}: %{y:.1f} % in all<extra></extra>",
        "line": {"color": color("ink"), "width": 1.5},
    }
    layout = {
        "bargap": 0.06,
        "xaxis": axes.bins_of_durations(bounds, arguments["axis"]),
        "yaxis": {**axes.percent(arguments["share"]), "range": [0, 102]},
    }
    return Plot([bars, sums], layout)


def answers(rows: Rows, arguments: Arguments) -> Plot | None:
    """The share of requests to disks that were answered within each time, a line for each operation."""
    measured = [row for row in rows if row["measure"] == arguments["measure"]]
    if not measured:
        return None
    bounds = sorted({row["maximum_ns"] for row in measured})
    traces: Rows = []
    for operation, shade in OPERATIONS:
        own = [row for row in measured if row["operation"] == operation]
        if not own:
            continue
        found = [row["maximum_ns"] for row in own]
        said = [f"{_time_bin(row['maximum_ns'])}: {amount(row['requests'], 'requests')}" for row in own]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": operation,
                "x": axes.places(found, bounds),
                "y": [row["cumulative_percent"] for row in own],
                "customdata": said,
                "hovertemplate": f"{operation}, %{{customdata}}; %{{y:.1f}} % in all<extra></extra>",
                "line": {"color": color(shade), "width": 1.5},
                "marker": {"color": color(shade), "size": 5},
            }
        )
    layout = {
        "xaxis": axes.bins_of_durations(bounds, arguments["axis"]),
        "yaxis": {**axes.percent("Share of the requests"), "range": [0, 102]},
    }
    return Plot(traces, layout)


def lifetimes(rows: Rows, arguments: Arguments) -> Plot | None:
    """The share of written bytes that is gone by each age, stacked by what ended it."""
    timed = [row for row in rows if row["maximum_lifetime_ns"] is not None and row["fate"] in dict(FATES)]
    if not timed:
        return None
    bounds = sorted({row["maximum_lifetime_ns"] for row in timed})
    traces = []
    for fate, shade in FATES:
        shares = {
            row["maximum_lifetime_ns"]: number(row["bytes_percent"]) for row in timed if row["fate"] == fate
        }
        if not shares:
            continue
        sums = [sum(share for age, share in shares.items() if age <= bound) for bound in bounds]
        ages = map(_time_bin, bounds)
        said = [f"{fate} {age}: {units.percent(total)}" for age, total in zip(ages, sums, strict=True)]
        traces.append(
            _bars(fate, shade, axes.places(bounds, bounds), sums, said, "%{customdata}<extra></extra>")
        )
    layout = {
        "barmode": "stack",
        "bargap": 0.06,
        "xaxis": axes.bins_of_durations(bounds, "Age of the data"),
        "yaxis": {**axes.percent("Share of all written bytes"), "range": [0, 102]},
    }
    return Plot(traces, layout)


def _bars(
    name: str,
    shade: str,
    places: Sequence[float],
    values: Sequence[float],
    said: Sequence[str],
    hover: str = "%{customdata} (%{y:.3~g} %)<extra></extra>",
) -> Row:
    return {
        "type": "bar",
        "name": name,
        "x": list(places),
        "y": list(values),
        "width": 0.94,
        "customdata": list(said),
        "hovertemplate": hover,
        "marker": {"color": color(shade)},
    }


def _size_bin(bound: int) -> str:
    return "0 bytes" if bound == 0 else "1 byte" if bound == 1 else f"up to {units.size(bound)}"


def _time_bin(bound: int) -> str:
    return "at once" if bound == 0 else f"up to {units.duration(bound)}"
