"""Bars: shares of a whole, groups side by side, and rankings."""

from iotrace.reports.pages.charts import axes
from iotrace.reports.pages.charts.plot import (
    PLURAL,
    Arguments,
    Plot,
    Row,
    Rows,
    amount,
    color,
    layout,
    number,
    plotted,
    text,
)

from iotrace import units

_BAR_HEIGHT = 40
_BAR: Row = {"type": "bar", "orientation": "h"}
_CATEGORIES: Row = {"autorange": "reversed", "showgrid": False, "type": "category"}
_GROUPED: Row = {"barmode": "group", "bargap": 0.3}


def shares(rows: Rows, arguments: Arguments) -> Plot:
    """Bars of 100 %, one for each of `bars` (column, count, unit, label), divided by type."""
    bars = arguments["bars"]
    traces = [
        _part(
            PLURAL[row["type"]],
            row["type"],
            [bar["label"] for bar in bars],
            [row[bar["column"]] for bar in bars],
            [amount(row[bar["count"]], bar["unit"]) for bar in bars],
        )
        for row in rows
    ]
    return _stacked(traces, len(bars))


def divided(rows: Rows, arguments: Arguments) -> Plot:
    """Bars of 100 %, one per row, divided by `parts` (column, count, unit, label, color)."""
    traces = [
        _part(
            part["label"],
            part["color"],
            [PLURAL[row["type"]] for row in rows],
            [row[part["column"]] for row in rows],
            [amount(row[part["count"]], part["unit"]) for row in rows],
        )
        for part in arguments["parts"]
    ]
    return _stacked(_with_data(traces), len(rows))


def crossed(rows: Rows, arguments: Arguments) -> Plot:
    """Bars of 100 %, one per value of column `category`, divided by column `series`; a row is a part.

    `parts` are the values of `series` (value, label, color); `labels` name the categories. The parts are in
    proportion to column `count`, whose unit is `unit`.
    """
    category, series, counted = arguments["category"], arguments["series"], arguments["count"]
    labels = arguments.get("labels", PLURAL)
    counts: dict[str, dict[str, float]] = {}
    for row in rows:
        counts.setdefault(row[category], {})[row[series]] = number(row[counted])
    traces = []
    for part in arguments["parts"]:
        of_part = {name: by_series.get(part["value"], 0.0) for name, by_series in counts.items()}
        wholes = {name: sum(by_series.values()) for name, by_series in counts.items()}
        shares = [100 * count / wholes[name] if wholes[name] else None for name, count in of_part.items()]
        amounts = [amount(count, arguments["unit"]) for count in of_part.values()]
        names = [labels.get(name, name) for name in counts]
        traces.append(_part(part["label"], part["color"], names, shares, amounts))
    return _stacked(_with_data(traces), len(counts))


def by_type(rows: Rows, arguments: Arguments) -> Plot:
    """Panels side by side, one for each of `panels` (column, title), with a bar per type."""
    panels, gap = arguments["panels"], 0.1
    width = (1 - gap * (len(panels) - 1)) / len(panels)
    types, shades = [PLURAL[row["type"]] for row in rows], [color(row["type"]) for row in rows]
    traces: Rows = []
    headings: Rows = []
    axis_of_panel: dict[str, Row] = {}
    for index, panel in enumerate(panels):
        number = str(index + 1) if index else ""
        start = index * (width + gap)
        values = [row[panel["column"]] for row in rows]
        traces.append(
            {
                **_BAR,
                "y": types,
                "x": values,
                "text": [_ratio(value) for value in values],
                "textposition": "auto",
                "textangle": 0,
                "marker": {"color": shades},
                "textfont": {"color": color("ink")},
                "insidetextfont": {"color": [color(f"on-{row['type']}") for row in rows]},
                "hovertemplate": "%{y}: %{text}<extra></extra>",
                "xaxis": f"x{number}",
            }
        )
        domain = [start, start + width]
        axis_of_panel[f"xaxis{number}"] = {"domain": domain, "rangemode": "tozero", "nticks": 4}
        headings.append(_heading(panel["title"], start))
    yaxis = {"autorange": "reversed", "showgrid": False}
    layout_ = {"yaxis": yaxis, "showlegend": False, "annotations": headings, **axis_of_panel}
    return Plot(traces, layout_, 112 + 34 * len(rows))


def size_classes(rows: Rows, arguments: Arguments) -> Plot | None:
    """Groups of bars, one group per size class, a bar for each of `parts` (column, count, unit, label, color)."""
    if not any(number(row[part["count"]]) for row in rows for part in arguments["parts"]):
        return None
    classes = [row["size_class"] for row in rows]
    traces = []
    for part in arguments["parts"]:
        shares = [number(row[part["column"]]) for row in rows]
        counts = [amount(row[part["count"]], part["unit"]) for row in rows]
        shown = [
            f"{size_class}: {count} ({units.percent(share)})"
            for size_class, count, share in zip(classes, counts, shares, strict=True)
        ]
        traces.append(
            plotted("bar", classes, shares, shown, name=part["label"], marker=_filled(part["color"]))
        )
    sizes = {"title": {"text": "Size of the file, up to"}, "type": "category", "showgrid": False}
    return Plot(traces, layout(sizes, axes.percent(), **_GROUPED))


