"""Programs of parallel processes, from what traces say of them: table program (schemas/program.toml).

A traced program is replayed process by process. Each process makes its own requests in their order, and between two of
them it thinks for as long as it did in the trace: from the end of the one to the start of the next, no matter what it
did meanwhile (opening files, computing, waiting for others). Who waited for whom is not in a trace, and so not in the
program: a process never waits for another's requests, except for what its think times say of it.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace.errors import IotraceError
from iotrace.simulate.programs import metadata, names
from iotrace.simulate.programs.columns import (
    COMPUTE,
    Flags,
    Integers,
    codes,
    flags,
    integers,
    operations,
    program_table,
)
from iotrace.simulate.programs.program import Program, Tally
from iotrace.simulate.programs.reading import Think
from iotrace.store.store import Store

COLUMNS = (
    "time_ns", "duration_ns", "process", "node", "file", "type", "operation", "flags", "offset", "length",
)  # fmt: skip


def of_trace(
    store: Store, think: Think, types: Sequence[str], files: Sequence[str], has_metadata: bool = False
) -> Program:
    """Return the program of a trace, as `iotrace.simulate.programs.of_store` documents."""
    table = store.arrow("reference", COLUMNS)
    if files:
        table = table.filter(pc.is_in(table["file"], names.matching(store, files)))
    is_counted, tally = _counted(table, types)
    if (is_warm := _precedes(store, table)).any():
        tally = _counted(table.filter(pa.array(~is_warm)), types)[1]
    taken = table.filter(pa.array(is_counted))
    if not (is_counted & ~is_warm).any():
        which = f" of files like {', '.join(files)}" if files else ""
        raise IotraceError(f"{store.name}: has no reads or writes of {' or '.join(types)} to run{which}")
    process, count = _processes(store, taken)
    order = np.argsort(process, kind="stable")
    taken, process = taken.take(pa.array(order)), process[order]
    if has_metadata:
        taken, process, left_out = metadata.inserted(store, taken, process, types, files)
        tally += left_out
    file, paths = names.files(store, integers(taken["file"], -1))
    is_warm, warm = _precedes(store, taken), None
    if is_warm.any():
        warm, _ = _records(taken, process, file, is_warm, think)
    records, timed = _records(taken, process, file, ~is_warm, think)
    return Program(records, (count,), (names.application(store),), paths, tally + timed, warm)


def _precedes(store: Store, table: pa.Table) -> Flags:
    """Return which references are from before the part of a trace that is run."""
    if store.counted_from_ns is None:
        return np.zeros(table.num_rows, np.bool_)
    before: Flags = integers(table["time_ns"], 0) < store.counted_from_ns
    return before


def _records(
    taken: pa.Table, process: Integers, file: Integers, is_chosen: Flags, think: Think
) -> tuple[pa.Table, Tally]:
    """Return those chosen as records, with the time that their processes think, and what is unknown of it."""
    taken, process = taken.filter(pa.array(is_chosen)), process[is_chosen]
    before, after, tally = _think_times(taken, process, think)
    columns = {
        "application": np.zeros(len(process), np.int64),
        "process": process,
        "node": taken["node"],
        "operation": operations(taken),
        "file": file[is_chosen],
        "offset": taken["offset"],
        "length": taken["length"],
        "compute_ns": after,
    }
    return _with_beginnings(program_table(columns, len(process)), before), tally


def _counted(table: pa.Table, types: Iterable[str]) -> tuple[Flags, Tally]:
    """Return which references become records, and count the others by why they do not."""
    kind, operation = codes(table["type"], tuple(types)), codes(table["operation"], ("read", "write"))
    is_known = flags(pc.and_(table["offset"].is_valid(), table["length"].is_valid()))
    is_known &= integers(table["offset"], -1) >= 0
    is_typed = kind >= 0
    moves = is_typed & (operation >= 0)
    is_empty = moves & (integers(table["length"], -1) == 0)
    is_counted = moves & is_known & ~is_empty
    tally = Tally(
        references=table.num_rows,
        records=int(is_counted.sum()),
        other_types=int((~is_typed).sum()),
        no_data=int((is_typed & (operation < 0)).sum()),
        unknown_extent=int((moves & ~is_known & ~is_empty).sum()),
        empty=int(is_empty.sum()),
    )
    return is_counted, tally


def _processes(store: Store, taken: pa.Table) -> tuple[Integers, int]:
    """Return the process of each record, and their number; records without a process get later ones, by file."""
    process, count = names.processes(store, integers(taken["process"], -1))
    is_unknown = process < 0
    if not is_unknown.any():
        return process, count
    files, dense = np.unique(integers(taken["file"], -1)[is_unknown], return_inverse=True)
    process[is_unknown] = count + dense.reshape(-1)
    return process, count + len(files)


def _think_times(taken: pa.Table, process: Integers, think: Think) -> tuple[dict[int, int], Integers, Tally]:
    """Return what each process computes before its first record, by that record's place, and after each record."""
    count = len(process)
    is_first = np.append(True, process[1:] != process[:-1])
    tally = Tally(without_process=int((integers(taken["process"], -1) < 0).sum()))
    if think == "none":
        return {}, np.zeros(count, np.int64), tally
    has_time = flags(taken["time_ns"].is_valid())
    time, duration = integers(taken["time_ns"], 0), integers(taken["duration_ns"], 0)
    follows = ~is_first[1:] & has_time[1:] & has_time[:-1]
    gaps = time[1:] - (time[:-1] + duration[:-1])
    after = np.append(np.where(follows, gaps.clip(min=0), 0), 0)
    began = int(time[has_time].min()) if has_time.any() else 0
    before = {int(row): int(time[row]) - began for row in np.flatnonzero(is_first & has_time)}
    tally += Tally(
        without_duration=int((has_time & ~flags(taken["duration_ns"].is_valid())).sum()),
        overlapping=int((follows & (gaps < 0)).sum()),
        without_time=int((~has_time).sum()),
    )
    return {row: wait for row, wait in before.items() if wait > 0}, after, tally


def _with_beginnings(records: pa.Table, before: dict[int, int]) -> pa.Table:
    """Put a row of operation compute before each of the records named by their places."""
    if not before:
        return records
    places = np.array(sorted(before), np.int64)
    waits = program_table(
        {
            "application": np.zeros(len(places), np.int64),
            "process": records["process"].take(pa.array(places)),
            "node": records["node"].take(pa.array(places)),
            "operation": np.full(len(places), COMPUTE, np.int64),
            "compute_ns": np.array([before[int(row)] for row in places], np.int64),
        },
        len(places),
    )
    # each wait's own place is half a row before that of its record
    keys = np.concatenate([2 * np.arange(records.num_rows) + 1, 2 * places])
    joined = pa.concat_tables([records, waits])
    return joined.take(pa.array(np.argsort(keys))).combine_chunks()
