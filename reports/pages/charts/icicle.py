"""Icicles: a tree of calls, as wide as what its parts have; of one trace, and of two with their difference."""

import json
from collections.abc import Callable, Mapping, Sequence

from iotrace.reports.pages.charts.plot import Arguments, Plot, Row, Rows, amount, color, text

from iotrace import units

_LEAST_SHARE = 0.002
"""The share of the whole below which a part is left out."""
_STRONG, _WEAK = 2.0, 1.1
"""Changes by more than these factors have the strong and the soft colour."""
_LABEL = 40
_SHADES = ("step-1", "step-2", "step-3", "step-4", "step-5", "step-6")
_HEIGHT = 420

Names = tuple[str, ...]
"""The way to a node from the root."""


def tree(rows: Rows, arguments: Arguments) -> Plot | None:
    """Draw leaves in a tree by the columns `levels`, wide by the first of `measures` that is not nothing.

    Each measure has a column, a label and a unit (s, bytes or calls); the reader can choose another. `whole` names the
    root. The parts of one child of the root have its colour. The level `parted` has a semicolon between levels.
    """
    shown = [measure for measure in arguments["measures"] if any(row[measure["column"]] for row in rows)]
    if not shown:
        return None
    columns = [measure["column"] for measure in arguments["measures"]]
    nodes = _nodes(
        rows,
        arguments["levels"],
        lambda row: [float(row[column] or 0) for column in columns],
        arguments.get("parted"),
    )
    places = {measure["column"]: columns.index(measure["column"]) for measure in shown}
    kept = _kept(nodes, list(places.values()))
    labels = [
        ", ".join(
            _amount(sums[index], measure["unit"]) for index, measure in enumerate(arguments["measures"])
        )
        for sums in kept.values()
    ]
    choices: Rows = [
        {"label": measure["label"], "update": {"values": [_own(kept, places[measure["column"]])]}}
        for measure in shown
    ]
    trace = _trace(kept, choices[0]["update"]["values"][0], labels, _shades(kept), arguments["whole"])
    return Plot([trace], _LAYOUT, _HEIGHT, choices if len(choices) > 1 else [])


def differential(rows: Rows, arguments: Arguments) -> Plot | None:
    """Draw leaves with `a_s` and `b_s`, as wide as the longer, in a tree by `levels`; `whole` names its root."""
    nodes = _nodes(
        rows, arguments["levels"], lambda row: [max(row["a_s"], row["b_s"]), row["a_s"], row["b_s"]]
    )
    if not nodes.get((), [0.0])[0]:
        return None
    kept = _kept(nodes, [0])
    labels = [_before_and_after(before, after) for _, before, after in kept.values()]
    shades = [_shade(before, after) for _, before, after in kept.values()]
    return Plot([_trace(kept, _own(kept, 0), labels, shades, arguments["whole"])], _LAYOUT, _HEIGHT)


_LAYOUT: Row = {"margin": {"l": 8, "r": 8, "t": 8, "b": 8}}


def _nodes(
    rows: Rows,
    levels: Sequence[str],
    measured: Callable[[Row], list[float]],
    parted: str | None = None,
) -> dict[Names, list[float]]:
    """Return the sums of all nodes, the root's first."""
    nodes: dict[Names, list[float]] = {}
    for row in rows:
        names, values = _names(row, levels, parted), measured(row)
        for depth in range(len(names) + 1):
            sums = nodes.setdefault(names[:depth], [0.0] * len(values))
            for index, value in enumerate(values):
                sums[index] += value
    return nodes


def _names(row: Row, levels: Sequence[str], parted: str | None) -> Names:
    """Return the way to a row's leaf, without levels that it has not."""
    steps = (row[level].split(";") if level == parted else [row[level]] for level in levels)
    return tuple(name for step in steps for name in step if name is not None)


def _kept(nodes: Mapping[Names, list[float]], places: Sequence[int]) -> dict[Names, list[float]]:
    """Return the nodes that have enough of the whole by one of the measures at these places."""
    least = {index: _LEAST_SHARE * nodes[()][index] for index in places if nodes[()][index]}
    return {
        names: sums
        for names, sums in nodes.items()
        if any(sums[index] >= value for index, value in least.items())
    }


def _own(kept: Mapping[Names, list[float]], index: int) -> list[float]:
    """Return the sum of each node without that of its children among the kept nodes."""
    parts = {names: sums[index] for names, sums in kept.items()}
    for names, sums in kept.items():
        if names:
            parts[names[:-1]] -= sums[index]
    return [max(0.0, value) for value in parts.values()]


def _trace(
    kept: Mapping[Names, list[float]],
    values: list[float],
    labels: list[str],
    shades: list[Row],
    whole: str,
) -> Row:
    return {
        "type": "icicle",
        "branchvalues": "remainder",  # rounded totals of parts may exceed that of the whole, which draws nothing
        "ids": [_identifier(names) for names in kept],
        "parents": [_identifier(names[:-1]) if names else "" for names in kept],
        "labels": [text(units.shortened(names[-1], _LABEL) if names else whole) for names in kept],
        "values": values,
        "customdata": labels,
        "hovertemplate": "%{label}<br>%{customdata}<extra></extra>",
        "texttemplate": "%{label}<br>%{percentRoot}",
        "marker": {"colors": shades, "line": {"width": 1, "color": color("page")}},
        "tiling": {"orientation": "v"},
        "leaf": {"opacity": 1},
        "sort": True,
    }


def _identifier(names: Names) -> str:
    return json.dumps(names)


def _shades(kept: Mapping[Names, list[float]]) -> list[Row]:
    """Return the colours of nodes: one for each child of the root and what is below it, in their order."""
    first = list(dict.fromkeys(names[0] for names in kept if names))
    return [
        color(_SHADES[first.index(names[0]) % len(_SHADES)]) if names else color("neutral") for names in kept
    ]


def _amount(value: float, unit: str) -> str:
    return units.duration(1e9 * value) if unit == "s" else amount(value, unit)


def _before_and_after(before: float, after: float) -> str:
    change = units.duration(1e9 * abs(after - before))
    return (
        f"{units.duration(1e9 * before)} before, {units.duration(1e9 * after)} after"
        f" ({'+' if after >= before else '-'}{change})"
    )


def _shade(before: float, after: float) -> Row:
    larger, smaller = max(before, after), min(before, after)
    if larger <= _WEAK * smaller:
        return color("neutral")
    soft = "" if larger > _STRONG * smaller else "-soft"
    return color(("bad" if after > before else "good") + soft)
