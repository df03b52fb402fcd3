"""Requests to disks over time, and their places: panels of rates and of the queue, addresses, seeks, alignment."""

import math
from itertools import chain
from typing import Any

from iotrace.reports.pages.charts import axes, bars
from iotrace.reports.pages.charts.activity import steps
from iotrace.reports.pages.charts.plot import Arguments, Plot, Row, Rows, color, layout, plotted, text
from iotrace.reports.pages.charts.timelines import linked

from iotrace import units

WAYS = (("read", "read"), ("write", "write"), ("unknown", "both"))
"""The operations of requests, and their colours."""
_STRENGTHS = ("rule", "both", "ink")
"""From few requests to many."""
_UNITS = ((1 << 40, "TB"), (1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))
_SECTOR = 512


def volumes(rows: Rows, arguments: Arguments) -> Plot | None:
    """A bar for each disk, of the bytes read and written, or of requests where directions are unknown."""
    if len(rows) < 2:
        return None
    directed = any(row["bytes_read"] is not None for row in rows)
    parts = [(column, label, shade) for column, label, shade in _MOVED if directed == (column != "requests")]
    named = [dict(zip(("column", "label", "color"), part, strict=True)) for part in parts]
    return bars.ranking(rows, {"name": "device", "unit": "bytes" if directed else "requests", "parts": named})


_MOVED = (
    ("bytes_read", "read", "read"),
    ("bytes_written", "write", "write"),
    ("requests", "requests", "both"),
)


def load(rows: Rows, arguments: Arguments) -> Plot:
    """Windows: requests a second and bytes a second, reads upwards and writes downwards, and the queue's depth."""
    unit_ns, unit = axes.unit_of_time(max(row["end_ns"] for row in rows))
    has_depth = any(row["depth"] is not None for row in rows)
    parts = [part for part in _PARTS if any(row[part[0]] or row[part[1]] for row in rows)] or _PARTS[:1]
    requests = [_rates(rows, column, sign) for column, _, sign, _, _ in parts]
    bytes_ = [_rates(rows, column, sign) for _, column, sign, _, _ in parts]
    traces: Rows = []
    for (_, _, _, name, shade), of_requests, of_bytes in zip(parts, requests, bytes_, strict=True):
        traces.append(steps(rows, unit_ns, of_requests, name, shade, _count))
        traces.append(
            {**steps(rows, unit_ns, of_bytes, name, shade, _size), "yaxis": "y2", "showlegend": False}
        )
    panels: dict[str, Any] = {}
    if has_depth:
        depths = [row["depth"] or 0.0 for row in rows]
        depth = steps(
            rows, unit_ns, depths, "at the disks", "neutral", lambda value: f"{value:,.3g} requests"
        )
        traces.append({**depth, "yaxis": "y3"})
        panels["yaxis3"] = {**axes.counts("Requests at the disks"), "domain": [0, 0.28]}
    domains = ([0.72, 1], [0.36, 0.64]) if has_depth else ([0.54, 1], [0, 0.46])
    flat_requests, flat_bytes = (list(chain.from_iterable(many)) for many in (requests, bytes_))
    drawn = layout(
        {
            **axes.elapsed(unit),
            "anchor": "y3" if has_depth else "y2",
            "range": [0, rows[-1]["end_ns"] / unit_ns],
        },
        {**_both_ways(flat_requests, "Requests a second"), "domain": domains[0]},
        yaxis2={**axes.sizes(flat_bytes, "Bytes a second"), "domain": domains[1]},
        **panels,
        **linked(unit_ns),
    )
    return Plot(traces, drawn, 560 if has_depth else 430)


_PARTS = (
    ("reads", "bytes_read", 1, "read", "read"),
    ("writes", "bytes_written", -1, "write", "write"),
    ("others", "bytes_of_others", 1, "others", "both"),
)


