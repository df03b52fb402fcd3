"""Curves as a Plotly figure: miss ratios over the cache's size."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

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
    drawn.update_xaxes(type="log", dtick=0.30102999566398114, title="cache size (bytes)", exponentformat="SI")
    drawn.update_yaxes(rangemode="tozero", tickformat=".0%", title="misses per request")
    return drawn


def _add(drawn: Any, rows: pa.Table, name: str, label: str, dash: str) -> None:
    drawn.add_scatter(
        x=rows["size_bytes"].to_pylist(),
        y=ratio(rows, name).to_pylist(),
        name=_escaped(label),
        line={"shape": "hv", "dash": dash},
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
