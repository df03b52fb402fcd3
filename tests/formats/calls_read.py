"""Parallel traces read without a store: their calls as dictionaries, and the run's remarks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tables_read import Row, read_tables


def read_calls(paths: Path | Sequence[Path], name: str | None = None) -> tuple[list[Row], dict[str, Any]]:
    """Return a trace's calls with ranks and files' names for the numbers, and the report of the run."""
    rows, report = read_tables(paths, name)
    paths_of = {row["file"]: row["path"] for row in rows["file"]}
    ranks = {row["process"]: row["pid"] for row in rows["process"]}
    for number, row in enumerate(rows["parallel_io"]):
        assert row.pop("seq") == number
        row["process"] = ranks.get(row["process"])
        row["file"] = paths_of.get(row["file"])
    return rows["parallel_io"], report


def reported(rows: Sequence[Row], *names: str) -> list[tuple[Any, ...]]:
    """Return some columns of calls."""
    return [tuple(row[name] for name in names) for row in rows]
