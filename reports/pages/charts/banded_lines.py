"""Estimates over the cache's size, each with its bands."""

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import Arguments, Plot, Row, Rows, color, layout, plotted, text
from iotrace.reports.pages.charts.trace_lines import COLORS

from iotrace import units

_BANDS = {"_all": 0.13, "": 0.3}
"""How opaque the band at all sizes at once is, and the one at each size, which is narrower and lies on it."""


def banded(rows: Rows, arguments: Arguments) -> Plot:
    """Draw `line`, `size_bytes`, `value` and its bands (`low` to `high`, `low_all` to `high_all`), parts of one.

    `axis` names the axis of the values.
    """
    drawn: Rows = []
    for index, line in enumerate(dict.fromkeys(row["line"] for row in rows)):
        points = [row for row in rows if row["line"] == line]
        shade = color(COLORS[(index + 2) % len(COLORS)])
        drawn += [_area(points, of, shade, opacity, line) for of, opacity in _BANDS.items()]
        drawn.append(_line(points, shade, line))
    sizes = [row["size_bytes"] for row in rows]
    top = max([5.0, *(100 * row["high_all"] for row in rows)])
    upright = {**axes.percent(arguments.get("axis", "")), "range": [-0.01 * top, 1.03 * top]}
    across = axes.log_sizes(min(sizes), max(sizes), "Size of the cache")
    return Plot(drawn, layout(across, upright, showlegend=True), 420)


def _area(rows: Rows, of: str, shade: Row, opacity: float, line: str) -> Row:
    """Fill from the lower ends to the upper ones."""
    there = [(row["size_bytes"], 100 * row[f"high{of}"]) for row in rows]
    back = [(row["size_bytes"], 100 * row[f"low{of}"]) for row in reversed(rows)]
    sizes, values = zip(*(there + back), strict=True)
    style = {"mode": "lines", "fill": "toself", "fillcolor": shade, "line": {"width": 0, "color": shade}}
    others = {"opacity": opacity, "hoverinfo": "skip", "showlegend": False, "legendgroup": line}
    return {"type": "scatter", "x": list(sizes), "y": list(values), **style, **others}


def _line(rows: Rows, shade: Row, line: str) -> Row:
    sizes, values = [row["size_bytes"] for row in rows], [100 * row["value"] for row in rows]
    shown = [f"{units.size(row['size_bytes'])}: {_in_words(row)}" for row in rows]
    style = {"mode": "lines", "name": text(line), "legendgroup": line, "line": {"width": 2.5, "color": shade}}
    return plotted("scatter", sizes, values, shown, f"{text(line)}, %{{customdata}}", **style)


def _in_words(row: Row) -> str:
    value, low, high = (units.percent(100 * row[name]) for name in ("value", "low", "high"))
    return f"{value}, exact" if row["low"] == row["high"] else f"{value} (95 %: {low} to {high})"