def ranking(rows: Rows, arguments: Arguments) -> Plot:
    """One bar per row, the first on top: column `name`, and `parts` (column, label, color) of `unit` end to end."""
    rows = rows[: arguments.get("rows", 15)]
    names = [row[arguments["name"]] for row in rows]
    names = ["(before the trace)" if name is None else name for name in names]
    places, unit = list(range(len(rows))), arguments["unit"]
    traces = []
    totals = [0.0] * len(rows)
    for part in arguments["parts"]:
        amounts = [row[part["column"]] for row in rows]
        totals = [total + number(value) for total, value in zip(totals, amounts, strict=True)]
        shown = [
            f"{text(units.shortened(name, 90))}<br>{part['label']}: {amount(value, unit)}"
            for name, value in zip(names, amounts, strict=True)
        ]
        style = {"name": part["label"], "marker": _filled(part["color"])}
        traces.append({**plotted("bar", list(map(number, amounts)), places, shown, **style), **_BAR})
    traces = _with_data(traces)
    written = [text(units.shortened(name, 30)) for name in names]
    across = axes.sizes(totals) if unit == "bytes" else axes.counts()
    upright = {"autorange": "reversed", "tickvals": places, "ticktext": written, "showgrid": False}
    stacked = {"barmode": "stack", "bargap": 0.3, "showlegend": len(arguments["parts"]) > 1}
    return Plot(traces, layout(across, upright, **stacked), 96 + 24 * len(rows))


def groups(rows: Rows, arguments: Arguments) -> Plot | None:
    """A group of bars per row, the first on top: column `name`, and a bar for each of `parts` (column, label, color).

    The `unit` is percent or ns. Where a value is missing there is no bar.
    """
    labels = [text(row[arguments["name"]]) for row in rows]
    values = [row[part["column"]] for row in rows for part in arguments["parts"]]
    known = [value for value in values if value is not None]
    if not known:
        return None
    in_percent = arguments["unit"] == "percent"
    scale, unit = (1.0, "") if in_percent else axes.unit_of_time(max(known))
    write = units.percent if in_percent else units.duration
    traces = []
    for part in arguments["parts"]:
        amounts = [row[part["column"]] for row in rows]
        scaled = [None if value is None else value / scale for value in amounts]
        shown = ["" if value is None else write(value) for value in amounts]
        style = {"name": part["label"], "marker": _filled(part["color"])}
        traces.append(
            {
                **plotted("bar", scaled, labels, shown, f"%{{y}}, {part['label']}: %{{customdata}}", **style),
                **_BAR,
            }
        )
    across = axes.whole() if in_percent else axes.counts(unit)
    return Plot(
        traces, layout(across, _CATEGORIES, **_GROUPED, showlegend=len(traces) > 1), 96 + 26 * len(rows)
    )


def _filled(shade: str) -> Row:
    return {"color": color(shade)}


def _part(name: str, shade: str, labels: list[str], values: list[float | None], amounts: list[str]) -> Row:
    """Return one part of bars of 100 %, labelled with its share if that fits."""
    shares = [units.percent(number(value)) for value in values]
    shown = [f"{written} ({share})" for written, share in zip(amounts, shares, strict=True)]
    return {
        **plotted("bar", values, labels, shown, f"%{{y}}, {name}: %{{customdata}}", name=name),
        **_BAR,
        "text": [share if number(value) >= 8 else "" for share, value in zip(shares, values, strict=True)],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "marker": {"color": color(shade), "line": {"width": 1, "color": color("page")}},
        "insidetextfont": {"color": color(f"on-{shade}"), "size": 12},
    }


def _with_data(traces: Rows) -> Rows:
    """Return the parts that have any length, so that a legend names no other; all, if none has."""
    return [trace for trace in traces if any(trace["x"])] or traces


def _stacked(traces: Rows, bars: int) -> Plot:
    stacked = layout(axes.whole(), _CATEGORIES, barmode="stack", bargap=0.26, showlegend=True)
    return Plot(traces, stacked, 92 + _BAR_HEIGHT * bars)


def _ratio(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.3g}" if value < 1000 else units.count(value)


def _heading(heading: str, start: float) -> Row:
    position = {"xref": "paper", "yref": "paper", "x": start, "y": 1, "yshift": 22, "xanchor": "left"}
    return {"text": heading, **position, "showarrow": False, "font": {"size": 12, "color": color("muted")}}
