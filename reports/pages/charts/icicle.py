"""A differential icicle: a tree of times before and after, as wide as the longer, coloured by the change."""

import json

from iotrace.reports.pages.charts.plot import Arguments, Plot, Row, Rows, color, text
from iotrace.reports.pages.escape import shortened

from iotrace import units

_LEAST_SHARE = 0.002
"""The share of the whole below which a part is left out."""
_STRONG, _WEAK = 2.0, 1.1
"""Changes by more than these factors have the strong and the soft colour."""
_LABEL = 40


def differential(rows: Rows, arguments: Arguments) -> Plot | None:
    """Draw leaves with `a_s` and `b_s`, in a tree by the columns `levels`; `whole` names its root."""
    levels = arguments["levels"]
    nodes: dict[tuple[str, ...], list[float]] = {}
    for row in rows:
        names = tuple(row[level] for level in levels)
        for depth in range(len(names) + 1):
            sums = nodes.setdefault(names[:depth], [0.0, 0.0, 0.0])
            sums[0] += max(row["a_s"], row["b_s"])
            sums[1] += row["a_s"]
            sums[2] += row["b_s"]
    whole = nodes.get((), [0.0])[0]
    if not whole:
        return None
    kept = {names: sums for names, sums in nodes.items() if sums[0] >= _LEAST_SHARE * whole}
    own = {names: sums[0] for names, sums in kept.items()}
    for names, sums in kept.items():
        if names:
            own[names[:-1]] -= sums[0]
    trace: Row = {
        "type": "icicle",
        "branchvalues": "remainder",  # rounded totals of parts may exceed that of the whole, which draws nothing
        "ids": [_identifier(names) for names in kept],
        "parents": [_identifier(names[:-1]) if names else "" for names in kept],
        "labels": [text(shortened(names[-1], _LABEL) if names else arguments["whole"]) for names in kept],
        "values": [max(0.0, value) for value in own.values()],
        "customdata": [_words(before, after) for _, before, after in kept.values()],
        "hovertemplate": "%{label}<br>%{customdata}<extra></extra>",
        "marker": {"colors": [_shade(before, after) for _, before, after in kept.values()]},
        "tiling": {"orientation": "v"},
        "leaf": {"opacity": 1},
        "sort": True,
    }
    return Plot([trace], {"margin": {"l": 8, "r": 8, "t": 8, "b": 8}}, 420)


def _identifier(names: tuple[str, ...]) -> str:
    return json.dumps(names)


def _words(before: float, after: float) -> str:
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
