"""The cells of tables 1 and 2, printed and by the components, and the values of the figures."""

from functools import cache
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.papers import data
from iotrace.papers.vilayannur.memo import PaperMemo, values
from iotrace.simulate.cluster.costs import (
    IODS,
    KB,
    SIZES_KB,
    Components,
    CostRow,
    printed,
    required_by_table,
)

NS_PER_MS = 1_000_000
HUNDREDTHS = 100
REQUIRED = "Required HR"


def cells(components: Components) -> pa.Table:
    """Return table cluster_cells: 196 times in milliseconds, and 28 required hit ratios from the printed times."""
    rows = [cell for table in ("1", "2") for iods in IODS for cell in _block(table, iods, components)]
    return queries.result_table("cluster_cells", rows)


def figure_values(memo: PaperMemo) -> pa.Table:
    """Return table cluster_figures: the required hit ratios of figure 2, then what was simulated."""
    per = "per file" if memo.global_per_file else "total"
    rows = [
        {
            "figure": "2",
            "panel": "required hit ratio",
            "scheme": daemons(iods),
            "place": float(size),
            "metric": "required_hit_ratio",
            "value": required_by_table(iods, size) / HUNDREDTHS,
            "global_cache": "none",
            "imitation": False,
        }
        for iods in IODS
        for size in SIZES_KB
    ]
    rows += [
        {
            "figure": figure.id,
            "panel": point.panel,
            "scheme": point.scheme,
            "place": point.place,
            "metric": metric,
            "value": value,
            "global_cache": per,
            "imitation": point.panel in memo.imitations,
        }
        for figure in memo.figures
        for point, metric, value in values(memo, figure)
    ]
    return queries.result_table("cluster_figures", rows)


@cache
def printed_required() -> dict[tuple[int, int], float]:
    """Return the row of required hit ratios of table 1 as it is printed, by daemons and kilobytes."""
    rows = data.published("vilayannur", "required_hit_ratios")
    return {(int(row["iods"]), int(row["request_kb"])): float(row["required_hr"]) for row in rows}


def _block(table: str, iods: int, components: Components) -> list[dict[str, Any]]:
    """Return the rows of a table for a number of daemons, as it has them one under the other."""
    cells = [
        _cell(
            table,
            f"{daemons(iods)}, {row.label}",
            size,
            printed()[row, iods, size] / HUNDREDTHS,
            components.time_ns(row, size * KB, iods) / NS_PER_MS,
        )
        for row in CostRow
        if row.table == table
        for size in SIZES_KB
    ]
    if table == "1":
        cells += [
            _cell(
                table,
                f"{daemons(iods)}, {REQUIRED}",
                size,
                printed_required()[iods, size],
                required_by_table(iods, size) / HUNDREDTHS,
            )
            for size in SIZES_KB
        ]
    return cells


def daemons(iods: int) -> str:
    """Say a number of daemons."""
    return f"{iods} IOD" if iods == 1 else f"{iods} IODs"


def _cell(table: str, row: str, size_kb: int, known: float, model: float) -> dict[str, Any]:
    column, error = f"{size_kb}K", model / known - 1
    return {"table": table, "row": row, "column": column, "printed": known, "model": model, "error": error}
