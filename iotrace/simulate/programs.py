"""Programs of parallel processes, from what traces say of them: table program (schemas/program.toml).

A traced program is replayed process by process. Each process makes its own requests in their order, and between two of
them it thinks for as long as it did in the trace: from the end of the one to the start of the next, whatever else it
did meanwhile (opening files, computing, waiting for others). Who waited for whom is not in a trace, and so not in the
program: a process never waits for another's requests, except for what its think times say of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import schemas
from iotrace.errors import IotraceError, UsageError
from iotrace.store import Store

Integers = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Think = Literal["traced", "none"]
THINKS: tuple[Think, ...] = ("traced", "none")

OPERATIONS = ("read", "write", "sync_write", "compute")
"""Of table program, by their codes here."""
READ, WRITE, SYNC_WRITE, COMPUTE = range(4)
TYPES = ("datafile", "disk")
"""The types of references that count by default: data that programs read and write."""
COLUMNS = (
    "time_ns",
    "duration_ns",
    "process",
    "node",
    "file",
    "type",
    "operation",
    "flags",
    "offset",
    "length",
)


@dataclass(frozen=True)
class Tally:
    """How a trace's references became records, and what is not in them."""

    references: int = 0
    """References of the trace."""
    records: int = 0
    """Those that became records: reads and writes of the types that count, of known offset and length."""
    other_types: int = 0
    """References left out for their type: inodes, directories, executables."""
    no_data: int = 0
    """References left out since they are no reads or writes: truncate, delete, sync."""
    unknown_extent: int = 0
    """Reads and writes left out, since the trace does not tell their offset or length."""
    empty: int = 0
    """Reads and writes of no bytes, left out."""
    without_duration: int = 0
    """Records whose duration is not known: it counts as 0, so the think time after it contains it."""
    overlapping: int = 0
    """Records that began before the same process's last one had ended: the think time between them is 0."""
    without_time: int = 0
    """Records without a time: no think time can be told before or after them."""
    without_process: int = 0
    """Records of a trace that does not tell whose they are: those of each file count as one process's."""

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(a + b for a, b in zip(_values(self), _values(other), strict=True)))

    def sentences(self, think: Think = "traced") -> list[str]:
        """Say what somebody who sees the outcome should know, a sentence each."""
        said = [
            (self.unknown_extent, "reads and writes of unknown offset or length were left out"),
            (self.empty, "reads and writes of no bytes were left out"),
            (self.no_data, "truncations, deletions and syncs were left out"),
            (self.without_process, "records name no process: those of each file count as one process's"),
        ]
        if think == "traced":
            said += [
                (
                    self.without_duration,
                    "records have no duration: their think times contain what the calls took",
                ),
                (self.overlapping, "records began before the process's last one had ended: no think time"),
                (self.without_time, "records have no time: no think time"),
            ]
        return [f"{count:,} {words}." for count, words in said if count]


@dataclass(frozen=True)
class Program:
    """Records to be run, and the names of what their numbers mean."""

    records: pa.Table
    """Table program; the rows of each process in their order."""
    processes: int
    """How many processes there are, numbered from 0; self-scheduled records name none."""
    applications: tuple[str, ...]
    """Names, by number."""
    files: tuple[str, ...]
    """Names, by number; files of several applications with the same name are the same file."""
    tally: Tally

    def self_scheduled(self) -> list[int]:
        """Return the applications that have records which any of their processes may take."""
        shared = self.records.filter(self.records["process"].is_null())
        return sorted(int(number) for number in shared["application"].unique().to_pylist())

    def application_of_process(self) -> list[int]:
        """Return the application of each process that has records of its own; 0 for one that has none."""
        owned = self.records.filter(self.records["process"].is_valid())
        found = np.zeros(self.processes, np.int64)
        found[owned["process"].to_numpy()] = owned["application"].to_numpy()
        return [int(number) for number in found]


