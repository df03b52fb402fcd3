"""The trace beside the dissertation."""

from __future__ import annotations

from iotrace.reports.plot import Arguments, Plot, Rows, color, text

from iotrace import units


def comparison(rows: Rows, arguments: Arguments) -> Plot | None:
    """For each number of `items` (tables and figures of the paper) in percent, ours and the paper's on one line."""
    own = [
        row
        for row in rows
        if row["item"] in arguments["items"] and row["unit"] == "percent" and None not in (row["paper"], row["ours"])
    ]
    if not own:
        return None
    places = list(range(len(own)))
    said = [f"{row['row']}, {row['quantity']} ({row['item']})" for row in own]
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [x for row in own for x in (row["paper"], row["ours"], None)],
            "y": [y for place in places for y in (place, place, None)],
            "line": {"color": color("rule"), "width": 3},
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]
    for column, name, shade, symbol in (
        ("paper", "the paper's average", "read", "diamond"),
        ("ours", "this trace", "write", "circle"),
    ):
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": [row[column] for row in own],
                "y": places,
                "customdata": [f"{text(words)}: {units.percent(row[column])}" for words, row in zip(said, own, strict=True)],
                "hovertemplate": f"{name}, %{{customdata}}<extra></extra>",
                "marker": {"color": color(shade), "size": 10, "symbol": symbol},
            }
        )
    layout = {
        "xaxis": {"range": [-2, 102], "ticksuffix": " %", "tickvals": [0, 25, 50, 75, 100]},
        "yaxis": {
            "autorange": "reversed",
            "tickvals": places,
            "ticktext": [text(f"{row['row']}: {row['quantity']}") for row in own],
            "showgrid": False,
        },
    }
    return Plot(traces, layout, 96 + 22 * len(own))
