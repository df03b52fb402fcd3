"""Columns as NumPy's integers, and table program from them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import schemas

Integers = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]

OPERATIONS = ("read", "write", "sync_write", "compute", "open", "close")
"""Of table program, by their codes here."""
READ, WRITE, SYNC_WRITE, COMPUTE, OPEN, CLOSE = range(6)


def program_table(columns: dict[str, Any], rows: int) -> pa.Table:
    """Return table program of these columns; those not given are null."""
    schema = schemas.schema("program")
    arrays = []
    for field in schema:
        values = columns.get(field.name)
        if field.name == "operation":
            codes = pa.array(np.asarray(values).astype(np.int32))
            arrays.append(pa.DictionaryArray.from_arrays(codes, pa.array(OPERATIONS)))
        elif values is None:
            arrays.append(pa.nulls(rows, field.type))
        else:
            column = values if isinstance(values, pa.ChunkedArray) else pa.array(values)
            arrays.append(column.cast(field.type))
    return pa.table(arrays, schema=schema)


def operations(taken: pa.Table) -> Integers:
    """Return the operation of each record, by its place in OPERATIONS; a synchronous write is a sync_write."""
    texts = taken["flags"]
    plain = texts.cast(pa.string()) if pa.types.is_dictionary(texts.type) else texts
    is_forced = flags(pc.fill_null(pc.match_substring(plain, "synchronous"), False))
    operation = codes(taken["operation"], OPERATIONS)
    return np.where(is_forced & (operation == WRITE), SYNC_WRITE, operation)


def codes(column: pa.ChunkedArray, values: Sequence[str]) -> Integers:
    """Return which of the words each value is; -1 for none of them."""
    plain = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
    return integers(pc.index_in(plain, pa.array(values, pa.string())), -1)


def integers(column: pa.ChunkedArray, missing: int) -> Integers:
    """Return a column with a value in place of nulls."""
    values: Integers = pc.fill_null(column, missing).to_numpy().astype(np.int64)
    return values


def flags(column: pa.ChunkedArray) -> Flags:
    """Return a column of truths without nulls."""
    values: Flags = column.to_numpy().astype(np.bool_)
    return values
