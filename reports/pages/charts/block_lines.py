"""Lines of statistics of disks: percentiles over bins, cumulative shares, popularity by rank, burstiness by scale."""

import math
from collections.abc import Sequence

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.disks import WAYS
from iotrace.reports.pages.charts.plot import Arguments, Plot, Row, Rows, amount, color, layout, plotted

from iotrace import units

_PERCENTILES = (
    ("median_ns", "median", "solid"), ("p99_ns", "99 %", "dash"), ("p999_ns", "99.9 %", "dot"),
)  # fmt: skip
_RANKS = (("all", "ink"), ("read", "step-3"), ("write", "step-6"), ("unknown", "both"))
_LEAST_COUNT = 0.5
"""A fit that falls below one access is drawn down to here."""


def latency_by_size(rows: Rows, arguments: Arguments) -> Plot | None:
    """Percentiles of how long requests take over their size, by operation."""
    rows = [row for row in rows if row["maximum_size_bytes"]]
    bounds = [row["maximum_size_bytes"] for row in rows]
    if not bounds:
        return None
    places = {bound: axes.place_of_bin(bound) for bound in bounds}
    traces = []
    for name, shade in WAYS:
        bins = [row for row in rows if row["operation"] == name]
        shown = [f"up to {units.size(row['maximum_size_bytes'])}, {_requests(row)}" for row in bins]
        traces += _percentiles(bins, [places[row["maximum_size_bytes"]] for row in bins], shown, name, shade)
    return _latencies(traces, rows, axes.bins_of_sizes(bounds, "Size of the request"))


def latency_by_depth(rows: Rows, arguments: Arguments) -> Plot | None:
    """Percentiles of how long requests take over the depth of the queue that they find."""
    shown = [f"{_depth(row)}, {_requests(row)}" for row in rows]
    traces = _percentiles(rows, list(range(len(rows))), shown, "", "both")
    return _latencies(traces, rows, _depth_axis(rows))


def depths(rows: Rows, arguments: Arguments) -> Plot:
    """Bars: the share of requests that find each depth of the queue."""
    shown = [f"{_depth(row)}: {_requests(row)}, {row['cumulative_percent']:.3g} % up to here" for row in rows]
    shares = [row["requests_percent"] for row in rows]
    bars = plotted("bar", list(range(len(rows))), shares, shown, width=0.94, marker={"color": color("both")})
    return Plot([bars], layout(_depth_axis(rows), axes.percent("Share of the requests"), bargap=0.06))


def cumulative(rows: Rows, arguments: Arguments) -> Plot | None:
    """Cumulative shares over bins: columns `series`, `bin`, `count` (of `unit`); a line for each of `parts`.

    Bins are of time, or of counts of what `of` names.
    """
    of = arguments.get("of")
    timed = [
        row for row in rows if row[arguments["bin"]] is not None and row["cumulative_percent"] is not None
    ]
    bounds = sorted({row[arguments["bin"]] for row in timed})
    traces = []
    for part in arguments["parts"]:
        bins = [row for row in timed if row[arguments["series"]] == part["value"]]
        if not bins:
            continue
        own_bounds = [row[arguments["bin"]] for row in bins]
        amounts = [amount(row[arguments["count"]], arguments["unit"]) for row in bins]
        shown = [
            f"up to {units.duration(bound) if of is None else amount(bound, of)}: {many}"
            for bound, many in zip(own_bounds, amounts, strict=True)
        ]
        shares = [row["cumulative_percent"] for row in bins]
        line = {"color": color(part["color"]), "width": 2, "dash": part.get("dash", "solid")}
        style = {"mode": "lines+markers", "name": part["label"], "line": line}
        hover = f"{part['label']}, %{{customdata}}; %{{y:.1f}} % in all"
        drawn = plotted("scatter", axes.places(own_bounds, bounds), shares, shown, hover, **style)
        traces.append({**drawn, "marker": {"color": color(part["color"]), "size": 5}})
    if not traces:
        return None
    upright = {**axes.percent(arguments["share"]), "range": [0, 102]}
    along = axes.bins_of_durations if of is None else axes.bins_of_counts
    return Plot(traces, layout(along(bounds, arguments["axis"]), upright))


