"""The cells of the paper's tables and figures: the printed values and ours."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.papers.biswas.memo import PaperMemo
from iotrace.papers.biswas.printed import PrintedRow, Table, tables


def cells(memos: Sequence[PaperMemo]) -> pa.Table:
    """Return table write_cache_cells: every cell of every table, for each trace that it can be compared with.

    A trace that is like a disk of the paper is compared with that one, any other with all; a cell that is compared
    with no trace has none, and no value of ours.
    """
    rows = [cell for table in tables() for row in table.rows for cell in _cells(table, row, memos)]
    return queries.result_table("write_cache_cells", rows)


def stands_beside(memo: PaperMemo, table: Table, row: PrintedRow) -> bool:
    """Whether a trace can be compared with a printed row."""
    if table.of == "four disks":
        return memo.subject.devices is not None
    like = memo.subject.like
    return like is None or like.name == row.disk


def _cells(table: Table, row: PrintedRow, memos: Sequence[PaperMemo]) -> list[dict[str, Any]]:
    compared: list[PaperMemo | None] = [memo for memo in memos if stands_beside(memo, table, row)]
    return [
        {
            "table": table.id_for(row.disk),
            "disk": row.disk,
            "policy": row.policy,
            "setting": row.setting,
            "metric": metric,
            "printed": row.printed[metric],
            "simulated": None if memo is None else memo.value(table, row, metric),
            "trace": None if memo is None else memo.subject.name,
        }
        for memo in compared or [None]
        for metric in table.metrics
    ]
