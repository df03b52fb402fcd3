"""A chart's drawing by matplotlib: its size for a paper, its axes, and the files."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from iotrace.reports.pages.charts.plot import Plot
from iotrace.reports.pages.vector import axes as axes_of
from iotrace.reports.pages.vector.colors import paint
from iotrace.reports.pages.vector.marks import KINDS, Drawn

from iotrace.errors import IotraceError

INCHES, WIDE_INCHES = 4.2, 7.0
"""The widths of figures: of a column and a half, and of a page."""
PIXELS_AN_INCH = 130
"""Of the heights of drawings on pages."""
DOTS_AN_INCH = 150
"""Of PNG."""
TO_INSTALL = "--figures needs the package matplotlib: pip install 'iotrace-toolkit[figures]'"
ENDINGS = ("svg", "pdf")
_SETTINGS = {
    "font.size": 7.5,
    "font.family": ["sans-serif"],
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "path.simplify": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "iotrace",
    "pdf.fonttype": 42,
}


def refuse_without_library() -> None:
    """Raise IotraceError where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise IotraceError(TO_INSTALL)


def write(plot: Plot, title: str, place: Path, is_wide: bool = False) -> None:
    """Write a drawing as SVG and PDF; `place` is the name without its ending."""
    from matplotlib import rc_context

    with rc_context(_SETTINGS):
        figure = drawing(plot, is_wide)
        for ending in ENDINGS:
            dates = {"Date": None} if ending == "svg" else {"CreationDate": None}
            figure.savefig(
                place.with_name(f"{place.name}.{ending}"),
                bbox_inches="tight",
                metadata={"Title": title, **dates},
            )


def save(plot: Plot, place: Path, form: str) -> None:
    """Write a drawing as PNG, SVG or PDF; raises IotraceError where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise IotraceError(TO_INSTALL.replace("--figures", "a picture"))
    from matplotlib import rc_context

    with rc_context(_SETTINGS):
        drawing(plot, is_wide=True).savefig(place, format=form, bbox_inches="tight", dpi=DOTS_AN_INCH)


def drawing(plot: Plot, is_wide: bool = False) -> Any:
    """Return a drawing as a figure of matplotlib; trace N has the identifier trace-N, of bars trace-N-B."""
    from matplotlib.figure import Figure

    width = WIDE_INCHES if is_wide else INCHES
    figure = Figure(figsize=(width, plot.height / PIXELS_AN_INCH))
    pairs: dict[axes_of.Names, list[tuple[int, axes_of.Row]]] = {}
    for number, trace in enumerate(plot.traces):
        pairs.setdefault(axes_of.names_of(trace), []).append((number, trace))
    lowest = {
        names[0]: names[1] for names in sorted(pairs, key=lambda names: -axes_of.place(plot.layout, names)[1])
    }
    for names, numbered in pairs.items():
        axes = _pair(figure, plot.layout, names, numbered)
        if lowest[names[0]] != names[1]:  # one axis below several drawings has its marks once
            axes.tick_params(axis="x", labelbottom=False)
            axes.set_xlabel("")
    _annotate(figure, plot.layout)
    _legend(figure, plot)
    return figure


def _pair(
    figure: Any, layout: axes_of.Row, names: axes_of.Names, numbered: list[tuple[int, axes_of.Row]]
) -> Any:
    """Draw the traces of one pair of axes, and return matplotlib's."""
    traces = [trace for _, trace in numbered]
    axes = figure.add_axes(axes_of.place(layout, names))
    named = tuple(
        axes_of.categories(traces, letter, layout.get(name, {}))
        for letter, name in zip("xy", names, strict=True)
    )
    bars = sum(trace["type"] == "bar" for trace in traces)
    drawn = Drawn(axes, layout, (named[0], named[1]), grouped=bars)
    for number, trace in numbered:
        KINDS[trace["type"]](drawn, trace, f"trace-{number}")
    for letter, name, places in zip("xy", names, named, strict=True):
        axes_of.arrange(axes, letter, layout.get(name, {}), places)
    for shape in layout.get("shapes", ()):
        style = {"color": paint(shape["line"].get("color")), "linewidth": 0.6, "linestyle": ":"}
        if shape.get("xref") == "paper":
            axes.axhline(shape["y0"], **style)
        elif shape.get("yref") == "paper":
            axes.axvline(shape["x0"], **style)
    return axes


def _annotate(figure: Any, layout: axes_of.Row) -> None:
    for note in layout.get("annotations", ()):
        if note.get("xref") == "paper" and note.get("yref") == "paper":
            up = note["y"] + note.get("yshift", 0) / 400
            figure.text(note["x"], up, axes_of.words(note["text"]), ha=note.get("xanchor", "center"))


def _legend(figure: Any, plot: Plot) -> None:
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if plot.layout.get("showlegend", len(handles) > 1) and handles:
        figure.legend(
            handles.values(),
            handles.keys(),
            loc="lower left",
            bbox_to_anchor=(0, 1.02),
            ncols=min(4, len(handles)),
            frameon=False,
        )
