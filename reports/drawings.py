"""The drawings: each takes a figure's table and arguments and returns Plotly traces and a layout, or HTML.

Colours are names that the style sheet gives a value, one for light and one for dark. Text from the trace passes
through `text`, because Plotly reads marks of HTML in what it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iotrace.reports import axes
from iotrace.reports.names import printable

from iotrace import units

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
Rows = list[Row]
Arguments = Mapping[str, Any]
TYPES = ("inode", "directory", "executable", "datafile", "disk")
PLURAL = {
    "inode": "inodes",
    "directory": "directories",
    "executable": "executables",
    "datafile": "datafiles",
    "disk": "disk blocks",
    "total": "all types",
}
BAR_HEIGHT = 46


@dataclass(frozen=True)
class Plot:
    """What Plotly draws: traces, a layout, and the height in pixels."""

    traces: list[Row]
    layout: Row
    height: int = 340


def draw(name: str, table: pa.Table, arguments: Arguments) -> Plot | None:
    """Draw a table; None where there is nothing to draw."""
    rows = table.to_pylist()
    return DRAWINGS[name](rows, arguments) if rows else None


def text(name: str) -> str:
    """Write a name so that Plotly shows it as it is."""
    return printable(name).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def color(name: str) -> Row:
    """Name a colour of the style sheet."""
    return {"$": name}


def shares(rows: Rows, arguments: Arguments) -> Plot:
    """Bars of 100 %, one for each of `bars` (column, count, unit, label), divided by type."""
    bars = arguments["bars"]
    traces = []
    for row in rows:
        traces.append(
            _part(
                PLURAL[row["type"]],
                row["type"],
                [bar["label"] for bar in bars],
                [row[bar["column"]] for bar in bars],
                [_amount(row[bar["count"]], bar["unit"]) for bar in bars],
            )
        )
    return _stacked(traces, len(bars))


def divided(rows: Rows, arguments: Arguments) -> Plot:
    """Bars of 100 %, one per row, divided by `parts` (column, count, unit, label, color)."""
    labels = [PLURAL[row[arguments.get("category", "type")]] for row in rows]
    traces = [
        _part(
            part["label"],
            part["color"],
            labels,
            [row[part["column"]] for row in rows],
            [_amount(row[part["count"]], part["unit"]) for row in rows],
        )
        for part in arguments["parts"]
    ]
    return _stacked(traces, len(rows))


def crossed(rows: Rows, arguments: Arguments) -> Plot:
    """Bars of 100 %, one per value of column `category`, divided by column `series`; a row is a part.

    `parts` are the values of `series` (value, label, color); `labels` name the categories.
    """
    category, series = arguments["category"], arguments["series"]
    labels = arguments.get("labels", PLURAL)
    present = list(dict.fromkeys(row[category] for row in rows))
    found = {(row[category], row[series]): row for row in rows}
    whole = {
        one: sum(row[arguments["count"]] or 0 for row in rows if row[category] == one) for one in present
    }
    traces = []
    for part in arguments["parts"]:
        counted = [(found.get((one, part["value"])) or {}).get(arguments["count"]) or 0 for one in present]
        traces.append(
            _part(
                part["label"],
                part["color"],
                [labels[one] for one in present],
                [
                    100 * count / whole[one] if whole[one] else None
                    for one, count in zip(present, counted, strict=True)
                ],
                [_amount(count, arguments["unit"]) for count in counted],
            )
        )
    return _stacked(traces, len(present))


def by_type(rows: Rows, arguments: Arguments) -> Plot:
    """Panels side by side, one for each of `panels` (column, title), with a bar per type."""
    panels, gap = arguments["panels"], 0.08
    width = (1 - gap * (len(panels) - 1)) / len(panels)
    traces: list[Row] = []
    layout: Row = {
        "yaxis": {"autorange": "reversed", "automargin": True, "showgrid": False},
        "showlegend": False,
        "annotations": [],
    }
    for number, panel in enumerate(panels, 1):
        suffix = "" if number == 1 else str(number)
        start = (number - 1) * (width + gap)
        values = [row[panel["column"]] for row in rows]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "y": [PLURAL[row["type"]] for row in rows],
                "x": values,
                "text": ["" if value is None else f"{value:,.3g}" for value in values],
                "textposition": "auto",
                "cliponaxis": False,
                "marker": {"color": [color(row["type"]) for row in rows]},
                "hovertemplate": "%{y}: %{text}<extra></extra>",
                "xaxis": f"x{suffix}",
            }
        )
        layout[f"xaxis{suffix}"] = {"domain": [start, start + width], "rangemode": "tozero", "nticks": 5}
        layout["annotations"].append(
            {
                "text": panel["title"],
                "xref": "paper",
                "yref": "paper",
                "x": start,
                "y": 1,
                "yshift": 22,
                "xanchor": "left",
                "showarrow": False,
            }
        )
    return Plot(traces, layout, 110 + 34 * len(rows))


def size_classes(rows: Rows, arguments: Arguments) -> Plot:
    """Groups of bars, one group per size class, a bar for each of `parts` (column, count, unit, label, color)."""
    labels = [row["size_class"] for row in rows]
    traces = [
        {
            "type": "bar",
            "name": part["label"],
            "x": labels,
            "y": [row[part["column"]] or 0 for row in rows],
            "customdata": [_amount(row[part["count"]], part["unit"]) for row in rows],
            "hovertemplate": "%{y:.3~g} % (%{customdata})",
            "marker": {"color": color(part["color"])},
        }
        for part in arguments["parts"]
    ]
    if not any(row["files"] or row["uses"] for row in rows):
        return Plot([], {})
    layout = {
        "barmode": "group",
        "bargap": 0.25,
        "hovermode": "x unified",
        "xaxis": {"title": {"text": "Size up to"}, "type": "category"},
        "yaxis": axes.percent(),
    }
    return Plot(traces, layout)


def bins(rows: Rows, arguments: Arguments) -> Plot:
    """Bars stacked by type over bins by powers of two: `bin`, `value` (percent), `count` and its `unit`."""
    bounds = [row[arguments["bin"]] for row in rows]
    traces = []
    for kind in TYPES:
        own = [row for row in rows if row["type"] == kind and row[arguments["value"]]]
        if own:
            found = [row[arguments["bin"]] for row in own]
            traces.append(
                {
                    "type": "bar",
                    "name": PLURAL[kind],
                    "x": axes.places(found, bounds),
                    "y": [row[arguments["value"]] for row in own],
                    "width": 1,
                    "customdata": [
                        f"{PLURAL[kind]}, {_bin(bound)}: {_amount(row[arguments['count']], arguments['unit'])}"
                        for bound, row in zip(found, own, strict=True)
                    ],
                    "hovertemplate": "%{customdata} (%{y:.3~g} %)<extra></extra>",
                    "marker": {"color": color(kind)},
                }
            )
    layout = {
        "barmode": "stack",
        "bargap": 0,
        "xaxis": axes.bins_of_sizes(bounds, arguments["axis"]),
        "yaxis": axes.percent(arguments["share"]),
    }
    return Plot(traces, layout)


def curves(rows: Rows, arguments: Arguments) -> Plot:
    """Steps over the cache's size, one for each line; `styles` gives each its colour and dash."""
    styles: Mapping[str, Row] = arguments["styles"]
    largest = max(row["size_bytes"] for row in rows)
    smallest = min(row["size_bytes"] for row in rows)
    traces = []
    for label, style in styles.items():
        own = [row for row in rows if row["line"] == label]
        if not own:
            continue
        if own[-1]["size_bytes"] < largest:
            own.append({**own[-1], "size_bytes": largest})
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": label,
                "x": [row["size_bytes"] for row in own],
                "y": [row["value"] for row in own],
                "text": [units.size(row["size_bytes"]) for row in own],
                "hovertemplate": f"{label}: %{{y:.3~f}}{arguments.get('suffix', '')} at %{{text}}<extra></extra>",
                "line": {"shape": "hv", "width": 2, "dash": style["dash"], "color": color(style["color"])},
            }
        )
    layout = {
        "xaxis": axes.log_sizes(smallest, largest, "Cache size"),
        "yaxis": {
            "title": {"text": arguments["axis"]},
            "ticksuffix": arguments.get("suffix", ""),
            "rangemode": "tozero",
        },
        "hovermode": "closest",
    }
    return Plot(traces, layout, 400)


