"""Views that a pass of the engine computes: what follows from the order of requests.

The SQL of these views (``Streamed: yes`` in their headers) defines them; it sorts all requests, which takes time and
memory for a long trace. The pass reads the requests in order and gives the same rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any

import numpy as np
import pyarrow as pa

from iotrace import queries
from iotrace.engine import available_cores
from iotrace.engine.native import DiskStreamsPass, KeyAccessesPass, StatisticsPass
from iotrace.files import memory
from iotrace.libraries import duckdb
from iotrace.store.wall_time import wall_time

READ = "ordered_reference"
"""The view that the pass over references reads."""
READ_OF_DISKS = "ordered_disk_request"
"""The view that the pass over requests to disks reads."""
READ_OF_KEYS = "ordered_key_request"
"""The view that the pass over requests for keys reads."""
RUNS = frozenset(("run_length", "run_start", "use_pattern"))
WINDOWS = frozenset(("window_footprint",))
LOADS = frozenset(("window_load",))
INTERVALS = frozenset(("request_interval",))
BLOCKS = frozenset(("block_read", "block_fate"))
DISKS = frozenset(("disk_footprint",))
DISK_STREAMS = frozenset(("continued_request", "following_write"))
DISK_SEEKS = frozenset(("disk_seek",))
DISK_ARRIVALS = frozenset(("arrival_depth", "disk_period"))
DISK_BLOCKS = frozenset(("block_reaccess", "block_age", "block_distance", "block_popularity"))
"""Of keys, too."""
DISTANCES = frozenset(("block_distance",))
OF_DISKS = DISK_STREAMS | DISK_SEEKS | DISK_ARRIVALS | DISK_BLOCKS
"""Of table disk_io, which a pass of its own reads."""
WALL = frozenset(("wall_time",))
"""Of intervals of threads, which a sweep goes through in the order of time."""
NAMES = RUNS | WINDOWS | LOADS | INTERVALS | BLOCKS | DISKS | OF_DISKS | WALL
"""All streamed views; to find them in the headers of all queries takes 20 ms."""
BATCH_ROWS = 1 << 16
Read = Callable[[int], None]
"""Called with the number of references of each batch once it has been taken."""


def needs(names: Collection[str]) -> list[str]:
    """Return the views that the pass needs for some streamed views, with what they build upon, in order."""
    below = [
        *([READ] if set(names) - WALL - OF_DISKS else []),
        *([READ_OF_DISKS] if OF_DISKS & set(names) else []),
        *([READ_OF_KEYS] if DISK_BLOCKS & set(names) else []),
        *(["time_window"] if (WINDOWS | LOADS) & set(names) else []),
        *(["thread_interval"] if WALL & set(names) else []),
    ]
    return queries.ordered(below)


def streamed(
    connection: duckdb.DuckDBPyConnection, names: Collection[str], read: Read = lambda rows: None
) -> dict[str, pa.Table]:
    """Return streamed views by name, on a connection that has those that they need (`needs`).

    What needs the order of time is not there for a trace whose requests are far from it, and how blocks of disks are
    accessed again not for one that touches too many. Raises ValueError for references of unknown type.
    """
    tables = {name: wall_time(connection) for name in WALL & set(names)}
    if OF_DISKS & set(names):
        tables |= _of_disks(connection, set(names))
    if DISK_BLOCKS & set(names) and _has_keys(connection):
        tables |= _of_keys(connection, set(names))
    of_references = set(names) - WALL - OF_DISKS
    if of_references == DISKS and not _has_disks(connection):
        tables |= {name: queries.query(name).schema.empty_table() for name in DISKS}
    elif of_references:
        tables |= _of_references(connection, names, read)
    return {name: tables[name] for name in names if name in tables}


def _of_references(
    connection: duckdb.DuckDBPyConnection, names: Collection[str], read: Read
) -> dict[str, pa.Table]:
    settings = _settings(connection, set(names))
    tables = _in_either_order(connection, READ, "seq", lambda batches: _passed(batches, settings, read))
    if not {"windows", "loads"} & settings.keys():
        tables |= {name: queries.query(name).schema.empty_table() for name in WINDOWS | LOADS}
    return tables


def _of_disks(connection: duckdb.DuckDBPyConnection, names: set[str]) -> dict[str, pa.Table]:
    """Return the streamed views of requests to disks."""
    settings = json.dumps(_settings_of_disks(connection, names))

    return _in_either_order(
        connection, READ_OF_DISKS, "place", lambda batches: _pushed(DiskStreamsPass(settings), batches)
    )


def _has_disks(connection: duckdb.DuckDBPyConnection) -> bool:
    return bool(connection.execute("select exists (from reference where type = 'disk')").fetchall()[0][0])


def _has_keys(connection: duckdb.DuckDBPyConnection) -> bool:
    return bool(connection.execute("select exists (from key_io)").fetchall()[0][0])


def _of_keys(connection: duckdb.DuckDBPyConnection, names: set[str]) -> dict[str, pa.Table]:
    """Return the streamed views of requests for keys."""
    has_distances = bool(DISTANCES & names)
    return _in_either_order(
        connection, READ_OF_KEYS, "place", lambda batches: _pushed(KeyAccessesPass(has_distances), batches)
    )


def _pushed(
    engine: DiskStreamsPass | KeyAccessesPass, batches: Iterable[pa.RecordBatch]
) -> dict[str, pa.Table]:
    for batch in batches:
        memory.refuse_shortage()
        engine.push(batch)
    return _tables(engine.finish())


def _settings_of_disks(connection: duckdb.DuckDBPyConnection, names: set[str]) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "streams": bool(names & DISK_STREAMS),
        "seeks": bool(names & DISK_SEEKS),
        "arrivals": bool(names & DISK_ARRIVALS),
        "on_threads": available_cores() > 1,
    }
    if names & DISK_BLOCKS:
        sizes = connection.execute("select parameter_block_bytes(), parameter_most_blocks()").fetchall()
        settings["blocks"] = dict(zip(("block_bytes", "most_blocks"), sizes[0], strict=True)) | {
            "distances": bool(names & DISTANCES)
        }
    return settings


def _in_either_order(
    connection: duckdb.DuckDBPyConnection,
    view: str,
    order: str,
    passed: Callable[[Iterable[pa.RecordBatch]], dict[str, pa.Table]],
) -> dict[str, pa.Table]:
    """Read a view in the order of a column that counts its rows, or sorted where that is not the order of seq."""
    rows = f"select {', '.join(_quoted(queries.query(view).schema.names))} from {view}"
    with closing(connection.sql(rows).to_arrow_reader(BATCH_ROWS)) as stored:
        try:
            return passed(_in_order(stored, order))
        except ValueError:  # numbers are left out here and there
            pass
    return passed(_in_order(connection.sql(f"{rows} order by seq").to_arrow_reader(BATCH_ROWS), "seq"))


def _settings(connection: duckdb.DuckDBPyConnection, names: set[str]) -> dict[str, Any]:
    ((runs, block_bytes),) = connection.execute("select parameter_runs(), parameter_block_bytes()").fetchall()
    settings: dict[str, Any] = {
        "disks": bool(names & DISKS),
        "intervals": bool(names & INTERVALS),
        "on_threads": available_cores() > 1,
    }
    if names & RUNS:
        settings["runs_may_mix"] = runs == "mixed"
    if names & BLOCKS:
        settings["block_bytes"] = block_bytes
    if names & (WINDOWS | LOADS):
        rows = connection.execute("select width_ns, windows from time_window").fetchall()
        if rows and rows[0][0] is not None:  # without rows it was left out
            divided = dict(zip(("width_ns", "windows"), rows[0], strict=True))
            of = (("windows", WINDOWS), ("loads", LOADS))
            settings |= {name: divided for name, views in of if names & views}
    return settings


def _passed(batches: Iterable[pa.RecordBatch], settings: dict[str, Any], read: Read) -> dict[str, pa.Table]:
    engine = StatisticsPass(json.dumps(settings))
    for batch in batches:
        memory.refuse_shortage()
        codes = batch["operation_code"]
        engine.push(batch.filter(codes.is_valid()) if codes.null_count else batch)
        read(batch.num_rows)
    return _tables(engine.finish())


def _tables(made: Mapping[str, Any]) -> dict[str, pa.Table]:
    return {name: pa.table(pa.record_batch(rows)) for name, rows in made.items()}


def _in_order(batches: Iterable[pa.RecordBatch], number: str) -> Iterator[pa.RecordBatch]:
    """Give rows in the order of their numbers, which count from 0.

    DuckDB reads pieces of a table on several threads, and gives them in the order in which they are ready: those that
    come early wait. Where numbers are left out all rows behind them wait, and are given by their first number.
    """
    waiting: dict[int, pa.RecordBatch] = {}
    following = 0
    for batch in batches:
        numbers = batch[number].to_numpy()
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
