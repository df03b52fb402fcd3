"""Lines over the cache's size for several traces: each trace thin, their mean bold, printed sizes marked."""

from iotrace.reports.pages.charts import axes, paper_marks
from iotrace.reports.pages.charts.plot import Arguments, Plot, Row, Rows, color, dotted, layout, plotted, text

from iotrace import units

COLORS = (
    "ink", "step-2", "inode", "executable", "datafile", "step-5", "directory", "step-1", "disk", "step-6",
)  # fmt: skip
_MOST_LINES_WITH_TRACES = 2
"""A figure of more lines shows the means alone; the traces wait in its legend."""

_HEIGHT_OF_A_LINE = 12
"""How much higher a figure is for each line that its legend names."""


def over_sizes(rows: Rows, arguments: Arguments) -> Plot | None:
    """Draw `line`, `trace` (none for the mean), `size_bytes`, `value` and `printed`; values are parts of one.

    Open circles are sizes with something `uncached`. Rows with `words` are a paper's numbers from `size_bytes` (the
    largest size for none) to `to_bytes`: a `value`, or bounds `low` and `high`. With `relative`, a rule at 100 %
    stands for the baseline; `logarithmic` is the axis of the values, which `axis` names; `across` names that of the
    sizes. With `steps`, a value holds up to the next size. Of many lines the traces wait in the legend, except those
    of the line `traces_of`.
    """
    marks = paper_marks.of_paper(rows)
    rows = [row for row in rows if not row.get("words")]
    if not rows:
        return None
    lines = list(dict.fromkeys(row["line"] for row in rows))
    traces = list(dict.fromkeys(row["trace"] for row in rows if row["trace"] is not None))
    drawn: Rows = []
    for index, line in enumerate(lines):
        of_line = [row for row in rows if row["line"] == line]
        shade = color(COLORS[index % len(COLORS)])
        for trace in traces if len(traces) > 1 else ():
            points = _points(f"{trace}, {line}", [row for row in of_line if row["trace"] == trace])
            is_shown = len(lines) <= _MOST_LINES_WITH_TRACES or line == arguments.get("traces_of")
            drawn.append(thin(points, shade, not drawn, is_shown))
        mean = [row for row in of_line if row["trace"] is None] or of_line
        drawn.append(_bold(line, mean, shade, "hv" if arguments.get("steps") else "linear"))
    sizes, values = [row["size_bytes"] for row in rows], [100 * row["value"] for row in rows]
    shades = {line: color(COLORS[index % len(COLORS)]) for index, line in enumerate(lines)}

    def ends(mark: Row) -> tuple[float, float]:
        first = mark["size_bytes"] or max(sizes)
        return first, mark["to_bytes"] or first

    drawn += paper_marks.drawn(marks, lambda mark: shades.get(mark["line"], color("page")), ends)
    sizes += [size for mark in marks for size in ends(mark)]
    values += [level for mark in marks for level in paper_marks.levels(mark)]
    across = axes.log_sizes(min(sizes), max(sizes), arguments.get("across", "Size of the cache"))
    shapes = [dotted(100)] if arguments.get("relative") else []
    axes_of_both = layout(across, _upright(values, arguments), showlegend=True, shapes=shapes)
    return Plot(drawn, axes_of_both, 380 + _HEIGHT_OF_A_LINE * len(lines))


def thin(points: Row, shade: Row, is_first: bool, is_shown: bool) -> Row:
    """Draw a trace's points as one of the thin lines, which wait in the legend where they are not shown at first."""
    return {
        **points,
        "mode": "lines",
        "name": "each trace",
        "legendgroup": "traces",
        "showlegend": is_first,
        "visible": True if is_shown else "legendonly",
        "line": {"width": 1, "color": shade},
        "opacity": 0.45,
    }


def _bold(line: str, rows: Rows, shade: Row, shape: str) -> Row:
    return {
        **_points(line, rows),
        "mode": "lines+markers",
        "name": text(line),
        "line": {"width": 3, "color": shade, "shape": shape},
        "marker": {
            "size": [10 if row.get("uncached") else 7 if row["printed"] else 0 for row in rows],
            "symbol": ["circle-open" if row.get("uncached") else "circle" for row in rows],
            "color": shade,
            "line": {"width": 2, "color": shade},
        },
    }


def _points(name: str, rows: Rows) -> Row:
    sizes, values = [row["size_bytes"] for row in rows], [100 * row["value"] for row in rows]
    shown = [
        f"{units.size(size)}: {units.percent(value)}{_uncached(row)}"
        for size, value, row in zip(sizes, values, rows, strict=True)
    ]
    return plotted("scatter", sizes, values, shown, f"{text(name)}, %{{customdata}}")


def _upright(values: list[float], arguments: Arguments) -> Row:
    """Return the axis of percentages; a linear one at first no higher than three times the baseline, or 150 %."""
    if arguments.get("logarithmic"):
        return axes.logarithmic(values, "percent", arguments.get("axis", ""))
    top = min(max([5.0, *values]), 300 if arguments.get("relative") else 150)
    return {**axes.percent(arguments.get("axis", "")), "range": [-0.01 * top, 1.03 * top]}


def _uncached(row: Row) -> str:
    return f" ({text(row['uncached'])} without a block: uncached)" if row.get("uncached") else ""
