"""Traces read without a store: their tables as dictionaries, and the run's remarks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from iotrace import formats, schemas
from iotrace.errors import IotraceError
from iotrace.formats.format import Run

Row = dict[str, Any]


def read_tables(
    paths: Path | Sequence[Path], name: str | None = None
) -> tuple[dict[str, list[Row]], dict[str, Any]]:
    """Return the rows of each table that a trace becomes, and the report of the run."""
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
    return rows, run.report()


def everything(run: Run) -> tuple[dict[str, list[Row]], dict[str, Any]]:
    """Return the rows of each table of a run, and its report; the error of one that gives none."""
    made: dict[str, list[Row]] = {}
    try:
        while (batches := run.next()) is not None:
            for table, batch in batches:
                batch.validate(full=True)
                rows = pa.Table.from_batches([batch.select(schemas.schema(table).names)]).to_pylist()
                made.setdefault(table, []).extend(rows)
    except IotraceError as error:
        return {}, {"error": str(error)}
    return made, run.report()
