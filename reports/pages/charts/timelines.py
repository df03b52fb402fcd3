"""The workload as it proceeds: a value for each window of the trace."""

from __future__ import annotations

from collections.abc import Sequence

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import PLURAL, Arguments, Plot, Row, Rows, color
from iotrace.schemas.reference_types import TYPES

from iotrace import units


def requests(rows: Rows, arguments: Arguments) -> Plot:
    """Requests a second in each window, stacked by type."""
    unit_ns, title = axes.unit_of_time(max(row["end_ns"] for row in rows))
    traces = []
    for kind in TYPES:
        own = [row for row in rows if row["type"] == kind]
        if not own:
            continue
        rates = [row["requests"] * 1e9 / (row["end_ns"] - row["start_ns"]) for row in own]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": PLURAL[kind],
                "x": _edges(own, unit_ns),
                "y": [*rates, rates[-1]],
                "customdata": [units.count(rate) for rate in [*rates, rates[-1]]],
                "hovertemplate": f"{PLURAL[kind]}: %{{customdata}} a second<extra></extra>",
                "line": {"shape": "hv", "width": 0, "color": color(kind)},
                "fillcolor": color(kind),
                "stackgroup": "requests",
            }
        )
    layout = {
        "xaxis": axes.elapsed(title),
        "yaxis": axes.counts("Requests a second"),
        "hovermode": "x unified",
    }
    return Plot(traces, layout)


def transfers(rows: Rows, arguments: Arguments) -> Plot:
    """Bytes a second in each window: what is read upwards, what is written downwards."""
    unit_ns, title = axes.unit_of_time(max(row["end_ns"] for row in rows))
    windows = {row["window"]: row for row in rows}
    traces, all_rates = [], [0.0]
    for column, name, sign in (("bytes_read", "read", 1), ("bytes_written", "write", -1)):
        sums = dict.fromkeys(windows, 0)
        for row in rows:
            sums[row["window"]] += row[column]
        rates = [sums[place] * 1e9 / (row["end_ns"] - row["start_ns"]) for place, row in windows.items()]
        all_rates += [sign * rate for rate in rates]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": name,
                "x": _edges(list(windows.values()), unit_ns),
                "y": [sign * rate for rate in [*rates, rates[-1]]],
                "customdata": [units.size(rate) for rate in [*rates, rates[-1]]],
                "hovertemplate": f"{name}: %{{customdata}} a second<extra></extra>",
                "line": {"shape": "hv", "width": 0, "color": color(name)},
                "fillcolor": color(name),
                "fill": "tozeroy",
            }
        )
    layout = {
        "xaxis": axes.elapsed(title),
        "yaxis": axes.sizes(all_rates, "Bytes a second"),
        "hovermode": "x unified",
    }
    return Plot(traces, layout)


def working_set(rows: Rows, arguments: Arguments) -> Plot:
    """The different bytes that each window touches."""
    unit_ns, title = axes.unit_of_time(max(row["end_ns"] for row in rows))
    rows = _without_gaps(rows)
    values = [row["unique_bytes"] for row in rows]
    said = [f"{units.size(row['unique_bytes'])} of {units.count(row['unique_files'])} files" for row in rows]
    trace = {
        "type": "scatter",
        "mode": "lines",
        "x": _edges(rows, unit_ns),
        "y": [*values, values[-1]],
        "customdata": [*said, said[-1]],
        "hovertemplate": "%{customdata}<extra></extra>",
        "line": {"shape": "hv", "width": 0, "color": color("both")},
        "fillcolor": color("both"),
        "fill": "tozeroy",
    }
    layout = {
        "xaxis": axes.elapsed(title),
        "yaxis": axes.sizes(values, "Different bytes"),
        "hovermode": "x unified",
        "showlegend": False,
    }
    return Plot([trace], layout)


def _without_gaps(rows: Rows) -> Rows:
    """Return a row for every window; one in which nothing happened touches nothing."""
    found = {row["window"]: row for row in rows}
    width = rows[0]["end_ns"] - rows[0]["start_ns"]
    idle = {"unique_bytes": 0, "unique_files": 0}
    return [
        found.get(place)
        or {**idle, "window": place, "start_ns": place * width, "end_ns": (place + 1) * width}
        for place in range(max(found) + 1)
    ]


def windows(rows: Rows, arguments: Arguments) -> Plot:
    """How the working set grows with the window: the average one, and the largest."""
    lengths = [row["window_ns"] for row in rows]
    sizes = [row[column] for row in rows for column in ("average_unique_bytes", "largest_unique_bytes")]
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": lengths,
            "y": [row[column] for row in rows],
            "customdata": [f"{units.duration(row['window_ns'])}: {units.size(row[column])}" for row in rows],
            "hovertemplate": f"{name} in %{{customdata}}<extra></extra>",
            "line": {"color": color(shade), "width": 2},
            "marker": {"size": 6},
        }
        for name, column, shade in (
            ("largest window", "largest_unique_bytes", "write"),
            ("average window", "average_unique_bytes", "both"),
        )
    ]
    layout = {
        "xaxis": axes.log_durations(min(lengths), max(lengths), "Length of the window"),
        "yaxis": axes.log_sizes(min(sizes), max(sizes), "Different bytes"),
    }
    return Plot(traces, layout)


def _edges(rows: Sequence[Row], unit_ns: float) -> list[float]:
    """Return where each window begins and the last one ends."""
    return [row["start_ns"] / unit_ns for row in rows] + [rows[-1]["end_ns"] / unit_ns]