def of_store(
    store: Store, *, think: Think = "traced", types: Sequence[str] = TYPES, files: Sequence[str] = ()
) -> Program:
    """Return the program of a trace of any family: the ranks of a parallel trace, the threads of a system-call trace.

    Each rank or thread is a process; they are numbered in the order of ranks, or of thread numbers. A thread that
    execs another program remains one process. Records are the reads and writes of ``types`` (of table reference);
    opens, closes, inodes and what else has no data are left out, and what time they took is part of the think time.
    A write with the flag synchronous is a sync_write. ``files`` keeps only those of which a path matches one of these
    patterns (``*`` and ``?`` as in a shell, ``*`` matching ``/`` too). What the tally of the result says was left out
    or guessed, those who use it should say.

    With ``think`` ``traced`` the time from a call's end to the next call's start in the same process is spent
    computing, and a process that starts later than the trace's first record computes first (a row of operation
    compute). With ``none`` each record follows at once. Raises IotraceError for a trace without any record, UsageError
    for words that mean nothing.
    """
    if think not in THINKS:
        raise UsageError(f"think is {' or '.join(THINKS)}, not {think!r}")
    table = store.arrow("reference", COLUMNS)
    if files:
        table = table.filter(pc.is_in(table["file"], _matching(store, files)))
    is_counted, tally = _counted(table, types)
    taken = table.filter(pa.array(is_counted))
    if not taken.num_rows:
        which = f" of files like {', '.join(files)}" if files else ""
        raise IotraceError(f"{store.path}: has no reads or writes of {' or '.join(types)} to run{which}")
    process, count = _processes(store, taken)
    order = np.argsort(process, kind="stable")
    taken, process = taken.take(pa.array(order)), process[order]
    before, after, tally = _think_times(taken, process, tally, think)
    file, names = _files(store, taken)
    columns = {
        "application": np.zeros(len(process), np.int64),
        "process": process,
        "node": taken["node"],
        "operation": _operations(taken),
        "file": file,
        "offset": taken["offset"],
        "length": taken["length"],
        "compute_ns": after,
    }
    records = _with_beginnings(_table(columns, len(process)), before)
    return Program(records, count, (str(store.path),), names, tally)


def combined(programs: Sequence[Program]) -> Program:
    """Return several programs as applications that run at the same time, from the same instant on.

    Files of the same name are the same file. Raises UsageError where there is none.
    """
    if not programs:
        raise UsageError("there is no program to run")
    number_of: dict[str, int] = {}
    tables, applications, processes = [], 0, 0
    for one in programs:
        numbers = np.array([number_of.setdefault(name, len(number_of)) for name in one.files], np.int32)
        table = one.records
        changed = {
            "application": pc.add(table["application"], pa.scalar(applications, pa.int32())),
            "process": pc.add(table["process"], pa.scalar(processes, pa.int32())),
            "file": pc.take(pa.array(numbers), table["file"].combine_chunks()),
        }
        for name, column in changed.items():
            place = table.schema.get_field_index(name)
            table = table.set_column(place, table.schema.field(name), column)
        tables.append(table)
        applications, processes = applications + len(one.applications), processes + one.processes
    return Program(
        pa.concat_tables(tables).unify_dictionaries(),
        processes,
        tuple(name for one in programs for name in one.applications),
        tuple(number_of),
        sum((one.tally for one in programs), Tally()),
    )


def _matching(store: Store, patterns: Sequence[str]) -> pa.Array:
    """Return the numbers of the files of which a path matches a pattern."""
    paths = store.arrow("file", ["file", "path", "path_last"]).to_pylist()
    found = [
        row["file"]
        for row in paths
        if any(
            fnmatchcase(path, pattern)
            for pattern in patterns
            for path in (row["path"], row["path_last"])
            if path
        )
    ]
    return pa.array(found, pa.int32())


def _counted(table: pa.Table, types: Iterable[str]) -> tuple[Flags, Tally]:
    """Tell which references become records, and count the others by why they do not."""
    kind, operation = _codes(table["type"], tuple(types)), _codes(table["operation"], ("read", "write"))
    is_known = _flags(pc.and_(table["offset"].is_valid(), table["length"].is_valid()))
    is_known &= _integers(table["offset"], -1) >= 0
    is_typed = kind >= 0
    moves = is_typed & (operation >= 0)
    is_empty = moves & (_integers(table["length"], -1) == 0)
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
    """Return the process of each record, dense from 0, and how many there are."""
    rows = _integers(taken["process"], -1)
    if "process" in store.tables and store.family == "syscall":
        # a thread has a row for each program that it executed
        threads = store.arrow("process", ["process", "thread"])
        of_row = np.full(int(threads["process"].to_numpy().max(initial=0)) + 1, -1, np.int64)
        of_row[threads["process"].to_numpy()] = threads["thread"].to_numpy()
        rows = np.where(rows >= 0, of_row[rows], -1)
    # those of nobody: after all others, by file
    unknown = rows < 0
    rows = np.where(unknown, np.int64(1 << 40) + _integers(taken["file"], 0), rows)
    found, dense = np.unique(rows, return_inverse=True)
    return dense.astype(np.int64).reshape(-1), len(found)


