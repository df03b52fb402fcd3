"""Keys from whatever holds them, as Arrow arrays of unsigned 64-bit numbers of which equal ones are equal keys."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace.analysis.curves.keys import unsigned
from iotrace.errors import IotraceError, UsageError

WHAT_KEYS_ARE = "keys are integers or text"
KEY = "key"
"""The column of keys, where there are several and none is named."""


def numbers_of(keys: Any, name: str | None = None) -> Iterator[pa.Array]:
    """Yield the keys in order, array by array, each as numbers; text is numbered in the order of first sight.

    ``keys`` is a column: an array of NumPy, anything with Arrow's C interface (an array, a series, or a table, data
    frame or relation), a pandas series, a lazy frame of polars, a list, or an iterator of such parts. Of several
    columns, ``key`` has the keys, unless another `name` is given. Raises UsageError for what is not a column of
    integers or text, and IotraceError for nulls.
    """
    column = column_of(keys, name)
    if isinstance(column, Iterator):
        for part in column:
            yield from numbers_of(part, name)
    else:
        yield from _parts(column)


def numbered(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of keys as numbers; raises as `numbers_of`."""
    return pa.chunked_array(list(_parts(column)), pa.uint64())


def _parts(column: pa.ChunkedArray) -> Iterator[pa.Array]:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_null(kind) and not len(column):
        return
    if pa.types.is_integer(kind):
        plain = column.cast(kind) if pa.types.is_dictionary(column.type) else column
        yield from unsigned(plain)
    elif is_text(kind):
        yield _numbered(column)
    else:
        raise UsageError(f"{WHAT_KEYS_ARE}, not {kind}")


def column_of(keys: Any, name: str | None = None) -> pa.ChunkedArray | Iterator[Any]:
    """Return keys as a column of Arrow, or as an iterator of its parts; raises as `numbers_of`."""
    keys = _collected(keys)
    if isinstance(keys, Iterator):
        return keys
    if isinstance(keys, (pa.ChunkedArray, pa.Array)):
        return keys if isinstance(keys, pa.ChunkedArray) else pa.chunked_array([keys])
    if isinstance(keys, np.ndarray):
        return pa.chunked_array([_of_numpy(keys)])
    if hasattr(keys, "__arrow_c_array__"):
        return pa.chunked_array([pa.array(keys)])
    if hasattr(keys, "__arrow_c_stream__"):
        return _of_stream(keys, name)
    if hasattr(keys, "to_numpy"):  # a series of pandas before 3
        return column_of(keys.to_numpy())
    if isinstance(keys, Sequence) and not isinstance(keys, (str, bytes)):
        try:
            return pa.chunked_array([pa.array(keys)])
        except (pa.ArrowException, OverflowError) as error:
            raise UsageError(f"{WHAT_KEYS_ARE}: {error}") from None
    raise UsageError(f"{WHAT_KEYS_ARE} in a column, not {type(keys).__name__}")


def table_of(rows: Any) -> pa.Table:
    """Return a table, data frame or relation as a table of Arrow; raises UsageError for what is none."""
    rows = _collected(rows)
    if not hasattr(rows, "__arrow_c_stream__"):
        raise UsageError(f"rows are a table, a data frame or a relation, not {type(rows).__name__}")
    try:
        return pa.table(rows)
    except (pa.ArrowException, TypeError) as error:
        raise UsageError(f"rows are a table, a data frame or a relation: {error}") from None


def _collected(rows: Any) -> Any:
    """Return what a lazy frame of polars gives; anything else as it is."""
    return rows.collect() if hasattr(rows, "collect_schema") and hasattr(rows, "collect") else rows


def is_text(kind: pa.DataType) -> bool:
    """Return whether values of a type are text or bytes."""
    tests = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_string_view,
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_fixed_size_binary,
    )
    return any(test(kind) for test in tests)


def _of_stream(keys: Any, name: str | None) -> pa.ChunkedArray:
    column = pa.chunked_array(keys)
    if not pa.types.is_struct(column.type):
        return column
    names = [field.name for field in column.type]
    chosen = name or (names[0] if len(names) == 1 else KEY)
    if names.count(chosen) != 1:
        columns = f"of the columns {', '.join(names)}"
        wrong = f"{name} is not one {columns}" if name else f"which {columns} has the keys is not known"
        raise UsageError(f"{wrong}: name it with key=")
    place = names.index(chosen)
    return pa.chunked_array([chunk.field(place) for chunk in column.chunks], column.type.field(place).type)


def _of_numpy(keys: np.ndarray) -> pa.Array:
    if keys.ndim != 1:
        raise UsageError(f"{WHAT_KEYS_ARE} in one dimension, not in {keys.ndim}")
    try:
        return pa.array(keys)
    except pa.ArrowException as error:
        raise UsageError(f"{WHAT_KEYS_ARE}: {error}") from None


def _numbered(column: pa.ChunkedArray) -> pa.Array:
    if column.null_count:
        raise IotraceError(f"{column.null_count} of the keys are null")
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    encoded = pc.dictionary_encode(plain).combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        indices = pa.concat_arrays([chunk.indices for chunk in encoded.chunks])
    else:
        indices = encoded.indices
    return indices.cast(pa.uint64())
