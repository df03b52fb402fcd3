"""The table of files that ``iotrace record`` notes beside a trace: path, size_bytes, interpreter."""

from __future__ import annotations

from pathlib import Path

KnownFiles = list[tuple[str, int | None, str | None]]


def read_known_files(path: Path | None) -> KnownFiles:
    """Return (path, size in bytes, interpreter) of each file noted; an empty list where there is no table."""
    if path is None:
        return []
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=["path", "size_bytes", "interpreter"])
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
