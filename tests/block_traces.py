"""Block traces for tests: rows of disk_io as tables, and stores of them."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
from manifests import finish

from iotrace import schemas
from iotrace.store import writer

Row = tuple[float | None, str | None, int | None, int | None]
"""Time in ms, operation, first block, blocks."""


def block_trace(rows: Iterable[Row], devices: Iterable[int] | None = None) -> pa.Table:
    """Return requests as a table disk_io; what is left out is null, or device 0."""
    given = list(rows)
    columns = {
        "seq": range(len(given)),
        "time_ns": [None if row[0] is None else round(row[0] * 1e6) for row in given],
        "device": [0] * len(given) if devices is None else list(devices),
        "operation": [row[1] for row in given],
        "lbn": [row[2] for row in given],
        "blocks": [row[3] for row in given],
    }
    schema = schemas.schema("disk_io")
    empty = [None] * len(given)
    arrays = [pa.array(columns.get(one.name, empty), _plain(one.type)).cast(one.type) for one in schema]
    return pa.table(arrays, schema=schema)


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def as_store(table: pa.Table, path: Path) -> Path:
    """Write a block trace as a store."""
    with writer.writing(path) as folder:
        writers = writer.TableWriters(folder)
        for batch in table.to_batches():
            writers.write("disk_io", batch)
        finish(writers, folder, {"disk_io": table.num_rows})
    return path
