"""Who takes which record when: a program run on an ideal file system, as a trace of it would show."""

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from iotrace import schemas
from iotrace.errors import UsageError
from iotrace.generate.patterns.portions import Integers


@dataclass(frozen=True)
class Schedule:
    """How long accesses take: ``access_ns`` in the mean, uniformly within ``jitter`` of it as a share (0.5: ± 50 %).

    A process starts within one mean access of time 0. Raises UsageError for what is out of bounds.
    """

    processes: int
    access_ns: int = 30_000_000
    jitter: float = 0.5
    seed: int = 1

    def __post_init__(self) -> None:
        if self.processes < 1 or self.processes > 1_000_000:
            raise UsageError(f"processes is {self.processes}, not from 1 to a million")
        if not 0 < self.access_ns <= 10**12:
            raise UsageError(f"access_ns is {self.access_ns}, not from 1 to 10^12 ns")
        if not 0 <= self.jitter <= 1:
            raise UsageError(f"the jitter is {self.jitter:g}, not a share from 0 to 1")


def scheduled(program: pa.Table, schedule: Schedule) -> pa.Table:
    """Return table parallel_io, sorted by time: every access of a program of one application, at its time.

    Accesses take the schedule's time, regardless of their size and of other processes' accesses: disks are not
    simulated. Each process makes its own accesses one after another, and computes after each. Self-scheduled records
    are taken in their order by the process that is free first; of several, by the lowest. Raises UsageError if the
    program names a process that there is not.
    """
    processes = np.asarray(program["process"].fill_null(-1)).astype(np.int64)
    if len(processes) and processes.max() >= schedule.processes:
        raise UsageError(
            f"the program has process {processes.max()}, the schedule {schedule.processes} processes"
        )
    starting, taking = np.random.default_rng(schedule.seed).spawn(2)
    spread = schedule.access_ns * schedule.jitter
    free = np.rint(starting.random(schedule.processes) * spread).astype(np.int64)
    lasts = (
        np.rint(schedule.access_ns + spread * (2 * taking.random(len(processes)) - 1))
        .astype(np.int64)
        .clip(1)
    )
    busy = lasts + np.asarray(program["compute_ns"])
    process, time_ns = _own_records(processes, busy, free)
    _shared_records(process, time_ns, busy, free)
    order = np.lexsort((process, time_ns))
    return _table(program, process, time_ns, lasts, order)


def _own_records(processes: Integers, busy: Integers, free: Integers) -> tuple[Integers, Integers]:
    """Return process and start of each own record (-1 elsewhere), and note when each process is free again."""
    time_ns = np.full(len(processes), -1, np.int64)
    order = np.argsort(processes, kind="stable")
    order = order[np.searchsorted(processes[order], 0) :]
    process = processes[order]
    before = np.cumsum(busy[order]) - busy[order]
    first = np.searchsorted(process, process)
    time_ns[order] = free[process] + before - (before[first] if len(first) else first)
    np.maximum.at(free, process, time_ns[order] + busy[order])
    return processes.copy(), time_ns


def _shared_records(process: Integers, time_ns: Integers, busy: Integers, free: Integers) -> None:
    """Give each self-scheduled record, in order, to the process that is free first."""
    shared = np.flatnonzero(process < 0)
    ready = [(int(time), taker) for taker, time in enumerate(free)]
    heapq.heapify(ready)
    takers, times = [], []
    for lasts in busy[shared].tolist():
        time, taker = ready[0]
        takers.append(taker)
        times.append(time)
        heapq.heapreplace(ready, (time + lasts, taker))
    process[shared] = np.array(takers, np.int64)
    time_ns[shared] = np.array(times, np.int64)


def _table(
    program: pa.Table, process: Integers, time_ns: Integers, lasts: Integers, order: Integers
) -> pa.Table:
    schema = schemas.schema("parallel_io")
    taken = program.select(["operation", "file", "offset", "length"]).take(pa.array(order))
    known: dict[str, Any] = {
        "seq": pa.array(np.arange(len(order))),
        "time_ns": pa.array(time_ns[order]),
        "duration_ns": pa.array(lasts[order]),
        "process": pa.array(process[order].astype(np.int32)),
        **{name: taken[name] for name in taken.column_names},
    }
    columns = [
        known[field.name] if field.name in known else pa.nulls(len(order), field.type) for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)
