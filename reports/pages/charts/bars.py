"""Bars: shares of a whole, groups side by side, and rankings."""

from __future__ import annotations

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import PLURAL, Arguments, Plot, Row, Rows, amount, color, number, text
from iotrace.reports.pages.escape import shortened

from iotrace import units

_BAR_HEIGHT = 40


def shares(rows: Rows, arguments: Arguments) -> Plot:
    """Bars of 100 %, one for each of `bars` (column, count, unit, label), divided by type."""
    bars = arguments["bars"]
    labels = [bar["label"] for bar in bars]
    traces = [
        _part(
            PLURAL[row["type"]],
            row["type"],
            labels,
            [row[bar["column"]] for bar in bars],
            [amount(row[bar["count"]], bar["unit"]) for bar in bars],
        )
        for row in rows
    ]
    return _stacked(traces, len(bars))


def divided(rows: Rows, arguments: Arguments) -> Plot:
    """Bars of 100 %, one per row, divided by `parts` (column, count, unit, label, color)."""
    labels = [PLURAL[row["type"]] for row in rows]
    traces = [
        _part(
            part["label"],
            part["color"],
            labels,
            [row[part["column"]] for row in rows],
            [amount(row[part["count"]], part["unit"]) for row in rows],
        )
        for part in arguments["parts"]
    ]
    return _stacked(traces, len(rows))


def crossed(rows: Rows, arguments: Arguments) -> Plot:
    """Bars of 100 %, one per value of column `category`, divided by column `series`; a row is a part.

    `parts` are the values of `series` (value, label, color); `labels` name the categories. The parts are in
    proportion to column `count`, whose unit is `unit`.
    """
    category, series, counted = arguments["category"], arguments["series"], arguments["count"]
    labels = arguments.get("labels", PLURAL)
    present = list(dict.fromkeys(row[category] for row in rows))
    counts = {(row[category], row[series]): number(row[counted]) for row in rows}
    whole = {one: sum(count for (found, _), count in counts.items() if found == one) for one in present}
    traces = []
    for part in arguments["parts"]:
        own = [counts.get((one, part["value"]), 0.0) for one in present]
        traces.append(
            _part(
                part["label"],
                part["color"],
                [labels[one] for one in present],
                [
                    100 * count / whole[one] if whole[one] else None
                    for one, count in zip(present, own, strict=True)
                ],
                [amount(count, arguments["unit"]) for count in own],
            )
        )
    return _stacked(traces, len(present))


def by_type(rows: Rows, arguments: Arguments) -> Plot:
    """Panels side by side, one for each of `panels` (column, title), with a bar per type."""
    panels, gap = arguments["panels"], 0.1
    width = (1 - gap * (len(panels) - 1)) / len(panels)
    traces: Rows = []
    headings: Rows = []
    layout: Row = {
        "yaxis": {"autorange": "reversed", "showgrid": False},
        "showlegend": False,
        "annotations": headings,
    }
    for place, panel in enumerate(panels):
        axis = f"x{place + 1}" if place else "x"
        start = place * (width + gap)
        values = [row[panel["column"]] for row in rows]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "y": [PLURAL[row["type"]] for row in rows],
                "x": values,
                "text": [_ratio(value) for value in values],
                "textposition": "auto",
                "textangle": 0,
                "marker": {"color": [color(row["type"]) for row in rows]},
                "textfont": {"color": color("ink")},
                "insidetextfont": {"color": [color(f"on-{row['type']}") for row in rows]},
                "hovertemplate": "%{y}: %{text}<extra></extra>",
                "xaxis": axis,
            }
        )
        layout[axis.replace("x", "xaxis")] = {
            "domain": [start, start + width],
            "rangemode": "tozero",
            "nticks": 4,
        }
        headings.append(_heading(panel["title"], start))
    return Plot(traces, layout, 112 + 34 * len(rows))


def size_classes(rows: Rows, arguments: Arguments) -> Plot | None:
    """Groups of bars, one group per size class, a bar for each of `parts` (column, count, unit, label, color)."""
    if not any(number(row[part["count"]]) for row in rows for part in arguments["parts"]):
        return None
    labels = [row["size_class"] for row in rows]
    traces = [
        {
            "type": "bar",
            "name": part["label"],
            "x": labels,
            "y": [number(row[part["column"]]) for row in rows],
            "customdata": [
                f"{label}: {amount(row[part['count']], part['unit'])} ({units.percent(number(row[part['column']]))})"
                for label, row in zip(labels, rows, strict=True)
            ],
            "hovertemplate": "%{customdata}<extra></extra>",
            "marker": {"color": color(part["color"])},
        }
        for part in arguments["parts"]
    ]
    layout = {
        "barmode": "group",
        "bargap": 0.3,
        "xaxis": {"title": {"text": "Size of the file, up to"}, "type": "category", "showgrid": False},
        "yaxis": axes.percent(),
    }
    return Plot(traces, layout)


