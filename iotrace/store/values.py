"""The values in a store's tables, which may come from strangers: checked where they are read.

What is checked is what programs rely on: identifiers number rows of the table that they point to, lengths and offsets
are not negative and end within 63 bits, names are known ones, and columns that have no nulls have none. SQL needs no
check: DuckDB refuses what does not fit.
"""

from collections.abc import Callable, Mapping
from functools import cache

import pyarrow as pa

from iotrace import schemas
from iotrace.engine.native import extremes
from iotrace.errors import UnusableStoreError
from iotrace.libraries import pc
from iotrace.schemas.reference_types import OPERATIONS, TYPES
from iotrace.store.manifest import MOST

POINTERS: Mapping[str, Mapping[str, str]] = {
    "reference": {"file": "file", "process": "process", "use": "use"},
    "use": {"use": "use", "file": "file", "process": "process"},
    "file": {"file": "file", "of_file": "file"},
    "process": {"process": "process", "parent": "process"},
    "mapping": {"file": "file", "process": "process"},
    "call_file": {"file": "file"},
    "failed_path": {"directory": "file"},
    "parallel_io": {"file": "file", "process": "process"},
    "mpi_file": {"file": "file"},
    "darshan_job": {"job": "darshan_job"},
    "darshan_mount": {"job": "darshan_job"},
    "darshan_record": {"record": "darshan_record", "job": "darshan_job", "file": "file", "of_file": "file"},
    "darshan_counter": {"record": "darshan_record", "job": "darshan_job", "file": "file"},
    "part_interval": {"process": "process"},
    "key_io": {"key": "file", "tenant": "tenant_name"},
    "key_name": {"key": "key_name"},
    "tenant_name": {"tenant": "tenant_name"},
}
"""The identifiers of each table, and the table whose rows they number from 0."""
FROM_ZERO: Mapping[str, tuple[str, ...]] = {
    "reference": ("offset", "length", "requested", "file_size"),
    "file": ("device", "size_first_bytes", "size_last_bytes", "size_largest_bytes"),
    "use": ("references", "bytes_read", "bytes_written"),
    "disk_io": ("device", "lbn", "blocks"),
    "parallel_io": ("length", "requested"),
    "mpi_file": ("collective_reads", "collective_writes", "other_reads", "other_writes"),
    "darshan_job": ("run_ns",),
    "key_io": ("size", "ttl_ns"),
}
"""Columns that are never negative."""
ENDS: Mapping[str, tuple[str, str, int]] = {
    "reference": ("offset", "length", MOST),
    "disk_io": ("lbn", "blocks", MOST >> 9),
}
"""Where a request starts, how long it is, and where it ends at most, in the same unit."""
NAMES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "reference": {"type": TYPES, "operation": OPERATIONS},
    "use": {"type": TYPES},
}
"""Columns with a fixed set of names."""
Ends = tuple[int, int] | None
"""The least and the most of some values; None without any."""


def check(table: str, rows: pa.Table | pa.RecordBatch, counts: Mapping[str, int], place: str) -> None:
    """Raise IotraceError for rows of a table, or some of its columns, with a value that no such table has.

    ``counts`` are the numbers of rows of the store's tables, and ``place`` is how the message calls the table.
    """
    columns = {name: rows.column(place) for place, name in reversed(list(enumerate(rows.schema.names)))}
    why = _fault(table, columns, counts)
    if why:
        raise UnusableStoreError(f"{place} is not usable: {why}; ingest the trace again")


def _fault(
    table: str, columns: Mapping[str, pa.Array | pa.ChunkedArray], counts: Mapping[str, int]
) -> str | None:
    ends_of = cache(lambda name: _ends(columns[name]))
    for column in schemas.table(table).columns:
        if not column.nullable and column.name in columns and columns[column.name].null_count:
            return f"{column.name} is null"
    for name, of in POINTERS.get(table, {}).items():
        if name in columns and (wrong := _outside(ends_of(name), counts.get(of, 0) - 1)) is not None:
            return f"{name} is {wrong}, and table {of} has {counts.get(of, 0):,} rows"
    for name in FROM_ZERO.get(table, ()):
        if name in columns and (wrong := _outside(ends_of(name), MOST)) is not None:
            return f"{name} is {wrong}"
    for name, known in NAMES.get(table, {}).items():
        if name in columns and (unknown := _unknown(columns[name], known)) is not None:
            return f"there is no {name} {unknown!r}"
    return _end_fault(table, columns, ends_of)


def _outside(ends: Ends, most: int) -> int | None:
    """Return the end of some values that is below 0 or above the most, None if there is none."""
    return next((end for end in ends or () if not 0 <= end <= most), None)


def _ends(column: pa.Array | pa.ChunkedArray) -> Ends:
    """Return the least and the most of the values; None without any."""
    ends = [found for chunk in getattr(column, "chunks", [column]) if (found := extremes(chunk))]
    return (min(least for least, _ in ends), max(most for _, most in ends)) if ends else None


def _unknown(column: pa.Array | pa.ChunkedArray, known: tuple[str, ...]) -> str | None:
    """Return a name that is none of those known; names of a dictionary that no row has count too."""
    chunks = getattr(column, "chunks", [column])
    is_dictionary = pa.types.is_dictionary(column.type)
    names = (
        name
        for chunk in chunks
        for name in (chunk.dictionary if is_dictionary else pc.unique(chunk)).to_pylist()
    )
    return next((name for name in names if name is not None and name not in known), None)


def _end_fault(
    table: str, columns: Mapping[str, pa.Array | pa.ChunkedArray], ends_of: Callable[[str], Ends]
) -> str | None:
    start, length, most = ENDS.get(table, ("", "", 0))
    if start not in columns or length not in columns:
        return None
    ends = (ends_of(start), ends_of(length))
    if None in ends or sum(largest for _, largest in filter(None, ends)) <= most:
        return None
    try:
        end = pc.max(pc.add_checked(columns[start], columns[length])).as_py()
    except pa.ArrowInvalid:
        end = None
    return None if end is not None and end <= most else f"{start} and {length} end beyond {most:,}"
