"""Changes to references that the engine had already passed on.

It streams references. A file pointer from before the trace may be revealed long after, and a call that made its
references when it was issued may return long after. What is to be done to references that were passed on by then
comes with the engine's report. Few rows change as a rule, so that only their columns are stored again.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from iotrace.files.names import local_name
from iotrace.ingest.deriving import Deriving
from iotrace.store.table_file import StoredGroups
from iotrace.store.writer import TableWriters

RELATIVE = "relative"
TABLE = "reference"
OF_REBASES = ("file", "offset", "offset_source")
OF_DURATIONS = ("seq", "duration_ns")


class Rebase(NamedTuple):
    """Corrections of the references of one row of table file.

    Those whose offset_source is relative lie `start_bytes` further on, and their source becomes `source`; all of them
    go to the file `target`.
    """

    file: int
    start_bytes: int
    source: str
    target: int


class Calls(Deriving):
    """Derives the tables of calls, and applies the engine's late findings to references that are already written."""

    def derive(self, folder: Path, rows: Mapping[str, int], report: dict[str, Any]) -> dict[str, int]:
        """Amend table reference; no table is derived from the calls, which make references as they are read."""
        amend(folder, {name: report.pop(name) for name in ("rebases", "late_durations")})
        return {}


def amend(folder: Path, report: Mapping[str, Any]) -> None:
    """Write table reference of a store that is being made again, with what an engine's report says of it."""
    rebases = [Rebase(*fields) for fields in report["rebases"]]
    durations_ns: list[tuple[int, int]] = report["late_durations"]
    if not rebases and not durations_ns:
        return
    columns = (OF_REBASES if rebases else ()) + (OF_DURATIONS if durations_ns else ())
    table, changes = folder / f"{TABLE}.parquet", folder / "changes"
    changes.mkdir()
    written = 0
    with (
        pq.ParquetFile(local_name(table)) as read,
        contextlib.closing(StoredGroups(table)) as stored,
        contextlib.closing(TableWriters(changes)) as writers,
    ):
        for group, batch in _groups(read, columns):
            changed = with_durations(rebased(batch, rebases), durations_ns)
            if changed is not batch:
                for unchanged in range(written, group):
                    writers.copy(TABLE, stored, unchanged)
                writers.copy(TABLE, stored, group, changed)
                written = group + 1
        if written:
            for unchanged in range(written, len(stored)):
                writers.copy(TABLE, stored, unchanged)
    if written:
        (changes / table.name).replace(table)
    changes.rmdir()


def _groups(read: pq.ParquetFile, columns: Sequence[str]) -> Iterator[tuple[int, pa.RecordBatch]]:
    for group in range(read.num_row_groups):
        rows = read.read_row_group(group, columns=columns).combine_chunks()
        yield from ((group, batch) for batch in rows.to_batches())


def rebased(batch: pa.RecordBatch, rebases: Sequence[Rebase]) -> pa.RecordBatch:
    """Return rows of table reference with those that `rebases` concern where they belong; the batch if none is."""
    if not rebases:
        return batch
    by_file = sorted(rebases)
    files = np.array([rebase.file for rebase in by_file])
    file = _filled(batch["file"], -1)
    which = np.searchsorted(files, file).clip(max=len(files) - 1)
    rows = np.flatnonzero(files[which] == file)
    which = which[rows]
    targets = np.array([rebase.target for rebase in by_file])[which]
    sources: list[str] = batch["offset_source"].dictionary.to_pylist()
    codes = _filled(batch["offset_source"].indices, -1)
    moves = codes[rows] == (sources.index(RELATIVE) if RELATIVE in sources else len(sources))
    if not moves.any() and (targets == file[rows]).all():
        return batch
    offset = _filled(batch["offset"], 0)
    offset[rows[moves]] += np.array([rebase.start_bytes for rebase in by_file])[which[moves]]
    sources += sorted({rebase.source for rebase in by_file} - set(sources))
    codes[rows[moves]] = np.array([sources.index(rebase.source) for rebase in by_file])[which[moves]]
    file[rows] = targets
    source = pa.DictionaryArray.from_arrays(_like(batch["offset_source"], codes), pa.array(sources))
    return _with(
        batch,
        {
            "file": _like(batch["file"], file),
            "offset": _like(batch["offset"], offset),
            "offset_source": source,
        },
    )


def with_durations(batch: pa.RecordBatch, durations_ns: Sequence[tuple[int, int]]) -> pa.RecordBatch:
    """Return rows of table reference, of which those with these `seq` have these durations; the batch if none has."""
    if not durations_ns:
        return batch
    late = np.array(sorted(durations_ns))
    seq = batch["seq"].to_numpy()
    rows = np.searchsorted(seq, late[:, 0]).clip(max=len(seq) - 1)
    is_here = seq[rows] == late[:, 0]
    if not is_here.any():
        return batch
    duration_ns = _filled(batch["duration_ns"], 0)
    is_null = batch["duration_ns"].is_null().to_numpy(zero_copy_only=False).copy()
    duration_ns[rows[is_here]] = late[is_here, 1]
    is_null[rows[is_here]] = False
    return _with(batch, {"duration_ns": pa.array(duration_ns, mask=is_null)})


def _filled(column: pa.Array, missing: int) -> np.ndarray[Any, Any]:
    """Return a column's numbers, which can be changed, with a number for nulls."""
    numbers: np.ndarray[Any, Any] = column.fill_null(missing).to_numpy()
    return numbers.copy()


def _like(column: pa.Array, numbers: np.ndarray[Any, Any]) -> pa.Array:
    """Return numbers that are null where a column is."""
    is_null = column.is_null().to_numpy(zero_copy_only=False)
    return pa.array(numbers, mask=is_null)


def _with(batch: pa.RecordBatch, columns: Mapping[str, pa.Array]) -> pa.RecordBatch:
    arrays = [columns.get(name, batch[name]) for name in batch.schema.names]
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema)
