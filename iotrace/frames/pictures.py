"""Curves drawn by Plotly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from iotrace.errors import UsageError

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import pyarrow as pa

MOST_POINTS = 1000
"""Of a line: more cannot be seen."""


def miss_ratios(curves: Mapping[str, pa.Table]) -> go.Figure:
    """Return a figure of curves (result key_curve) by their names: miss ratios over sizes, on a logarithmic axis."""
    import plotly.graph_objects as go

    if not curves:
        raise UsageError("there is no curve to draw")
    figure = go.Figure()
    for name, curve in curves.items():
        sizes, ratios = (curve[column].to_numpy() for column in ("size", "miss_ratio"))
        kept = _thinned(sizes)
        figure.add_scatter(
            x=sizes[kept].tolist(), y=ratios[kept].tolist(), name=name, mode="lines", line_shape="hv"
        )
    figure.update_layout(
        template="plotly_white",
        hovermode="x unified",
        xaxis={"title": "size of the cache (objects)", "type": "log"},
        yaxis={"title": "miss ratio", "rangemode": "tozero"},
        showlegend=True,
        margin={"l": 60, "r": 20, "t": 20, "b": 50},
    )
    return figure


def _thinned(sizes: np.ndarray) -> np.ndarray:
    """Return the places of at most `MOST_POINTS` sizes, evenly on a logarithmic axis, with both ends."""
    if len(sizes) <= MOST_POINTS:
        return np.arange(len(sizes))
    steps = np.geomspace(sizes[0], sizes[-1], MOST_POINTS - 1)
    return np.unique(np.r_[np.searchsorted(sizes, steps, "right") - 1, len(sizes) - 1])
