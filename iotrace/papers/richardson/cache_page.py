"""The page of figures 4.1 to 4.15 for one trace (Richardson 1994, chapter 4)."""

from __future__ import annotations

import pyarrow as pa

from iotrace.papers.richardson.cache_figures import figures
from iotrace.reports.pages.curve import line_table, page_of
from iotrace.reports.pages.figures import Figure


def page(table: pa.Table, name: str) -> str:
    """Return the page of table cache_figures: a drawing for each figure."""
    rows = table.to_pylist()
    drawn = []
    for number, id_ in enumerate(dict.fromkeys(row["figure"] for row in rows)):
        described = figures()[id_]
        own = [(row["line"], row["size_bytes"], row["value"]) for row in rows if row["figure"] == id_]
        figure = Figure(
            f"figure_{number}",
            "curves",
            f"Figure {id_}: {described.title}",
            described.sentence,
            "over_sizes",
            table=f"figure_{number}",
            source=f"Richardson 1994, {described.section}",
            wide=True,
        )
        drawn.append((figure, line_table(own)))
    return page_of(name, "What do caches of each size do?", "Figures of chapter 4, for this trace.", drawn)
