"""Some rows of a Parquet file, by the row groups that have them."""

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import pyarrow as pa


def batches_of(
    stored: Any, columns: list[str], rows: int, records: range | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield columns of an open file in batches of at most ``rows`` rows: all, or those at places ``records``.

    Raises ArrowException for a batch that is not valid: Parquet may hold text that is no UTF-8, on which the engine
    relies.
    """
    for batch in _batches(stored, columns, rows, records):
        batch.validate(full=True)
        yield batch


def _batches(stored: Any, columns: list[str], rows: int, records: range | None) -> Iterator[pa.RecordBatch]:
    if records is None:
        yield from stored.iter_batches(rows, columns=columns)
        return
    groups: list[int] = []
    row = first = 0
    for group in range(stored.metadata.num_row_groups):
        end = row + stored.metadata.row_group(group).num_rows
        if row < records.stop and end > records.start:
            first = first if groups else row
            groups.append(group)
        row = end
    for batch in stored.iter_batches(rows, row_groups=groups, columns=columns):
        start, stop = max(records.start - first, 0), min(records.stop - first, batch.num_rows)
        if start < stop:
            yield batch.slice(start, stop - start)
        first += batch.num_rows


def ends_of(metadata: Any) -> list[int]:
    """Return how many rows of a Parquet file there are up to the end of each row group, from its metadata."""
    groups = range(metadata.num_row_groups)
    return list(accumulate(metadata.row_group(group).num_rows for group in groups))
