"""The base view wall_time by a sweep over the ends of intervals: the rows that its SQL defines."""

import duckdb
import pyarrow as pa

from iotrace import queries
from iotrace.engine import native


def wall_time(connection: duckdb.DuckDBPyConnection) -> pa.Table:
    """Return view wall_time of the intervals of view thread_interval, which the connection has."""
    classes = ", ".join(map(queries.literal, native.interval_classes()))
    intervals = connection.sql(
        f"select process, (list_position([{classes}], class) - 1)::utinyint as class, start_ns, end_ns"
        " from thread_interval"
    ).to_arrow_table()
    ((has_all_waits,),) = connection.sql("select all_waits_recorded()").fetchall()
    batches = intervals.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], intervals.schema)]
    rows = native.wall_time(batches[0], has_all_waits)
    names = ("process", "state", "wall_ns")
    return pa.Table.from_pylist(
        [dict(zip(names, row, strict=True)) for row in rows], queries.query("wall_time").schema
    )
