"""Views that a pass of the engine computes: what follows from the order of requests.

The SQL of these views (``Streamed: yes`` in their headers) defines them; it sorts all requests, which takes time and
memory for a long trace. The pass reads the requests in order and gives the same rows.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from iotrace import queries
from iotrace.analysis.wall_time import wall_time
from iotrace.engine import available_cores
from iotrace.engine.native import StatisticsPass

READ = "ordered_reference"
"""The view that the pass reads."""
RUNS = frozenset(("run_length", "run_start", "use_pattern"))
WINDOWS = frozenset(("window_footprint",))
BLOCKS = frozenset(("block_read", "block_fate"))
DISKS = frozenset(("disk_footprint",))
WALL = frozenset(("wall_time",))
"""Of intervals of threads, which a sweep goes through in the order of time."""
BATCH_ROWS = 1 << 16
Read = Callable[[int], None]
"""Called with the number of references of each batch once it has been taken."""


@cache
def names() -> frozenset[str]:
    """Return the names of the streamed views."""
    return frozenset(name for name in queries.views() if queries.query(name).is_streamed)


def needs(wanted: Collection[str]) -> list[str]:
    """Return the views that the pass needs for some streamed views, with what they build upon, in order."""
    below = [
        READ,
        *(["time_window"] if WINDOWS & set(wanted) else []),
        *(["thread_interval"] if WALL & set(wanted) else []),
    ]
    return queries.ordered(below)


def streamed(
    connection: duckdb.DuckDBPyConnection, wanted: Collection[str], read: Read = lambda rows: None
) -> dict[str, pa.Table]:
    """Return streamed views by name, on a connection that has those that they need (`needs`).

    The windows of a trace whose requests are far from the order of time are not there. Raises ValueError for references
    of unknown type.
    """
    made = {name: wall_time(connection) for name in WALL & set(wanted)}
    if not set(wanted) - WALL:
        return made
    return made | _of_references(connection, wanted, read)


def _of_references(
    connection: duckdb.DuckDBPyConnection, wanted: Collection[str], read: Read
) -> dict[str, pa.Table]:
    settings = _settings(connection, set(wanted))
    rows = f"select {', '.join(_quoted(queries.query(READ).schema.names))} from {READ}"
    try:
        made = _passed(connection, rows, settings, read)
    except ValueError:  # numbers are left out here and there
        made = _passed(connection, f"{rows} order by seq", settings, read)
    if "windows" not in settings:
        made |= {name: queries.query(name).schema.empty_table() for name in WINDOWS}
    return {name: made[name] for name in wanted if name in made}


def _settings(connection: duckdb.DuckDBPyConnection, wanted: set[str]) -> dict[str, Any]:
    ((runs, block_bytes),) = connection.execute("select parameter_runs(), parameter_block_bytes()").fetchall()
    settings: dict[str, Any] = {"disks": bool(wanted & DISKS), "on_threads": available_cores() > 1}
    if wanted & RUNS:
        settings["runs_may_mix"] = runs == "mixed"
    if wanted & BLOCKS:
        settings["block_bytes"] = block_bytes
    if wanted & WINDOWS:
        ((width_ns, windows),) = connection.execute("select width_ns, windows from time_window").fetchall()
        if width_ns is not None:
            settings["windows"] = {"width_ns": width_ns, "windows": windows}
    return settings


def _passed(
    connection: duckdb.DuckDBPyConnection, rows: str, settings: dict[str, Any], read: Read
) -> dict[str, pa.Table]:
    engine = StatisticsPass(json.dumps(settings))
    for batch in _in_order(connection.sql(rows).to_arrow_reader(BATCH_ROWS)):
        codes = batch["operation_code"]
        engine.push(batch.filter(codes.is_valid()) if codes.null_count else batch)
        read(batch.num_rows)
    return {name: pa.table(pa.record_batch(made)) for name, made in engine.finish().items()}


def _in_order(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Give rows in the order of their numbers, which count from 0.

    DuckDB reads pieces of a table on several threads, and gives them in the order in which they are ready: those that
    come early wait. Where numbers are left out all rows behind them wait, and are given by their first number.
    """
    waiting: dict[int, pa.RecordBatch] = {}
    following = 0
    for batch in batches:
        numbers = batch["seq"].to_numpy()
        starts = np.flatnonzero(np.diff(numbers, prepend=-2) != 1).tolist()
        for start, end in zip(starts, [*starts[1:], len(numbers)], strict=True):
            waiting[int(numbers[start])] = batch.slice(start, end - start)
        while (ready := waiting.pop(following, None)) is not None:
            following += ready.num_rows
            yield ready
    for first in sorted(waiting):
        yield waiting[first]


def _quoted(columns: Iterable[str]) -> list[str]:
    return [f'"{column}"' for column in columns]
