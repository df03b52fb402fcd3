"""A trace's time: its phases with bytes and calls, and a heat map of latencies; zooming one zooms the others."""

import math
from collections.abc import Callable, Sequence

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import Arguments, Plot, Row, Rows, color, layout, plotted, text
from iotrace.reports.pages.charts.timelines import linked

from iotrace import units

_PHASES = ("step-2", "step-5")
"""Colours of phases, in turn."""
_LETTERS = 150
"""How many letters fit across a wide screen: a bar has its phase's title where that fits there."""
_STRENGTHS = ("rule", "both", "ink")
"""From few calls to many."""


def timeline(rows: Rows, arguments: Arguments) -> Plot:
    """Windows with phases (`phase`, `phase_title`) on top, then bytes a second, then calls a second."""
    unit_ns, unit = axes.unit_of_time(max(row["end_ns"] for row in rows))
    read, written = (_rates(rows, column) for column in ("bytes_read", "bytes_written"))
    written = [-rate for rate in written]
    traces = [
        *_phases(rows, unit_ns),
        steps(rows, unit_ns, read, "read", "read", _bytes),
        steps(rows, unit_ns, written, "written", "write", _bytes),
        {**steps(rows, unit_ns, _rates(rows, "calls"), "all calls", "neutral", _calls), "yaxis": "y2"},
        {
            **steps(rows, unit_ns, _rates(rows, "storage_calls"), "storage calls", "both", _calls),
            "yaxis": "y2",
        },
    ]
    drawn = layout(
        {**axes.elapsed(unit), "anchor": "y2", "range": [0, rows[-1]["end_ns"] / unit_ns]},
        {**axes.sizes([*read, *written], "Bytes a second"), "domain": [0.47, 0.88]},
        yaxis2={**axes.counts("Calls a second"), "domain": [0, 0.41]},
        yaxis3={"domain": [0.92, 1], "visible": False, "range": [-0.5, 0.5], "fixedrange": True},
        barmode="overlay",
        **linked(unit_ns),
    )
    return Plot(traces, drawn, 460)


def latencies(rows: Rows, arguments: Arguments) -> Plot:
    """Calls by window and by latency (`maximum_ns`), the stronger the more there are, by their logarithm."""
    unit_ns, unit = axes.unit_of_time(max(row["end_ns"] for row in rows))
    width = rows[0]["end_ns"] - rows[0]["start_ns"]
    windows = max(row["window"] for row in rows) + 1
    bounds = sorted({row["maximum_ns"] for row in rows})
    least, most = math.floor(_place(bounds[0], bounds)), math.floor(_place(bounds[-1], bounds))
    counts: list[list[float | None]] = [[None] * windows for _ in range(least, most + 1)]
    shown = [[""] * windows for _ in counts]
    for row in rows:
        up = math.floor(_place(row["maximum_ns"], bounds)) - least
        counts[up][row["window"]] = math.log10(row["calls"]) + 0.3 if row["calls"] else None
        shown[up][row["window"]] = _cell(row)
    heat: Row = {
        "type": "heatmap",
        "x": [index * width / unit_ns for index in range(windows + 1)],
        "y": list(range(least, most + 2)),
        "z": counts,
        "zmin": 0,
        "customdata": shown,
        "hovertemplate": "%{customdata}<extra></extra>",
        "colorscale": [[index / 2, color(shade)] for index, shade in enumerate(_STRENGTHS)],
        "showscale": False,
        "hoverongaps": False,
    }
    upright = {**axes.bins_of_durations(bounds, arguments["axis"]), "range": [least, most + 1]}
    if 0 in bounds:
        upright["tickvals"] = [least + 0.5, *upright["tickvals"][1:]]
    across = {**axes.elapsed(unit), "range": [0, windows * width / unit_ns]}
    return Plot([heat], layout(across, upright, **linked(unit_ns)), 360)


def _place(bound: int, bounds: Sequence[int]) -> float:
    """Return the lower edge of a bin on an axis of powers of two; the bin of nothing is one below the others."""
    return axes.places([bound], bounds)[0] - (0.5 if bound else 0.0)


def _cell(row: Row) -> str:
    start, end = units.duration(row["start_ns"]), units.duration(row["end_ns"])
    taken = f"up to {units.duration(row['maximum_ns'])}" if row["maximum_ns"] else "no time"
    together = units.duration(1e9 * row["total_s"])
    return f"{start} to {end}: {units.count(row['calls'])} of {taken}, together {together}"


def _rates(rows: Rows, column: str) -> list[float]:
    return [row[column] * 1e9 / (row["end_ns"] - row["start_ns"]) for row in rows]


def _bytes(rate: float) -> str:
    return f"{units.size(abs(rate))} a second"


def _calls(rate: float) -> str:
    return f"{units.count(rate)} a second"


def steps(
    rows: Rows,
    unit_ns: float,
    rates: Sequence[float],
    name: str,
    shade: str,
    write: Callable[[float], str],
) -> Row:
    """Return an area with a value for each window; the last holds to the end."""
    places = [row["start_ns"] / unit_ns for row in rows] + [rows[-1]["end_ns"] / unit_ns]
    values = [*rates, rates[-1]]
    line = {"shape": "hv", "width": 0, "color": color(shade)}
    style = {"mode": "lines", "line": line, "fill": "tozeroy", "fillcolor": color(shade), "name": name}
    return plotted("scatter", places, values, list(map(write, values)), f"{name}: %{{customdata}}", **style)


def _phases(rows: Rows, unit_ns: float) -> Rows:
    """Return a bar for each phase, with its number and, where that fits, its title."""
    numbers = list(dict.fromkeys(row["phase"] for row in rows if row["phase"] is not None))
    whole = rows[-1]["end_ns"]
    traces = []
    for number in numbers:
        windows = [row for row in rows if row["phase"] == number]
        start, end = windows[0]["start_ns"], windows[-1]["end_ns"]
        letters = _LETTERS * (end - start) // whole
        title = text(f"{number} {units.shortened(windows[0]['phase_title'] or '', _LETTERS)}")
        shade = _PHASES[(number - 1) % len(_PHASES)]
        taken = f"{units.duration(start)} to {units.duration(end)}"
        bar: Row = {
            **plotted("bar", [(end - start) / unit_ns], [0], [f"{title}<br>{taken}"]),
            "orientation": "h",
            "base": [start / unit_ns],
            "yaxis": "y3",
            "width": [1],
            "text": [title if len(title) <= letters else str(number)],
            "textposition": "inside",
            "insidetextanchor": "start",
            "textangle": 0,
            "marker": {"color": color(shade), "line": {"width": 1, "color": color("page")}},
            "showlegend": False,
            "name": f"phase {number}",
        }
        traces.append(bar)
    return traces
