"""The workload as it proceeds: a value for each window of the trace."""

from collections.abc import Sequence

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import PLURAL, Arguments, Plot, Row, Rows, color, layout, plotted
from iotrace.schemas.reference_types import TYPES

from iotrace import units

_UNIFIED = {"hovermode": "x unified"}


def linked(unit_ns: float) -> Row:
    """Return what a figure's layout says to be zoomed with the others over time."""
    return {"meta": {"linked": "time", "unit_ns": unit_ns}}


def requests(rows: Rows, arguments: Arguments) -> Plot:
    """Requests a second in each window, stacked by type."""
    unit_ns, title = axes.unit_of_time(max(row["end_ns"] for row in rows))
    traces = []
    for kind in TYPES:
        windows = [row for row in rows if row["type"] == kind]
        if not windows:
            continue
        rates = [row["requests"] * 1e9 / (row["end_ns"] - row["start_ns"]) for row in windows]
        shown = list(map(units.count, rates))
        style = {"name": PLURAL[kind], "stackgroup": "requests"}
        hover = f"{PLURAL[kind]}: %{{customdata}} a second"
        traces.append({**_area(windows, unit_ns, rates, shown, hover, kind), **style})
    upright = axes.counts("Requests a second")
    return Plot(traces, layout(axes.elapsed(title), upright, **_UNIFIED, **linked(unit_ns)))


def transfers(rows: Rows, arguments: Arguments) -> Plot:
    """Bytes a second in each window: what is read upwards, what is written downwards."""
    unit_ns, title = axes.unit_of_time(max(row["end_ns"] for row in rows))
    windows = {row["window"]: row for row in rows}
    traces, all_rates = [], [0.0]
    for column, name, sign in (("bytes_read", "read", 1), ("bytes_written", "write", -1)):
        sums = dict.fromkeys(windows, 0)
        for row in rows:
            sums[row["window"]] += row[column]
        rates = [sums[window] * 1e9 / (row["end_ns"] - row["start_ns"]) for window, row in windows.items()]
        all_rates += [sign * rate for rate in rates]
        signed, shown = [sign * rate for rate in rates], list(map(units.size, rates))
        hover = f"{name}: %{{customdata}} a second"
        area = _area(list(windows.values()), unit_ns, signed, shown, hover, name)
        traces.append({**area, "name": name, "fill": "tozeroy"})
    upright = axes.sizes(all_rates, "Bytes a second")
    return Plot(traces, layout(axes.elapsed(title), upright, **_UNIFIED, **linked(unit_ns)))


def working_set(rows: Rows, arguments: Arguments) -> Plot:
    """The different bytes that each window touches."""
    unit_ns, title = axes.unit_of_time(max(row["end_ns"] for row in rows))
    rows = _without_gaps(rows)
    values = [row["unique_bytes"] for row in rows]
    labels = [
        f"{units.size(row['unique_bytes'])} of {units.count(row['unique_files'])} files" for row in rows
    ]
    area = {**_area(rows, unit_ns, values, labels, "%{customdata}", "both"), "fill": "tozeroy"}
    upright = axes.sizes(values, "Different bytes")
    drawn = layout(axes.elapsed(title), upright, **_UNIFIED, **linked(unit_ns), showlegend=False)
    return Plot([area], drawn)


def _without_gaps(rows: Rows) -> Rows:
    """Return a row for every window; one in which nothing happened touches nothing.

    Where the clock was set back at the start, windows before the first stamp have numbers below 0.
    """
    by_window = {row["window"]: row for row in rows}
    width = rows[0]["end_ns"] - rows[0]["start_ns"]
    idle = {"unique_bytes": 0, "unique_files": 0}
    return [
        by_window.get(window)
        or {**idle, "window": window, "start_ns": window * width, "end_ns": (window + 1) * width}
        for window in range(min(0, *by_window), max(by_window) + 1)
    ]


def windows(rows: Rows, arguments: Arguments) -> Plot:
    """How the working set grows with the window: the average one, and the largest."""
    lengths = [row["window_ns"] for row in rows]
    sizes = [row[column] for row in rows for column in ("average_unique_bytes", "largest_unique_bytes")]
    traces = []
    for size, column, shade in (
        ("largest", "largest_unique_bytes", "step-6"),
        ("average", "average_unique_bytes", "step-3"),
    ):
        name, values = f"{size} window", [row[column] for row in rows]
        shown = [f"{units.duration(row['window_ns'])}: {units.size(row[column])}" for row in rows]
        line = {"color": color(shade), "width": 2}
        style = {"mode": "lines+markers", "name": name, "line": line, "marker": {"size": 6}}
        traces.append(plotted("scatter", lengths, values, shown, f"{name} in %{{customdata}}", **style))
    across = axes.log_durations(min(lengths), max(lengths), "Length of the window")
    return Plot(traces, layout(across, axes.log_sizes(min(sizes), max(sizes), "Different bytes")))


def _area(
    rows: Sequence[Row],
    unit_ns: float,
    values: Sequence[float],
    shown: Sequence[str],
    hover: str,
    shade: str,
) -> Row:
    """Return steps, a value for each window, and the colour that fills them; the last holds to the end."""
    line = {"shape": "hv", "width": 0, "color": color(shade)}
    style = {"mode": "lines", "line": line, "fillcolor": color(shade)}
    values, shown = [*values, values[-1]], [*shown, shown[-1]]
    return plotted("scatter", _edges(rows, unit_ns), values, shown, hover, **style)


def _edges(rows: Sequence[Row], unit_ns: float) -> list[float]:
    """Return where each window begins and the last one ends."""
    return [row["start_ns"] / unit_ns for row in rows] + [rows[-1]["end_ns"] / unit_ns]
