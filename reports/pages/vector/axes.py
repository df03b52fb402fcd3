"""Axes of a drawing: where each lies, its scale, its limits and its marks."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from iotrace.reports.pages.vector.colors import paint

Row = dict[str, Any]
Names = tuple[str, str]
"""The names of a trace's axes in the layout."""


def names_of(trace: Row) -> Names:
    """Return the names of a trace's axes."""
    return tuple(  # type: ignore[return-value]
        f"{letter}axis" + str(trace.get(f"{letter}axis", letter)).removeprefix(letter) for letter in "xy"
    )


def place(layout: Row, names: Names) -> tuple[float, float, float, float]:
    """Return left, bottom, width and height of a pair of axes, as parts of the whole."""
    (left, right), (bottom, top) = (layout.get(name, {}).get("domain", (0, 1)) for name in names)
    return left, bottom, right - left, top - bottom


def words(text: str) -> str:
    """Return a text for matplotlib: without Plotly's marks of HTML, and with `$`, which begins a formula, escaped."""
    return html.unescape(text.replace("<br>", "\n")).replace("$", r"\$")


def categories(traces: Sequence[Row], letter: str, axis: Row) -> Mapping[Any, int] | None:
    """Return the places of the names on an axis of categories; None on one of numbers."""
    values = [value for trace in traces for value in trace.get(letter, ())]
    if axis.get("type") != "category" and not any(isinstance(value, str) for value in values):
        return None
    return {value: number for number, value in enumerate(dict.fromkeys(values))}


def arrange(axes: Any, letter: str, axis: Row, named: Mapping[Any, int] | None) -> None:
    """Give one direction of matplotlib's axes its scale, limits, marks and title, after all is drawn."""
    limits, scale = getattr(axes, f"set_{letter}lim"), getattr(axes, f"set_{letter}scale")
    ticks, labels = getattr(axes, f"set_{letter}ticks"), getattr(axes, f"set_{letter}ticklabels")
    is_log = axis.get("type") == "log"
    if is_log:
        scale("log")
        ticks([], minor=True)
    if title := axis.get("title", {}).get("text"):
        getattr(axes, f"set_{letter}label")(words(title))
    if named is not None:
        ticks(range(len(named)))
        labels([words(str(value)) for value in named])
        limits(-0.5, max(len(named) - 0.5, 0.5))
    elif axis.get("tickvals"):
        marks: list[Any] = axis["tickvals"]
        ticks(marks)
        labels([words(str(mark)) for mark in axis.get("ticktext", marks)])
    elif not is_log:
        suffix = words(axis.get("ticksuffix", ""))
        getattr(axes, f"{letter}axis").set_major_formatter(lambda value, _: f"{value:,.10g}{suffix}")
    if bounds := axis.get("range"):
        limits(*(10**bound if is_log else bound for bound in bounds))
    elif axis.get("rangemode") == "tozero" and not is_log and named is None:
        low, high = sorted(getattr(axes, f"get_{letter}lim")())
        first, last = getattr(axes.dataLim, f"interval{letter}")
        limits(low if first < 0 else 0, high if last > 0 else 0)
    if axis.get("autorange") == "reversed":
        getattr(axes, f"invert_{letter}axis")()
    if axis.get("showgrid", True) and axis.get("visible", True):
        axes.grid(True, axis=letter, color=paint({"$": "rule"}), linewidth=0.5)
    getattr(axes, f"{letter}axis").set_visible(axis.get("visible", True))
