"""Batches of a table, in the types of its schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iotrace import schemas
from iotrace.libraries import np, pa


def of_columns(name: str, columns: Mapping[str, pa.Array]) -> pa.RecordBatch:
    """Return a batch of a table, of its columns by name, each cast to its type; names become dictionaries."""
    schema = schemas.schema(name)
    return pa.RecordBatch.from_arrays(
        [_in_type(columns[field.name], field.type) for field in schema], schema=schema
    )


def _in_type(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind) and not pa.types.is_dictionary(column.type):
        column = column.cast(pa.string()).dictionary_encode()
    return column.cast(kind)


def of_rows(name: str, rows: Sequence[Mapping[str, Any]]) -> pa.RecordBatch:
    """Return a batch of a table, of its rows; what a row lacks is null."""
    return of_columns(
        name, {field.name: pa.array([row.get(field.name) for row in rows]) for field in schemas.schema(name)}
    )


def running(start: int, count: int) -> pa.Array:
    """Return ``count`` consecutive numbers from ``start`` on."""
    return pa.array(np.arange(start, start + count, dtype=np.int64))
