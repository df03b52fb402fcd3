"""Key traces read without a store: their requests as dictionaries, and the run's remarks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tables_read import Row, read_tables


def requests(paths: Path | Sequence[Path], name: str | None = None) -> tuple[list[Row], dict[str, Any]]:
    """Return a trace's requests with their keys and tenants as the trace has them, and the report of the run."""
    rows, report = read_tables(paths, name)
    keys = {
        row["key"]: row["name"] if row["number"] is None else str(row["number"] % 2**64)
        for row in rows["key_name"]
    }
    tenants = {row["tenant"]: row["name"] for row in rows["tenant_name"]}
    assert list(tenants) == list(range(len(tenants)))
    paths_of = {row["file"]: row["path"] for row in rows["file"]}
    assert paths_of == keys and sorted(keys) == list(range(len(keys)))
    for number, row in enumerate(rows["key_io"]):
        assert row.pop("seq") == number
        row["key"] = keys[row["key"]]
        row["tenant"] = None if row["tenant"] is None else tenants[row["tenant"]]
    return rows["key_io"], report
