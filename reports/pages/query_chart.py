"""A chart of the rows of a query: lines, bars or a map of cells, as a plot and as a file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from iotrace.reports.pages.charts.plot import Plot, Row, color, layout, text

from iotrace import units
from iotrace.errors import UsageError

LINE, BAR, HEAT = KINDS = ("line", "bar", "heat")
ENDINGS = (".png", ".svg", ".pdf")
MOST_ROWS = {LINE: 50_000, BAR: 200, HEAT: 50_000}
MOST_PARTS = 8
"""The most lines, or bars side by side."""
COLORS = ("inode", "directory", "executable", "datafile", "disk", "accent", "total", "muted")
PIXELS = 330
PIXELS_A_BAR = 22


@dataclass(frozen=True)
class Wanted:
    """A chart that is asked for: its kind, and the columns across, up, and of parts or of values of cells."""

    kind: str
    x: str
    y: str
    by: str | None = None


@dataclass(frozen=True)
class Series:
    """One line, or the bars of one colour: its name, and its values across and up."""

    name: str
    x: list[Any]
    y: list[float | None]


def wanted(kind: str, columns: str) -> Wanted:
    """Return what ``--chart KIND X,Y[,BY]`` asks for; raises UsageError for other words."""
    names = [name.strip() for name in columns.split(",")]
    if kind not in KINDS:
        raise UsageError(f"--chart: {kind} is not a kind of chart; the kinds are {', '.join(KINDS)}")
    if not all(names) or len(names) not in ((3,) if kind == HEAT else (2, 3)):
        form = "X,Y,VALUE" if kind == HEAT else "X,Y or X,Y,BY"
        raise UsageError(f"--chart: {columns!r} is not {form}, columns of the query")
    return Wanted(kind, *names)


def series(rows: pa.Table, chart: Wanted) -> list[Series]:
    """Return the lines, or the bars by colour, of rows; of a map of cells all its values as one.

    Raises UsageError for columns that the rows have not, or that are not numbers where numbers are drawn, and for more
    rows or parts than a chart can show.
    """
    named = [name for name in (chart.x, chart.y, chart.by) if name is not None]
    if missing := [name for name in named if name not in rows.column_names]:
        raise UsageError(
            f"--chart: the query has no column {missing[0]}; it has {', '.join(rows.column_names)}"
        )
    if rows.num_rows > MOST_ROWS[chart.kind]:
        raise UsageError(
            f"--chart: a chart of kind {chart.kind} has at most {MOST_ROWS[chart.kind]:,} rows, and the query gives"
            " more: group them, or add a limit"
        )
    x, y = rows[chart.x].to_pylist(), rows[chart.y].to_pylist()
    if chart.kind == HEAT:
        return [
            Series(
                chart.by or "",
                list(zip(x, y, strict=True)),
                _numbers(rows[chart.by].to_pylist(), str(chart.by)),
            )
        ]
    heights = _numbers(y, chart.y)
    if chart.by is None:
        return [Series(chart.y, x, heights)]
    parts: dict[Any, Series] = {}
    for part, across, up in zip(rows[chart.by].to_pylist(), x, heights, strict=True):
        made = parts.setdefault(part, Series(name_of(part), [], []))
        made.x.append(across)
        made.y.append(up)
    if len(parts) > MOST_PARTS:
        raise UsageError(
            f"--chart: column {chart.by} has {len(parts):,} values; a chart shows {MOST_PARTS} at most"
        )
    return list(parts.values())


def plot(rows: pa.Table, chart: Wanted) -> Plot:
    """Return the chart of rows; raises as `series`."""
    drawn = series(rows, chart)
    if chart.kind == HEAT:
        return _cells(drawn[0], chart)
    if chart.kind == BAR:
        names = list(dict.fromkeys(name_of(value) for one in drawn for value in one.x))
        traces = [
            {
                "type": "bar",
                "orientation": "h",
                "x": [value or 0.0 for value in one.y],
                "y": [text(name_of(value)) for value in one.x],
                "name": text(one.name),
                "marker": {"color": color(COLORS[place])},
            }
            for place, one in enumerate(drawn)
        ]
        upright: Row = {"autorange": "reversed", "showgrid": False, "type": "category"}
        across: Row = {"title": {"text": text(chart.y)}, "rangemode": "tozero"}
        height = 90 + PIXELS_A_BAR * max(len(names), 3) * len(drawn)
        return Plot(traces, layout(across, upright, barmode="group"), height)
    first, title = _origin([value for one in drawn for value in one.x], chart.x)
    traces = [
        {
            "type": "scatter",
            "mode": "lines" if len(one.x) > 1 else "markers",
            **_in_order([_place(value, first) for value in one.x], one.y),
            "name": text(one.name),
            "line": {"color": color(COLORS[place]), "width": 2},
            "marker": {"color": color(COLORS[place])},
        }
        for place, one in enumerate(drawn)
    ]
    return Plot(
        traces,
        layout({"title": {"text": text(title)}}, {"title": {"text": text(chart.y)}, "rangemode": "tozero"}),
        PIXELS,
    )


def write(drawing: Plot, place: Path, ending: str) -> None:
    """Write a plot as PNG, SVG or PDF; raises IotraceError where matplotlib is not installed."""
    from iotrace.reports.pages.vector.draw import save

    save(drawing, place, ending.removeprefix("."))


def name_of(value: Any) -> str:
    """Return a value as the name of a bar, of a part or of a mark on an axis."""
    if value is None:
        return "null"
    return units.number(value) if isinstance(value, float | Decimal) else str(value)


def grid(cells: Series) -> tuple[list[Any], list[Any], list[list[float | None]]]:
    """Return the places of a map across and up, in order, and the values of its cells by place up."""
    across, up = (sorted({place[at] for place in cells.x}, key=_order) for at in (0, 1))
    columns, lines = ({value: number for number, value in enumerate(places)} for places in (across, up))
    values: list[list[float | None]] = [[None] * len(across) for _ in up]
    for (x, y), value in zip(cells.x, cells.y, strict=True):
        if values[lines[y]][columns[x]] is not None:
            raise UsageError(f"--chart: two rows are of one cell, {name_of(x)} and {name_of(y)}: group them")
        values[lines[y]][columns[x]] = value
    return across, up, values


def _in_order(x: list[Any], y: list[float | None]) -> Row:
    """Return places across and up, from left to right; names stay in their order."""
    points = list(zip(x, y, strict=True))
    if not any(isinstance(place, str) or place is None for place in x):
        points.sort(key=lambda point: point[0])
    return {"x": [place for place, _ in points], "y": [value for _, value in points]}


def _cells(cells: Series, chart: Wanted) -> Plot:
    across, up, values = grid(cells)
    (x_first, x_title), (y_first, y_title) = _origin(across, chart.x), _origin(up, chart.y)
    heat: Row = {
        "type": "heatmap",
        "x": [_place(value, x_first) for value in across],
        "y": [_place(value, y_first) for value in up],
        "z": values,
        "zmin": 0,
        "colorscale": [[0, "#ffffff"], [1, color("accent")]],
    }
    axes = ({"title": {"text": text(title)}, "showgrid": False} for title in (x_title, y_title))
    return Plot([heat], layout(*axes), max(PIXELS, 60 + 18 * len(up)))


def _order(value: Any) -> tuple[bool, bool, Any]:
    return (value is None, isinstance(value, str), 0 if value is None else value)


def _origin(values: Sequence[Any], name: str) -> tuple[Any, str]:
    """Return from when on times are drawn, and the title of their axis; None and the column's name for others."""
    times = [value for value in values if isinstance(value, datetime | date)]
    if not times:
        return None, name
    return min(times), f"{name} (s from {min(times)})"


def _place(value: Any, first: Any) -> Any:
    if first is not None:
        return None if value is None else (value - first).total_seconds()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value if isinstance(value, int | float) and not isinstance(value, bool) else _float_or_name(value)


def _float_or_name(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else text(name_of(value))


def _numbers(values: Sequence[Any], name: str) -> list[float | None]:
    """Return values as numbers; raises UsageError for text."""
    numbers: list[float | None] = []
    for value in values:
        if isinstance(value, timedelta):
            numbers.append(value.total_seconds())
        elif value is None or isinstance(value, int | float | Decimal):
            numbers.append(float(value) if value is not None and math.isfinite(value) else None)
        else:
            raise UsageError(f"--chart: column {name} is not of numbers, as in {name_of(value)!r}")
    return numbers