def _think_times(
    taken: pa.Table, process: Integers, tally: Tally, think: Think
) -> tuple[dict[int, int], Integers, Tally]:
    """Return what each process computes before its first record, by that record's place, and after each record."""
    count = len(process)
    is_first = np.append(True, process[1:] != process[:-1])
    tally += Tally(without_process=int((_integers(taken["process"], -1) < 0).sum()))
    if think == "none":
        return {}, np.zeros(count, np.int64), tally
    has_time = _flags(taken["time_ns"].is_valid())
    time, duration = _integers(taken["time_ns"], 0), _integers(taken["duration_ns"], 0)
    follows = ~is_first[1:] & has_time[1:] & has_time[:-1]
    gaps = time[1:] - (time[:-1] + duration[:-1])
    after = np.append(np.where(follows, gaps.clip(min=0), 0), 0)
    began = int(time[has_time].min()) if has_time.any() else 0
    before = {int(row): int(time[row]) - began for row in np.flatnonzero(is_first & has_time)}
    tally += Tally(
        without_duration=int((has_time & ~_flags(taken["duration_ns"].is_valid())).sum()),
        overlapping=int((follows & (gaps < 0)).sum()),
        without_time=int((~has_time).sum()),
    )
    return {row: wait for row, wait in before.items() if wait > 0}, after, tally


def _operations(taken: pa.Table) -> Integers:
    flags = taken["flags"]
    plain = flags.cast(pa.string()) if pa.types.is_dictionary(flags.type) else flags
    is_forced = _flags(pc.fill_null(pc.match_substring(plain, "synchronous"), False))
    operation = _codes(taken["operation"], ("read", "write"))
    return np.where(is_forced & (operation == WRITE), SYNC_WRITE, operation)


def _files(store: Store, taken: pa.Table) -> tuple[Integers, tuple[str, ...]]:
    """Return the file of each record, dense from 0 in the order of the trace's numbers, and the files' names."""
    found, dense = np.unique(_integers(taken["file"], -1), return_inverse=True)
    paths = store.arrow("file", ["file", "path"])
    path_of = dict(zip(paths["file"].to_pylist(), paths["path"].to_pylist(), strict=True))
    # what has no name of its own is no file of another trace's
    names = [path_of.get(int(number)) or f"{store.path}: file {number}" for number in found]
    taken_names: set[str] = set()
    for place, name in enumerate(names):
        if name in taken_names or name.startswith("fd:"):
            names[place] = f"{store.path}: {name} ({found[place]})"
        taken_names.add(names[place])
    return dense.astype(np.int64).reshape(-1), tuple(names)


def _with_beginnings(records: pa.Table, before: dict[int, int]) -> pa.Table:
    """Put a row of operation compute before each of the records named by their places."""
    if not before:
        return records
    places = np.array(sorted(before), np.int64)
    waits = _table(
        {
            "application": np.zeros(len(places), np.int64),
            "process": records["process"].take(pa.array(places)),
            "node": records["node"].take(pa.array(places)),
            "operation": np.full(len(places), COMPUTE, np.int64),
            "compute_ns": np.array([before[int(place)] for place in places], np.int64),
        },
        len(places),
    )
    # each wait's own place is half a row before that of its record
    keys = np.concatenate([2 * np.arange(records.num_rows) + 1, 2 * places])
    joined = pa.concat_tables([records, waits])
    return joined.take(pa.array(np.argsort(keys))).combine_chunks()


def _table(columns: dict[str, Any], rows: int) -> pa.Table:
    """Return table program of these columns; those not given are null."""
    schema = schemas.schema("program")
    arrays = []
    for field in schema:
        values = columns.get(field.name)
        if field.name == "operation":
            codes = pa.array(np.asarray(values).astype(np.int32))
            arrays.append(pa.DictionaryArray.from_arrays(codes, pa.array(OPERATIONS)))
        elif values is None:
            arrays.append(pa.nulls(rows, field.type))
        else:
            column = values if isinstance(values, pa.ChunkedArray) else pa.array(values)
            arrays.append(column.cast(field.type))
    return pa.table(arrays, schema=schema)


def _codes(column: pa.ChunkedArray, words: Sequence[str]) -> Integers:
    """Return which of the words each value is; -1 for none of them."""
    plain = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
    return _integers(pc.index_in(plain, pa.array(words, pa.string())), -1)


def _integers(column: pa.ChunkedArray, missing: int) -> Integers:
    found: Integers = pc.fill_null(column, missing).to_numpy().astype(np.int64)
    return found


def _flags(column: pa.ChunkedArray) -> Flags:
    found: Flags = column.to_numpy().astype(np.bool_)
    return found


def _values(tally: Tally) -> list[int]:
    return [int(value) for value in vars(tally).values()]
