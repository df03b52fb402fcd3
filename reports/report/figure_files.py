"""The figures of a report as files for papers: SVG, PDF and the numbers as CSV."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
from iotrace.reports.pages.attempted import attempted
from iotrace.reports.pages.charts import registry
from iotrace.reports.pages.figures import Figure
from iotrace.reports.pages.tables import csv_text
from iotrace.reports.pages.vector import draw
from iotrace.reports.report.data import Evidence

WRITTEN = ("table", "capture", "facts")
"""Figures that are no drawings: they have their numbers only."""
ENDINGS = (*draw.ENDINGS, "csv")


def write(figures: Sequence[Figure], evidence: Evidence, folder: Path) -> tuple[list[Path], list[str]]:
    """Write each figure that has data; return the files, and a sentence for each that could not be drawn."""
    files: list[Path] = []
    failures: list[str] = []
    for figure in figures:
        table = evidence.tables[figure.id]
        if not table.num_rows:
            continue
        numbers = folder / f"{figure.id}.csv"
        numbers.write_text(csv_text(table), "utf-8")
        files.append(numbers)
        if figure.draw in WRITTEN:
            continue
        drawn, why = attempted(lambda figure=figure, table=table: _draw(figure, table, folder))  # type: ignore[misc]
        files += drawn or ()
        if why is not None:
            failures.append(f"{figure.id} could not be drawn: {why}")
    return files, failures


def _draw(figure: Figure, table: pa.Table, folder: Path) -> list[Path]:
    """Draw a figure; nothing where its chart shows nothing of these numbers."""
    arguments = dict(figure.arguments)
    if figure.lines:
        arguments["labels"] = [line.label for line in figure.lines]
    plot = registry.draw(figure.draw, table, arguments)
    if plot is None:
        return []
    draw.write(plot, figure.title, folder / figure.id, figure.wide)
    return [folder / f"{figure.id}.{ending}" for ending in draw.ENDINGS]
