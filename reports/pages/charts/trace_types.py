"""Shares of types for several traces: each trace thin, their mean as bars, and what a paper prints."""

from iotrace.reports.pages.charts import axes, paper_marks
from iotrace.reports.pages.charts.plot import PLURAL, Arguments, Plot, Row, Rows, color, layout, plotted, text
from iotrace.reports.pages.charts.trace_lines import COLORS, thin

from iotrace import units

_GROUP = 0.8
"""The part of the axis between two types that is filled."""


def over_types(rows: Rows, arguments: Arguments) -> Plot | None:
    """Draw `line`, `trace` (none for the mean), `place` and `value`; values are parts of one.

    Rows with `words` are a paper's numbers: a `value`, or bounds `low` and `high`. `axis` names the values.
    """
    marks = paper_marks.of_paper(rows)
    measured = [row for row in rows if not row.get("words")]
    if not measured:
        return None
    lines = list(dict.fromkeys(row["line"] for row in measured))
    places = list(dict.fromkeys(row["place"] for row in measured))
    traces = list(dict.fromkeys(row["trace"] for row in measured if row["trace"] is not None))
    drawn: Rows = []
    for number, line in enumerate(lines):
        of_line = [row for row in measured if row["line"] == line]
        bold = [row for row in of_line if row["trace"] is None] or of_line
        drawn.append(_bars(line, bold, places, lines, color(COLORS[1 + number])))
    for line in lines if len(traces) > 1 else ():
        for trace in traces:
            of_trace = [row for row in measured if (row["line"], row["trace"]) == (line, trace)]
            points = _points(f"{trace}, {line}", of_trace, places, lines)
            is_first = (line, trace) == (lines[0], traces[0])
            through = thin(points, color("ink"), is_first, is_shown=True)
            drawn.append({**through, "mode": "lines+markers", "marker": {"size": 5}})

    def ends(mark: Row) -> tuple[float, float]:
        across = _across(mark["place"], mark["line"], places, lines)
        return across, across

    drawn += paper_marks.drawn(marks, lambda mark: color("page"), ends)
    names = [PLURAL.get(place, place) for place in places]
    across = {"tickvals": list(range(len(places))), "ticktext": names, "showgrid": False, "zeroline": False}
    values = [100 * row["value"] for row in measured] + [
        level for mark in marks for level in paper_marks.levels(mark)
    ]
    upright = {**axes.percent(arguments.get("axis", "")), "range": [-1, 1.05 * max([5.0, *values])]}
    return Plot(drawn, layout(across, upright, showlegend=True, barmode="overlay"), 400)


def _across(place: str, line: str | None, places: list[str], lines: list[str]) -> float:
    """Return where a line's value at a place is drawn; between all lines' for none."""
    middle = (len(lines) - 1) / 2
    number = middle if line is None else lines.index(line)
    return places.index(place) + (number - middle) * _GROUP / len(lines)


def _bars(line: str, rows: Rows, places: list[str], lines: list[str], shade: Row) -> Row:
    points = _points(line, rows, places, lines)
    width = 0.9 * _GROUP / len(lines)
    return {**points, "type": "bar", "name": text(line), "width": width, "marker": {"color": shade}}


def _points(name: str, rows: Rows, places: list[str], lines: list[str]) -> Row:
    across = [_across(row["place"], row["line"], places, lines) for row in rows]
    values = [100 * row["value"] for row in rows]
    shown = [
        f"{PLURAL.get(row['place'], row['place'])}: {units.percent(value)}"
        for row, value in zip(rows, values, strict=True)
    ]
    return plotted("scatter", across, values, shown, f"{text(name)}, %{{customdata}}")
