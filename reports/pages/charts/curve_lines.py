"""Curves over the cache's size."""

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import (
    Arguments,
    Plot,
    Row,
    Rows,
    amount,
    color,
    dotted,
    layout,
    plotted,
    text,
)

from iotrace import units

_LEAST_SPAN = 16


def curves(rows: Rows, arguments: Arguments) -> Plot:
    """Steps over the cache's size, one for each line: `unit` is percent, bytes, seconds or per request.

    `colors` and `dashes` are those of the lines, which `labels` names in order; `rule` is a value that a dotted line
    marks, `top` the highest percentage at first.
    """
    unit, labels = arguments.get("unit", "percent"), arguments["labels"]
    colors = arguments["colors"]
    dashes = arguments.get("dashes", ["solid"] * len(labels))
    smallest, largest = (reach(row["size_bytes"] for row in rows) for reach in (min, max))
    # the last value holds for all larger caches; a line of a single point would not be seen
    largest = max(largest, _LEAST_SPAN * smallest)
    traces = []
    for label, shade, dash in zip(labels, colors, dashes, strict=True):
        points = [row for row in rows if row["line"] == label]
        if not points:
            continue
        if points[-1]["size_bytes"] < largest:
            points.append({**points[-1], "size_bytes": largest})
        sizes, values = [row["size_bytes"] for row in points], [row["value"] for row in points]
        shown = [
            f"{units.size(size)}: {amount(value, unit)}" for size, value in zip(sizes, values, strict=True)
        ]
        line = {"shape": "hv", "width": 2, "dash": dash, "color": color(shade)}
        style = {"mode": "lines", "name": text(label), "line": line}
        traces.append(plotted("scatter", sizes, values, shown, f"{text(label)}, %{{customdata}}", **style))
    across = axes.log_sizes(smallest, largest, "Size of the cache")
    upright = _upright([row["value"] for row in rows], unit, arguments)
    shapes = [dotted(arguments["rule"])] if "rule" in arguments else []
    drawn = layout(across, upright, showlegend=len(labels) > 1, shapes=shapes)
    return Plot(traces, drawn, arguments.get("height", 330))


def _upright(values: list[float], unit: str, arguments: Arguments) -> Row:
    """Return the axis of the values: logarithmic if so asked; of percentages at first 0 to 100, or `top`, at most."""
    if arguments.get("logarithmic"):
        return axes.logarithmic(values, unit, arguments["axis"])
    if unit == "percent":
        top = min(max([5.0, *values]), arguments.get("top", 100))
        return {**axes.percent(arguments["axis"]), "range": [-0.01 * top, 1.03 * top]}
    return axes.sizes(values, arguments["axis"]) if unit == "bytes" else axes.counts(arguments["axis"])
