"""The rows of a store's views as Arrow and as lazy polars frames, made by DuckDB when they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import pyarrow as pa

from iotrace import queries
from iotrace.libraries import pl
from iotrace.queries import identifier

if TYPE_CHECKING:
    from iotrace.store.store import Store

BATCH_ROWS = 1 << 17
Batches = Callable[[list[str], int], Iterator[pa.RecordBatch]]
"""Batches of at most this number of rows, with these columns."""


def arrow(store: Store, name: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Return a view as Arrow with its documented schema; raises duckdb.Error where it cannot be computed."""
    schema = queries.query(name).schema
    wanted = list(columns) if columns else schema.names
    with closing(store.computing([name])) as connection:
        rows = connection.table(name).project(", ".join(map(identifier, wanted))).to_arrow_table()
    described = pa.schema([schema.field(column) for column in wanted], schema.metadata)
    return pa.Table.from_arrays([column.combine_chunks() for column in rows.columns], schema=described)


def polars(store: Store, name: str) -> pl.LazyFrame:
    """Return a view as a lazy polars frame; its intervals are durations."""
    schema = queries.query(name).schema
    intervals = {field.name for field in schema if pa.types.is_interval(field.type)}
    plain = pa.schema(
        [field.with_type(pa.duration("us")) if field.name in intervals else field for field in schema]
    )

    def batches(columns: list[str], rows: int) -> Iterator[pa.RecordBatch]:
        written = (
            f"epoch_us({identifier(column)}) as {identifier(column)}"
            if column in intervals
            else identifier(column)
            for column in columns
        )
        wanted = pa.schema([plain.field(column) for column in columns])
        with closing(store.computing([name])) as connection:
            for batch in connection.table(name).project(", ".join(written)).to_arrow_reader(rows):
                yield pa.RecordBatch.from_arrays(
                    [column.cast(field.type) for column, field in zip(batch.columns, wanted, strict=True)],
                    schema=wanted,
                )

    return lazy(plain, batches)


def lazy(schema: pa.Schema, batches: Batches) -> pl.LazyFrame:
    """Return a lazy polars frame of batches, which are made as they are needed."""
    from polars.io.plugins import register_io_source

    def frames(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, batch_rows: int | None
    ) -> Iterator[pl.DataFrame]:
        left = rows
        for batch in batches(columns or schema.names, batch_rows or BATCH_ROWS):
            frame = pl.DataFrame(pl.from_arrow(batch))
            if left is not None:
                frame = frame.head(left)
                left -= len(frame)
            yield frame if predicate is None else frame.filter(predicate)
            if left == 0:
                return

    return register_io_source(frames, schema=pl.DataFrame(pl.from_arrow(schema.empty_table())).schema)
