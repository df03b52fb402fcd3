"""Block traces read without a store: their requests as dictionaries, and the run's remarks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tables_read import Row, read_tables


def read(paths: Path | Sequence[Path], name: str | None = None) -> tuple[list[Row], dict[str, Any]]:
    """Return a trace's requests with the names of device, process and file, and the report of the run."""
    rows, report = read_tables(paths, name)
    devices = {row["device"]: row["path"] for row in rows["file"] if row["kind"] == "device"}
    files_named = {row["file"]: row["path"] for row in rows["file"]}
    processes = {row["process"]: (row["pid"], row["program"]) for row in rows["process"]}
    for number, row in enumerate(rows["disk_io"]):
        assert row.pop("seq") == number
        row["device"] = devices[row["device"]]
        row["process"] = processes.get(row["process"])
        row["file"] = files_named.get(row["file"])
    return rows["disk_io"], report


def places(rows: list[Row]) -> list[tuple[Any, ...]]:
    """Return when, what and where of requests."""
    return [(row["time_ns"], row["operation"], row["lbn"], row["blocks"]) for row in rows]
