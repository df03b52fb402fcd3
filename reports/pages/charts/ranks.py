"""Heat maps of the bytes that ranks move, or storage targets get, over time."""

import math
from collections.abc import Mapping

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import Arguments, Plot, Row, Rows, color, layout
from iotrace.reports.pages.charts.timelines import linked

from iotrace import units

_STRENGTHS = ("rule", "both", "ink")
"""From few bytes to many."""


def over_time(rows: Rows, arguments: Arguments) -> Plot:
    """Cells by window and row of ranks, the stronger the more bytes, by their logarithm."""
    return _cells(rows, {row["row"]: f"rank {_ranks(row)}" for row in rows}, "Rank")


def of_targets(rows: Rows, arguments: Arguments) -> Plot:
    """The same for storage targets, a row for each."""
    lines = {target: line for line, target in enumerate(sorted({row["target"] for row in rows}))}
    names = {line: f"OST {target}" for target, line in lines.items()}
    return _cells([{**row, "row": lines[row["target"]]} for row in rows], names, "Target")


def _cells(rows: Rows, names: Mapping[int, str], title: str) -> Plot:
    unit_ns, unit = axes.unit_of_time(max(row["end_ns"] for row in rows))
    width = max(row["end_ns"] - row["start_ns"] for row in rows)
    windows, lines = (max(row[name] for row in rows) + 1 for name in ("window", "row"))
    moved: list[list[float | None]] = [[None] * windows for _ in range(lines)]
    shown = [[""] * windows for _ in range(lines)]
    for row in rows:
        total = row["bytes_read"] + row["bytes_written"]
        moved[row["row"]][row["window"]] = math.log10(total) if total else None
        shown[row["row"]][row["window"]] = _cell(row, names[row["row"]])
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
        "title": {"text": title},
        "range": [lines, 0],
        "tickvals": [line + 0.5 for line in ticks],
        "ticktext": [names[line].partition(" ")[2] for line in ticks],
    }
    across = {**axes.elapsed(unit), "range": [0, windows * width / unit_ns]}
    return Plot([heat], layout(across, upright, **linked(unit_ns)), 360)


def _ranks(row: Row) -> str:
    first, last = row["first_rank"], row["last_rank"]
    return str(first) if first == last else f"{first} to {last}"


def _cell(row: Row, name: str) -> str:
    start, end = units.duration(row["start_ns"]), units.duration(row["end_ns"])
    read, written = units.size(row["bytes_read"]), units.size(row["bytes_written"])
    return f"{start} to {end}, {name}: {read} read, {written} written"
