"""Partitions of table disk_io, each written by a worker from the rows of one or several files as they were read.

In a partition rows are in the order of time, those of one time in that of the trace, and have the numbers and the clock
of the whole trace.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from iotrace import queries, schemas
from iotrace.errors import IotraceError, sql_reason
from iotrace.files.duckdb_connection import connect
from iotrace.files.names import local_name
from iotrace.formats.disk_io.order import SINCE_FIRST
from iotrace.formats.reading import tables
from iotrace.libraries import duckdb, pc
from iotrace.store.table_file import StoredGroups
from iotrace.store.writer import TableWriters

TABLE = "disk_io"
BATCH_ROWS = 1 << 17
Numbers = np.ndarray[Any, np.dtype[np.int32]]
Span = tuple[list["Rows"], int | None, int | None, int, Path, Path]
"""Files, from which time and up to which time (None for no end), the first row's number, a folder to write in, and the
partition's file."""


@dataclass(frozen=True)
class Rows:
    """The rows of a file as they were read, and what their numbers are in the whole trace."""

    path: Path
    count: int
    zero_ns: int | None
    """The time from which theirs count; None without times."""
    is_sorted: bool
    reached_ns: int | None
    """The latest time of the files before, where some rows here are earlier than that."""
    devices: Numbers
    files: Numbers
    processes: Numbers

    @property
    def is_overtaken(self) -> bool:
        """Whether some rows come after a later one of a file before."""
        return self.reached_ns is not None


