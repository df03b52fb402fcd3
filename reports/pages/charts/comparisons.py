"""The trace compared with the dissertation."""

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import PLURAL, Arguments, Plot, Row, Rows, color, layout, plotted
from iotrace.schemas.reference_types import TYPES

from iotrace import units


def comparison(rows: Rows, arguments: Arguments) -> Plot | None:
    """The `quantities` (in percent) of a table of the paper, `item`, for each type: the paper's average and ours."""
    pairs = [
        row
        for quantity in arguments["quantities"]
        for row in rows
        if (row["item"], row["quantity"]) == (arguments["item"], quantity)
        and row["row"] in TYPES
        and None not in (row["paper"], row["ours"])
    ]
    if not pairs:
        return None
    places = list(range(len(pairs)))
    labels = [f"{PLURAL[row['row']]}, {row['quantity']}" for row in pairs]
    between = {
        "type": "scatter",
        "mode": "lines",
        "x": [x for row in pairs for x in (row["paper"], row["ours"], None)],
        "y": [y for index in places for y in (index, index, None)],
        "line": {"color": color("rule"), "width": 4},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    papers = _marks(
        "the paper's average", "paper", pairs, labels, {"color": color("neutral"), "symbol": "diamond"}
    )
    ours = _marks("this trace", "ours", pairs, labels, {"color": color("ink"), "symbol": "circle"})
    across = {**axes.whole(), "range": [-2, 102]}
    upright = {"range": [len(pairs) - 0.4, -0.6], "tickvals": places, "ticktext": labels, "showgrid": False}
    return Plot([between, papers, ours], layout(across, upright), 96 + 26 * len(pairs))


def _marks(name: str, column: str, rows: Rows, labels: list[str], marker: Row) -> Row:
    values = [row[column] for row in rows]
    shown = [f"{label}: {units.percent(value)}" for label, value in zip(labels, values, strict=True)]
    style = {"mode": "markers", "name": name, "marker": {"size": 10, **marker}}
    return plotted("scatter", values, range(len(rows)), shown, f"{name}, %{{customdata}}", **style)
