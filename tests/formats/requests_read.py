"""Block traces read without a store: their requests as dictionaries, and what the run tells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from iotrace import formats, schemas

Row = dict[str, Any]


def read(paths: Path | Sequence[Path], name: str | None = None) -> tuple[list[Row], dict[str, Any]]:
    """Return a trace's requests with the names of device, process and file, and the report of the run."""
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
    devices = {row["device"]: row["path"] for row in rows["file"] if row["kind"] == "device"}
    files_named = {row["file"]: row["path"] for row in rows["file"]}
    processes = {row["process"]: (row["pid"], row["program"]) for row in rows["process"]}
    for number, row in enumerate(rows["disk_io"]):
        assert row.pop("seq") == number
        row["device"] = devices[row["device"]]
        row["process"] = processes.get(row["process"])
        row["file"] = files_named.get(row["file"])
    return rows["disk_io"], run.report()


def places(rows: list[Row]) -> list[tuple[Any, ...]]:
    """Return when, what and where of requests."""
    return [(row["time_ns"], row["operation"], row["lbn"], row["blocks"]) for row in rows]
