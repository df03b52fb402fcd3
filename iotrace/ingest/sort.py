"""A native table put into the order of time."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from iotrace.files.duckdb_connection import connect
from iotrace.files.names import local_name
from iotrace.formats.disk_io.order import SINCE_FIRST
from iotrace.formats.reading import tables
from iotrace.libraries import pc
from iotrace.store.writer import TableWriters

BATCH_ROWS = 1 << 18


def sort(folder: Path, name: str) -> None:
    """Put a table with columns seq and time_ns into the order of time; larger than memory if need be.

    Rows of one time keep their order. Rows are renumbered, and times are counted from the first.
    """
    table = folder / f"{name}.parquet"
    partial = folder / "sorted"
    partial.mkdir()
    with contextlib.closing(TableWriters(partial)) as writers:
        for batch in _in_order(table, name):
            writers.write(name, batch)
    (partial / table.name).replace(table)
    partial.rmdir()


def _in_order(table: Path, name: str) -> Iterator[pa.RecordBatch]:
    spill = table.with_name("spill")
    connection = connect(local_name(spill.parent) + "/spill")
    source = connection.read_parquet(local_name(table))
    ((first_ns,),) = source.aggregate("min(time_ns)").fetchall()
    rows = 0
    for batch in source.order("time_ns, seq").to_arrow_reader(BATCH_ROWS):
        yield _renumbered(batch, name, rows, first_ns)
        rows += batch.num_rows
    connection.close()


def _renumbered(batch: pa.RecordBatch, name: str, start: int, first_ns: int) -> pa.RecordBatch:
    columns = {column: batch[column] for column in batch.schema.names}
    columns["seq"] = tables.running(start, batch.num_rows)
    columns |= {column: pc.subtract(columns[column], first_ns) for column in SINCE_FIRST if column in columns}
    return tables.of_columns(name, columns)
