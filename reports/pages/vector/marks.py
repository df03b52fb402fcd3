"""The marks of each kind of trace of Plotly that charts draw: bars, lines, points, cells and icicles."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from iotrace.reports.pages.vector.axes import words
from iotrace.reports.pages.vector.colors import OTHER, paint

Row = dict[str, Any]
_DASHES = {"dot": ":", "dash": "--", "dashdot": "-.", "longdash": "--"}
_STEPS = {"hv": "steps-post", "vh": "steps-pre", "hvh": "steps-mid"}
_POINTS = {"circle": "o", "square": "s", "diamond": "D", "triangle-up": "^", "x": "x", "cross": "+"}
PIXELS_TO_POINTS = 0.75
LETTER = 0.0075
"""The width of a letter in an icicle, as a share of the page's."""


@dataclass
class Drawn:
    """Axes of matplotlib, the places of names on them, and how high bars and areas have been stacked."""

    axes: Any
    layout: Row
    names: tuple[Mapping[Any, int] | None, Mapping[Any, int] | None]
    grouped: int = 1
    """How many traces of bars stand beside each other."""
    group: int = 0
    stacked: dict[tuple[bool, float, bool], float] = field(default_factory=lambda: defaultdict(float))
    area: dict[float, float] = field(default_factory=lambda: defaultdict(float))
    before: tuple[list[float], list[float]] | None = None
    """The last line, to which an area may be filled."""

    def at(self, trace: Row, place: int) -> list[float]:
        """Return a trace's values on the first or second axis as numbers; None where there is none."""
        named, values = self.names[place], trace["xy"[place]]
        if named is not None:
            return [float(named[value]) for value in values]
        return [float("nan") if value is None else float(value) for value in values]


def line(drawn: Drawn, trace: Row, identifier: str) -> None:
    """Draw lines, points and the area below."""
    across, up = drawn.at(trace, 0), drawn.at(trace, 1)
    mode, style, marker = trace.get("mode", "lines"), trace.get("line", {}), trace.get("marker", {})
    shade = paint(style.get("color") if "lines" in mode else marker.get("color"))
    has_line = "lines" in mode and style.get("width", 2) > 0
    area = "" if has_line else identifier
    if trace.get("stackgroup"):
        lower = [drawn.area[x] for x in across]
        up = [low + y for low, y in zip(lower, up, strict=True)]
        drawn.area.update(zip(across, up, strict=True))
        _fill(drawn, trace, across, lower, up, area)
    elif trace.get("fill") == "tonexty" and drawn.before is not None and drawn.before[0] == across:
        _fill(drawn, trace, across, drawn.before[1], up, area)
    elif str(trace.get("fill", "")).startswith("toz"):
        _fill(drawn, trace, across, [0.0] * len(up), up, area)
    drawn.before = (across, up)
    if has_line:
        drawn.axes.plot(
            across,
            up,
            color=shade,
            linestyle=_DASHES.get(style.get("dash", ""), "-"),
            linewidth=PIXELS_TO_POINTS * style.get("width", 2) * 0.7,
            drawstyle=_STEPS.get(style.get("shape", ""), "default"),
            alpha=trace.get("opacity"),
            label=_label(trace),
            gid=identifier,
        )
    if "markers" in mode:
        _points(drawn, trace, across, up, "" if "lines" in mode else identifier)


def _points(drawn: Drawn, trace: Row, across: list[float], up: list[float], identifier: str) -> None:
    marker = trace.get("marker", {})
    size, color = marker.get("size", 6), marker.get("color")
    areas = [(PIXELS_TO_POINTS * one) ** 2 for one in (size if isinstance(size, list) else [size])]
    is_scale = isinstance(color, list) and all(isinstance(one, int | float) for one in color)
    shades = {"c": color, "cmap": _shades(marker.get("colorscale", []))} if is_scale else {}
    if not is_scale:
        shades = {"color": [paint(one) for one in color] if isinstance(color, list) else paint(color)}
    drawn.axes.scatter(
        across,
        up,
        s=areas if len(areas) > 1 else areas[0],
        marker=_POINTS.get(str(marker.get("symbol", "circle")), "o"),
        label=_label(trace) if identifier else None,
        gid=identifier or None,
        zorder=3,
        **shades,
    )


def _fill(
    drawn: Drawn, trace: Row, across: list[float], lower: list[float], upper: list[float], identifier: str
) -> None:
    step = {"hv": "post", "vh": "pre"}.get(trace.get("line", {}).get("shape", ""))
    shade = paint(trace.get("fillcolor", trace.get("line", {}).get("color")))
    alpha = 0.35 if trace.get("line", {}).get("width", 2) else 1
    drawn.axes.fill_between(
        across, lower, upper, step=step, color=shade, alpha=alpha, linewidth=0, gid=identifier or None,
        label=_label(trace) if identifier else None,
    )  # fmt: skip


