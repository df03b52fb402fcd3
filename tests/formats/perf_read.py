"""Logs of perf read without a store: the rows of table syscall, and the run's report."""

from pathlib import Path
from typing import Any

from iotrace import formats


def calls(
    folder: Path, content: bytes, form: str | None = None
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    path = folder / "log"
    path.write_bytes(content)
    run = formats.source([path], form).start([path], {}, "time", None)
    rows: list[dict[str, Any]] = []
    while (batches := run.next()) is not None:
        rows += (row for table, batch in batches if table == "syscall" for row in batch.to_pylist())
    return sorted(rows, key=lambda row: row["seq"]), run.report()


def shown(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in ("call", *names)) for row in rows]