def cuts_of(metadata: Sequence[Any], rows: Sequence[Rows]) -> list[int]:
    """Return the times that cut a trace into as many spans as it has files, by the statistics of their row groups.

    Spans have about the same number of rows.
    """
    middles, counts = [], []
    for file, of in zip(metadata, rows, strict=True):
        column = schemas.schema(TABLE).get_field_index("time_ns")
        for group in range(file.num_row_groups):
            known = file.row_group(group).column(column).statistics
            steps = np.linspace(known.min, known.max, 64)
            middles.append(steps.astype(np.int64) + (of.zero_ns or 0))
            counts.append(np.full(64, file.row_group(group).num_rows / 64))
    times, weights = np.concatenate(middles), np.concatenate(counts)
    order = np.argsort(times, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    places = np.searchsorted(reached, np.arange(1, len(rows)) / len(rows))
    return sorted({int(times[order[index]]) for index in places})


def surveyed(of: Rows, cuts_ns: Sequence[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return how many rows only came late because of the files before, and how many there are in each span of time."""
    counts = np.zeros(len(cuts_ns) + 2, np.int64)
    cuts = np.array(cuts_ns, np.int64)
    latest = np.iinfo(np.int64).min
    with pq.ParquetFile(local_name(of.path)) as file:
        for batch in file.iter_batches(BATCH_ROWS, columns=["time_ns"]):
            times = batch["time_ns"].to_numpy() + of.zero_ns
            counts[1:] += np.bincount(np.searchsorted(cuts, times, side="right"), minlength=len(cuts) + 1)
            if of.reached_ns is not None:
                before = np.maximum.accumulate(np.concatenate([[latest], times[:-1]]))
                counts[0] += int(((times >= before) & (times < of.reached_ns)).sum())
                latest = max(latest, int(times.max()))
    return counts


def written(span: Span, first_ns: int) -> list[int]:
    """Write a partition, and return the number of its rows in a list; times count from ``first_ns``."""
    of, low_ns, high_ns, seq, folder_of_spans, target = span
    folder = folder_of_spans / secrets.token_hex(8)
    folder.mkdir()
    if len(of) == 1 and of[0].is_sorted:
        _renumber(of[0], seq, first_ns, folder, target)
        return [of[0].count]
    rows = 0
    with contextlib.closing(TableWriters(folder)) as writers:
        for columns in _sorted(of, low_ns, high_ns, folder):
            count = len(columns["device"])
            columns["seq"] = tables.running(seq + rows, count)
            for name in SINCE_FIRST:
                if columns[name].null_count < count:
                    columns[name] = pc.subtract(columns[name], first_ns)
            writers.write(TABLE, tables.of_columns(TABLE, columns))
            rows += count
    (folder / f"{TABLE}.parquet").replace(target)
    return [rows]


def _renumber(of: Rows, seq: int, first_ns: int, folder: Path, target: Path) -> None:
    """Write the rows of a file, which are in order, with the numbers and the clock of the whole trace.

    Other columns are copied as they are stored.
    """
    numbers = {"device": of.devices, "file": of.files, "process": of.processes}
    changed = {name: known for name, known in numbers.items() if (known != np.arange(len(known))).any()}
    shift_ns = 0 if of.zero_ns is None else of.zero_ns - first_ns
    columns = [*(["seq"] if seq else []), *(SINCE_FIRST if shift_ns else ()), *changed]
    if not columns:
        of.path.rename(target)
        return
    with (
        pq.ParquetFile(local_name(of.path)) as read,
        contextlib.closing(StoredGroups(of.path)) as stored,
        contextlib.closing(TableWriters(folder)) as writers,
    ):
        for group in range(len(stored)):
            rows = read.read_row_group(group, columns=columns).combine_chunks()
            newer = {name: rows[name].combine_chunks() for name in columns}
            newer |= {name: pc.add(newer[name], shift_ns) for name in SINCE_FIRST if name in newer}
            newer |= {name: taken(known, newer[name]) for name, known in changed.items()}
            if seq:
                newer["seq"] = pc.add(newer["seq"], seq)
            writers.copy(TABLE, stored, group, pa.RecordBatch.from_pydict(newer))
    (folder / f"{TABLE}.parquet").replace(target)


def _sorted(
    of: Sequence[Rows], low_ns: int | None, high_ns: int | None, folder: Path
) -> Iterator[dict[str, Any]]:
    """Give the same of the rows of some files in a span of time, in its order; larger than memory if need be."""
    with contextlib.closing(connect(local_name(folder) + "/spill")) as connection:
        selects = [_select(number, part, low_ns, high_ns) for number, part in enumerate(of)]
        statement = " union all ".join(selects) + " order by time_ns, part, seq"
        numbers = {
            "device": _joined([part.devices for part in of]),
            "file": _joined([part.files for part in of]),
            "process": _joined([part.processes for part in of]),
        }
        try:
            batches = connection.sql(statement).to_arrow_reader(BATCH_ROWS)
        except duckdb.Error as error:
            raise IotraceError(f"the requests cannot be sorted by time: {sql_reason(error)}") from None
        for batch in batches:
            columns = {name: batch[name] for name in batch.schema.names if name != "part"}
            for name, (values, starts) in numbers.items():
                places = pc.add(columns[name], pa.array(starts[batch["part"].to_numpy()]))
                columns[name] = taken(values, places)
            yield columns


def _select(part: int, of: Rows, low_ns: int | None, high_ns: int | None) -> str:
    zero_ns = of.zero_ns or 0
    times = ", ".join(f"{name} + {zero_ns}::bigint as {name}" for name in SINCE_FIRST)
    ends = [] if low_ns is None else [f"time_ns >= {low_ns - zero_ns}"]
    ends += [] if high_ns is None else [f"time_ns < {high_ns - zero_ns}"]
    where = f" where {' and '.join(ends)}" if ends else ""
    read = f"read_parquet({queries.literal(local_name(of.path))})"
    return f"(select {part} as part, * replace ({times}) from {read}{where})"


def _joined(numbers: Sequence[Numbers]) -> tuple[Numbers, np.ndarray[Any, np.dtype[np.int32]]]:
    """Return the numbers of all files after each other, and where those of each begin."""
    starts = np.cumsum([0, *(len(part) for part in numbers[:-1])]).astype(np.int32)
    return np.concatenate(numbers), starts


def taken(numbers: Numbers, places: pa.Array) -> pa.Array:
    """Return the numbers at some places, null for null."""
    if places.null_count == len(places):
        return pa.nulls(len(places), pa.int32())
    return pa.array(numbers, pa.int32()).take(places)
