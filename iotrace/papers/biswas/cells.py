"""The cells of the paper's tables and figures: the printed values beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.papers.biswas.printed import Row, Table, tables
from iotrace.papers.biswas.study import Study


def cells(studies: Sequence[Study]) -> pa.Table:
    """Return table write_cache_cells: every cell of every table, for each trace that it can be set beside.

    A trace that is like a disk of the paper stands beside that one, any other beside all; a cell beside which no
    trace stands has none, and no value of ours.
    """
    rows = [cell for table in tables() for row in table.rows for cell in _cells(table, row, studies)]
    return pa.Table.from_pylist(rows, schema=queries.table_schema("write_cache_cells"))


def stands_beside(study: Study, table: Table, row: Row) -> bool:
    """Whether a trace can be set beside a printed row."""
    if table.of == "four disks":
        return study.subject.devices is not None
    like = study.subject.like
    return like is None or like.name == row.disk


def _cells(table: Table, row: Row, studies: Sequence[Study]) -> list[dict[str, Any]]:
    beside: list[Study | None] = [study for study in studies if stands_beside(study, table, row)]
    return [
        {
            "table": table.id_for(row.disk),
            "disk": row.disk,
            "policy": row.policy,
            "setting": row.setting,
            "metric": metric,
            "printed": row.printed[metric],
            "simulated": None if study is None else study.value(table, row, metric),
            "trace": None if study is None else study.subject.name,
        }
        for study in beside or [None]
        for metric in table.metrics
    ]
