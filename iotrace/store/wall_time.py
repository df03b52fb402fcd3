"""The base view wall_time by a sweep over the ends of intervals: the rows that its SQL defines."""

from collections.abc import Collection
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
Truths = np.ndarray[Any, np.dtype[np.bool_]]


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
    # what changes at one moment makes stretches without a length, which do not count
    lasted = np.diff(sorted_ns)
    there = set(np.flatnonzero(np.bincount(kind, minlength=len(CLASSES))).tolist())
    change_of_code, counts = np.zeros(2 * len(CLASSES), np.int32), np.empty(len(lasted), np.int32)

    def are_more(kinds: Collection[int], others: Collection[int] = ()) -> Truths:
        """Return whether more intervals of these kinds than of the others are under way, in each stretch."""
        if not there.intersection(kinds):
            return np.zeros(len(lasted), np.bool_)
        change_of_code[:] = 0
        for sign, kinds_of_sign in ((1, kinds), (-1, others)):
            for cell in kinds_of_sign:
                change_of_code[[cell, cell + len(CLASSES)]] = sign, -sign
        np.take(change_of_code, codes[:-1], out=counts, mode="clip")  # which needs no buffer
        np.cumsum(counts, out=counts)
        return np.asarray(counts > 0)

    has_threads = are_more([THREAD])
    state = np.where(are_more([OTHER]), 3, 4).astype(np.uint8)
    state[are_more([UNKNOWN]) | ~has_threads] = 2
    for kind_of_call, number in ((BLOCKED, 7), (RUNNABLE, 6), (TRACER, 5)):
        state[are_more([kind_of_call])] = number
    state[are_more([THREAD], set(range(len(CLASSES))) - {THREAD, CLOCK})] = 1
    state[are_more([STORAGE])] = 0
    is_counted = (of_process[1:] == of_process[:-1]) & (lasted > 0)
    if is_of_all:
        is_counted &= has_threads | are_more([CLOCK])
    cell = of_process[:-1][is_counted].astype(np.int64) * len(STATES) + state[is_counted]
    wall_ns = np.zeros(int(cell.max(initial=-1)) + 1, np.int64)
    np.add.at(wall_ns, cell, lasted[is_counted])
    return [[*divmod(at, len(STATES)), int(wall_ns[at])] for at in np.flatnonzero(wall_ns).tolist()]
