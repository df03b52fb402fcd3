"""Parquet files, here or on object storage."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from iotrace.files.names import local_name
from iotrace.files.remote import Address, Place


def parquet_file(path: Place) -> pq.ParquetFile:
    """Open a Parquet file, whose row groups can be read alone; raises OSError or ArrowException."""
    if isinstance(path, Address):
        with path.failures():
            return pq.ParquetFile(path.key, filesystem=path.filesystem, pre_buffer=True)
    return pq.ParquetFile(local_name(path))


def read_table(path: Place, columns: Sequence[str] | None = None, use_threads: bool = False) -> pa.Table:
    """Return a Parquet file's table, or these columns of it, checked in full: Parquet may hold text that is no UTF-8.

    Raises OSError or ArrowException where it cannot be read or lacks a column. pyarrow's own `read_table` scans a
    data set, and waits for ever for a thread that cannot be started where memory is short.
    """
    with parquet_file(path) as file:
        names = file.schema_arrow.names
        if columns is not None and (lacking := [name for name in columns if name not in names]):
            raise pa.ArrowKeyError(f"no column {', '.join(lacking)}")
        table = file.read(columns=None if columns is None else list(columns), use_threads=use_threads)
        table.validate(full=True)
        return table if columns is None else table.select(list(columns))
