"""The cells of the paper's tables, printed and simulated, and the points of its figures' curves."""

from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.papers.kotz.memo import PaperMemo, Point, curve_points
from iotrace.papers.kotz.printed import Cell, figures, overheads, tables

WITHIN = 0.10
"""How far the calibrated preset may be off a printed cell."""


def cells(memo: PaperMemo) -> pa.Table:
    """Return table parallel_paper_cells: every cell of both tables, with each of the overheads."""
    all_cells = [cell for table in tables() for cell in table.cells]
    rows = [_cell(memo, cell, overhead) for overhead in overheads() for cell in all_cells]
    return queries.result_table("parallel_paper_cells", rows)


def _cell(memo: PaperMemo, cell: Cell, overhead: str) -> dict[str, Any]:
    simulated = memo.cell(cell, overhead)
    counts = {
        name: simulated[name]
        for name in ("cv", "disk_reads", "disk_writes", "hit_ratio", "rewrites", "rereads")
    }
    return {
        "overhead": overhead,
        "table": cell.table,
        "pattern": cell.pattern.value,
        "record": cell.record.id,
        "cache": cell.cache,
        "printed_s": cell.printed_s,
        "simulated_s": simulated["execution_s"],
        "error": simulated["execution_s"] / cell.printed_s - 1,
    } | counts


def points(memo: PaperMemo) -> pa.Table:
    """Return table parallel_paper_points: every point of the figures' curves, with the calibrated overheads."""
    rows = [_point(memo, point) for figure in figures() for point in curve_points(figure)]
    return queries.result_table("parallel_paper_points", rows)


def _point(memo: PaperMemo, point: Point) -> dict[str, Any]:
    simulated = memo.point(point)
    names = ("buffers", "execution_s", "cv", "ideal_s", "disk_reads", "disk_writes", "rewrites", "rereads")
    return {
        "figure": point.figure.id,
        "pattern": point.figure.pattern.value,
        "computing": point.figure.computing,
        "policy": point.policy,
        "record_blocks": point.value if point.figure.along == "record" else 1.0,
    } | {name: simulated[name] for name in names}