def bars(drawn: Drawn, trace: Row, identifier: str) -> None:
    """Draw bars, upright or lying, on top of each other or beside each other."""
    is_lying = trace.get("orientation") == "h"
    places, lengths = drawn.at(trace, 1 if is_lying else 0), drawn.at(trace, 0 if is_lying else 1)
    lengths = [0.0 if length != length else length for length in lengths]
    steps = [
        after - place for place, after in zip(sorted(set(places)), sorted(set(places))[1:], strict=False)
    ]
    room = min(steps, default=1.0) * (1 - drawn.layout.get("bargap", 0.2))
    widths = trace.get("width", room)
    widths = [float(one) for one in widths] if isinstance(widths, list) else [float(widths)] * len(places)
    mode = drawn.layout.get("barmode", "group")
    if mode == "group" and drawn.grouped > 1:
        widths = [one / drawn.grouped for one in widths]
        shift = drawn.group - (drawn.grouped - 1) / 2
        places = [place + shift * width for place, width in zip(places, widths, strict=True)]
        drawn.group += 1
    bases = trace.get("base")
    bases = (
        [0.0] * len(places) if bases is None else bases if isinstance(bases, list) else [bases] * len(places)
    )
    if mode == "stack":
        for number, (place, length) in enumerate(zip(places, lengths, strict=True)):
            key = (is_lying, place, length >= 0)
            bases[number] += drawn.stacked[key]
            drawn.stacked[key] += length
    shades = trace.get("marker", {}).get("color")
    color = [paint(one) for one in shades] if isinstance(shades, list) else paint(shades)
    draw = drawn.axes.barh if is_lying else drawn.axes.bar
    sizes = {"height": widths, "left": bases} if is_lying else {"width": widths, "bottom": bases}
    length_name = "width" if is_lying else "height"
    boxes = draw(
        places, **{length_name: lengths}, **sizes, color=color, label=_label(trace), zorder=2, linewidth=0
    )
    for number, box in enumerate(boxes):
        box.set_gid(f"{identifier}-{number}")


def cells(drawn: Drawn, trace: Row, identifier: str) -> None:
    """Draw a map whose cells are as strong as their values."""
    values = [[float("nan") if one is None else float(one) for one in row] for row in trace["z"]]
    across, up = _edges(drawn.at(trace, 0), len(values[0])), _edges(drawn.at(trace, 1), len(values))
    drawn.axes.pcolormesh(
        across, up, values, cmap=_shades(trace.get("colorscale", [])), vmin=trace.get("zmin"), gid=identifier,
        rasterized=True,
    )  # fmt: skip


def icicle(drawn: Drawn, trace: Row, identifier: str) -> None:
    """Draw a tree: each part below what it is a part of, as wide as its sum."""
    own = dict(zip(trace["ids"], trace["values"], strict=True))
    children: dict[str, list[str]] = {}
    for name, parent in zip(trace["ids"], trace["parents"], strict=True):
        children.setdefault(parent, []).append(name)
    labels = dict(zip(trace["ids"], trace["labels"], strict=True))
    shades = dict(zip(trace["ids"], trace["marker"]["colors"], strict=True))
    sums: dict[str, float] = {}
    for name in reversed(trace["ids"]):
        sums[name] = own[name] + sum(sums[child] for child in children.get(name, ()))
    depth = 0
    rest = [(name, 0.0, 0) for name in children.get("", ())]
    while rest:
        name, left, level = rest.pop()
        depth = max(depth, level)
        drawn.axes.barh(
            -level, sums[name], height=0.96, left=left, color=paint(shades[name]), edgecolor="white",
            linewidth=0.4, gid=identifier,
        )  # fmt: skip
        label = words(labels[name])
        if sums[name] > LETTER * len(label) * max(sums.values()):
            drawn.axes.text(
                left + sums[name] / 2, -level, label, ha="center", va="center", fontsize=6, clip_on=True
            )
        for child in sorted(children.get(name, ()), key=lambda child: -sums[child]):
            rest.append((child, left, level + 1))
            left += sums[child]
    drawn.axes.set_axis_off()


KINDS: Mapping[str, Callable[[Drawn, Row, str], None]] = {
    "scatter": line,
    "bar": bars,
    "heatmap": cells,
    "icicle": icicle,
}


def _label(trace: Row) -> str | None:
    return words(trace["name"]) if trace.get("name") and trace.get("showlegend", True) else None


def _edges(centres: list[float], cells: int) -> list[float]:
    """Return the bounds of cells, which are given, or are around their centres."""
    if len(centres) > cells:
        return centres
    if len(centres) < 2:
        return [centres[0] - 0.5, centres[0] + 0.5]
    inner = [(before + after) / 2 for before, after in itertools.pairwise(centres)]
    return [2 * centres[0] - inner[0], *inner, 2 * centres[-1] - inner[-1]]


def _shades(scale: list[Any]) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    steps = [(float(place), paint(shade)) for place, shade in scale] or [(0.0, "#ffffff"), (1.0, OTHER)]
    return LinearSegmentedColormap.from_list("scale", steps)
