"""The base view wall_time by a sweep over the ends of intervals: the rows that its SQL defines."""

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from iotrace import queries

CLASSES = ("thread", "others", "storage", "unknown", "other", "waiting")
THREAD, OTHERS, STORAGE, UNKNOWN, OTHER = range(5)
STATES = ("storage", "computing", "unknown", "other", "waiting")
Integers = np.ndarray[Any, np.dtype[np.int64]]


def wall_time(connection: duckdb.DuckDBPyConnection) -> pa.Table:
    """Return view wall_time of the intervals of view thread_interval, which the connection has."""
    listed = ", ".join(map(queries.literal, CLASSES))
    rows = connection.sql(
        f"select coalesce(process, -1)::bigint as process, list_position([{listed}], class)::bigint - 1 as class,"
        " start_ns, end_ns from thread_interval"
    ).to_arrow_table()
    process, kind, start_ns, end_ns = (rows[name].to_numpy() for name in rows.column_names)
    own = process >= 0
    of_each = _swept(process[own], kind[own], start_ns[own], end_ns[own])
    of_all = _swept(np.full(len(process), -1), kind, start_ns, end_ns)
    made = [*of_each, *of_all]
    columns = {
        "process": [None if row[0] < 0 else row[0] for row in made],
        "state": [STATES[row[1]] for row in made],
        "wall_ns": [row[2] for row in made],
    }
    return pa.table(columns, schema=queries.query("wall_time").schema)


def _swept(process: Integers, kind: Integers, start_ns: Integers, end_ns: Integers) -> list[list[int]]:
    """Return process, state and wall time of intervals; those of a process are judged together."""
    if not len(process):
        return []
    at_ns, of_process = np.concatenate([start_ns, end_ns]), np.concatenate([process, process])
    order = np.lexsort((at_ns, of_process))
    at_ns, of_process = at_ns[order], of_process[order]
    change = np.where(order < len(process), 1, -1).astype(np.int8)
    kind = np.concatenate([kind, kind])[order]
    # the moments at which something changes, each by its last change; the last of a process ends all its intervals
    last = np.flatnonzero((np.diff(at_ns) != 0) | (np.diff(of_process) != 0))

    def under_way(*kinds: int) -> Integers:
        counted = np.cumsum(np.where(np.isin(kind, kinds), change, 0), dtype=np.int64)
        return np.asarray(counted[last])

    threads, others = under_way(THREAD), under_way(OTHERS)
    calls = under_way(*(place for place in range(len(CLASSES)) if place not in (THREAD, OTHERS)))
    state = np.select(
        [
            under_way(STORAGE) > 0,
            threads > calls,
            (under_way(UNKNOWN) > 0) | (threads == 0),
            under_way(OTHER) > 0,
        ],
        range(4),
        default=4,
    )
    lasted = at_ns[last + 1] - at_ns[last]
    counts = (of_process[last + 1] == of_process[last]) & (lasted > 0) & ((threads > 0) | (others == 0))
    keys, places = np.unique(np.stack([of_process[last][counts], state[counts]]), axis=1, return_inverse=True)
    wall_ns = np.zeros(keys.shape[1], np.int64)
    np.add.at(wall_ns, places.ravel(), lasted[counts])
    rows: list[list[int]] = np.column_stack([*keys, wall_ns]).tolist()
    return rows
