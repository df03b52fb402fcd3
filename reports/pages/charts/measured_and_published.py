"""Printed values and ours: bars by policy, and lines along a setting with the printed points."""

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import Arguments, Plot, Row, Rows, color, layout, plotted, text

COLORS = ("write", "step-2", "step-5", "executable", "inode", "directory", "datafile", "step-3", "both")


def policies(rows: Rows, arguments: Arguments) -> Plot:
    """A group of bars for each `group`, a bar for each `policy`; `value` is in percent, or counts `unit`."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    traces: Rows = []
    for index, policy in enumerate(dict.fromkeys(row["policy"] for row in rows)):
        by_group = {row["group"]: row["value"] for row in rows if row["policy"] == policy}
        values = [by_group.get(group) for group in groups]
        traces.append(
            {
                "type": "bar",
                "name": text(policy),
                "x": [text(group) for group in groups],
                "y": values,
                "text": ["" if value is None else _written(value) for value in values],
                "textposition": "outside",
                "cliponaxis": False,
                "hovertemplate": f"%{{x}}, {text(policy)}: %{{text}}<extra></extra>",
                "marker": {"color": color(COLORS[index])},
            }
        )
    categories = {"type": "category", "showgrid": False}
    return Plot(traces, layout(categories, _upright(arguments), barmode="group", bargap=0.3), 360)


def along(rows: Rows, arguments: Arguments) -> Plot:
    """A line for each `line` of `x` and `value`; those that are `printed` are points, in the colour of what they name.

    `axis` names the horizontal axis, which is `logarithmic` with a mark at each place where that is said, `unit` the
    vertical one, which begins at 0 unless it is `cropped`. The lines named in `dashed` are dotted, and with `points`
    the others show their points.
    """
    lines = list(dict.fromkeys((row["line"], row["printed"]) for row in rows))
    traces = []
    for index, (line, printed) in enumerate(lines):
        points = [row for row in rows if (row["line"], row["printed"]) == (line, printed)]
        traces.append(_line(line, points, printed, color(COLORS[index % len(COLORS)]), arguments))
    drawn = layout(_across(rows, arguments), _upright(arguments), showlegend=True)
    return Plot(traces, drawn, 360 + 10 * len(lines))


def _line(line: str, rows: Rows, printed: bool, shade: Row, arguments: Arguments) -> Row:
    places, values = [row["x"] for row in rows], [row["value"] for row in rows]
    name, shown = text(line), list(map(_written, values))
    drawn = plotted("scatter", places, values, shown, f"{name}, %{{x}}: %{{customdata}}", name=name)
    if printed:
        marker = {"size": 11, "symbol": "diamond", "color": shade}
        return {**drawn, "mode": "markers", "marker": marker}
    if line in arguments.get("dashed", ()):
        return {**drawn, "mode": "lines", "line": {"width": 1.5, "dash": "dot", "color": color("muted")}}
    mode = "lines+markers" if arguments.get("points") else "lines"
    return {**drawn, "mode": mode, "line": {"width": 2, "color": shade}}


def _across(rows: Rows, arguments: Arguments) -> Row:
    title = {"title": {"text": arguments["axis"]}}
    if arguments.get("logarithmic"):
        places = sorted({row["x"] for row in rows})
        return {**title, "type": "log", "tickvals": places, "ticktext": [f"{value:,g}" for value in places]}
    return {**title, "rangemode": "tozero", "separatethousands": True}


def _upright(arguments: Arguments) -> Row:
    unit = arguments.get("unit", "percent")
    axis = axes.percent() if unit == "percent" else axes.counts(unit)
    return {**axis, "rangemode": "normal"} if arguments.get("cropped") else axis


def _written(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.3g}"
