"""Curves as a Plotly figure: miss ratios over the cache's size."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from iotrace import units
from iotrace.locality.ratios import ratio

LINES = {
    "read_request_miss_ratio": ("read requests", "solid"),
    "write_request_miss_ratio": ("write requests", "dash"),
    "request_miss_ratio": ("all requests", "dot"),
}


def figure(curves: pa.Table, title: str, by: str | None = None) -> Any:
    """Draw request miss ratios over size, a step for each row; with ``by``, a line for each component's
    requests."""
    import plotly.graph_objects as go

    drawn = go.Figure()
    if by is None:
        for name, (label, dash) in LINES.items():
            _add(drawn, curves, name, label, dash)
    else:
        values = curves[by].to_pylist()
        for value in dict.fromkeys(values):
            rows = curves.filter(pa.array([other == value for other in values]))
            _add(drawn, rows, "request_miss_ratio", str(value), "solid")
    drawn.update_layout(title=_escaped(title), hovermode="x unified", template="plotly_white")
    sizes = curves["size_bytes"].to_pylist()
    marks = [2**power for power in range(*_powers(min(sizes), max(sizes)))] if sizes else []
    drawn.update_xaxes(
        type="log", title="cache size", tickvals=marks, ticktext=[units.size(mark) for mark in marks]
    )
    drawn.update_yaxes(rangemode="tozero", tickformat=".0%", title="misses per request")
    return drawn


def _powers(least: int, most: int) -> tuple[int, int, int]:
    """Return the powers of two to mark between two sizes: the first, the end, and a step that leaves ten at most."""
    first, last = (least - 1).bit_length(), most.bit_length()
    return first, last, max(1, -(-(last - first) // 10))


def _add(drawn: Any, rows: pa.Table, name: str, label: str, dash: str) -> None:
    drawn.add_scatter(
        x=rows["size_bytes"].to_pylist(),
        y=ratio(rows, name).to_pylist(),
        name=_escaped(label),
        line={"shape": "hv", "dash": dash},
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
