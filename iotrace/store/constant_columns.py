"""Columns of views in which all rows have one value; batches of a table have few sizes, so that they are kept."""

from functools import lru_cache

import pyarrow as pa

SIZES = 8
"""How many columns are kept of each kind."""


@lru_cache(maxsize=SIZES)
def named(name: str, rows: int) -> pa.DictionaryArray:
    """Return a column of one name."""
    places = pa.repeat(pa.scalar(0, pa.int32()), rows)
    return pa.DictionaryArray.from_arrays(places, pa.array([name], pa.string()))


@lru_cache(maxsize=SIZES)
def unknown(kind: pa.DataType, rows: int) -> pa.Array:
    """Return a column of nulls."""
    return pa.nulls(rows, kind)


@lru_cache(maxsize=SIZES)
def zeros(rows: int) -> pa.Array:
    """Return a column of int64 that are 0."""
    return pa.repeat(pa.scalar(0, pa.int64()), rows)
