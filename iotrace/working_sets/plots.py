"""The figures of chapter 4 as one page of Plotly charts."""

from __future__ import annotations

from html import escape
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from iotrace.working_sets.figures import Figure, figures


def page(table: pa.Table, title: str) -> str:
    """Return a self-contained page with a chart, a title and a sentence for each figure of table
    cache_figures."""
    parts = [f"<!doctype html><meta charset='utf-8'><title>{escape(title)}</title><h1>{escape(title)}</h1>"]
    for number, id_ in enumerate(dict.fromkeys(table["figure"].to_pylist())):
        figure = figures()[id_]
        drawn = chart(table.filter(pc.equal(table["figure"], id_)), figure)
        parts.append(f"<h2>Figure {escape(id_)}: {escape(figure.title)}</h2><p>{escape(figure.sentence)}")
        parts.append(f" (Richardson 1994, {escape(figure.section)})</p>")
        parts.append(drawn.to_html(full_html=False, include_plotlyjs=number == 0))
    return "\n".join(parts)


def chart(rows: pa.Table, figure: Figure) -> Any:
    """Draw one figure's lines over the cache's size."""
    import plotly.graph_objects as go

    drawn = go.Figure()
    for line in dict.fromkeys(rows["line"].to_pylist()):
        mine = rows.filter(pc.equal(rows["line"], line))
        sizes = mine[f"size_{figure.size_unit}"].to_pylist()
        drawn.add_scatter(x=sizes, y=mine["value"].to_pylist(), name=escape(line), mode="lines+markers")
    drawn.update_layout(template="plotly_white", hovermode="x unified")
    drawn.update_xaxes(type="log", title=f"cache size ({figure.size_unit})", exponentformat="SI")
    drawn.update_yaxes(rangemode="tozero", tickformat=".0%")
    return drawn
