"""Recordings of system calls in one store, each of which has processes, descriptors and files of its own.

Each was ingested alone, so that its calls went through a file table of its own. In every table its rows follow those
that are there, and are numbered after them; column job of tables process and file tells recordings apart. Nothing of
one is joined with another: files of one path, and processes of one number, are different ones on two hosts, or may be.
Inodes are those of the host: table opened_inode leads to them from a call, and so from a recording.

Tables stay one file each, into which row groups are copied as they are: for a table of many files DuckDB has no
statistics of columns, and its larger joins then end for lack of memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa

from iotrace import schemas
from iotrace.families import CALLS
from iotrace.formats.reading import tables
from iotrace.libraries import pc
from iotrace.store import appended, sampled_files
from iotrace.store import manifest as manifests
from iotrace.store.appended import Entry
from iotrace.store.store import Store
from iotrace.store.table_file import StoredGroups
from iotrace.store.writer import TableWriters, write_manifest

ENTRY = "entry"
"""The beginnings and ends of calls, by which the calls of a log are numbered."""
NUMBERED: Mapping[str, Mapping[str, str]] = {
    "syscall": {"seq": ENTRY, "seq_return": ENTRY, "process": "process"},
    "reference": {
        "seq": "reference",
        "call_seq": ENTRY,
        "process": "process",
        "use": "use",
        "file": "file",
    },
    "use": {"use": "use", "file": "file", "process": "process"},
    "file": {"file": "file", "of_file": "file"},
    "process": {"process": "process", "parent": "process"},
    "mapping": {"process": "process", "file": "file"},
    "call_file": {"call_seq": ENTRY, "file": "file"},
    "failed_path": {"call_seq": ENTRY, "directory": "file"},
    "disagreement": {"call_seq": ENTRY, "last_call_seq": ENTRY},
    "inherited_descriptor": {"call_seq": ENTRY},
    "process_cgroup": {"process": "process"},
    "opened_inode": {"call_seq": ENTRY},
}
"""The columns of each table that number something, and of what they are numbers. Recordings of BPF programs lack tables
without rows."""
LOOKED_UP = "known_file"
"""The table that is not copied: tables file and reference have what the file table took from it."""
TIMES = ("time_ns", "open_ns", "close_ns", "started_ns", "ended_ns")
"""The columns that are times since the trace's first event."""
JOB = "job"


def refusal(store: Store) -> str | None:
    """Return the sentence that says why a recording cannot be one of several, and what to do; None if it can.

    What a recording has under its calls names inodes, disks and stacks of one host; a sample of files stands for all
    files of one.
    """
    manifest, alone = store.manifest, "give it a store of its own, which iotrace catalogue lists"
    if manifests.BACKEND in manifest:
        return (
            f"is the store of one recording, with its command and costs: append {', '.join(manifest['sources'])} to a"
            f" new store, with --known-files {store.path / LOOKED_UP}.parquet"
        )
    others = sorted(set(store.tables) - {*NUMBERED, LOOKED_UP})
    if groups := manifests.recorded_groups(manifest) or others:
        return (
            f"has more than calls ({', '.join(groups)}), which is of one recording: {alone}, or append the log of its"
            " calls, which iotrace export --to strace writes, to a store of logs"
        )
    if sampled_files.share(manifest) is not None:
        return f"is of a sample of files (--sample-files): {alone}"
    if manifest["times"]["base"] != "epoch":
        return f"has no dates, so that nothing is before or after it (strace -ttt records them): {alone}"
    return None


def write(folder: Path, store: Store, day: Store, listed: Sequence[Entry]) -> None:
    """Write the store with a further recording into a folder; its row groups are copied as they are."""
    (*before, _) = there = appended.with_rows(listed)
    later_ns = appended.start_ns(there[-1]) - appended.start_ns(there[0])
    calls = store.manifest["tables"][CALLS.name]
    after = store.manifest["tables"] | {ENTRY: _entries(store, range(calls - before[-1]["rows"], calls))}
    with closing(TableWriters(folder)) as writers:
        for name in sorted({*store.tables, *day.tables} - {LOOKED_UP}):
            writers.empty(name)
            if name in store.tables:
                _copy(writers, store, name, is_unnamed=len(before) == 1)
            if name in day.tables:
                for batch in day.batches(name, schemas.schema(name).names):
                    writers.write(name, _numbered(name, batch, after, later_ns, len(before)))
    _write_manifest(folder, store, listed, writers.rows)


def write_rest(folder: Path, store: Store, listed: Sequence[Entry]) -> None:
    """Write the recordings of a list that have rows, as they are in a store to which only they were appended."""
    kept = appended.with_rows(listed)
    before = appended.with_rows(appended.entries(store))
    later_ns = appended.start_ns(before[0]) - appended.start_ns(kept[0])
    was, now, job = Counter[str](), Counter[str](), 0
    with closing(TableWriters(folder)) as writers:
        for one in before:
            places = {name: range(was[name], was[name] + rows) for name, rows in one[appended.TABLES].items()}
            rows = Counter[str](one[appended.TABLES])
            rows[ENTRY] = _entries(store, places[CALLS.name]) - was[ENTRY]
            if one in kept:
                after = Counter(now)
                after.subtract(was)
                for name in sorted(places.keys() & NUMBERED.keys()):
                    writers.empty(name)
                    for batch in store.batches(name, schemas.schema(name).names, records=places[name]):
                        writers.write(name, _numbered(name, batch, after, later_ns, job))
                now, job = now + rows, job + 1
            was += rows
    _write_manifest(folder, store, listed, writers.rows)


def _write_manifest(folder: Path, store: Store, listed: Sequence[Entry], rows: Mapping[str, int]) -> None:
    manifest = appended.merged(store.manifest, listed)
    names = [one[appended.NAME] for one in appended.with_rows(listed)]
    write_manifest(folder, manifest | {"jobs": names, "tables": dict(rows)}, store.path)


def _copy(writers: TableWriters, store: Store, name: str, *, is_unnamed: bool) -> None:
    """Copy the row groups of a table, which get the number of their recording if they have none yet."""
    with closing(StoredGroups(store.table_path(name))) as stored:
        for number in range(len(stored)):
            has_none = is_unnamed and JOB in schemas.schema(name).names
            writers.copy(name, stored, number, _of_job(0, stored.rows(number)) if has_none else None)


def _entries(store: Store, records: range) -> int:
    """Return how many beginnings and ends of calls the recording with these calls ends after."""
    columns = ["seq", "seq_return"]
    last = (
        int(np.max(batch[name].to_numpy()))
        for batch in store.batches(CALLS.name, columns, records=records)
        for name in columns
    )
    return 1 + max(last, default=-1)


def _of_job(job: int, rows: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({JOB: np.full(rows, job, np.int32)})


def _numbered(
    table: str, batch: pa.RecordBatch, after: Mapping[str, int], later_ns: int, job: int
) -> pa.RecordBatch:
    """Return rows of a table of one recording with the numbers and times that they have in the store."""
    columns = {name: batch[name] for name in batch.schema.names}
    added = {column: after[of] for column, of in NUMBERED[table].items()} | dict.fromkeys(TIMES, later_ns)
    for name in added.keys() & columns.keys():
        columns[name] = pc.add(columns[name], pa.scalar(added[name], columns[name].type))
    if JOB in columns:
        columns[JOB] = _of_job(job, batch.num_rows)[JOB]
    return tables.of_columns(table, columns)
