"""The base view wall_time by a sweep over the ends of intervals: the rows that its SQL defines."""

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from iotrace import queries

CLASSES = ("thread", "clock", "storage", "unknown", "other", "waiting", "tracer", "runnable", "blocked")
THREAD, CLOCK, STORAGE, UNKNOWN, OTHER, WAITING, TRACER, RUNNABLE, BLOCKED = range(9)
STATES = ("storage", "in_no_call", "unknown", "other", "waiting", "tracer", "runnable", "blocked")
IN_NO_CALL = {False: "not_recorded", True: "computing"}
"""The state of a moment at which a thread is in no call, by whether all waits are recorded."""
Integers = np.ndarray[Any, np.dtype[np.int64]]


def wall_time(connection: duckdb.DuckDBPyConnection) -> pa.Table:
    """Return view wall_time of the intervals of view thread_interval, which the connection has."""
    listed = ", ".join(map(queries.literal, CLASSES))
    rows = connection.sql(
        f"select coalesce(process, -1)::bigint as process, list_position([{listed}], class)::bigint - 1 as class,"
        " start_ns, end_ns from thread_interval"
    ).to_arrow_table()
    process, kind, start_ns, end_ns = (rows[name].to_numpy() for name in rows.column_names)
    at_ns = np.concatenate([start_ns, end_ns])
    order = np.argsort(at_ns, kind="stable")  # of runs that are in order, as those of each thread are
    of_all = _swept(np.zeros(len(at_ns), np.uint8), at_ns, kind, order, is_of_all=True)
    of_each = _swept(*_by_process(process, order, at_ns, kind), is_of_all=False)
    stretches = [*of_each, *of_all]
    ((has_all_waits,),) = connection.sql("select all_waits_recorded()").fetchall()
    columns = {
        "process": [*(row[0] for row in of_each), *(None for _ in of_all)],
        "state": [IN_NO_CALL[has_all_waits] if row[1] == 1 else STATES[row[1]] for row in stretches],
        "wall_ns": [row[2] for row in stretches],
    }
    return pa.table(columns, schema=queries.query("wall_time").schema)


def _by_process(
    process: Integers, order: Integers, at_ns: Integers, kind: Integers
) -> tuple[Integers, Integers, Integers, Integers]:
    """Return what `_swept` takes for the processes one after the other."""
    most = int(process.max(initial=0))
    of_end = np.concatenate([process, process])
    of_processes = order[of_end[order] >= 0]
    of_end = of_end.astype(np.min_scalar_type(most))  # of small numbers a stable sort is by digits
    return of_end, at_ns, kind, of_processes[np.argsort(of_end[of_processes], kind="stable")]


def _swept(
    process: Integers, at_ns: Integers, kind: Integers, order: Integers, is_of_all: bool
) -> list[list[int]]:
    """Return process, state and wall time; the intervals of a process are judged together.

    `process` and `at_ns` are those of the starts of all intervals and then of their ends, `kind` that of each interval,
    and `order` the places of starts and ends by process and time. Moments without any thread count for each process,
    and for all of them together while the clock runs.
    """
    if not len(order):
        return []
    of_process, sorted_ns = process[order], at_ns[order]
    # each start and end by its kind, the ends behind the kinds of starts
    codes = np.concatenate([kind, kind + len(CLASSES)]).astype(np.uint8)[order]
    # the moments at which something changes, each by its last change; the last of a process ends all its intervals
    last = np.flatnonzero((sorted_ns[1:] != sorted_ns[:-1]) | (of_process[1:] != of_process[:-1]))

    def under_way(*kinds: int) -> Integers:
        change = np.zeros(2 * len(CLASSES), np.int8)
        for kind in kinds:
            change[[kind, kind + len(CLASSES)]] = 1, -1
        return np.asarray(np.cumsum(change[codes], dtype=np.int32)[last])

    threads, clock = under_way(THREAD), under_way(CLOCK)
    calls = under_way(*(cell for cell in range(len(CLASSES)) if cell not in (THREAD, CLOCK)))
    state = np.where(under_way(OTHER) > 0, 3, 4).astype(np.uint8)
    state[(under_way(UNKNOWN) > 0) | (threads == 0)] = 2
    state[under_way(BLOCKED) > 0] = 7
    state[under_way(RUNNABLE) > 0] = 6
    state[under_way(TRACER) > 0] = 5
    state[threads > calls] = 1
    state[under_way(STORAGE) > 0] = 0
    lasted = sorted_ns[last + 1] - sorted_ns[last]
    counts = (
        (of_process[last + 1] == of_process[last])
        & (lasted > 0)
        & ((threads > 0) | (clock > 0) | (not is_of_all))
    )
    cell = of_process[last][counts].astype(np.int64) * len(STATES) + state[counts]
    wall_ns = np.zeros(int(cell.max(initial=-1)) + 1, np.int64)
    np.add.at(wall_ns, cell, lasted[counts])
    return [[*divmod(at, len(STATES)), int(wall_ns[at])] for at in np.flatnonzero(wall_ns).tolist()]
