"""The trace compared with the dissertation."""

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import PLURAL, Arguments, Plot, Row, Rows, color, layout, plotted
from iotrace.schemas.reference_types import TYPES

from iotrace import units


def comparison(rows: Rows, arguments: Arguments) -> Plot | None:
    """The `quantities` (in percent) of a table of the paper, `item`, for each type: the paper's average and ours."""
    own = [
        row
        for quantity in arguments["quantities"]
        for row in rows
        if (row["item"], row["quantity"]) == (arguments["item"], quantity)
        and row["row"] in TYPES
        and None not in (row["paper"], row["ours"])
    ]
    if not own:
        return None
    places = list(range(len(own)))
    labels = [f"{PLURAL[row['row']]}, {row['quantity']}" for row in own]
    between = {
        "type": "scatter",
        "mode": "lines",
        "x": [x for row in own for x in (row["paper"], row["ours"], None)],
        "y": [y for place in places for y in (place, place, None)],
        "line": {"color": color("rule"), "width": 4},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    papers = _marks(
        "the paper's average", "paper", own, labels, {"color": color("neutral"), "symbol": "diamond"}
    )
    ours = _marks("this trace", "ours", own, labels, {"color": color("ink"), "symbol": "circle"})
    across = {**axes.whole(), "range": [-2, 102]}
    upright = {"range": [len(own) - 0.4, -0.6], "tickvals": places, "ticktext": labels, "showgrid": False}
    return Plot([between, papers, ours], layout(across, upright), 96 + 26 * len(own))


def _marks(name: str, column: str, rows: Rows, labels: list[str], marker: Row) -> Row:
    values = [row[column] for row in rows]
    shown = [f"{words}: {units.percent(value)}" for words, value in zip(labels, values, strict=True)]
    style = {"mode": "markers", "name": name, "marker": {"size": 10, **marker}}
    return plotted("scatter", values, range(len(rows)), shown, f"{name}, %{{customdata}}", **style)
