"""A store of a few references, for tests: only the tables and columns that caches look at."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from iotrace.schemas import schema

from iotrace.store.store import Store

Row = tuple[str, str, int, int, int, int]
"""type, operation, file, offset, length, file_size"""


def small_store(path: Path, rows: list[Row], sizes: dict[int, int]) -> Store:
    """Write table reference with `rows`, and table file with the largest size of each file."""
    names = ("type", "operation", "file", "offset", "length", "file_size")
    path.mkdir()
    write(
        path,
        "reference",
        [dict(zip(names, row, strict=True), seq=seq, process=0) for seq, row in enumerate(rows)],
    )
    files = 1 + max([*sizes, *(file for _, _, file, *_ in rows)])
    write(path, "file", [{"file": file, "size_largest_bytes": sizes.get(file)} for file in range(files)])
    write(path, "process", [{"process": 0}])
    return Store(path, {"tables": {"reference": len(rows), "file": files, "process": 1}})


def write(path: Path, name: str, rows: list[dict[str, object]]) -> None:
    described = pa.schema([field.with_nullable(True) for field in schema(name)])
    pq.write_table(pa.Table.from_pylist(rows, described), path / f"{name}.parquet")
