"""A store of a few references, for tests: only the tables and columns that caches look at."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from iotrace.schemas import schema

from iotrace.store.store import Store

Row = tuple[str, str, int, int, int, int | None]
"""type, operation, file, offset, length, file_size"""


def small_store(
    path: Path,
    rows: Sequence[Row],
    sizes: Mapping[int, int] | None = None,
    paths: Mapping[int, str] | None = None,
) -> Store:
    """Write table reference with `rows`, and tables file and process to match.

    `sizes` are the files' largest, by default those of the rows; `paths` are the files', ``/fN`` unless given.
    """
    names = ("type", "operation", "file", "offset", "length", "file_size")
    references = [dict(zip(names, row, strict=True), seq=seq, process=0) for seq, row in enumerate(rows)]
    files = max([*(sizes or ()), *(row[2] for row in rows)], default=-1) + 1
    path.mkdir()
    _write(path, "reference", references)
    _write(
        path,
        "file",
        [
            {
                "file": file,
                "path": (paths or {}).get(file, f"/f{file}"),
                "size_largest_bytes": _largest(rows, file) if sizes is None else sizes.get(file),
            }
            for file in range(files)
        ],
    )
    _write(path, "process", [{"process": 0, "program": "cc"}])
    return Store(path, {"tables": {"reference": len(rows), "file": files, "process": 1}})


def _largest(rows: Sequence[Row], file: int) -> int | None:
    return max((row[5] for row in rows if row[2] == file and row[5] is not None), default=None)


def _write(path: Path, name: str, rows: list[dict[str, object]]) -> None:
    described = pa.schema([field.with_nullable(True) for field in schema(name)])
    pq.write_table(pa.Table.from_pylist(rows, described), path / f"{name}.parquet")
