"""Common parts of all drawings: the plot, the types' names, text and colours.

Colours are names that the style sheet gives a value, one for light and one for dark. Text from the trace passes
through `text`, because Plotly reads marks of HTML in what it writes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from iotrace.reports.pages.escape import printable

from iotrace import units

Row = dict[str, Any]
Rows = list[Row]
Arguments = Mapping[str, Any]
PLURAL = {
    "inode": "inodes",
    "directory": "directories",
    "executable": "executables",
    "datafile": "datafiles",
    "disk": "disk blocks",
    "total": "all types",
}


@dataclass(frozen=True)
class Plot:
    """A drawing of Plotly: traces, a layout, and the height in pixels."""

    traces: Rows
    layout: Row
    height: int = 330
    choices: Rows = field(default_factory=list)
    """The choices of the reader: label, and update (what Plotly's restyle takes); the first is drawn."""


def text(name: str) -> str:
    """Write a name so that Plotly shows it as it is."""
    return printable(name).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def color(name: str) -> Row:
    """Name a colour of the style sheet."""
    return {"$": name}


def amount(value: float | None, unit: str) -> str:
    """Write a number with its unit."""
    if value is None:
        return "unknown"
    if unit == "percent":
        return units.percent(value)
    if unit == "per request":
        return f"{value:,.3g} {unit}"
    if unit == "s":
        return units.duration(1e9 * value)
    return units.size(value) if unit == "bytes" else f"{units.count(value)} {unit}"


def number(value: float | None) -> float:
    """Return the number, 0 if there is none."""
    return value or 0.0


def plotted(
    kind: str,
    x: Sequence[Any],
    y: Sequence[Any],
    shown: Sequence[str],
    hover: str = "%{customdata}",
    **others: Any,
) -> Row:
    """Return what Plotly draws as `kind` at x and y; a place's text is `shown` as the template `hover` has it."""
    texts = {"customdata": list(shown), "hovertemplate": f"{hover}<extra></extra>"}
    return {"type": kind, "x": list(x), "y": list(y), **texts, **others}


def dotted(value: float) -> Row:
    """Return a dotted line across the plot at a value of the vertical axis."""
    line = {"color": color("muted"), "width": 1, "dash": "dot"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": value, "y1": value, "line": line}


def layout(xaxis: Row, yaxis: Row, **others: Any) -> Row:
    """Return a layout of two axes."""
    return {"xaxis": xaxis, "yaxis": yaxis, **others}
