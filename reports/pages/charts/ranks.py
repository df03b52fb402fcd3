"""A heat map of the bytes that ranks move over time."""

import math

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import Arguments, Plot, Row, Rows, color, layout
from iotrace.reports.pages.charts.timelines import linked

from iotrace import units

_STRENGTHS = ("rule", "both", "write")
"""From few bytes to many."""


def over_time(rows: Rows, arguments: Arguments) -> Plot:
    """Cells by window and row of ranks, the stronger the more bytes, by their logarithm."""
    unit_ns, unit = axes.unit_of_time(max(row["end_ns"] for row in rows))
    width = max(row["end_ns"] - row["start_ns"] for row in rows)
    windows, lines = (max(row[name] for row in rows) + 1 for name in ("window", "row"))
    moved: list[list[float | None]] = [[None] * windows for _ in range(lines)]
    shown = [[""] * windows for _ in range(lines)]
    for row in rows:
        total = row["bytes_read"] + row["bytes_written"]
        moved[row["row"]][row["window"]] = math.log10(total) if total else None
        shown[row["row"]][row["window"]] = _cell(row)
    names = {row["row"]: _ranks(row) for row in rows}
    heat: Row = {
        "type": "heatmap",
        "x": [place * width / unit_ns for place in range(windows + 1)],
        "y": list(range(lines + 1)),
        "z": moved,
        "customdata": shown,
        "hovertemplate": "%{customdata}<extra></extra>",
        "colorscale": [[place / 2, color(shade)] for place, shade in enumerate(_STRENGTHS)],
        "showscale": False,
        "hoverongaps": False,
    }
    ticks = [line for line in range(0, lines, max(1, lines // 8)) if line in names]
    upright = {
        "title": {"text": "Rank"},
        "range": [lines, 0],
        "tickvals": [line + 0.5 for line in ticks],
        "ticktext": [names[line] for line in ticks],
    }
    across = {**axes.elapsed(unit), "range": [0, windows * width / unit_ns]}
    return Plot([heat], layout(across, upright, **linked(unit_ns)), 360)


def _ranks(row: Row) -> str:
    first, last = row["first_rank"], row["last_rank"]
    return str(first) if first == last else f"{first} to {last}"


def _cell(row: Row) -> str:
    start, end = units.duration(row["start_ns"]), units.duration(row["end_ns"])
    read, written = units.size(row["bytes_read"]), units.size(row["bytes_written"])
    return f"{start} to {end}, rank {_ranks(row)}: {read} read, {written} written"