def addresses(rows: Rows, arguments: Arguments) -> Plot:
    """Requests by window and by place on the disk, the stronger the more there are, by their logarithm."""
    unit_ns, unit = axes.unit_of_time(max(row["end_ns"] for row in rows))
    width = rows[0]["end_ns"] - rows[0]["start_ns"]
    windows = max(row["window"] for row in rows) + 1
    first = min(row["first_bytes"] for row in rows)
    last = max(max(row["first_bytes"], row["end_bytes"]) for row in rows)
    step = max(rows[0]["end_bytes"] - rows[0]["first_bytes"], -(-(last - first) // _MOST_RANGES), 1)
    ranges = max((row["first_bytes"] - first) // step for row in rows) + 1
    counts: list[list[int | None]] = [[None] * windows for _ in range(ranges)]
    for row in rows:
        counts[(row["first_bytes"] - first) // step][row["window"]] = row["requests"]
    of_bytes, name = next((byte_unit for byte_unit in _UNITS if last >= byte_unit[0]), (1, "bytes"))
    strengths = [[math.log10(cell) + 0.3 if cell else None for cell in line] for line in counts]
    heat: Row = {
        "type": "heatmap",
        "x": [index * width / unit_ns for index in range(windows + 1)],
        "y": [(first + index * step) / of_bytes for index in range(ranges + 1)],
        "z": strengths,
        "zmin": 0,
        "customdata": counts,
        "hovertemplate": f"%{{x:.3~f}} {unit}, at %{{y:.4~g}} {name}: %{{customdata}} requests<extra></extra>",
        "colorscale": [[index / 2, color(shade)] for index, shade in enumerate(_STRENGTHS)],
        "showscale": False,
        "hoverongaps": False,
    }
    title = text(f"Place on {rows[0]['device']} ({name})")
    across = {**axes.elapsed(unit), "range": [0, windows * width / unit_ns]}
    return Plot([heat], layout(across, {"title": {"text": title}}, **linked(unit_ns)), 400)


_MOST_RANGES = 256


def seeks(rows: Rows, arguments: Arguments) -> Plot:
    """Bars over distances in bins by powers of two: backwards to the left, forwards to the right."""
    places = [_place_of_seek(row) for row in rows]
    traces = []
    for name, shade in WAYS:
        bins = [(x, row) for x, row in zip(places, rows, strict=True) if row["operation"] == name]
        if not bins:
            continue
        shown = [f"{name}, {_distance(row)}: {units.count(row['requests'])} requests" for _, row in bins]
        shares = [row["requests_percent"] for _, row in bins]
        drawn = plotted("bar", [x for x, _ in bins], shares, shown, "%{customdata} (%{y:.3~g} %)")
        traces.append({**drawn, "name": name, "width": 0.94, "marker": {"color": color(shade)}})
    most = max(4, *(abs(x) for x in places))
    marks = list(range(4, most + 1, 8 if most > 20 else 4))
    sizes = [units.size(_SECTOR << (mark - 1)) for mark in marks]
    across = {
        "title": {"text": "Distance, backwards to the left"},
        "tickvals": [*(-mark - 0.5 for mark in reversed(marks)), 0, *(mark + 0.5 for mark in marks)],
        "ticktext": [*reversed(sizes), "0", *sizes],
        "range": [-most - 0.7, most + 0.7],
        "showgrid": False,
    }
    stacked = layout(across, axes.percent("Share of all requests"), barmode="stack", bargap=0.06)
    return Plot(traces or [plotted("bar", [0], [0], [""])], stacked)


def alignment(rows: Rows, arguments: Arguments) -> Plot:
    """The share of requests that start at multiples of sizes, a line for each operation; dotted, of their lengths."""
    sizes = sorted({row["alignment_bytes"] for row in rows})
    traces = []
    for name, shade in WAYS:
        rows_of_operation = [row for row in rows if row["operation"] == name]
        for column, what, dash in (
            ("starts_percent", "start", "solid"),
            ("lengths_percent", "length", "dot"),
        ):
            if not rows_of_operation:
                continue
            shown = [f"multiple of {units.size(row['alignment_bytes'])}" for row in rows_of_operation]
            line = {"color": color(shade), "width": 2, "dash": dash}
            style = {"mode": "lines+markers", "name": f"{name}: {what}", "line": line}
            hover = f"{name}, {what} a %{{customdata}}: %{{y:.3~g}} %"
            drawn = plotted("scatter", [math.log2(row["alignment_bytes"] or 1) for row in rows_of_operation],
                            [row[column] for row in rows_of_operation], shown, hover, **style)  # fmt: skip
            traces.append({**drawn, "marker": {"color": color(shade), "size": 5}})
    marks = sizes[::3]
    across = {
        "title": {"text": "Multiple of"},
        "tickvals": [math.log2(mark or 1) for mark in marks],
        "ticktext": [units.size(mark) for mark in marks],
        "showgrid": False,
    }
    upright = {**axes.percent("Share of the requests"), "range": [0, 102]}
    return Plot(traces or [plotted("scatter", [0], [0], [""])], layout(across, upright))


def _rates(rows: Rows, column: str, sign: int) -> list[float]:
    return [sign * row[column] * 1e9 / (row["end_ns"] - row["start_ns"]) for row in rows]


def _count(rate: float) -> str:
    return f"{abs(rate):,.3g} a second" if abs(rate) < 1000 else f"{units.count(abs(rate))} a second"


def _size(rate: float) -> str:
    return f"{units.size(abs(rate))} a second"


def _both_ways(values: list[float], title: str) -> Row:
    """Return an axis of counts on which negative values are shown without their sign."""
    low, high = min([0.0, *values]), max([1.0, *values])
    step = 10.0 ** math.floor(math.log10(max(high, -low)))
    step = next(step * part for part in (0.2, 0.25, 0.5, 1, 2) if max(high, -low) / (step * part) <= 5)
    marks = [step * number for number in range(math.floor(low / step), math.ceil(high / step) + 1)]
    return {"title": {"text": title}, "tickvals": marks, "ticktext": [f"{abs(mark):,.6g}" for mark in marks]}


def _place_of_seek(row: Row) -> int:
    bins = int(row["maximum_distance_bytes"] // _SECTOR).bit_length()
    return {"backward": -bins, "forward": bins}.get(row["direction"], 0)


def _distance(row: Row) -> str:
    if row["direction"] == "none":
        return "sequential"
    return f"up to {units.size(row['maximum_distance_bytes'])} {row['direction']}"