def _part(name: str, shade: str, labels: list[str], values: list[float | None], amounts: list[str]) -> Row:
    """Return one part of bars of 100 %, its share written into it where there is room."""
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": labels,
        "x": values,
        "text": [units.percent(value) if (value or 0) >= 5 else "" for value in map(_number, values)],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "both",
        "customdata": [
            f"{amount} ({units.percent(_number(value))})"
            for amount, value in zip(amounts, values, strict=True)
        ],
        "hovertemplate": f"%{{y}}, {name}: %{{customdata}}<extra></extra>",
        "marker": {"color": color(shade), "line": {"width": 1, "color": color("page")}},
        "textfont": {"color": color(f"on-{shade}")},
    }


def _stacked(traces: list[Row], bars: int) -> Plot:
    layout = {
        "barmode": "stack",
        "bargap": 0.28,
        "xaxis": {"range": [0, 100], "ticksuffix": " %", "nticks": 6},
        "yaxis": {"autorange": "reversed", "automargin": True, "showgrid": False, "type": "category"},
    }
    return Plot(traces, layout, 104 + BAR_HEIGHT * bars)


def _number(value: float | None) -> float:
    return value or 0.0


def _amount(value: float | None, unit: str) -> str:
    if value is None:
        return "unknown"
    return units.size(value) if unit == "bytes" else f"{units.count(value)} {unit}"


def _bin(bound: int) -> str:
    return "0" if bound == 0 else "1 byte" if bound == 1 else f"up to {units.size(bound)}"


DRAWINGS: dict[str, Callable[[Rows, Arguments], Plot]] = {
    "shares": shares,
    "divided": divided,
    "crossed": crossed,
    "by_type": by_type,
    "size_classes": size_classes,
    "bins": bins,
    "curves": curves,
}
