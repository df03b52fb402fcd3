"""Tables that are several files: partitions, which follow each other as the manifest lists them.

The manifest has the rows of each partition of such a table in ``partitions``; the files are ``TABLE.NUMBER.parquet``,
numbered from 0. All other tables are one file, ``TABLE.parquet``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError
from iotrace.files.remote import Place

KEY = "partitions"
"""The member of the manifest."""
APPENDED = "appended"
"""The member with the periods that were appended to a store (see `iotrace.store.appended`)."""
NUMBERED = "seq"
"""The column that numbers a table's rows from 0, by which partitions are known apart."""


def file_names(manifest: Mapping[str, Any], table: str) -> list[str]:
    """Return the names of the files of a stored table, in order."""
    rows = manifest.get(KEY, {}).get(table)
    return [f"{table}.parquet"] if rows is None else [file_name(table, place) for place in range(len(rows))]


def file_name(table: str, place: int) -> str:
    """Return the name of a partition's file."""
    return f"{table}.{place}.parquet"


def rows_of_files(manifest: Mapping[str, Any], table: str) -> list[int]:
    """Return how many rows each of these files has."""
    rows: list[int] = manifest.get(KEY, {}).get(table, [manifest["tables"][table]])
    return rows


def without(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest for a store in which each table is one file."""
    return {name: value for name, value in manifest.items() if name not in (KEY, APPENDED)}


def fault(manifest: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a manifest's entry; None if it fits the tables."""
    for table, rows in manifest.get(KEY, {}).items():
        count = manifest["tables"].get(table)
        if count is None or table in manifest.get("views", {}):
            return f"{KEY}.{table} is of no table that is stored"
        if not rows or sum(rows) != count:
            return f"{KEY}.{table} has {sum(rows):,} rows, and table {table} has {count:,}"
    return None


def check_alone(store: Path, manifest: Mapping[str, Any]) -> None:
    """Raise IotraceError for files in a store's folder that are partitions of its tables, and are not listed.

    Others that read the folder would take their rows for the trace's.
    """
    if not manifest.get(KEY):
        return
    listed = {name for table in manifest[KEY] for name in file_names(manifest, table)}
    for table in manifest[KEY]:
        further = [path.name for path in store.glob(f"{table}.*parquet") if path.name not in listed]
        if further:
            raise IotraceError(
                f"{store}: {min(further)} is not a partition that manifest.json lists; remove it, or ingest the trace"
                " again"
            )


def check_place(file: Place, metadata: Any, first: int) -> None:
    """Raise IotraceError where the rows of a partition are not numbered from ``first`` on: it is another one.

    ``metadata`` is the Parquet file's; files without statistics are not checked.
    """
    names = [metadata.schema.column(place).name for place in range(metadata.num_columns)]
    if NUMBERED not in names:
        return
    column, expected = names.index(NUMBERED), first
    for group in range(metadata.num_row_groups):
        rows, known = metadata.row_group(group).num_rows, metadata.row_group(group).column(column).statistics
        if (
            known is not None
            and known.has_min_max
            and (known.min, known.max) != (expected, expected + rows - 1)
        ):
            raise IotraceError(
                f"{file.parent}: {file.name} begins with row {known.min:,}, where row {expected:,} belongs: it is"
                " another partition, there twice or in the wrong place; ingest the trace again"
            )
        expected += rows
