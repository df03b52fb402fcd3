"""The base view wall_time by a sweep over the ends of intervals: the rows that its SQL defines."""

from __future__ import annotations

from contextlib import closing

import pyarrow as pa

from iotrace import queries
from iotrace.engine import native
from iotrace.libraries import duckdb

BATCH_ROWS = 1 << 16


def wall_time(connection: duckdb.DuckDBPyConnection) -> pa.Table:
    """Return view wall_time of the intervals of view thread_interval, which the connection has."""
    classes = ", ".join(map(queries.literal, native.interval_classes()))
    ((has_all_waits,),) = connection.sql("select all_waits_recorded()").fetchall()
    intervals = connection.sql(
        f"select process, (list_position([{classes}], class) - 1)::utinyint as class, start_ns, end_ns"
        " from thread_interval order by least(start_ns, end_ns)"
    )
    with closing(intervals.to_arrow_reader(BATCH_ROWS)) as batches:
        rows = native.wall_time(batches, has_all_waits)
    names = ("process", "state", "wall_ns")
    return pa.Table.from_pylist(
        [dict(zip(names, row, strict=True)) for row in rows], queries.query("wall_time").schema
    )