def ranking(rows: Rows, arguments: Arguments) -> Plot:
    """One bar per row, the first on top: column `name`, and `parts` (column, label, color) of `unit` end to end."""
    rows = rows[: arguments.get("rows", 15)]
    names = [
        "(before the trace)" if row[arguments["name"]] is None else row[arguments["name"]] for row in rows
    ]
    places = list(range(len(rows)))
    unit = arguments["unit"]
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": part["label"],
            "y": places,
            "x": [number(row[part["column"]]) for row in rows],
            "customdata": [
                f"{text(shortened(name, 90))}<br>{part['label']}: {amount(row[part['column']], unit)}"
                for name, row in zip(names, rows, strict=True)
            ],
            "hovertemplate": "%{customdata}<extra></extra>",
            "marker": {"color": color(part["color"])},
        }
        for part in arguments["parts"]
    ]
    totals = [sum(number(row[part["column"]]) for part in arguments["parts"]) for row in rows]
    layout = {
        "barmode": "stack",
        "bargap": 0.3,
        "xaxis": axes.sizes(totals) if unit == "bytes" else axes.counts(),
        "yaxis": {
            "autorange": "reversed",
            "tickvals": places,
            "ticktext": [text(shortened(name, 30)) for name in names],
            "showgrid": False,
        },
        "showlegend": len(traces) > 1,
    }
    return Plot(traces, layout, 96 + 24 * len(rows))


def groups(rows: Rows, arguments: Arguments) -> Plot | None:
    """A group of bars per row, the first on top: column `name`, and a bar for each of `parts` (column, label, color).

    The `unit` is percent or ns. Where a value is missing there is no bar.
    """
    labels = [text(row[arguments["name"]]) for row in rows]
    found = [row[part["column"]] for row in rows for part in arguments["parts"]]
    known = [value for value in found if value is not None]
    if not known:
        return None
    in_percent = arguments["unit"] == "percent"
    scale, named = (1.0, "") if in_percent else axes.unit_of_time(max(known))
    write = units.percent if in_percent else units.duration
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": part["label"],
            "y": labels,
            "x": [None if row[part["column"]] is None else row[part["column"]] / scale for row in rows],
            "customdata": ["" if row[part["column"]] is None else write(row[part["column"]]) for row in rows],
            "hovertemplate": f"%{{y}}, {part['label']}: %{{customdata}}<extra></extra>",
            "marker": {"color": color(part["color"])},
        }
        for part in arguments["parts"]
    ]
    layout = {
        "barmode": "group",
        "bargap": 0.3,
        "xaxis": axes.whole() if in_percent else axes.counts(named),
        "yaxis": {"autorange": "reversed", "showgrid": False, "type": "category"},
        "showlegend": len(traces) > 1,
    }
    return Plot(traces, layout, 96 + 26 * len(rows))


def _part(name: str, shade: str, labels: list[str], values: list[float | None], amounts: list[str]) -> Row:
    """Return one part of bars of 100 %, its share written into it where there is room."""
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": labels,
        "x": values,
        "text": [units.percent(number(value)) if number(value) >= 8 else "" for value in values],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "customdata": [
            f"{written} ({units.percent(number(value))})"
            for written, value in zip(amounts, values, strict=True)
        ],
        "hovertemplate": f"%{{y}}, {name}: %{{customdata}}<extra></extra>",
        "marker": {"color": color(shade), "line": {"width": 1, "color": color("page")}},
        "insidetextfont": {"color": color(f"on-{shade}"), "size": 12},
    }


def _stacked(traces: Rows, bars: int) -> Plot:
    layout = {
        "barmode": "stack",
        "bargap": 0.26,
        "xaxis": axes.whole(),
        "yaxis": {"autorange": "reversed", "showgrid": False, "type": "category"},
    }
    return Plot(traces, layout, 92 + _BAR_HEIGHT * bars)


def _ratio(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.3g}" if value < 1000 else units.count(value)


def _heading(words: str, start: float) -> Row:
    return {
        "text": words,
        "xref": "paper",
        "yref": "paper",
        "x": start,
        "y": 1,
        "yshift": 22,
        "xanchor": "left",
        "showarrow": False,
        "font": {"size": 12, "color": color("muted")},
    }
