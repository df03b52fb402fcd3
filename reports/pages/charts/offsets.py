"""Accesses as points, offset over time, coloured by process; and how soon blocks go from process to process."""

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import Arguments, Plot, Row, Rows, color, layout, plotted, text

from iotrace import units

COLORS = ("inode", "directory", "executable", "datafile", "step-3", "step-5", "ink", "disk")
"""Of the processes while there are no more; above, colours run through a scale."""
SCALE = ("step-1", "step-2", "step-3", "step-4", "step-5", "step-6")
SYMBOLS = {"read": "circle", "write": "square-open"}


def over_time(rows: Rows, arguments: Arguments) -> Plot:
    """Draw `process`, `rank` (its colour), `operation`, `offset`, `length`, over `time_ns`, else `position`.

    `phases` names what is written over the parts of the axis: pairs of the part's first place, as on the axis, and
    words.
    """
    timed = all(row["time_ns"] is not None for row in rows)
    unit_ns, unit = axes.unit_of_time(_span(rows)) if timed else (1.0, "")
    places = [row["time_ns"] / unit_ns if timed else row["position"] for row in rows]
    ranks = sorted({row["rank"] for row in rows})
    traces = _by_rank(rows, places) if ranks[-1] < len(COLORS) else _scaled(rows, places)
    offsets = [row["offset"] for row in rows]
    low, high = min(offsets), max(row["offset"] + row["length"] for row in rows)
    upright = axes.sizes([high] if low * 4 < high else [low, high], "Offset in the file")
    if low * 4 >= high:
        upright = {**upright, **_close(low, high)}
    across = (
        axes.elapsed(unit) if timed else {**axes.counts("Accesses to the file so far"), "showgrid": False}
    )
    drawn = layout(
        across,
        upright,
        hovermode="closest",
        showlegend=ranks[-1] < len(COLORS),
        margin={"l": 8, "r": 26, "t": 64, "b": 8},
        **_phases([(start / unit_ns, label) for start, label in arguments.get("phases", ())]),
    )
    return Plot(traces, drawn, 420)


def _span(rows: Rows) -> float:
    return float(max(row["time_ns"] for row in rows))


def _close(low: int, high: int) -> Row:
    """Return the marks of an axis that begins far from 0."""
    marks = [low + (high - low) * part / 4 for part in range(5)]
    return {"tickvals": marks, "ticktext": [units.size(mark) for mark in marks], "range": [low, high]}


def _by_rank(rows: Rows, places: list[float]) -> Rows:
    traces = []
    for rank, shade in enumerate(COLORS):
        numbers = [index for index, row in enumerate(rows) if row["rank"] == rank]
        if numbers:
            points = [rows[index] for index in numbers]
            style = {"name": f"process {rank}", "marker": {**_marker(points), "color": color(shade)}}
            traces.append({**_points(points, [places[index] for index in numbers]), **style})
    return traces


def _scaled(rows: Rows, places: list[float]) -> Rows:
    scale = [[index / (len(SCALE) - 1), color(name)] for index, name in enumerate(SCALE)]
    bar = {"title": {"text": "process"}, "thickness": 12, "outlinewidth": 0}
    colors = [row["process"] for row in rows]
    shade = {"color": colors, "cmin": 0, "colorscale": scale, "showscale": True, "colorbar": bar}
    return [{**_points(rows, places), "name": "accesses", "marker": {**_marker(rows), **shade}}]


def _points(rows: Rows, places: list[float]) -> Row:
    shown = [
        f"process {row['rank']} (row {row['process']} of table process):"
        f" {row['operation']} of {units.size(row['length'])} at {units.size(row['offset'])}"
        for row in rows
    ]
    return plotted("scatter", places, [row["offset"] for row in rows], shown, mode="markers")


def _marker(rows: Rows) -> Row:
    return {"size": 4 if len(rows) > 500 else 6, "symbol": [SYMBOLS[row["operation"]] for row in rows]}


def _phases(parts: list[tuple[float, str]]) -> Row:
    line = {"color": color("muted"), "width": 1, "dash": "dot"}
    return {
        "shapes": [
            {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": start, "x1": start, "line": line}
            for start, _ in parts
        ],
        "annotations": [
            {
                "x": start,
                "yref": "paper",
                "y": 1 - 0.07 * (number % 2),
                "xanchor": "left",
                "yanchor": "top",
                "showarrow": False,
                "text": text(label),
                "bgcolor": color("page"),
                "font": {"size": 12, "color": color("ink")},
            }
            for number, (start, label) in enumerate(parts)
        ],
    }


def reuse(rows: Rows, arguments: Arguments) -> Plot:
    """Draw the share of touches that another process follows, against the distance `within`, a line for each file."""
    files = list(dict.fromkeys((row["file"], row["path"]) for row in rows))
    timed = rows[0]["measure"] == "ns"
    write = units.duration if timed else units.count
    traces = []
    for index, (file, path) in enumerate(files[: len(COLORS)]):
        points = [row for row in rows if row["file"] == file]
        name = text(units.shortened(path))
        distances, shares = [row["within"] for row in points], [100 * row["share"] for row in points]
        shown = [
            f"within {write(distance)}: {units.percent(share)}"
            for distance, share in zip(distances, shares, strict=True)
        ]
        line = {"color": color(COLORS[index]), "width": 2}
        style = {"mode": "lines+markers", "name": name, "line": line, "marker": {"size": 5}}
        traces.append(plotted("scatter", distances, shares, shown, f"{name}, %{{customdata}}", **style))
    far = [row["within"] for row in rows]
    counted = {"type": "log", "title": {"text": "Accesses to the file until then"}}
    across = axes.log_durations(min(far), max(far), "Time until then") if timed else counted
    upright = {**axes.percent("Touches of blocks"), "range": [0, 102]}
    return Plot(traces, layout(across, upright, showlegend=True), 380 + 14 * len(traces))