def ranked(rows: Rows, arguments: Arguments) -> Plot | None:
    """Accesses over rank, both logarithmic, a line for each operation; dotted, the fit for all of them."""
    rows = [row for row in rows if row["rank"] and row["accesses"]]
    traces = []
    for name, shade in _RANKS:
        ranks_of_operation = [row for row in rows if row["operation"] == name]
        if not ranks_of_operation:
            continue
        label = {"all": "all accesses", "unknown": "unknown"}.get(name, f"{name}s")
        shown = [
            f"rank {units.count(row['rank'])}: {units.count(row['accesses'])} accesses;"
            f" {units.percent(row['cumulative_percent'])} up to here"
            for row in ranks_of_operation
        ]
        line = {"color": color(shade), "width": 2}
        ranks = [row["rank"] for row in ranks_of_operation]
        style = {"mode": "lines", "name": label, "line": line}
        hover = f"{label}, %{{customdata}}"
        traces.append(
            plotted("scatter", ranks, [row["accesses"] for row in ranks_of_operation], shown, hover, **style)
        )
        fitted = [
            (row["rank"], row["fitted_accesses"])
            for row in ranks_of_operation
            if (row["fitted_accesses"] or 0) >= _LEAST_COUNT
        ]
        if name == "all" and fitted:
            texts = [f"{value:,.3g} accesses" for _, value in fitted]
            style = {
                "mode": "lines",
                "name": "Zipf fit",
                "line": {"color": color("muted"), "width": 1.5, "dash": "dot"},
            }
            x, y = zip(*fitted, strict=True)
            traces.append(plotted("scatter", x, y, texts, "Zipf fit: %{customdata}", **style))
    if not traces:
        return None
    across = _powers_of_ten([row["rank"] for row in rows], "Rank")
    return Plot(traces, layout(across, _powers_of_ten([row["accesses"] for row in rows], "Accesses")))


def dispersion(rows: Rows, arguments: Arguments) -> Plot | None:
    """The index of dispersion over the length of windows, both logarithmic; dotted, that of independent arrivals."""
    rows = [row for row in rows if row["index_of_dispersion"] and row["width_ns"]]
    if not rows:
        return None
    widths, values = [row["width_ns"] for row in rows], [row["index_of_dispersion"] for row in rows]
    shown = [f"{units.duration(width)}: {value:,.3g}" for width, value in zip(widths, values, strict=True)]
    line = {"color": color("both"), "width": 2}
    style = {"mode": "lines+markers", "name": "this trace", "line": line}
    variances = plotted("scatter", widths, values, shown, "in windows of %{customdata}", **style)
    marker = {"marker": {"color": color("both"), "size": 7}}
    dotted = {"color": color("muted"), "width": 1.5, "dash": "dot"}
    ends = [min(widths), max(widths)]
    independent = plotted(
        "scatter", ends, [1, 1], ["", ""], "1", mode="lines", name="independent arrivals", line=dotted
    )
    across = axes.log_durations(min(widths), max(widths), "Length of the window")
    return Plot(
        [{**variances, **marker}, independent],
        layout(across, _powers_of_ten([1, *values], "Variance over mean")),
    )


def _percentiles(rows: Rows, places: Sequence[float], shown: Sequence[str], name: str, shade: str) -> Rows:
    """Return a line for each percentile, in a colour."""
    traces = []
    for column, label, dash in _PERCENTILES if rows else ():
        title = f"{name}, {label}".removeprefix(", ")
        line = {"color": color(shade), "width": 2, "dash": dash}
        values = [max(row[column], 1) for row in rows]
        texts = [f"{before}: {units.duration(value)}" for before, value in zip(shown, values, strict=True)]
        style = {
            "mode": "lines+markers",
            "name": title,
            "line": line,
            "marker": {"color": color(shade), "size": 5},
        }
        traces.append(plotted("scatter", places, values, texts, f"{title}; %{{customdata}}", **style))
    return traces


def _latencies(traces: Rows, rows: Rows, across: Row) -> Plot | None:
    if not traces:
        return None
    values = [max(row[column], 1) for row in rows for column, _, _ in _PERCENTILES]
    return Plot(traces, layout(across, axes.log_durations(min(values), max(values), "Time until completion")))


def _requests(row: Row) -> str:
    return units.plural(row["requests"], "request", "requests")


def _depth(row: Row) -> str:
    most = row["maximum_depth"]
    return f"{most // 2 + 1:,} to {most:,}" if most > 2 else f"{most:,}"


def _depth_axis(rows: Rows) -> Row:
    """Return the axis of depths in bins; a reader sees at most eight of its marks."""
    step = 1 + len(rows) // 9
    places = range(0, len(rows), step)
    title = {"text": "Requests at the disk on arrival, itself included, up to"}
    shown = [f"{rows[index]['maximum_depth']:,}" for index in places]
    return {"title": title, "tickvals": list(places), "ticktext": shown, "showgrid": False}


def _powers_of_ten(values: Sequence[float], title: str) -> Row:
    """Return a logarithmic axis marked at powers of ten, or between them too where it is short."""
    low, high = math.log10(min(values)), math.log10(max(values))
    axis = {
        "title": {"text": title},
        "type": "log",
        "range": [low - 0.1, high + 0.1],
        "separatethousands": True,
    }
    return {**axis, "exponentformat": "none" if high < 4 else "SI", "dtick": 1 if high - low > 2 else "D1"}
