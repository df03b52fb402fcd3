"""Reading a Parquet file whole."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from iotrace.files.names import local_name


def read_table(path: Path, columns: Sequence[str] | None = None, use_threads: bool = False) -> pa.Table:
    """Return a Parquet file's table, or these columns of it.

    Raises OSError or ArrowException where it cannot be read or lacks a column. pyarrow's own `read_table` scans a
    data set, and waits for ever for a thread that cannot be started where memory is short.
    """
    with pq.ParquetFile(local_name(path)) as file:
        names = file.schema_arrow.names
        if columns is not None and (lacking := [name for name in columns if name not in names]):
            raise pa.ArrowKeyError(f"no column {', '.join(lacking)}")
        table = file.read(columns=None if columns is None else list(columns), use_threads=use_threads)
        return table if columns is None else table.select(list(columns))
