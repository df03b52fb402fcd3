"""Distributions over bins by powers of two: of lengths and of times."""

from collections.abc import Sequence

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import (
    PLURAL,
    Arguments,
    Plot,
    Row,
    Rows,
    amount,
    color,
    layout,
    number,
    plotted,
)
from iotrace.schemas.reference_types import TYPES

from iotrace import units

RARE_PERCENT = 0.1
"""Bins of fewer requests do not widen the axis."""

_WITH_SHARE = "%{customdata} (%{y:.3~g} %)"
OPERATIONS = (
    ("read", "read"), ("write", "write"), ("discard", "step-4"), ("flush", "step-2"), ("unknown", "ink"),
)  # fmt: skip
"""The operations of requests, and their colours."""

FATES = (("overwritten", "step-2"), ("truncated", "step-4"), ("deleted", "step-6"))


def bins(rows: Rows, arguments: Arguments) -> Plot | None:
    """Bars stacked by type over bins of bytes: columns `bin`, `value` (percent) and `count` (of `unit`)."""
    bounds = [row[arguments["bin"]] for row in rows]
    traces = []
    for kind in TYPES:
        rows_of_type = [row for row in rows if row["type"] == kind and row[arguments["value"]]]
        if not rows_of_type:
            continue
        own_bounds = [row[arguments["bin"]] for row in rows_of_type]
        shown = [
            f"{PLURAL[kind]}, {_size_bin(bound)}: {amount(row[arguments['count']], arguments['unit'])}"
            for bound, row in zip(own_bounds, rows_of_type, strict=True)
        ]
        shares = [row[arguments["value"]] for row in rows_of_type]
        traces.append(_bars(PLURAL[kind], kind, axes.places(own_bounds, bounds), shares, shown))
    across = axes.bins_of_sizes(bounds, arguments["axis"])
    drawn = layout(across, axes.percent(arguments["share"]), barmode="stack", bargap=0.06)
    return Plot(traces, drawn) if traces else None


def request_sizes(rows: Rows, arguments: Arguments) -> Plot | None:
    """Of the requests of one type, the bars say what moved and the marks what was asked for."""
    rows_of_type = [row for row in rows if row["type"] == arguments["type"]]
    if not rows_of_type:
        return None
    bounds = [row["maximum_size_bytes"] for row in rows_of_type]
    places = axes.places(bounds, bounds)
    moved = _bars(
        "moved",
        arguments["type"],
        places,
        [number(row["moved_percent"]) for row in rows_of_type],
        [
            f"moved {_size_bin(row['maximum_size_bytes'])}: {amount(row['moved'], 'requests')}"
            for row in rows_of_type
        ],
    )
    marker = {"color": color("ink"), "size": 7, "symbol": "diamond-open", "line": {"width": 1.5}}
    requested = plotted(
        "scatter",
        places,
        [number(row["asked_percent"]) for row in rows_of_type],
        [
            f"asked for {_size_bin(row['maximum_size_bytes'])}: {amount(row['asked'], 'requests')}"
            for row in rows_of_type
        ],
        _WITH_SHARE,
        mode="markers",
        name="asked for",
        marker=marker,
    )
    common = [
        bound for bound, row in zip(bounds, rows_of_type, strict=True) if _most(row) >= RARE_PERCENT
    ] or bounds
    title = "Size of the request" + (
        f" (under {RARE_PERCENT} % lie beyond)" if max(common) < max(bounds) else ""
    )
    axis = axes.bins_of_sizes([bound for bound in bounds if bound <= max(common)], title)
    return Plot([moved, requested], layout(axis, axes.percent("Share of the requests"), bargap=0.06))


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
    sums = plotted(
        "scatter",
        [x + 0.5 for x in places],
        [row["cumulative_percent"] for row in timed],
        list(map(_time_bin, bounds)),
        "%{customdata}: %{y:.1f} % in all",
        mode="lines",
        name="sum up to here",
        line={"color": color("ink"), "width": 1.5},
    )
    across = axes.bins_of_durations(bounds, arguments["axis"])
    return Plot([bars, sums], layout(across, _up_to_all(arguments["share"]), bargap=0.06))


def answers(rows: Rows, arguments: Arguments) -> Plot | None:
    """The share of requests to disks that were answered within each time, a line for each operation."""
    measured = [row for row in rows if row["measure"] == arguments["measure"]]
    if not measured:
        return None
    bounds = sorted({row["maximum_ns"] for row in measured})
    traces: Rows = []
    for operation, shade in OPERATIONS:
        rows_of_operation = [row for row in measured if row["operation"] == operation]
        if not rows_of_operation:
            continue
        places = axes.places([row["maximum_ns"] for row in rows_of_operation], bounds)
        shares = [row["cumulative_percent"] for row in rows_of_operation]
        shown = [
            f"{_time_bin(row['maximum_ns'])}: {amount(row['requests'], 'requests')}"
            for row in rows_of_operation
        ]
        line, marker = {"color": color(shade), "width": 1.5}, {"color": color(shade), "size": 5}
        style = {"mode": "lines+markers", "name": operation, "line": line, "marker": marker}
        hover = f"{operation}, %{{customdata}}; %{{y:.1f}} % in all"
        traces.append(plotted("scatter", places, shares, shown, hover, **style))
    across = axes.bins_of_durations(bounds, arguments["axis"])
    return Plot(traces, layout(across, _up_to_all("Share of the requests")))


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
        shown = [f"{fate} {age}: {units.percent(total)}" for age, total in zip(ages, sums, strict=True)]
        traces.append(_bars(fate, shade, axes.places(bounds, bounds), sums, shown, "%{customdata}"))
    across = axes.bins_of_durations(bounds, "Age of the data")
    return Plot(
        traces, layout(across, _up_to_all("Share of all written bytes"), barmode="stack", bargap=0.06)
    )


def _up_to_all(title: str) -> Row:
    return {**axes.percent(title), "range": [0, 102]}


def _bars(
    name: str,
    shade: str,
    places: Sequence[float],
    values: Sequence[float],
    shown: Sequence[str],
    hover: str = _WITH_SHARE,
) -> Row:
    return plotted("bar", places, values, shown, hover, name=name, width=0.94, marker={"color": color(shade)})


def _size_bin(bound: int) -> str:
    return "0 bytes" if bound == 0 else "1 byte" if bound == 1 else f"up to {units.size(bound)}"


def _time_bin(bound: int) -> str:
    return "at once" if bound == 0 else f"up to {units.duration(bound)}"
