"""Parallel traces read without a store: their calls as dictionaries, and what the run tells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from iotrace import formats, schemas

Row = dict[str, Any]


def read_calls(paths: Path | Sequence[Path], name: str | None = None) -> tuple[list[Row], dict[str, Any]]:
    """Return a trace's calls with ranks and files' names for the numbers, and the report of the run."""
    files = [paths] if isinstance(paths, Path) else list(paths)
    run = formats.source(files, name).start(files, {}, "time", None)
    tables: dict[str, list[pa.RecordBatch]] = {table: [] for table in run.tables()}
    while (batches := run.next()) is not None:
        for table, batch in batches:
            batch.validate(full=True)
            tables[table].append(batch)
    rows = {
        table: pa.Table.from_batches(made, schemas.schema(table)).to_pylist()
        for table, made in tables.items()
    }
    paths_of = {row["file"]: row["path"] for row in rows["file"]}
    ranks = {row["process"]: row["pid"] for row in rows["process"]}
    for number, row in enumerate(rows["parallel_io"]):
        assert row.pop("seq") == number
        row["process"] = ranks.get(row["process"])
        row["file"] = paths_of.get(row["file"])
    return rows["parallel_io"], run.report()


def told(rows: Sequence[Row], *names: str) -> list[tuple[Any, ...]]:
    """Return some columns of calls."""
    return [tuple(row[name] for name in names) for row in rows]
